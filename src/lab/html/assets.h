// The script and the style of HTML reports, as the build bundled them from web/report/.
//
// Static data, any thread, in pieces to be joined. Both are empty when Evener was built without npm
// (CMake's EV_HTML).
#pragma once

#include <span>
#include <string_view>

namespace evener::lab {

struct ReportAssets {
  std::span<const std::string_view> script;
  std::span<const std::string_view> style;
};

ReportAssets report_assets();

}  // namespace evener::lab
