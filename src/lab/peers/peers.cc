#include "lab/peers/peers.h"

#include <algorithm>
#include <array>

#include "lab/peers/rules.h"

namespace evener::lab {
namespace {

constexpr std::array kRules{
    PeerRule{"brpc_la",
             "in proportion to qps / latency of the last 128, less where requests hang; a failure "
             "counts as 1.2 times its latency",
             "Apache brpc la, read at 023371e6, constants of 71871ee9", peers::brpc_la},
    PeerRule{"brpc_p2c",
             "two distinct, peak EWMA (10 s) x (in flight + 1) / weight; a failure "
             "counts as 500 ms or more",
             "Apache brpc p2c, PR #3367, 71871ee9", peers::brpc_p2c},
    PeerRule{"c3", "least of all, R - 1/mu + q^3/mu from server feedback; no rate control",
             "Suresh et al., NSDI 2015", peers::c3},
    PeerRule{"envoy_least_request",
             "two with replacement, fewer active; weights differ: an EDF "
             "schedule, weight / (active + 1); outlier detection off",
             "Envoy LEAST_REQUEST, main of mid-2026", peers::envoy_least_request},
    PeerRule{"envoy_peak_ewma",
             "two, EWMA of whole ms (no peak, folded each 100 ms) x (active + 1)",
             "Envoy contrib peak_ewma, PR #40653", peers::envoy_peak_ewma},
    PeerRule{"finagle_p2c_least_loaded", "two distinct, fewer in flight; no failure accrual",
             "Finagle LeastLoaded, 4feb34cb9", peers::finagle_p2c_least_loaded},
    PeerRule{"finagle_p2c_peak_ewma",
             "two distinct, peak EWMA (10 s, from 0: one probe first) x "
             "(in flight + 1); no failure accrual",
             "Finagle PeakEwma, 4feb34cb9", peers::finagle_p2c_peak_ewma},
    PeerRule{"go_zero_p2c",
             "two distinct of success over a half, root of EWMA (10 s) x (in flight "
             "+ 1); the loser after 1 s unpicked",
             "go-zero p2c_ewma, snapshot of 2026", peers::go_zero_p2c},
    PeerRule{"google_prequal", "16 probes, hot and cold; probes cost nothing and tell the truth",
             "Prequal, NSDI 2024", peers::prequal},
    PeerRule{"grpc_least_request", "two with replacement, fewer in flight; outlier detection off",
             "gRFC A48", peers::grpc_least_request},
    PeerRule{"grpc_weighted_round_robin",
             "turns by qps / (utilisation + error rate), weights each "
             "second after 10 s; needs reports",
             "gRFC A58", peers::grpc_weighted_round_robin, true},
    PeerRule{"haproxy_leastconn", "fewest connections / weight of all, equals in turn; checks off",
             "HAProxy leastconn, 3.5-dev5", peers::haproxy_leastconn},
    PeerRule{"haproxy_random2",
             "two by weight with replacement, fewer connections / weight, ties "
             "by the last second's rate; checks off",
             "HAProxy random(2), 3.5-dev5", peers::haproxy_random2},
    PeerRule{"kratos_p2c",
             "two distinct, success / root of EWMA (600 ms) or age, x in flight; the "
             "loser after 3 s unpicked",
             "go-kratos v3 p2c, snapshot of 2026", peers::kratos_p2c},
    PeerRule{"linkerd_peak_ewma",
             "two distinct, peak EWMA (10 s, from 30 ms) x (in flight + 1); "
             "tower's rule; no breaker",
             "linkerd2-proxy PeakEwma, 29637b64f; tower 8358ee71", peers::linkerd_peak_ewma},
    PeerRule{"linkerd_peak_ewma_penalty",
             "the same; a failure counts as 5 s or its Retry-After; no "
             "breaker",
             "linkerd2-proxy PenaltyPeakEwma, 29637b64f", peers::linkerd_peak_ewma_penalty},
    PeerRule{"nginx_least_time",
             "least EWMA in 20 ms steps x (connections + 1) / weight of all; "
             "a refusal or time-out: out for 10 s",
             "nginx least_time header, 1.31", peers::nginx_least_time},
    PeerRule{"nginx_random_two",
             "two distinct by weight, fewer connections / weight; a refusal or time-out: "
             "out for 10 s",
             "nginx random two least_conn, 1.31", peers::nginx_random_two},
    PeerRule{"nginx_round_robin", "smooth weighted turns; a refusal or time-out: out for 10 s",
             "nginx default, 1.31", peers::nginx_round_robin},
    PeerRule{"random", "any, weights ignored", "baseline", peers::random},
    PeerRule{"round_robin", "in turn, weights ignored", "baseline", peers::round_robin},
    PeerRule{"traefik_leasttime",
             "least mean of the last 100 latencies x (in flight + 1) / weight "
             "of all; health checks off",
             "Traefik leasttime, v3.7, fd5a576df2", peers::traefik_leasttime},
    PeerRule{"traefik_p2c", "two (a collision: the next), fewer in flight; health checks off",
             "Traefik p2c, v3.7, fd5a576df2", peers::traefik_p2c},
    PeerRule{"yarp_power_of_two", "two distinct, fewer in flight; passive health off",
             "YARP PowerOfTwoChoices, bd11867b", peers::yarp_power_of_two},
};
static_assert(std::ranges::is_sorted(kRules, {}, &PeerRule::name));

}  // namespace

std::span<const PeerRule> peer_rules() { return kRules; }

const PeerRule* find_peer(std::string_view name) {
  const auto found = std::ranges::find(kRules, name, &PeerRule::name);
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace evener::lab
