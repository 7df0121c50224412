// Bodies through the proxy: every framing on either side, losses that stay visible, bounded memory.
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class BodyTest : public ProxyTest {
 protected:
  // Reads one request, writes `answer` in pieces of `piece` bytes, then ends as `reset` says.
  ScriptedEndpoint::Script once(std::string answer, bool reset = false, std::size_t piece = 65536) {
    return [answer, reset, piece, this](Wire& wire) -> io::Task<void> {
      static_cast<void>(co_await wire.request());
      for (std::size_t at = 0; at < answer.size(); at += piece) {
        if (!co_await wire.write(answer.substr(at, piece))) co_return;
        if (piece < 1000) co_await pause(Duration::microseconds(100));
      }
      if (reset) wire.reset();
    };
  }
};
EV_BOTH_ENGINES(BodyTest);

const std::string kGet11 = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kGet10 = "GET / HTTP/1.0\r\nHost: a\r\n\r\n";
const std::string kUntilClose = "HTTP/1.0 200 OK\r\n\r\n";

TEST_P(BodyTest, sizes_around_the_block_sizes_arrive_byte_for_byte) {
  endpoint([](Wire& wire) -> io::Task<void> {
    for (;;) {
      const Message request = co_await wire.request();
      if (!request.whole) co_return;
      co_await wire.write(response_with(pattern(std::stoul(request.target().substr(1)))));
    }
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    for (const std::size_t size :
         {0ul, 1ul, 16320ul, 16384ul, 16385ul, 65535ul, 65536ul, 65537ul, 1000000ul, 5000000ul}) {
      co_await client.write("GET /" + std::to_string(size) + " HTTP/1.1\r\nHost: a\r\n\r\n");
      const Message answer = co_await client.response();
      EXPECT_TRUE(answer.whole) << size;
      EXPECT_TRUE(answer.body == pattern(size)) << size;
    }
    EXPECT_EQ(worker_->counters().connects, 1u);
  });
}

TEST_P(BodyTest, chunked_responses_keep_their_bytes_and_trailers_whatever_the_cuts) {
  std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
      "3;ext=1\r\nabc\r\n5\r\ndefgh\r\n1\r\ni\r\n0\r\nX-Sum: 9\r\n\r\n";
  for (const std::size_t piece : {1ul, 7ul, 1000ul}) endpoint(once(text, false, piece));
  start();
  run([&]() -> io::Task<void> {
    for (int i = 0; i < 12; ++i) {
      const Message answer = co_await ask(kGet11);
      EXPECT_TRUE(answer.whole);
      EXPECT_EQ(answer.body, "abcdefghi");
      EXPECT_EQ(answer.trailers, "X-Sum: 9\r\n");
      EXPECT_EQ(answer.field("Trailer"), "X-Sum");
      EXPECT_EQ(answer.field("Transfer-Encoding"), "chunked");
    }
  });
}

TEST_P(BodyTest, a_chunked_response_goes_to_a_1_0_client_ended_by_close) {
  endpoint(
      once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n"));
  start();
  run([&]() -> io::Task<void> {
    const Message answer = co_await ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(answer.body, "abc");
    EXPECT_TRUE(answer.by_close);
    EXPECT_TRUE(answer.whole);
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(answer.count("Transfer-Encoding"), 0);
  });
}

TEST_P(BodyTest, a_cut_chunked_response_reaches_a_1_0_client_as_a_reset) {
  endpoint(once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
  start();
  run([&]() -> io::Task<void> {
    const Message answer = co_await ask(kGet10);
    EXPECT_FALSE(answer.whole) << "a clean end would hide the loss";
  });
}

TEST_P(BodyTest, chunked_uploads_keep_their_bytes_and_trailers) {
  Message seen;
  endpoint([&](Wire& wire) -> io::Task<void> {
    seen = co_await wire.request();
    co_await wire.write(response_with("ok"));
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        "3;a=b\r\nabc\r\n");
    co_await pause(Duration::milliseconds(1));
    co_await client.write("00002\r\nde\r\n0\r\nX-Sum: 5\r\nContent-Type: x\r\n\r\n");
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.body, "ok");
    EXPECT_EQ(answer.count("Connection"), 0);
    EXPECT_TRUE(seen.whole);
    EXPECT_EQ(seen.body, "abcde");
    EXPECT_NE(seen.trailers.find("X-Sum: 5\r\n"), std::string::npos) << seen.trailers;
    EXPECT_EQ(seen.count("Content-Length"), 0);
  });
}

TEST_P(BodyTest, uploads_of_many_sizes_arrive_byte_for_byte) {
  std::string seen;
  endpoint([&](Wire& wire) -> io::Task<void> {
    for (;;) {
      Message request = co_await wire.request();
      if (!request.whole) co_return;
      seen = std::move(request.body);
      co_await wire.write(response_with("got"));
    }
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    for (const std::size_t size : {0ul, 1ul, 16000ul, 65536ul, 70000ul, 5000000ul}) {
      co_await client.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
                            "\r\n\r\n" + pattern(size));
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.body, "got");
      EXPECT_TRUE(seen == pattern(size)) << size << " against " << seen.size();
    }
    EXPECT_EQ(worker_->counters().connects, 1u);
    EXPECT_EQ(worker_->counters().connections_accepted, 1u);
  });
}

// Slow client: takes the first bytes, rests, then the rest.
TEST_P(BodyTest, case_F27a_a_body_ended_by_close_arrives_in_full_at_a_slow_client) {
  const std::string body = pattern(1 << 20);
  endpoint(once(kUntilClose + body));
  start();
  run([&]() -> io::Task<void> {
    for (const std::string& request : {kGet11, kGet10}) {
      Wire client = co_await connect();
      co_await client.write(request);
      co_await pause(Duration::milliseconds(30));
      const Message answer = co_await client.response();
      EXPECT_TRUE(answer.whole);
      EXPECT_TRUE(answer.body == body);
      EXPECT_EQ(answer.by_close, request == kGet10);
      EXPECT_EQ(answer.field("Transfer-Encoding"), request == kGet11 ? "chunked" : "");
    }
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
  });
}

TEST_P(BodyTest, case_F27b_a_reset_inside_a_body_ended_by_close_is_visible) {
  endpoint(once(kUntilClose + pattern(1 << 19), true));
  start();
  run([&]() -> io::Task<void> {
    for (const std::string& request : {kGet11, kGet10}) {
      const Message answer = co_await ask(request);
      EXPECT_FALSE(answer.whole) << "a clean end would hide the loss";
    }
  });
}

TEST_P(BodyTest, case_F27c_a_close_short_of_the_length_is_visible_and_not_pooled) {
  endpoint(once("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + pattern(400)));
  start();
  run([&]() -> io::Task<void> {
    for (const std::string& request : {kGet11, kGet10}) {
      const Message answer = co_await ask(request);
      EXPECT_EQ(answer.status(), 200);
      EXPECT_FALSE(answer.whole);
      EXPECT_EQ(answer.body.size(), 400u);
    }
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
    EXPECT_EQ(counted(Reason::kTruncated), 2u);
    EXPECT_EQ(status_of_endpoint(0).failures, 2u);
  });
}

TEST_P(BodyTest, case_F27d_a_1_0_request_with_chunked_coding_is_refused_and_ends_the_connection) {
  ScriptedEndpoint& only = endpoint(always(response_with("x")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(
        "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked"
        "\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.status(), 400);
    const std::string more = co_await client.rest();
    EXPECT_EQ(more, "");
    EXPECT_EQ(only.connections(), 0);
  });
}

TEST_P(BodyTest, a_bad_chunk_in_a_response_is_502_at_first_and_a_visible_loss_later) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  endpoint([&](Wire& wire) -> io::Task<void> {
    const Message request = co_await wire.request();
    if (request.target() == "/first") co_await wire.write(head + "zz\r\n");
    if (request.target() == "/later") {
      co_await wire.write(head + "3\r\nabc\r\n");
      co_await pause(Duration::milliseconds(5));
      co_await wire.write("zz\r\n");
    }
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    const Message first = co_await ask("GET /first HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(first.status(), 502);
    EXPECT_EQ(first.field("evener-reason"), "bad_response");
    const Message later = co_await ask("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(later.status(), 200);
    EXPECT_FALSE(later.whole);
  });
}

// The kernel's socket buffers hold a few MB at most; the rest must stay with the endpoint.
TEST_P(BodyTest, a_client_that_does_not_read_bounds_what_is_taken_from_the_endpoint) {
  constexpr std::size_t kSize = 64u << 20;
  std::size_t written = 0;
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n");
    const std::string piece(64 * 1024, 'x');
    while (written < kSize && co_await wire.write(piece)) written += piece.size();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(kGet11);
    std::size_t before = 1;
    while (before != written) {
      before = written;
      co_await pause(Duration::milliseconds(50));
      EXPECT_LE(loop_->buffers().blocks_out(), idle_blocks_ + 8);
    }
    EXPECT_LT(written, 24u << 20);
    std::size_t got = (co_await client.until("\r\n\r\n")).size() * 0;
    while (got < kSize) {
      const std::string some = co_await client.take(std::min<std::size_t>(kSize - got, 1 << 20));
      if (some.empty()) break;
      got += some.size();
    }
    EXPECT_EQ(got, kSize);
  });
}

TEST_P(BodyTest, an_endpoint_that_does_not_read_bounds_what_is_taken_from_the_client) {
  constexpr std::size_t kSize = 64u << 20;
  io::Event read_on;
  std::size_t got = 0;
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.until("\r\n\r\n"));
    co_await read_on;
    while (got < kSize) {
      const std::string some = co_await wire.take(std::min<std::size_t>(kSize - got, 1 << 20));
      if (some.empty()) break;
      got += some.size();
    }
    co_await wire.write(response_with("done"));
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    std::size_t written = 0;
    io::Event all;
    io::spawn([](Wire& wire, std::size_t& n, io::Event& done) -> io::Task<void> {
      co_await wire.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kSize) +
                          "\r\n\r\n");
      const std::string piece(64 * 1024, 'x');
      while (n < kSize && co_await wire.write(piece)) n += piece.size();
      done.set();
    }(client, written, all));
    std::size_t before = 1;
    while (before != written) {
      before = written;
      co_await pause(Duration::milliseconds(50));
      EXPECT_LE(loop_->buffers().blocks_out(), idle_blocks_ + 8);
    }
    EXPECT_LT(written, 24u << 20);
    read_on.set();
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.body, "done");
    co_await all;
    EXPECT_EQ(got, kSize);
  });
}

}  // namespace
}  // namespace evener::proxy
