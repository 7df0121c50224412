#include "cli/demo_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

namespace evener::cli {
namespace {

constexpr int kBarWidth = 24;

double ms(Duration d) { return d.to_seconds() * 1e3; }

std::string bar(double share) {
  const int filled = static_cast<int>(share * kBarWidth * 2 + 0.5);
  std::string text;
  for (int i = 0; i < std::min(filled, kBarWidth); ++i) text += "▇";
  return text + std::string(static_cast<std::size_t>(kBarWidth - std::min(filled, kBarWidth)), ' ');
}

void append_table(std::string& out, const DemoFrame& frame, bool colour, bool live) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{:<10} {:<24} {:>7}  {:<24} {:>9} {:>10} {:>8}  {}\n", "endpoint",
                 "what it is", "share", "", live ? "in-flight" : "picks", "latency", "success",
                 "state");
  for (const DemoRow& row : frame.rows) {
    const bool failing = row.failures_in_row > 1 || row.success < 0.9;
    const char* paint = !colour ? "" : failing ? "\x1b[31m" : row.share < 0.05 ? "\x1b[33m" : "";
    fmt::format_to(to, "{}{:<10} {:<24} {:>6.1f}%  {:<24} {:>9} {:>7.1f} ms {:>7.0f}%  {}{}\n",
                   paint, row.name, row.what, row.share * 100, bar(row.share),
                   live ? row.in_flight : row.picks, ms(row.latency), row.success * 100,
                   failing && row.state == "eligible" ? "failing" : row.state,
                   colour ? "\x1b[0m" : "");
  }
}

std::string headline(const DemoFrame& frame) {
  const LoadStats& load = frame.load;
  return fmt::format(
      "{:5.1f} s  {:.0f} requests/s  p50 {:.1f} ms  p99 {:.1f} ms  5xx {}  broken {}",
      frame.elapsed_seconds, frame.requests_per_second, ms(load.latency.quantile(0.5)),
      ms(load.latency.quantile(0.99)), load.failed, load.broken);
}

}  // namespace

void DemoView::draw(const DemoFrame& frame) {
  if (!terminal_) {
    std::string line = headline(frame) + "  share";
    for (const DemoRow& row : frame.rows) {
      line += fmt::format(" {} {:.1f}%", row.name, row.share * 100);
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
    return;
  }
  std::string out;
  if (lines_drawn_ > 0) out = fmt::format("\x1b[{}A\x1b[J", lines_drawn_);
  std::string body = headline(frame) + "\n\n";
  append_table(body, frame, true, true);
  body += "\nCtrl-C ends it with a summary\n";
  lines_drawn_ = static_cast<int>(std::ranges::count(body, '\n'));
  out += body;
  fmt::print("{}", out);
  std::fflush(stdout);
}

std::string summary_text(const DemoFrame& total) {
  const LoadStats& load = total.load;
  std::string out = fmt::format(
      "\nsummary: policy {}, {} worker{}, engine {}, {:.1f} s\n"
      "  requests {}  answered well {}  5xx {}  broken {}  not sent {}\n"
      "  latency from the intended start: p50 {:.1f} ms  p90 {:.1f} ms  p99 {:.1f} ms  p99.9 "
      "{:.1f} ms\n\n",
      total.policy, total.workers, total.workers == 1 ? "" : "s", total.engine,
      total.elapsed_seconds, load.sent, load.succeeded, load.failed, load.broken, load.not_sent,
      ms(load.latency.quantile(0.5)), ms(load.latency.quantile(0.9)),
      ms(load.latency.quantile(0.99)), ms(load.latency.quantile(0.999)));
  append_table(out, total, false, false);
  return out;
}

std::string summary_json(const DemoFrame& total) {
  const LoadStats& load = total.load;
  nlohmann::ordered_json endpoints = nlohmann::ordered_json::array();
  for (const DemoRow& row : total.rows) {
    endpoints.push_back({{"name", row.name},
                         {"what", row.what},
                         {"picks", row.picks},
                         {"share", row.share},
                         {"failures", row.failures},
                         {"in_flight", row.in_flight},
                         {"latency_seconds", row.latency.to_seconds()},
                         {"success", row.success},
                         {"failures_in_row", row.failures_in_row},
                         {"state", row.state}});
  }
  const nlohmann::ordered_json out{{"policy", total.policy},
                                   {"workers", total.workers},
                                   {"engine", total.engine},
                                   {"seconds", total.elapsed_seconds},
                                   {"requests", load.sent},
                                   {"succeeded", load.succeeded},
                                   {"failed", load.failed},
                                   {"broken", load.broken},
                                   {"not_sent", load.not_sent},
                                   {"latency_seconds",
                                    {{"p50", load.latency.quantile(0.5).to_seconds()},
                                     {"p90", load.latency.quantile(0.9).to_seconds()},
                                     {"p99", load.latency.quantile(0.99).to_seconds()},
                                     {"p999", load.latency.quantile(0.999).to_seconds()}}},
                                   {"endpoints", std::move(endpoints)}};
  return out.dump(2) + "\n";
}

}  // namespace evener::cli
