/* Evener's C interface: a Balancer and its tickets for C99 and for whatever can call C.
 *
 * The same object as in evener/balancer.h, behind opaque handles. No exception leaves it; what can
 * fail returns an evener_error, and where a person should read why, a text goes into the caller's
 * buffer (always terminated, cut off if too small; may be NULL with size 0).
 *
 * Thread: a balancer, its tickets included, belongs to one thread at a time; make one for each
 * thread. An evener_set is frozen and may be shared by any number of threads. Nothing reads a
 * clock: `now_ns` is nanoseconds on a monotonic clock of the caller's, never going back.
 *
 * Growth: structs begin with their own size, or have it passed in beside them. A field that is not
 * there, 0 or NULL means its default. A struct longer than the library knows is accepted while what
 * it does not know is 0. EVENER_ABI_VERSION rises when a program must be compiled anew, and with it
 * the name of the shared library (libevener.so.1); functions and fields may be added without.
 *
 * Texts returned as `const char*` are terminated and live as long as stated; those without a
 * statement live as long as the program. Unless it says otherwise, a function that is given NULL
 * where an object must be returns EVENER_ERROR_ARGUMENT, and does nothing.
 *
 * Cost: that of balancer.h and a few copied words; picks, finishes and drops never allocate or
 * lock.
 */
#ifndef EVENER_EVENER_H
#define EVENER_EVENER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define EVENER_NOEXCEPT noexcept
extern "C" {
#else
#define EVENER_NOEXCEPT
#endif

#define EVENER_ABI_VERSION 1

/* EVENER_ABI_VERSION of the library that is running. Another one than that of the header: stop. */
uint32_t evener_abi_version(void) EVENER_NOEXCEPT;
/* The release, as "0.1.0". */
const char* evener_version(void) EVENER_NOEXCEPT;

/* ---- Errors and outcomes ---- */

typedef int32_t evener_error;
enum {
  EVENER_OK = 0,
  /* No pick; see evener_pick. */
  EVENER_ERROR_NO_ENDPOINTS = 1,  /* the set is empty, or none was applied */
  EVENER_ERROR_NONE_ELIGIBLE = 2, /* endpoints exist; all are down or draining */
  EVENER_ERROR_ALL_TRIED = 3,     /* every eligible endpoint is in `tried` */
  EVENER_ERROR_ALL_BUSY = 4,      /* all are at their limit: wait, or refuse */
  /* The caller's doing. */
  EVENER_ERROR_ARGUMENT = 5, /* NULL, a size of 0, an unknown outcome, an unknown struct field */
  EVENER_ERROR_INVALID = 6,  /* a setting, an endpoint or a saved state; the text says which */
  EVENER_ERROR_TICKET = 7,   /* holds nothing where it should, or something where it must not */
  EVENER_ERROR_SIZE = 8,     /* the buffer is too small; the size that is needed was stored */
  EVENER_ERROR_NO_MEMORY = 9,
  EVENER_ERROR_INTERNAL = 10 /* a bug of ours */
};
/* A few words for a person; "unknown error" for any other number. */
const char* evener_error_text(evener_error error) EVENER_NOEXCEPT;

/* How a request ended. */
typedef int32_t evener_outcome;
enum {
  EVENER_SUCCESS = 0,
  EVENER_FAILURE = 1,       /* the endpoint's fault: 5xx, reset, timeout */
  EVENER_CANCELLED = 2,     /* the client went away, or we gave up */
  EVENER_REJECTED = 3,      /* refused locally, never sent: charges nothing */
  EVENER_OVERLOADED = 4,    /* it has too much to do (429, 503): costs more, is never ejected */
  EVENER_CONNECT_FAILED = 5 /* nothing was sent; the endpoint is left out for a second */
};
/* "success" ...; "unknown outcome" for any other number. */
const char* evener_outcome_text(evener_outcome outcome) EVENER_NOEXCEPT;

/* ---- Policies ---- */

size_t evener_policy_count(void) EVENER_NOEXCEPT;
/* The name and one line for people; NULL from evener_policy_count() on. */
const char* evener_policy_name(size_t index) EVENER_NOEXCEPT;
const char* evener_policy_summary(size_t index) EVENER_NOEXCEPT;

/* ---- Endpoints ---- */

/* What evener_endpoint_id gives a name: the same on every machine and in every release. */
uint64_t evener_endpoint_id(const char* name) EVENER_NOEXCEPT;

enum {
  EVENER_ENDPOINT_DOWN = 1,    /* probes say so */
  EVENER_ENDPOINT_DRAINING = 2 /* finishes what it has, gets nothing new */
};

typedef struct evener_endpoint {
  const char* name; /* for people, and for connecting; copied */
  uint64_t id;      /* identity: the same one keeps its counts; 0: that of the name */
  double weight;    /* share relative to the others, 1e-6 to 1e6; 0 is an error, not a default */
  uint32_t zone;
  uint32_t flags; /* of EVENER_ENDPOINT_... */
} evener_endpoint;

/* The endpoints of a pool, frozen, for one or more balancers. */
typedef struct evener_set evener_set;

/* Makes a set of `count` endpoints for `workers` balancers (1 to 1024) that see each other's
 * requests in flight: each has a number of its own in evener_options. `endpoint_size` is
 * sizeof(evener_endpoint). To be freed; balancers that applied it keep what they need.
 * Any thread. O(count), allocates. */
evener_error evener_set_create(const evener_endpoint* endpoints, size_t count, size_t endpoint_size,
                               uint32_t workers, evener_set** set, char* error_text,
                               size_t error_text_size) EVENER_NOEXCEPT;
/* NULL is allowed. */
void evener_set_free(evener_set* set) EVENER_NOEXCEPT;

/* ---- Balancer ---- */

typedef struct evener_balancer evener_balancer;

/* Who is picked when nothing is eligible. */
enum {
  EVENER_PANIC_MEMBERS = 0, /* those that are up, though ejected or to be left alone */
  EVENER_PANIC_ERROR = 1,   /* nobody */
  EVENER_PANIC_ALL = 2      /* those that are down as well */
};

enum { EVENER_ESTIMATOR_MEAN = 0, EVENER_ESTIMATOR_PEAK = 1 };
enum { EVENER_OVER_RING = 0, EVENER_OVER_RENDEZVOUS = 1 };

/* `choices` of peak_ewma: all endpoints; all of few and some of many. */
#define EVENER_CHOICES_ALL UINT32_C(0xffffffff)
#define EVENER_CHOICES_AUTO UINT32_C(0xfffffffe)

/* struct_size = sizeof(evener_options), the rest 0: the defaults. What each means: policy.h and
 * balancer.h beside this file. */
typedef struct evener_options {
  size_t struct_size;
  const char* policy; /* by name */
  uint64_t seed;      /* give each balancer its own, or they draw alike */
  uint32_t worker;    /* this one's number, below `workers` of its sets */
  uint32_t max_in_flight;
  uint32_t panic; /* of EVENER_PANIC_... */
  uint32_t eject; /* 1: endpoints that fail are taken out for a while (ejection.h) */
  int64_t warm_up_ns;
  uint32_t choices;
  uint32_t points;
  uint32_t table_size;
  uint32_t estimator;  /* of EVENER_ESTIMATOR_... */
  uint32_t keyed_over; /* of EVENER_OVER_... */
  uint32_t reserved;   /* 0 */
  double load_factor;
  int64_t tau_ns;
  int64_t floor_ns;
  int64_t prior_ns;
  int64_t window_ns;
  int64_t reprobe_ns;
} evener_options;

/* `options` may be NULL: all defaults. On an error *balancer is NULL and the text says what was
 * expected and what was found. To be destroyed. */
evener_error evener_create(const evener_options* options, evener_balancer** balancer,
                           char* error_text, size_t error_text_size) EVENER_NOEXCEPT;
/* Returns how many tickets are still out: 0 unless some were forgotten. Those stay valid, and the
 * memory behind them goes with the last. NULL is allowed. */
uint64_t evener_destroy(evener_balancer* balancer) EVENER_NOEXCEPT;

/* Takes these endpoints in place of the present ones; counts carry over by identity. On an error
 * nothing has changed; but after EVENER_ERROR_NO_MEMORY only evener_destroy and tickets may be
 * used. O(count), allocates. */
evener_error evener_apply(evener_balancer* balancer, int64_t now_ns,
                          const evener_endpoint* endpoints, size_t count, size_t endpoint_size,
                          char* error_text, size_t error_text_size) EVENER_NOEXCEPT;
/* The same with a set. EVENER_ERROR_ARGUMENT when its `workers` is not above this one's number. */
evener_error evener_apply_set(evener_balancer* balancer, int64_t now_ns,
                              const evener_set* set) EVENER_NOEXCEPT;

/* To be called every few milliseconds, or before a pick when some have passed. */
evener_error evener_tick(evener_balancer* balancer, int64_t now_ns) EVENER_NOEXCEPT;

/* Tickets out, and endpoints that may be picked; 0 for NULL. */
uint64_t evener_in_flight(const evener_balancer* balancer) EVENER_NOEXCEPT;
size_t evener_eligible(const evener_balancer* balancer) EVENER_NOEXCEPT;

/* ---- Tickets ---- */

/* One request on its way: counted as in flight from the pick until it is finished or dropped.
 * The caller's memory; begin with EVENER_TICKET_INIT (all bytes 0). It may be moved by copying its
 * bytes if the old place is not used again: of two copies only one may be finished. A pick into a
 * ticket that still holds a request is refused, and evener_destroy counts those forgotten. */
typedef struct evener_ticket {
  uint64_t opaque[5];
} evener_ticket;
#define EVENER_TICKET_INIT {{0, 0, 0, 0, 0}}

#define EVENER_TRIED_MAX 64
#define EVENER_BATCH_MAX 256

typedef struct evener_request {
  size_t struct_size;    /* sizeof(evener_request) */
  const void* key;       /* for keyed policies: requests of one key stay together */
  size_t key_size;       /* bytes */
  const uint64_t* tried; /* identities that must not be picked again; unknown ones are ignored */
  size_t tried_count;    /* at most EVENER_TRIED_MAX */
} evener_request;

/* Picks an endpoint. `request` may be NULL. Anything but EVENER_OK leaves the ticket as it was. */
evener_error evener_pick(evener_balancer* balancer, int64_t now_ns, const evener_request* request,
                         evener_ticket* ticket) EVENER_NOEXCEPT;
/* Places `count` tasks (at most EVENER_BATCH_MAX) at once: looks at `probes` x count endpoints and
 * takes the cheapest. Stores how many were placed, from the front: fewer only when endpoints reach
 * their limit. */
evener_error evener_pick_batch(evener_balancer* balancer, int64_t now_ns,
                               const evener_request* request, uint32_t probes,
                               evener_ticket* tickets, size_t count,
                               size_t* placed) EVENER_NOEXCEPT;

/* Whether it holds a request: 1 or 0. */
int evener_ticket_held(const evener_ticket* ticket) EVENER_NOEXCEPT;
/* The endpoint picked. 0 and NULL for a ticket that holds nothing. The name is valid until the
 * ticket is finished or another set is applied. */
uint64_t evener_ticket_id(const evener_ticket* ticket) EVENER_NOEXCEPT;
const char* evener_ticket_name(const evener_ticket* ticket) EVENER_NOEXCEPT;

/* The response's first byte is here: the latency is this one. Only the first call counts. */
evener_error evener_first_byte(evener_ticket* ticket, int64_t now_ns) EVENER_NOEXCEPT;
/* Gives the request back; the ticket is empty then and may be used again. `retry_after_ns`: how
 * long the endpoint asked to be left alone, else 0. EVENER_ERROR_TICKET a second time. */
evener_error evener_finish(evener_ticket* ticket, evener_outcome outcome, int64_t now_ns,
                           int64_t retry_after_ns) EVENER_NOEXCEPT;
/* Gives it back as cancelled, at the last time the balancer was told. Nothing if it is empty. */
void evener_drop(evener_ticket* ticket) EVENER_NOEXCEPT;

/* What the endpoint said of its load, in this answer or in reply to a probe, for policies that take
 * reports: of its capacity (1: full), requests it holds, latency. Negative: it did not say. */
evener_error evener_ticket_report(evener_ticket* ticket, int64_t now_ns, double utilization,
                                  int64_t in_flight, int64_t latency_ns) EVENER_NOEXCEPT;
evener_error evener_report(evener_balancer* balancer, uint64_t id, int64_t now_ns,
                           double utilization, int64_t in_flight,
                           int64_t latency_ns) EVENER_NOEXCEPT;

/* ---- What is going on ---- */

/* Why the last pick went where it went, several lines. Returns the length of the whole text without
 * its end; it was cut off if that is not below `size`. 0 for NULL, or without memory. */
size_t evener_explain(const evener_balancer* balancer, char* text, size_t size) EVENER_NOEXCEPT;

typedef struct evener_status {
  const char* name; /* valid until the next apply */
  uint64_t id;
  double weight;
  uint32_t flags; /* of EVENER_ENDPOINT_... */
  uint32_t zone;
  uint32_t eligible; /* 1 or 0 */
  uint32_t in_flight;
  uint32_t elsewhere; /* in flight from the other workers of its set */
  uint32_t failures_in_row;
  int64_t latency_ns; /* the estimate that a pick would use now */
  double warm_up;     /* factor, below 1 while it takes a part of its share */
  double success;     /* share of successes lately */
  double cost;        /* what a pick would compare now; 0 without */
  uint64_t picks;     /* since it was first seen, as the next six */
  uint64_t successes;
  uint64_t failures;
  uint64_t cancelled;
  uint64_t rejected;
  uint64_t overloaded;
  uint64_t connect_failed;
  char reason[96]; /* "eligible", or why not; cut off if longer */
} evener_status;

/* Stores the number of endpoints in *total, and as many of them as fit in `out`, in the set's
 * order. `status_size` is sizeof(evener_status). O(endpoints), allocates. */
evener_error evener_snapshot(const evener_balancer* balancer, int64_t now_ns, evener_status* out,
                             size_t capacity, size_t status_size, size_t* total) EVENER_NOEXCEPT;

/* All counts but those in flight, for another process to go on with. Stores the size in *needed;
 * EVENER_ERROR_SIZE when it does not fit (ask with size 0 first). */
evener_error evener_save(const evener_balancer* balancer, int64_t now_ns, void* data, size_t size,
                         size_t* needed) EVENER_NOEXCEPT;
/* Takes over what evener_save gave, for endpoints of the present set. Damaged or of another
 * version: EVENER_ERROR_INVALID, and nothing has changed. */
evener_error evener_restore(evener_balancer* balancer, int64_t now_ns, const void* data,
                            size_t size, char* error_text, size_t error_text_size) EVENER_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EVENER_EVENER_H */
