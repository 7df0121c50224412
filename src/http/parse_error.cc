#include "base/check.h"
#include "http/parser.h"

namespace evener::http {

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
  switch (error) {
    case ParseError::kNone:
      return "none";
    case ParseError::kBadStartLine:
      return "bad_start_line";
    case ParseError::kBadMethod:
      return "bad_method";
    case ParseError::kBadTarget:
      return "bad_target";
    case ParseError::kTargetTooLong:
      return "target_too_long";
    case ParseError::kUnsupportedVersion:
      return "unsupported_version";
    case ParseError::kConnectNotSupported:
      return "connect_not_supported";
    case ParseError::kBadStatus:
      return "bad_status";
    case ParseError::kBareCr:
      return "bare_cr";
    case ParseError::kBareLf:
      return "bare_lf";
    case ParseError::kObsFold:
      return "obs_fold";
    case ParseError::kBadHeaderName:
      return "bad_header_name";
    case ParseError::kSpaceBeforeColon:
      return "space_before_colon";
    case ParseError::kBadHeaderValue:
      return "bad_header_value";
    case ParseError::kHeadTooLarge:
      return "head_too_large";
    case ParseError::kTooManyFields:
      return "too_many_fields";
    case ParseError::kMissingHost:
      return "missing_host";
    case ParseError::kDuplicateHost:
      return "duplicate_host";
    case ParseError::kBadHost:
      return "bad_host";
    case ParseError::kBadContentLength:
      return "bad_content_length";
    case ParseError::kBadTransferEncoding:
      return "bad_transfer_encoding";
    case ParseError::kUnsupportedCoding:
      return "unsupported_transfer_coding";
    case ParseError::kLengthAndCoding:
      return "length_and_coding";
    case ParseError::kBadChunk:
      return "bad_chunk";
    case ParseError::kChunkExtensionTooLarge:
      return "chunk_extension_too_large";
    case ParseError::kBadTrailer:
      return "bad_trailer";
    case ParseError::kTrailersTooLarge:
      return "trailers_too_large";
    case ParseError::kTruncated:
      return "truncated";
    case ParseError::kParserDisagreement:
      return "parser_disagreement";
  }
  return "unknown";
}

}  // namespace evener::http
