/* The whole life of a balancer as a C99 program has it. Says what failed, and where; exit 1 then.
 */
#include <evener/evener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static const int64_t kMs = 1000000;

static void creating(void) {
  char text[200];
  char tiny[8];
  evener_balancer* balancer = NULL;
  evener_options options = {0};
  CHECK(evener_create(&options, &balancer, text, sizeof text) == EVENER_ERROR_ARGUMENT);
  CHECK(strstr(text, "struct_size") != NULL);
  options.struct_size = sizeof options;
  options.policy = "round_robbin";
  CHECK(evener_create(&options, &balancer, text, sizeof text) == EVENER_ERROR_INVALID);
  CHECK(balancer == NULL);
  CHECK(strstr(text, "round_robin") != NULL);
  CHECK(evener_create(&options, &balancer, tiny, sizeof tiny) == EVENER_ERROR_INVALID);
  CHECK(strlen(tiny) == sizeof tiny - 1);
  CHECK(evener_create(&options, &balancer, NULL, 0) == EVENER_ERROR_INVALID);
  options.policy = "peak_ewma";
  options.tau_ns = 5000 * kMs;
  CHECK(evener_create(&options, &balancer, text, sizeof text) == EVENER_OK);
  CHECK(text[0] == '\0');
  CHECK(evener_destroy(balancer) == 0);
  CHECK(evener_destroy(NULL) == 0);
}

static void one_request(evener_balancer* balancer, int64_t now, evener_outcome outcome) {
  evener_ticket ticket = EVENER_TICKET_INIT;
  CHECK(evener_pick(balancer, now, NULL, &ticket) == EVENER_OK);
  CHECK(evener_ticket_held(&ticket) == 1);
  CHECK(evener_ticket_id(&ticket) == evener_endpoint_id(evener_ticket_name(&ticket)) ||
        evener_ticket_id(&ticket) == 42);
  CHECK(evener_first_byte(&ticket, now + 2 * kMs) == EVENER_OK);
  CHECK(evener_finish(&ticket, outcome, now + 5 * kMs, 0) == EVENER_OK);
  CHECK(evener_finish(&ticket, outcome, now + 5 * kMs, 0) == EVENER_ERROR_TICKET);
  CHECK(evener_ticket_held(&ticket) == 0);
  CHECK(evener_ticket_name(&ticket) == NULL);
}

static void retrying(evener_balancer* balancer, int64_t now) {
  evener_ticket first = EVENER_TICKET_INIT;
  evener_ticket second = EVENER_TICKET_INIT;
  evener_request request = {0};
  uint64_t tried[1];
  CHECK(evener_pick(balancer, now, NULL, &first) == EVENER_OK);
  tried[0] = evener_ticket_id(&first);
  CHECK(evener_finish(&first, EVENER_CONNECT_FAILED, now, 0) == EVENER_OK);
  request.struct_size = sizeof request;
  request.tried = tried;
  request.tried_count = 1;
  CHECK(evener_pick(balancer, now, &request, &second) == EVENER_OK);
  CHECK(evener_ticket_id(&second) != tried[0]);
  CHECK(evener_finish(&second, EVENER_SUCCESS, now + kMs, 0) == EVENER_OK);
}

static void telling(const evener_balancer* balancer, int64_t now) {
  evener_status status[3];
  char text[16];
  char* whole = NULL;
  size_t total = 0;
  size_t size = 0;
  size_t i = 0;
  uint64_t picks = 0;
  CHECK(evener_snapshot(balancer, now, status, 3, sizeof status[0], &total) == EVENER_OK);
  CHECK(total == 3);
  for (i = 0; i < total; ++i) picks += status[i].picks;
  CHECK(picks == 22);
  CHECK(strcmp(status[1].name, "10.0.0.8:80") == 0);
  CHECK(status[1].id == 42);
  CHECK(status[2].flags == EVENER_ENDPOINT_DRAINING);
  CHECK(status[2].eligible == 0);
  CHECK(strcmp(status[2].reason, "draining") == 0);
  size = evener_explain(balancer, text, sizeof text);
  CHECK(size > sizeof text);
  CHECK(strlen(text) == sizeof text - 1);
  whole = malloc(size + 1);
  CHECK(whole != NULL);
  if (whole == NULL) return;
  CHECK(evener_explain(balancer, whole, size + 1) == size);
  CHECK(strlen(whole) == size);
  CHECK(strstr(whole, "peak_ewma") != NULL);
  free(whole);
}

static void saving(const evener_balancer* from, int64_t now, const evener_endpoint* endpoints) {
  char text[200];
  unsigned char* data = NULL;
  size_t size = 0;
  size_t total = 0;
  evener_balancer* to = NULL;
  evener_status before[3];
  evener_status after[3];
  CHECK(evener_save(from, now, NULL, 0, &size) == EVENER_ERROR_SIZE);
  data = malloc(size);
  CHECK(data != NULL);
  if (data == NULL) return;
  CHECK(evener_save(from, now, data, size, &size) == EVENER_OK);
  CHECK(evener_create(NULL, &to, text, sizeof text) == EVENER_OK);
  CHECK(evener_apply(to, 0, endpoints, 3, sizeof endpoints[0], text, sizeof text) == EVENER_OK);
  data[size / 2] ^= 1;
  CHECK(evener_restore(to, 0, data, size, text, sizeof text) == EVENER_ERROR_INVALID);
  CHECK(strlen(text) > 0);
  data[size / 2] ^= 1;
  CHECK(evener_restore(to, 0, data, size, text, sizeof text) == EVENER_OK);
  CHECK(evener_snapshot(from, now, before, 3, sizeof before[0], &total) == EVENER_OK);
  CHECK(evener_snapshot(to, 0, after, 3, sizeof after[0], &total) == EVENER_OK);
  CHECK(before[0].successes == after[0].successes);
  CHECK(before[1].failures == after[1].failures);
  free(data);
  CHECK(evener_destroy(to) == 0);
}

int main(void) {
  char text[200];
  int i = 0;
  int64_t now = 0;
  evener_balancer* balancer = NULL;
  evener_ticket ticket = EVENER_TICKET_INIT;
  evener_endpoint endpoints[3] = {{"10.0.0.7:80", 0, 1, 0, 0},
                                  {"10.0.0.8:80", 42, 2, 0, 0},
                                  {"10.0.0.9:80", 0, 1, 1, EVENER_ENDPOINT_DRAINING}};
  CHECK(evener_abi_version() == EVENER_ABI_VERSION);
  CHECK(strlen(evener_version()) > 0);
  CHECK(sizeof(evener_ticket) == 40);
  creating();
  CHECK(evener_create(NULL, &balancer, text, sizeof text) == EVENER_OK);
  CHECK(evener_pick(balancer, 0, NULL, &ticket) == EVENER_ERROR_NO_ENDPOINTS);
  CHECK(evener_ticket_held(&ticket) == 0);
  CHECK(evener_apply(balancer, 0, endpoints, 3, sizeof endpoints[0], text, sizeof text) ==
        EVENER_OK);
  CHECK(evener_eligible(balancer) == 2);
  for (i = 0; i < 20; ++i) {
    now += 10 * kMs;
    CHECK(evener_tick(balancer, now) == EVENER_OK);
    one_request(balancer, now, i % 5 == 4 ? EVENER_FAILURE : EVENER_SUCCESS);
  }
  retrying(balancer, now);
  CHECK(evener_in_flight(balancer) == 0);
  telling(balancer, now);
  saving(balancer, now, endpoints);
  endpoints[0].flags = EVENER_ENDPOINT_DOWN;
  endpoints[1].flags = EVENER_ENDPOINT_DOWN;
  endpoints[2].flags = EVENER_ENDPOINT_DOWN;
  CHECK(evener_apply(balancer, now, endpoints, 3, sizeof endpoints[0], text, sizeof text) ==
        EVENER_OK);
  CHECK(evener_pick(balancer, now, NULL, &ticket) == EVENER_ERROR_NONE_ELIGIBLE);
  CHECK(evener_destroy(balancer) == 0);
  if (failures == 0) puts("ok");
  return failures == 0 ? 0 : 1;
}
