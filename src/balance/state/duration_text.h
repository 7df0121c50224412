// duration_text: a span of time as a person reads it: "12 s", "800 ms", rounded up. Any thread.
#pragma once

#include <evener/time.h>

#include <string>

namespace evener {

// Less than nothing is nothing.
std::string duration_text(Duration span);

}  // namespace evener
