// retry_after: how long a response asks to be left alone.
//
// Pure, any thread, no allocation. Seconds as they stand; a date less the response's own Date, so
// that nobody's clock is asked but the sender's. Zero when the field is absent, repeated,
// malformed, or a date without a Date, or in the past. At most a day: who says more means "not
// today". Source: RFC 9110 sections 10.2.3, 5.6.7 (IMF-fixdate alone; the two obsolete forms count
// as malformed).
#pragma once

#include <evener/time.h>

#include "http/message.h"

namespace evener::http {

Duration retry_after(const Head& response);

}  // namespace evener::http
