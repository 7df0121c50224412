#include "lab/html/assets.h"

namespace evener::lab {

ReportAssets report_assets() { return {}; }

}  // namespace evener::lab
