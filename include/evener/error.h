// Error: what the control plane returns when the world is wrong (a bad config, a bad endpoint set).
//
// Travels in std::expected<T, Error>. The message is for a person and says what was expected, what
// was found and where. Allocates; never used on the data plane, which has small enums instead.
#pragma once

#include <string>
#include <utility>

namespace evener {

struct [[nodiscard]] Error {
  std::string message;
};

}  // namespace evener
