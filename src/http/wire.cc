#include "http/wire.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace evener::http {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::vector<std::string> values_of(std::string_view head, std::string_view name) {
  std::vector<std::string> values;
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos && at + 2 < head.size()) {
    const std::size_t next = head.find("\r\n", at + 2);
    const std::string_view line = head.substr(at + 2, next - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_name(line.substr(0, colon), name)) {
      std::string_view value = line.substr(colon + 1);
      while (value.starts_with(' ')) value.remove_prefix(1);
      values.emplace_back(value);
    }
    at = next;
  }
  return values;
}

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

}  // namespace

int Message::status() const {
  return head.size() < 12 ? 0 : static_cast<int>(number(std::string_view(head).substr(9, 3), 10));
}

std::string Message::field(std::string_view name) const {
  const auto values = values_of(head, name);
  return values.empty() ? "" : values.front();
}

int Message::count(std::string_view name) const {
  return static_cast<int>(values_of(head, name).size());
}

std::string Message::target() const {
  const std::size_t from = head.find(' ') + 1;
  return head.substr(from, head.find(' ', from) - from);
}

io::Task<bool> Wire::write(std::string bytes, bool last) {
  std::string_view left = bytes;
  io::IoStatus status = io::IoStatus::kOk;
  do {
    const std::size_t n = std::min(left.size(), io::kLargeBlock);
    io::ChunkList list;
    if (n > 0) {
      io::Chunk chunk = loop().buffers().make(n);
      chunk.append(left.substr(0, n));
      list.add(std::move(chunk));
      left.remove_prefix(n);
    }
    status = co_await stream_->send(std::move(list), last && left.empty());
  } while (status == io::IoStatus::kOk && !left.empty());
  co_return status == io::IoStatus::kOk;
}

io::Task<bool> Wire::fill() {
  if (end_ != io::IoStatus::kOk) co_return false;
  const io::Received received = co_await stream_->receive();
  end_ = received.status;
  buffer_ += received.chunk.text();
  co_return end_ == io::IoStatus::kOk;
}

io::Task<std::string> Wire::until(std::string mark) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t at = buffer_.find(mark, searched);
    if (at != std::string::npos) co_return co_await take(at + mark.size());
    searched = buffer_.size() < mark.size() ? 0 : buffer_.size() - mark.size();
    if (!co_await fill()) co_return std::exchange(buffer_, {});
  }
}

io::Task<std::string> Wire::take(std::size_t n) {
  while (buffer_.size() < n && co_await fill()) continue;
  std::string taken = buffer_.substr(0, n);
  buffer_.erase(0, n);
  co_return taken;
}

io::Task<std::string> Wire::rest() {
  while (co_await fill()) continue;
  co_return std::exchange(buffer_, {});
}

void Wire::reset() {
  stream_->abort();
  stream_.reset();
}

io::Task<void> Wire::chunks(Message& message) {
  for (;;) {
    const std::string line = co_await until("\r\n");
    if (!line.ends_with("\r\n")) co_return;
    const std::size_t size = number(line, 16);
    if (size == 0) break;
    const std::string data = co_await take(size + 2);
    message.body += data.substr(0, size);
    if (data.size() != size + 2) co_return;
  }
  for (;;) {
    const std::string line = co_await until("\r\n");
    if (line == "\r\n") break;
    if (!line.ends_with("\r\n")) co_return;
    message.trailers += line;
  }
  message.whole = true;
}

io::Task<std::string> Wire::head() {
  std::string head = co_await until("\r\n\r\n");
  if (!head.ends_with("\r\n\r\n")) head.clear();
  co_return head;
}

io::Task<Message> Wire::message(bool response, bool to_head) {
  Message message;
  message.head = co_await until("\r\n\r\n");
  if (message.head.ends_with("\r\n\r\n")) co_await body(message, response, to_head);
  co_return message;
}

io::Task<void> Wire::body(Message& message, bool response, bool to_head) {
  const int status = response ? message.status() : 0;
  const bool no_body = to_head || (response && (status < 200 || status == 204 || status == 304));
  if (no_body) {
    message.whole = true;
  } else if (same_name(message.field("Transfer-Encoding"), "chunked")) {
    co_await chunks(message);
  } else if (message.count("Content-Length") > 0) {
    const std::size_t length = number(message.field("Content-Length"), 10);
    message.body = co_await take(length);
    message.whole = message.body.size() == length;
  } else if (response) {
    message.body = co_await rest();
    message.by_close = true;
    message.whole = end_ == io::IoStatus::kEof;
  } else {
    message.whole = true;
  }
}

}  // namespace evener::http
