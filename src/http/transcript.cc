#include "http/transcript.h"

#include <algorithm>
#include <utility>

namespace evener::http {
namespace {

void copy_head(const Head& head, TranscriptMessage& message) {
  message.method = head.method_text;
  message.target = head.target;
  message.path = head.path;
  message.authority = head.authority;
  message.reason = head.reason;
  message.status = head.status;
  for (const Field& field : head.fields) message.fields.emplace_back(field.name, field.value);
  message.framing = head.framing;
  message.content_length = head.content_length;
  message.keep_alive = head.keep_alive;
  message.head = message.method + " " + message.target + " -> " + message.authority + " " +
                 message.path + " status " + std::to_string(head.status) + " " + message.reason +
                 " version 1." + std::to_string(static_cast<int>(head.version)) + " framing " +
                 std::to_string(static_cast<int>(head.framing)) + " length " +
                 std::to_string(head.content_length) + (head.has_content_length ? " given" : "") +
                 (head.keep_alive ? " keep-alive" : "") +
                 (head.expect_continue ? " continue" : "") +
                 (head.upgrade_requested ? " upgrade" : "") + (head.te_trailers ? " te" : "");
  for (const auto& [name, value] : message.fields) {
    message.head += "\n  [" + name + "] [" + value + "]";
  }
}

class Transcriber {
 public:
  explicit Transcriber(const TranscriptInput& input)
      : input_(input), parser_(input.role, input.limits) {
    begin();
  }

  // False when the parser has stopped for good.
  bool feed(std::string_view piece) {
    // An exact block of its own, so that reading past it or keeping it is seen.
    const std::vector<char> block(piece.begin(), piece.end());
    std::span<const char> rest(block);
    for (;;) {
      const Step step = parser_.feed(rest);
      rest = rest.subspan(step.consumed);
      in_message_ += step.consumed;
      if (step.event == Event::kNeedMore) return rest.empty() || stuck();
      if (step.event == Event::kError) return fail();
      if (step.event == Event::kHead) copy_head(parser_.head(), open());
      if (step.event == Event::kBody) open().body.append(step.body.begin(), step.body.end());
      if (step.event == Event::kEnd) {
        end();
        if (rest.empty()) return true;
      }
    }
  }

  Transcript finish() {
    if (done_) return std::move(result_);
    const Step step = parser_.finish();
    if (step.event == Event::kEnd) end();
    if (step.event == Event::kError) fail();
    return std::move(result_);
  }

 private:
  void begin() {
    if (input_.role == Role::kResponse) parser_.expect_response_to(input_.request_method);
    head_open_ = false;
  }

  TranscriptMessage& open() {
    if (!std::exchange(head_open_, true)) result_.messages.emplace_back();
    return result_.messages.back();
  }

  void end() {
    TranscriptMessage& message = open();
    for (const Field& field : parser_.trailers()) {
      message.trailers.emplace_back(field.name, field.value);
    }
    message.complete = true;
    result_.consumed += std::exchange(in_message_, 0);
    parser_.reset();
    begin();
  }

  bool fail() {
    result_.error = parser_.error();
    done_ = true;
    return false;
  }

  bool stuck() {
    result_.error = ParseError::kParserDisagreement;
    result_.consumed = static_cast<std::size_t>(-1);
    done_ = true;
    return false;
  }

  const TranscriptInput& input_;
  Parser parser_;
  Transcript result_;
  std::size_t in_message_ = 0;
  bool head_open_ = false;
  bool done_ = false;
};

}  // namespace

std::string Transcript::text() const {
  std::string out;
  for (const TranscriptMessage& message : messages) {
    out += message.head + "\n  body [" + message.body + "]";
    for (const auto& [name, value] : message.trailers) out += "\n  trailer " + name + "=" + value;
    out += message.complete ? "\n  complete\n" : "\n  incomplete\n";
  }
  return out + "error " + std::string(reason_for(error)) + " after " + std::to_string(consumed);
}

Transcript transcribe(const TranscriptInput& input, const std::vector<std::size_t>& cuts) {
  Transcriber transcriber(input);
  std::size_t from = 0;
  bool alive = true;
  for (std::size_t i = 0; i <= cuts.size() && alive; ++i) {
    const std::size_t to =
        i < cuts.size() ? std::min(cuts[i], input.bytes.size()) : input.bytes.size();
    if (to < from) continue;
    alive = transcriber.feed(input.bytes.substr(from, to - from));
    from = to;
  }
  return transcriber.finish();
}

}  // namespace evener::http
