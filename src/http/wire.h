// Wire: HTTP/1 as it stands on the wire, for tests and for simulated clients and endpoints.
//
// Reads and frames messages by its own few rules, not by http::Parser, so that a mistake there is
// not its own judge. Not for the data plane: whole strings, no limits but the deadline that covers
// all it waits for. Owner: whoever talks over it. Thread: its loop's.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "io/loop.h"
#include "io/task.h"

namespace evener::http {

inline constexpr Duration kPatience = Duration::seconds(20);

// A message as it stood on the wire.
struct Message {
  std::string head;  // with the empty line; empty: the connection ended before one
  std::string body;  // decoded
  std::string trailers;
  bool whole = false;  // the framing says that nothing is missing
  bool by_close = false;
  int status() const;
  std::string field(std::string_view name) const;  // the first one's value; "" when there is none
  int count(std::string_view name) const;
  std::string target() const;
};

class Wire {
 public:
  explicit Wire(io::StreamPtr stream, Duration patience = kPatience) : stream_(std::move(stream)) {
    stream_->set_deadline(stream_->loop().now() + patience);
  }
  io::Stream& stream() { return *stream_; }
  io::Loop& loop() { return stream_->loop(); }

  io::Task<bool> write(std::string bytes, bool last = false);
  io::Task<bool> finish() { return write({}, true); }
  // Up to and with `mark`, or what came before the end.
  io::Task<std::string> until(std::string mark);
  io::Task<std::string> take(std::size_t n);
  io::Task<std::string> rest();
  io::Task<Message> request() { return message(false, false); }
  // `to_head`: a response to HEAD.
  io::Task<Message> response(bool to_head = false) { return message(true, to_head); }
  // The same in two steps: the head alone, empty when the connection ended before all of it; then
  // what follows it.
  io::Task<std::string> head();
  io::Task<void> body(Message& message, bool response, bool to_head);
  // Closes in good order, or with unread bytes pending as the kernel does it: by a reset.
  void close() { stream_.reset(); }
  void reset();
  bool closed() const { return stream_ == nullptr; }
  // How the other side ended; kOk while it has not.
  io::IoStatus end() const { return end_; }
  std::size_t unread() const { return buffer_.size(); }

 private:
  io::Task<Message> message(bool response, bool to_head);
  io::Task<void> chunks(Message& message);
  io::Task<bool> fill();

  io::StreamPtr stream_;
  std::string buffer_;
  io::IoStatus end_ = io::IoStatus::kOk;
};

}  // namespace evener::http
