// shell_word: text as a shell takes it for one word, quoted where it must be. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace evener::lab {

std::string shell_word(std::string_view text);

}  // namespace evener::lab
