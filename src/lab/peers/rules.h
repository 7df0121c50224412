// The factories of the rules, one line per rule; peers.cc lists them with what they are.
#pragma once

#include <memory>

#include "sim/chooser.h"

namespace evener::lab::peers {

template <typename Rule>
sim::ChooserFactory factory() {
  return [](const sim::ChooserContext& context) { return std::make_unique<Rule>(context); };
}

sim::ChooserFactory brpc_la();
sim::ChooserFactory brpc_p2c();
sim::ChooserFactory c3();
sim::ChooserFactory envoy_least_request();
sim::ChooserFactory envoy_peak_ewma();
sim::ChooserFactory finagle_p2c_least_loaded();
sim::ChooserFactory finagle_p2c_peak_ewma();
sim::ChooserFactory go_zero_p2c();
sim::ChooserFactory grpc_least_request();
sim::ChooserFactory grpc_weighted_round_robin();
sim::ChooserFactory haproxy_leastconn();
sim::ChooserFactory haproxy_random2();
sim::ChooserFactory kratos_p2c();
sim::ChooserFactory linkerd_peak_ewma();
sim::ChooserFactory linkerd_peak_ewma_penalty();
sim::ChooserFactory nginx_least_time();
sim::ChooserFactory nginx_random_two();
sim::ChooserFactory nginx_round_robin();
sim::ChooserFactory prequal();
sim::ChooserFactory random();
sim::ChooserFactory round_robin();
sim::ChooserFactory traefik_leasttime();
sim::ChooserFactory traefik_p2c();
sim::ChooserFactory yarp_power_of_two();

}  // namespace evener::lab::peers
