#include "proxy/router.h"

#include <gtest/gtest.h>

namespace evener::proxy {
namespace {

std::vector<config::Route> routes(std::initializer_list<config::Match> matches) {
  std::vector<config::Route> made;
  for (const config::Match& match : matches) {
    config::Route route;
    route.match = match;
    route.pool = match.host + match.path;
    made.push_back(route);
  }
  return made;
}

std::string matched(const Router& router, std::string_view authority, std::string_view path) {
  const config::Route* route = router.match(authority, path);
  return route == nullptr ? "none" : route->pool;
}

TEST(Router, hosts_are_compared_without_case_and_port) {
  const auto table = routes({{"api.example.com", "/v1/"}, {"api.example.com", ""}, {"", ""}});
  const Router router(table);
  EXPECT_EQ(matched(router, "API.Example.com:8443", "/v1/x"), "api.example.com/v1/");
  EXPECT_EQ(matched(router, "api.example.com", "/v2"), "api.example.com");
  EXPECT_EQ(matched(router, "other.example.com", "/v1/x"), "");
  EXPECT_EQ(matched(router, "", "/v1/x"), "");
  EXPECT_EQ(matched(router, "[2001:db8::1]:80", "/"), "");
}

TEST(Router, a_wildcard_takes_names_below_but_not_the_name_itself) {
  const auto table = routes({{"*.example.com", ""}});
  const Router router(table);
  EXPECT_EQ(matched(router, "a.example.com", "/"), "*.example.com");
  EXPECT_EQ(matched(router, "a.b.EXAMPLE.com:1", "/"), "*.example.com");
  EXPECT_EQ(matched(router, "example.com", "/"), "none");
  EXPECT_EQ(matched(router, "badexample.com", "/"), "none");
  EXPECT_EQ(matched(router, ".example.com", "/"), "none");
}

TEST(Router, case_F38_paths_are_compared_octet_for_octet) {
  const auto table = routes({{"", "/a%2F"}, {"", "/a/"}});
  const Router router(table);
  EXPECT_EQ(matched(router, "h", "/a%2Fb"), "/a%2F");
  EXPECT_EQ(matched(router, "h", "/a%2fb"), "none");
  EXPECT_EQ(matched(router, "h", "/a/b"), "/a/");
  EXPECT_EQ(matched(router, "h", "/A/b"), "none");
}

}  // namespace
}  // namespace evener::proxy
