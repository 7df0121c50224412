#include "http/fields.h"

#include <gtest/gtest.h>

#include "http/host.h"

namespace evener::http {
namespace {

TEST(Fields, names_are_known_in_any_case) {
  EXPECT_EQ(field_id("Host"), FieldId::kHost);
  EXPECT_EQ(field_id("hOsT"), FieldId::kHost);
  EXPECT_EQ(field_id("TE"), FieldId::kTe);
  EXPECT_EQ(field_id("Content-Length"), FieldId::kContentLength);
  EXPECT_EQ(field_id("transfer-encoding"), FieldId::kTransferEncoding);
  EXPECT_EQ(field_id("X-Forwarded-Proto"), FieldId::kXForwardedProto);
  EXPECT_EQ(field_id("Proxy-Authorization"), FieldId::kProxyAuthorization);
}

TEST(Fields, other_names_are_other) {
  for (const std::string_view name :
       {"", "Hos", "Hosts", "Content_Length", "Proxy-Authorization2", "x-forwarded-for-2"}) {
    EXPECT_EQ(field_id(name), FieldId::kOther) << name;
  }
}

TEST(Fields, case_F39_aliases_are_recognised) {
  EXPECT_EQ(aliased_field_id("X_Forwarded_For"), FieldId::kXForwardedFor);
  EXPECT_EQ(aliased_field_id("x-forwarded_for"), FieldId::kXForwardedFor);
  EXPECT_EQ(aliased_field_id("X.Forwarded.For"), FieldId::kXForwardedFor);
  EXPECT_EQ(aliased_field_id("content_length"), FieldId::kContentLength);
  EXPECT_EQ(aliased_field_id("X-Forwarded-For"), FieldId::kOther) << "the field itself is no alias";
  EXPECT_EQ(aliased_field_id("user_id"), FieldId::kOther);
}

TEST(Fields, tokens) {
  EXPECT_TRUE(is_token("user_id"));
  EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~09AZaz"));
  for (const std::string_view text : {"", "a b", "a:b", "a\x7f", "a\x80", "(a)", "a/b", "a,b"}) {
    EXPECT_FALSE(is_token(text)) << text;
  }
}

TEST(Fields, lists) {
  EXPECT_TRUE(list_has_token("close", "Close"));
  EXPECT_TRUE(list_has_token(" , a ,\tUPGRADE\t,", "upgrade"));
  EXPECT_FALSE(list_has_token("closed, not-close", "close"));
  EXPECT_FALSE(list_has_token("", "close"));
  EXPECT_FALSE(list_has_token(",,,", "close"));
}

TEST(Fields, methods_are_case_sensitive) {
  EXPECT_EQ(method_from("GET"), Method::kGet);
  EXPECT_EQ(method_from("get"), Method::kOther);
  EXPECT_EQ(method_from("PROPFIND"), Method::kOther);
}

struct HostCase {
  std::string_view text;
  std::string_view host;
  int port;  // -1: none
  bool ipv6;
};

TEST(Host, case_F44_good_hosts) {
  const HostCase cases[] = {
      {"a.example", "a.example", -1, false},
      {"a.example:80", "a.example", 80, false},
      {"a.example:", "a.example", -1, false},
      {"10.0.0.1:65535", "10.0.0.1", 65535, false},
      {"my_service:0", "my_service", 0, false},
      {"%41.example", "%41.example", -1, false},
      {"[2001:db8::1]", "2001:db8::1", -1, true},
      {"[2001:db8::1]:8080", "2001:db8::1", 8080, true},
      {"[::ffff:10.0.0.1]:1", "::ffff:10.0.0.1", 1, true},
  };
  for (const HostCase& c : cases) {
    const auto parsed = parse_host_port(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(parsed->host, c.host) << c.text;
    EXPECT_EQ(parsed->port ? *parsed->port : -1, c.port) << c.text;
    EXPECT_EQ(parsed->ipv6, c.ipv6) << c.text;
  }
}

TEST(Host, case_F44_bad_hosts) {
  for (const std::string_view text : {"",
                                      ":80",
                                      "[example.test]",
                                      "[::1",
                                      "::1",
                                      "2001:db8::1",
                                      "[::1]x",
                                      "[::1]80",
                                      "[]",
                                      "[]:80",
                                      "[fe80::1%eth0]",
                                      "[v1.a]",
                                      "a:65536",
                                      "a:-1",
                                      "a:+1",
                                      "a: 80",
                                      "a:80:80",
                                      "a b",
                                      "a@b",
                                      "user:pw@a",
                                      "a/b",
                                      "a?b",
                                      "a#b",
                                      "a\\b",
                                      "a%4",
                                      "a%zz",
                                      "\xc3\xa9.example",
                                      "a:8080x",
                                      "[1:2:3:4:5:6:7:8:9]",
                                      "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]"}) {
    EXPECT_FALSE(parse_host_port(text)) << text;
  }
}

TEST(Host, case_F36_default_port_equals_none) {
  const auto same = [](std::string_view a, std::string_view b) {
    return same_host(*parse_host_port(a), *parse_host_port(b), 80);
  };
  EXPECT_TRUE(same("b.example", "B.EXAMPLE:80"));
  EXPECT_TRUE(same("b.example:", "b.example"));
  EXPECT_FALSE(same("b.example:8080", "b.example"));
  EXPECT_FALSE(same("a.example", "b.example"));
}

TEST(Host, normal_form) {
  const auto normal = [](std::string_view text) {
    std::string out;
    append_normalised(out, *parse_host_port(text), 80);
    return out;
  };
  EXPECT_EQ(normal("A.Example:80"), "a.example");
  EXPECT_EQ(normal("A.Example:081"), "a.example:81");
  EXPECT_EQ(normal("[2001:DB8::1]:8080"), "[2001:db8::1]:8080");
}

}  // namespace
}  // namespace evener::http
