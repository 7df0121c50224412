// However the bytes are cut, the parser says the same: all cuts in two, all in single octets, and
// random cuts with a printed seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "http/transcript.h"

namespace evener::http {
namespace {

struct Sample {
  Role role;
  std::string bytes;
  Method request_method = Method::kGet;
};

std::string field_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text +=
        "X-" + std::to_string(i) + ": " + std::string(static_cast<std::size_t>(i), 'v') + "\r\n";
  }
  return text;
}

const std::vector<Sample>& samples() {
  constexpr Role kReq = Role::kRequest;
  constexpr Role kRes = Role::kResponse;
  static const std::vector<Sample> all = {
      {kReq, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {kReq, "\r\n\r\nGET http://b.example?q HTTP/1.1\r\nHost: a\r\nA:  b \r\nC:\r\n\r\n"},
      {kReq,
       "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\n"
       "Content-Length: 5\r\n\r\nhello\r\nGET /3 HTTP/1.0\r\n\r\n"},
      {kReq,
       "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n"
       "1 ;c\r\n!\r\n0\r\nX: 1\r\nLonger-Name: and a value\r\n\r\n"
       "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"},
      {kReq, "FROB / HTTP/1.1\r\nHost: a\r\n" + field_lines(40) + "\r\n"},
      {kReq, "GET / HTTP/1.1\r\nHost: a\r\nA: b\rc\r\n\r\n"},
      {kReq, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost : a\r\n\r\n"},
      {kReq, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n"},
      {kReq,
       "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: a\r\n\r\n"},
      {kReq, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"},
      {kReq, "GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n"},
      {kReq, "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\nabc"},
      {kRes,
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 204 No Content\r\n\r\n"
       "HTTP/1.1 404\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"},
      {kRes, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nA: b\r\n\r\nuntil the end\r\n\r\n"},
      {kRes, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 304 X\r\n\r\n", Method::kHead},
      {kRes, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"},
      {kRes, "HTTP/1.1 200 OK\r\nA: b\r\n \r\nC: d\r\n\r\n"},
      {kRes, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"},
  };
  return all;
}

unsigned seed() {
  const char* text = std::getenv("EV_SEED");
  return text == nullptr ? 20260101U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

class Splits : public testing::TestWithParam<std::size_t> {
 protected:
  const Sample& sample() const { return samples()[GetParam()]; }
  TranscriptInput input() const {
    return {
        .role = sample().role, .bytes = sample().bytes, .request_method = sample().request_method};
  }
};

TEST_P(Splits, any_two_pieces) {
  const std::string whole = transcribe(input()).text();
  for (std::size_t cut = 0; cut <= sample().bytes.size(); ++cut) {
    ASSERT_EQ(transcribe(input(), {cut}).text(), whole) << "cut at " << cut;
  }
}

TEST_P(Splits, single_octets) {
  std::vector<std::size_t> cuts(sample().bytes.size());
  std::iota(cuts.begin(), cuts.end(), std::size_t{0});
  EXPECT_EQ(transcribe(input(), cuts).text(), transcribe(input()).text());
}

TEST_P(Splits, random_pieces) {
  std::mt19937 luck(seed() + static_cast<unsigned>(GetParam()));
  const std::string whole = transcribe(input()).text();
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> cuts;
    const std::size_t longest = 1 + luck() % 40;
    for (std::size_t at = 0; at < sample().bytes.size(); at += luck() % (longest + 1)) {
      cuts.push_back(at);
      if (cuts.size() > 2 * sample().bytes.size()) break;
    }
    ASSERT_EQ(transcribe(input(), cuts).text(), whole)
        << "round " << round << ", EV_SEED=" << seed();
  }
}

INSTANTIATE_TEST_SUITE_P(Http, Splits, testing::Range<std::size_t>(0, samples().size()));

}  // namespace
}  // namespace evener::http
