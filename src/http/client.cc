#include "http/client.h"

#include <utility>

namespace evener::http {
namespace {

constexpr std::size_t kIdleMax = 256;
constexpr std::size_t kBodyMax = 64u << 20;

struct Answer {
  ClientResponse response;
  io::IoStatus failure = io::IoStatus::kOk;
  bool reusable = false;
};

io::Task<Answer> read_answer(io::Stream& stream) {
  Parser parser(Role::kResponse);
  Answer answer;
  io::Chunk input;
  io::Chunk head_bytes;
  for (;;) {
    const Step step = parser.feed(input.bytes());
    if (step.event == Event::kHead) {
      head_bytes = input.slice(0, input.size());
      answer.response.status = parser.head().status;
      for (const Field& field : parser.head().fields) {
        if (field.name == "evener-reason") answer.response.evener_reason = field.value;
      }
      answer.reusable = parser.head().keep_alive;
    } else if (step.event == Event::kBody) {
      answer.response.body.append(step.body.data(), step.body.size());
    }
    input.drop_front(step.consumed);
    if (step.event == Event::kError || answer.response.body.size() > kBodyMax) {
      answer.failure = io::IoStatus::kReset;
      co_return answer;
    }
    if (step.event == Event::kEnd && answer.response.status < 200) {
      parser.reset();
      continue;
    }
    if (step.event == Event::kEnd) {
      answer.reusable &= input.empty();
      co_return answer;
    }
    if (step.event != Event::kNeedMore) continue;
    io::Received received = co_await stream.receive();
    if (received.status == io::IoStatus::kOk) {
      input = std::move(received.chunk);
      continue;
    }
    answer.reusable = false;
    const bool complete = received.status == io::IoStatus::kEof &&
                          parser.finish().event == Event::kEnd && answer.response.status != 0;
    if (!complete) answer.failure = received.status;
    co_return answer;
  }
}

}  // namespace

io::Task<std::expected<io::StreamPtr, io::IoStatus>> Client::connect(Time deadline) {
  while (!idle_.empty()) {
    io::StreamPtr stream = std::move(idle_.back());
    idle_.pop_back();
    if (stream->is_quiet()) co_return stream;
  }
  io::StreamPtr stream = loop_.open(address_);
  stream->set_deadline(deadline);
  const io::IoStatus status = co_await stream->connect();
  if (status != io::IoStatus::kOk) co_return std::unexpected(status);
  co_return stream;
}

io::Task<std::expected<ClientResponse, io::IoStatus>> Client::get(std::string_view path,
                                                                  Time deadline) {
  std::string text = "GET ";
  text += path;
  text += " HTTP/1.1\r\nHost: " + address_.text() + "\r\n\r\n";
  auto connected = co_await connect(deadline);
  if (!connected) co_return std::unexpected(connected.error());
  io::Stream& stream = **connected;
  stream.set_deadline(deadline);
  io::Chunk request = loop_.buffers().make(text.size());
  request.append(text);
  const io::IoStatus sent = co_await stream.send(io::ChunkList(std::move(request)));
  if (sent != io::IoStatus::kOk) co_return std::unexpected(sent);
  Answer answer = co_await read_answer(stream);
  if (answer.failure != io::IoStatus::kOk) co_return std::unexpected(answer.failure);
  if (answer.reusable && idle_.size() < kIdleMax) {
    stream.set_deadline(Time::never());
    idle_.push_back(std::move(*connected));
  }
  co_return std::move(answer.response);
}

}  // namespace evener::http
