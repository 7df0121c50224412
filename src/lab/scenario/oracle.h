// The oracle: the server that would finish this call first, by the truth about all of them.
//
// It is told what no policy can know: the work that waits at each server, each server's speed now,
// and the work of the call itself. So it is the central queue where servers are alike and first
// come first served (Foss 1980; facts as in docs/theory.md), and else a strong player, no bound.
// What fails is left alone for a second. Cost: O(servers).
#pragma once

#include "sim/chooser.h"

namespace evener::lab {

sim::ChooserFactory oracle_choosers();

}  // namespace evener::lab
