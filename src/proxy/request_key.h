// request_key: what of a request its pool's policy hashes, as the pool's `key` says.
//
// Pure, any thread. Cost: nothing without a key source; else one pass over what is looked through
// and make_key of the value. Only `host` may allocate, for its lower case.
#pragma once

#include <evener/key.h>

#include <optional>
#include <string_view>

#include "config/config.h"
#include "http/message.h"

namespace evener::proxy {

// Nothing when the request lacks the value or has it empty. Values are taken as sent; of several
// fields, cookies or parameters of one name, the first.
std::optional<Key> request_key(const config::KeySource& source, const http::Head& head,
                               std::string_view client_ip);

}  // namespace evener::proxy
