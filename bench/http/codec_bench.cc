// What the HTTP/1 codec costs per message: reading a head, and writing it rewritten.
//
// parse_request/browser: a browser's head of 18 fields; parse_request/small: six fields, as a load
// generator or a service sends. The parser is reset behind each message, as the proxy does. The
// writers append to a string that keeps its room. Two inputs of equal length take turns, so that
// nothing is the same on every call.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>

#include "http/parser.h"
#include "http/serialize.h"

namespace {

using evener::http::Event;
using evener::http::Parser;
using evener::http::Role;

std::string browser_request(char variant) {
  return std::string("GET /assets/js/application-") + variant +
         ".js?v=20240611 HTTP/1.1\r\n"
         "Host: www.example.com\r\n"
         "Connection: keep-alive\r\n"
         "Cache-Control: max-age=0\r\n"
         "sec-ch-ua: \"Chromium\";v=\"124\", \"Google Chrome\";v=\"124\", "
         "\"Not-A.Brand\";v=\"99\"\r\n"
         "sec-ch-ua-mobile: ?0\r\n"
         "sec-ch-ua-platform: \"Linux\"\r\n"
         "Upgrade-Insecure-Requests: 1\r\n"
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
         "Chrome/124.0.0.0 Safari/537.36\r\n"
         "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
         "*/*;q=0.8\r\n"
         "Sec-Fetch-Site: same-origin\r\n"
         "Sec-Fetch-Mode: navigate\r\n"
         "Sec-Fetch-User: ?1\r\n"
         "Sec-Fetch-Dest: document\r\n"
         "Referer: https://www.example.com/products/list?page=2\r\n"
         "Accept-Encoding: gzip, deflate, br\r\n"
         "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"
         "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; consent=1\r\n"
         "If-None-Match: W/\"5e1b-18f3a\"\r\n"
         "\r\n";
}

std::string small_request(char variant) {
  return std::string("GET /v1/items/") + variant +
         "2345 HTTP/1.1\r\n"
         "Host: api.example.com:8080\r\n"
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0\r\n"
         "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
         "Accept-Language: en-GB,en;q=0.5\r\n"
         "Accept-Encoding: gzip, deflate\r\n"
         "Connection: keep-alive\r\n"
         "\r\n";
}

std::string small_response(char variant) {
  return std::string(
             "HTTP/1.1 200 OK\r\n"
             "Server: nginx/1.22.1\r\n"
             "Date: Tue, 11 Jun 2024 10:00:0") +
         variant +
         " GMT\r\n"
         "Content-Type: application/octet-stream\r\n"
         "Content-Length: 128\r\n"
         "Last-Modified: Mon, 10 Jun 2024 09:00:00 GMT\r\n"
         "Connection: keep-alive\r\n"
         "ETag: \"6666c0d0-80\"\r\n"
         "Accept-Ranges: bytes\r\n"
         "\r\n";
}

using Text = std::string (*)(char);

void parse(benchmark::State& state, Role role, Text text) {
  const std::array<std::string, 2> inputs = {text('1'), text('2')};
  Parser parser(role);
  std::size_t turn = 0;
  for (auto _ : state) {
    const std::string& input = inputs[++turn % 2];
    if (parser.feed(input).event != Event::kHead) std::abort();
    benchmark::DoNotOptimize(parser.head().fields.data());
    parser.reset();
  }
}

void write_request(benchmark::State& state, Text text) {
  const std::array<std::string, 2> inputs = {text('1'), text('2')};
  std::array<Parser, 2> parsers = {Parser(Role::kRequest), Parser(Role::kRequest)};
  for (std::size_t i = 0; i < 2; ++i) {
    if (parsers[i].feed(inputs[i]).event != Event::kHead) std::abort();
  }
  std::string out;
  std::size_t turn = 0;
  for (auto _ : state) {
    out.clear();
    append_request_head(out, parsers[++turn % 2].head(), {.client_ip = "192.0.2.17"});
    benchmark::DoNotOptimize(out.data());
  }
}

void write_response(benchmark::State& state, Text text) {
  const std::array<std::string, 2> inputs = {text('1'), text('2')};
  std::array<Parser, 2> parsers = {Parser(Role::kResponse), Parser(Role::kResponse)};
  for (std::size_t i = 0; i < 2; ++i) {
    if (parsers[i].feed(inputs[i]).event != Event::kHead) std::abort();
  }
  std::string out;
  std::size_t turn = 0;
  for (auto _ : state) {
    out.clear();
    append_response_head(out, parsers[++turn % 2].head(), {});
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK_CAPTURE(parse, request, Role::kRequest, browser_request)->Name("parse_request/browser");
BENCHMARK_CAPTURE(parse, request, Role::kRequest, small_request)->Name("parse_request/small");
BENCHMARK_CAPTURE(parse, response, Role::kResponse, small_response)->Name("parse_response/small");
BENCHMARK_CAPTURE(write_request, browser, browser_request)->Name("write_request/browser");
BENCHMARK_CAPTURE(write_request, small, small_request)->Name("write_request/small");
BENCHMARK_CAPTURE(write_response, small, small_response)->Name("write_response/small");

}  // namespace
