#include "admin/render.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

namespace evener::admin {
namespace {

std::string escape_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                   type);
    name_ = name;
  }
  template <class Value>
  void sample(std::string_view labels, Value value, std::string_view suffix = "") {
    fmt::format_to(std::back_inserter(text_), "{}{}{}{}{} {}\n", name_, suffix,
                   labels.empty() ? "" : "{", labels, labels.empty() ? "" : "}", value);
  }
  template <class Value>
  void single(std::string_view name, std::string_view type, std::string_view help, Value value) {
    family(name, type, help);
    sample("", value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string_view name_;
};

void write_process(Exposition& out, const Snapshot& s) {
  const proxy::Counters& c = s.counters;
  out.single("evener_workers", "gauge", "Worker threads.", s.workers);
  out.single("evener_client_connections_total", "counter", "Connections accepted from clients.",
             c.connections_accepted);
  out.single("evener_client_connections", "gauge", "Client connections open now.",
             c.connections_open);
  out.single("evener_requests_total", "counter", "Requests whose head was read.", c.requests);
  out.single("evener_requests_in_flight", "gauge", "Exchanges under way now.", c.requests_open);
  out.family("evener_responses_total", "counter",
             "Exchanges by the status class sent to the client; none: it was gone.");
  constexpr std::array<std::string_view, 6> kClasses{"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    out.sample(fmt::format("class=\"{}\"", kClasses[i]), c.responses_by_class[i]);
  }
  out.family("evener_local_outcomes_total", "counter",
             "Exchanges that Evener answered or ended itself, by reason.");
  for (std::size_t i = 1; i < proxy::kReasons; ++i) {
    out.sample(fmt::format("reason=\"{}\"", to_string(static_cast<proxy::Reason>(i))),
               c.reasons[i]);
  }
  out.single("evener_endpoint_connects_total", "counter", "Connections opened to endpoints.",
             c.connects);
  out.single("evener_endpoint_connect_failures_total", "counter", "Of these, failed.",
             c.connect_failures);
  out.single("evener_endpoint_reuses_total", "counter", "Attempts on a kept connection.", c.reuses);
  out.single("evener_retries_total", "counter", "Further attempts of a request.", c.retries);
  out.single("evener_alias_fields_dropped_total", "counter",
             "Request fields left out because they look like one that Evener sets.",
             c.alias_fields_dropped);
  out.single("evener_client_received_bytes_total", "counter",
             "Bytes from clients, counted when a connection ends.", c.client_bytes_in);
  out.single("evener_client_sent_bytes_total", "counter",
             "Bytes to clients, counted when a connection ends.", c.client_bytes_out);
}

void write_summary(Exposition& out, std::string_view pool, const Histogram& histogram) {
  for (const double q : {0.5, 0.9, 0.99, 0.999}) {
    out.sample(fmt::format("pool=\"{}\",quantile=\"{}\"", pool, q),
               histogram.quantile(q).to_seconds());
  }
  const std::string labels = fmt::format("pool=\"{}\"", pool);
  out.sample(labels, histogram.mean().to_seconds() * static_cast<double>(histogram.count()),
             "_sum");
  out.sample(labels, histogram.count(), "_count");
}

void write_pools(Exposition& out, const Snapshot& s) {
  out.family("evener_pool_requests_total", "counter", "Requests routed to the pool.");
  for (const PoolReport& p : s.pools) {
    out.sample(fmt::format("pool=\"{}\"", escape_label(p.name)), p.counters.requests);
  }
  out.family("evener_pool_idle_connections", "gauge", "Connections kept for reuse.");
  for (const PoolReport& p : s.pools) {
    out.sample(fmt::format("pool=\"{}\"", escape_label(p.name)), p.idle_connections);
  }
  out.family("evener_pool_first_byte_seconds", "summary", "From pick to response head.");
  for (const PoolReport& p : s.pools) {
    write_summary(out, escape_label(p.name), p.counters.first_byte);
  }
  out.family("evener_pool_request_seconds", "summary", "From request head to the last byte.");
  for (const PoolReport& p : s.pools) write_summary(out, escape_label(p.name), p.counters.total);
}

template <class Value>
void write_endpoint_gauge(Exposition& out, const Snapshot& s, Value value) {
  for (const PoolReport& p : s.pools) {
    for (const EndpointReport& e : p.endpoints) {
      out.sample(
          fmt::format("pool=\"{}\",endpoint=\"{}\"", escape_label(p.name), escape_label(e.name)),
          value(e));
    }
  }
}

void write_endpoints(Exposition& out, const Snapshot& s) {
  out.family("evener_endpoint_in_flight", "gauge", "Requests out, connecting included.");
  write_endpoint_gauge(out, s, [](const EndpointReport& e) { return e.in_flight; });
  out.family("evener_endpoint_latency_seconds", "gauge", "The latency estimate picks use.");
  write_endpoint_gauge(out, s, [](const EndpointReport& e) { return e.latency.to_seconds(); });
  out.family("evener_endpoint_success_ratio", "gauge", "Share of successes in the window.");
  write_endpoint_gauge(out, s, [](const EndpointReport& e) { return e.success; });
  out.family("evener_endpoint_eligible", "gauge", "1 when it can be picked.");
  write_endpoint_gauge(out, s,
                       [](const EndpointReport& e) { return e.state == "eligible" ? 1 : 0; });
  out.family("evener_endpoint_picks_total", "counter", "Times it was picked.");
  write_endpoint_gauge(out, s, [](const EndpointReport& e) { return e.picks; });
  out.family("evener_endpoint_outcomes_total", "counter", "Finished attempts by outcome.");
  for (const PoolReport& p : s.pools) {
    for (const EndpointReport& e : p.endpoints) {
      const std::string labels =
          fmt::format("pool=\"{}\",endpoint=\"{}\"", escape_label(p.name), escape_label(e.name));
      out.sample(labels + ",outcome=\"success\"", e.successes);
      out.sample(labels + ",outcome=\"failure\"", e.failures);
      out.sample(labels + ",outcome=\"cancelled\"", e.cancelled);
      out.sample(labels + ",outcome=\"rejected\"", e.rejected);
      out.sample(labels + ",outcome=\"overloaded\"", e.overloaded);
      out.sample(labels + ",outcome=\"connect_failed\"", e.connect_failed);
    }
  }
}

}  // namespace

std::string prometheus_text(const Snapshot& snapshot) {
  Exposition out;
  write_process(out, snapshot);
  write_pools(out, snapshot);
  write_endpoints(out, snapshot);
  return out.take();
}

std::string endpoints_json(const Snapshot& snapshot) {
  nlohmann::ordered_json pools = nlohmann::ordered_json::array();
  for (const PoolReport& p : snapshot.pools) {
    nlohmann::ordered_json endpoints = nlohmann::ordered_json::array();
    for (const EndpointReport& e : p.endpoints) {
      endpoints.push_back({{"name", e.name},
                           {"state", e.state},
                           {"warmup", e.warmup},
                           {"weight", e.weight},
                           {"in_flight", e.in_flight},
                           {"latency_seconds", e.latency.to_seconds()},
                           {"success", e.success},
                           {"failures_in_row", e.failures_in_row},
                           {"picks", e.picks},
                           {"successes", e.successes},
                           {"failures", e.failures},
                           {"cancelled", e.cancelled},
                           {"rejected", e.rejected},
                           {"overloaded", e.overloaded},
                           {"connect_failed", e.connect_failed}});
    }
    pools.push_back({{"name", p.name},
                     {"policy", p.policy},
                     {"requests", p.counters.requests},
                     {"idle_connections", p.idle_connections},
                     {"endpoints", std::move(endpoints)}});
  }
  return nlohmann::ordered_json{{"workers", snapshot.workers},
                                {"engine", snapshot.engine},
                                {"pools", std::move(pools)}}
             .dump(2) +
         "\n";
}

}  // namespace evener::admin
