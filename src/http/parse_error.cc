#include <array>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "http/parser.h"

namespace evener::http {
namespace {

// In the order of ParseError.
using Word = std::pair<ParseError, std::string_view>;
constexpr std::array kWords = {
    Word{ParseError::kNone, "none"},
    Word{ParseError::kBadStartLine, "bad_start_line"},
    Word{ParseError::kBadMethod, "bad_method"},
    Word{ParseError::kBadTarget, "bad_target"},
    Word{ParseError::kTargetTooLong, "target_too_long"},
    Word{ParseError::kUnsupportedVersion, "unsupported_version"},
    Word{ParseError::kConnectNotSupported, "connect_not_supported"},
    Word{ParseError::kBadStatus, "bad_status"},
    Word{ParseError::kBareCr, "bare_cr"},
    Word{ParseError::kBareLf, "bare_lf"},
    Word{ParseError::kObsFold, "obs_fold"},
    Word{ParseError::kBadHeaderName, "bad_header_name"},
    Word{ParseError::kSpaceBeforeColon, "space_before_colon"},
    Word{ParseError::kBadHeaderValue, "bad_header_value"},
    Word{ParseError::kHeadTooLarge, "head_too_large"},
    Word{ParseError::kTooManyFields, "too_many_fields"},
    Word{ParseError::kMissingHost, "missing_host"},
    Word{ParseError::kDuplicateHost, "duplicate_host"},
    Word{ParseError::kBadHost, "bad_host"},
    Word{ParseError::kBadContentLength, "bad_content_length"},
    Word{ParseError::kBadTransferEncoding, "bad_transfer_encoding"},
    Word{ParseError::kUnsupportedCoding, "unsupported_transfer_coding"},
    Word{ParseError::kLengthAndCoding, "length_and_coding"},
    Word{ParseError::kBadChunk, "bad_chunk"},
    Word{ParseError::kChunkExtensionTooLarge, "chunk_extension_too_large"},
    Word{ParseError::kBadTrailer, "bad_trailer"},
    Word{ParseError::kTrailersTooLarge, "trailers_too_large"},
    Word{ParseError::kTruncated, "truncated"},
    Word{ParseError::kParserDisagreement, "parser_disagreement"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (static_cast<std::size_t>(kWords[i].first) != i) return false;
  }
  return static_cast<std::size_t>(ParseError::kParserDisagreement) + 1 == kWords.size();
}
static_assert(in_order());

}  // namespace

int status_for(ParseError error) {
  EV_CHECK(error != ParseError::kNone, "no error has no status");
  switch (error) {
    case ParseError::kTargetTooLong:
      return 414;
    case ParseError::kHeadTooLarge:
    case ParseError::kTooManyFields:
    case ParseError::kTrailersTooLarge:
      return 431;
    case ParseError::kConnectNotSupported:
    case ParseError::kUnsupportedCoding:
      return 501;
    case ParseError::kUnsupportedVersion:
      return 505;
    default:
      return 400;
  }
}

std::string_view reason_for(ParseError error) {
  return kWords[static_cast<std::size_t>(error)].second;
}

}  // namespace evener::http
