// Contender: a policy on the scoreboard, by the text that names it.
//
// `NAME` or `NAME(KEY=VALUE, ...)`: a policy of the catalog with the settings that `evener run`
// takes for a pool's `policy`, and `ejection` and `warmup` as a pool has
// them, all with the pool's defaults; `evener`: a pool that says nothing; a peer's rule by its name
// (lab/peers); a variant that was tried (lab/trials); `oracle`. A value; making choosers from it is
// safe on any thread.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/chooser.h"

namespace evener::lab {

struct Contender {
  enum class Side : std::uint8_t { kOurs, kPeer, kBound };

  std::string text;   // as given: what makes it again
  std::string about;  // one line
  Side side = Side::kOurs;
  sim::ChooserFactory chooser;
};

// Errors say what was expected and suggest the nearest name.
std::expected<Contender, Error> parse_contender(std::string_view text);
// Divided by commas outside of parentheses.
std::expected<std::vector<Contender>, Error> parse_contenders(std::string_view list);

// What a scoreboard compares when nobody says: our default first, then ours, then the peers.
std::vector<Contender> default_contenders();

}  // namespace evener::lab
