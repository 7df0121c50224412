/* A client with four made-up endpoints: one request a millisecond, each retried once elsewhere when
 * it fails. No sockets, and time is a number, so the output is the same every time. */
#include <evener/evener.h>
#include <stdio.h>
#include <stdlib.h>

enum { kEndpoints = 4, kRequests = 20000, kAtOnce = 1000 };
static const int64_t kMs = 1000000;

/* What an endpoint would do, in place of a network. */
static const struct {
  const char* name;
  int64_t ms; /* at most, to answer */
  uint32_t failures_percent;
} kModels[kEndpoints] = {{"fast-1", 10, 0}, {"fast-2", 10, 0}, {"slow", 100, 0}, {"flaky", 10, 20}};

/* A request that is out. Its ticket is given back by evener_finish or evener_drop, always. */
typedef struct {
  evener_ticket ticket;
  int64_t due;
  evener_outcome outcome;
  int retry;
} attempt;

static attempt out[kAtOnce];
static int sent[kEndpoints];
static int attempts, failed;

static uint32_t luck(uint32_t below) {
  static uint64_t state = 1;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(state >> 33) % below;
}

static void stop(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* Sends to any endpoint but `tried` (0: none was). */
static void send(evener_balancer* balancer, int64_t now, uint64_t tried) {
  evener_request request = {sizeof request, NULL, 0, NULL, 0};
  attempt* a = out;
  uint64_t id = 0;
  int i = 0;
  evener_error error = EVENER_OK;
  while (a < out + kAtOnce && evener_ticket_held(&a->ticket)) ++a;
  if (a == out + kAtOnce) stop("send", "too many requests at once");
  request.tried = &tried;
  request.tried_count = tried != 0 ? 1 : 0;
  error = evener_pick(balancer, now, &request, &a->ticket);
  if (error != EVENER_OK) {
    printf("no endpoint: %s\n", evener_error_text(error));
    ++failed;
    return;
  }
  id = evener_ticket_id(&a->ticket);
  while (evener_endpoint_id(kModels[i].name) != id) ++i;
  ++attempts;
  ++sent[i];
  a->due = now + (int64_t)luck((uint32_t)(kModels[i].ms * 1000)) * (kMs / 1000);
  a->outcome = luck(100) < kModels[i].failures_percent ? EVENER_FAILURE : EVENER_SUCCESS;
  a->retry = tried != 0;
}

static void answer_until(evener_balancer* balancer, int64_t end) {
  for (;;) {
    attempt* first = NULL;
    int i = 0;
    uint64_t id = 0;
    for (i = 0; i < kAtOnce; ++i) {
      if (!evener_ticket_held(&out[i].ticket) || out[i].due > end) continue;
      if (first == NULL || out[i].due < first->due) first = &out[i];
    }
    if (first == NULL) return;
    id = evener_ticket_id(&first->ticket);
    evener_finish(&first->ticket, first->outcome, first->due, 0);
    if (first->outcome == EVENER_SUCCESS) continue;
    if (first->retry) {
      ++failed;
    } else {
      send(balancer, first->due, id);
    }
  }
}

int main(void) {
  evener_endpoint endpoints[kEndpoints];
  evener_options options = {0};
  evener_balancer* balancer = NULL;
  char why[200];
  int i = 0;
  if (evener_abi_version() != EVENER_ABI_VERSION) stop("libevener", "another version");
  for (i = 0; i < kEndpoints; ++i) {
    const evener_endpoint endpoint = {kModels[i].name, 0, 1, 0, 0};
    endpoints[i] = endpoint;
  }
  options.struct_size = sizeof options;
  options.seed = 1;
  if (evener_create(&options, &balancer, why, sizeof why) != EVENER_OK ||
      evener_apply(balancer, 0, endpoints, kEndpoints, sizeof endpoints[0], why, sizeof why) !=
          EVENER_OK) {
    stop("evener", why);
  }
  for (i = 0; i < kRequests; ++i) {
    answer_until(balancer, i * kMs);
    evener_tick(balancer, i * kMs);
    send(balancer, i * kMs, 0);
  }
  answer_until(balancer, INT64_MAX);
  for (i = 0; i < kEndpoints; ++i) {
    printf("%-8s %5.1f %%\n", kModels[i].name, 100.0 * sent[i] / attempts);
  }
  printf("%d requests, %d retried, %d failed\n", kRequests, attempts - kRequests, failed);
  if (evener_destroy(balancer) != 0) stop("evener", "a ticket was forgotten");
  return 0;
}
