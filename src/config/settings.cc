#include "config/settings.h"

#include <array>

namespace evener::config {
namespace {

constexpr std::array kSettings = {
    SettingInfo{"workers", "auto", "worker threads, each with its own loop; auto: one per core"},
    SettingInfo{"engine", "auto", "epoll or uring; auto: uring where the kernel allows it"},
    SettingInfo{"timeouts.header", "10s",
                "for a request's head, from its first octet to its last; then 408"},
    SettingInfo{"timeouts.body_idle", "30s", "between two pieces of a request's body"},
    SettingInfo{"timeouts.send", "30s", "for a client that takes no octet of its response"},
    SettingInfo{"timeouts.keep_alive", "75s", "for a client's connection without a request"},
    SettingInfo{"timeouts.drain", "10s", "for open exchanges when the process stops"},
    SettingInfo{"limits.connections", "auto",
                "clients' connections per worker; auto: from the limit on open files"},
    SettingInfo{"limits.head_bytes", "64KiB", "a request's or response's head; else 431 or 502"},
    SettingInfo{"limits.target_bytes", "8KiB", "a request's target; else 414"},
    SettingInfo{"limits.field_count", "128", "fields of a head, and of trailers; else 431 or 502"},
    SettingInfo{"limits.trailer_bytes", "8KiB", "the trailer section of a chunked body"},
    SettingInfo{"limits.chunk_extension_bytes", "256B", "the extensions of one chunk"},
    SettingInfo{"limits.request_body_bytes", "1GiB", "a request's body; else 413"},
    SettingInfo{"limits.requests_per_connection", "10000",
                "requests before a client's connection is closed"},
    SettingInfo{"limits.idle_endpoint_connections", "1024",
                "unused connections to endpoints per worker, all pools together"},
    SettingInfo{"routes.*.timeouts.total", "300s",
                "from a request's head to its response's last octet"},
    SettingInfo{"pools.*.policy", "peak_ewma", "how an endpoint is picked"},
    SettingInfo{"pools.*.policy.choices", "auto",
                "endpoints compared per pick: 1 to 64, 2 unless given; for peak_ewma also `auto`, "
                "its default, or `all`"},
    SettingInfo{"pools.*.policy.replacement", "false",
                "p2c's draws may repeat an endpoint: for comparison"},
    SettingInfo{"pools.*.policy.beta", "1", "how often p2c compares at all; else one at random"},
    SettingInfo{"pools.*.policy.estimator", "mean", "how latency is summed up: mean or peak"},
    SettingInfo{"pools.*.policy.tau", "10s", "memory of the latency estimate"},
    SettingInfo{"pools.*.policy.floor", "1us", "latencies below this count as this"},
    SettingInfo{"pools.*.policy.prior", "30ms", "latency assumed before any answer"},
    SettingInfo{"pools.*.policy.window", "10s", "what the success factor looks back on"},
    SettingInfo{"pools.*.policy.reprobe", "5s",
                "an endpoint that always loses is tried again after this"},
    SettingInfo{"pools.*.policy.points", "160", "points on the ring per unit of weight"},
    SettingInfo{"pools.*.policy.table_size", "65537",
                "entries of maglev's table: a prime, best 100 or more per endpoint"},
    SettingInfo{"pools.*.policy.load_factor", "1.25",
                "no endpoint holds more than this times its fair share"},
    SettingInfo{"pools.*.policy.over", "ring",
                "where bounded_load looks up a key: ring or rendezvous"},
    SettingInfo{"pools.*.ejection.consecutive", "5", "failures in a row that eject; 0: never"},
    SettingInfo{"pools.*.ejection.window", "10s", "what the shares below look back on"},
    SettingInfo{"pools.*.ejection.failure_share", "85%",
                "a larger share of failures ejects, among enough requests"},
    SettingInfo{"pools.*.ejection.failure_requests", "50", "how many requests are enough for that"},
    SettingInfo{"pools.*.ejection.success_deviations", "1.9",
                "success rates so many standard deviations below the mean eject; 0: never"},
    SettingInfo{"pools.*.ejection.slow_multiple", "0",
                "answers mostly slower than this multiple of the median eject; 0: never"},
    SettingInfo{"pools.*.ejection.base", "30s", "the first ejection; each further one is twice"},
    SettingInfo{"pools.*.ejection.longest", "300s", "the longest ejection"},
    SettingInfo{"pools.*.ejection.max_share", "50%", "of the endpoints, at most so many are out"},
    SettingInfo{"pools.*.ejection.trial_timeout", "10s",
                "for the one request that ends an ejection or prolongs it"},
    SettingInfo{"pools.*.warmup", "30s", "from a part of its share to all of it, for a newcomer"},
    SettingInfo{"pools.*.endpoints.*.weight", "1", "its share relative to the others"},
    SettingInfo{"pools.*.timeouts.connect", "1s", "to open a connection to an endpoint"},
    SettingInfo{"pools.*.timeouts.first_byte", "15s",
                "from the sent request to the response's head; then 504"},
    SettingInfo{"pools.*.timeouts.idle", "60s", "between two pieces of a response's body"},
    SettingInfo{"pools.*.timeouts.keep_alive", "55s",
                "for an unused connection; keep it below the endpoint's own"},
    SettingInfo{"pools.*.limits.idle_connections_per_endpoint", "64",
                "unused connections kept, per worker"},
    SettingInfo{"pools.*.limits.in_flight_per_endpoint", "none",
                "requests one endpoint may hold; beyond: another, and when all are full 503"},
};

}  // namespace

std::span<const SettingInfo> settings() { return kSettings; }

}  // namespace evener::config
