#include <evener/balancer.h>

#include <cstdio>

namespace evener {
namespace {

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string to_string(const Explanation& explanation) {
  std::string out = "pick " + std::to_string(explanation.sequence) + " by " + explanation.policy +
                    " at " + number("%.6f", static_cast<double>(explanation.at.ns()) * 1e-9) +
                    " s\n";
  for (const Explanation::Candidate& c : explanation.candidates) {
    out += std::string(c.chosen ? "* " : "  ") + c.name + ": ";
    if (c.cost != 0) {
      out += "cost " + number("%.4g", c.cost) + (explanation.custom ? "; " : " = ");
    }
    if (c.latency > Duration()) out += number("%.3f", c.latency.to_seconds() * 1e3) + " ms x ";
    out += "(" + std::to_string(c.in_flight) + " in flight + " + std::to_string(c.elsewhere) +
           " elsewhere + 1) / (weight " + number("%g", c.weight) + " x warm-up " +
           number("%g", c.warmup) + " x success " + number("%.3g", c.success) + ")";
    if (!c.note.empty()) out += " (" + std::string(c.note) + ")";
    out += "\n";
  }
  for (const Explanation::Excluded& e : explanation.excluded) {
    out += "- " + e.name + ": " + std::string(e.reason) + "\n";
  }
  return out;
}

}  // namespace evener
