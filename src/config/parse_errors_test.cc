// The table of bad files: where the error must point and what it must say.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "config/parse.h"

namespace evener::config {
namespace {

// A negative line: any place will do.
struct BadFile {
  const char* name;
  std::string yaml;
  int line;
  int column;
  std::string_view says;
};

// The rest of a good file behind `top`, which takes lines 1 to n.
std::string with(const std::string& top) {
  return top +
         "listeners: [{ address: 127.0.0.1:80 }]\nroutes: [{ pool: a }]\n"
         "pools: { a: { endpoints: [10.0.0.7:80] } }\n";
}
std::string listeners(const std::string& text) {
  return "listeners: " + text +
         "\nroutes: [{ pool: a }]\npools: { a: { endpoints: [10.0.0.7:80] } }\n";
}
std::string routes(const std::string& text) {
  return "routes: " + text +
         "\nlisteners: [{ address: 127.0.0.1:80 }]\npools: { a: { endpoints: [10.0.0.7:80] } }\n";
}
// The pool's own keys stand in line 2, from column 3.
std::string pool(const std::string& text) {
  return "pools: { a: {\n  " + text +
         " } }\nlisteners: [{ address: 127.0.0.1:80 }]\nroutes: [{ pool: a }]\n";
}
std::string endpoints(const std::string& text) { return pool("endpoints: " + text); }
std::string settings_of(const std::string& text) {
  return pool(text + ", endpoints: [10.0.0.7:80]");
}

const std::vector<BadFile> kBadFiles = {
    {"empty", "", 0, 0, "the file is empty"},
    {"only_comments", "# nothing\n", 0, 0, "the file is empty"},
    {"null_document", "~\n", 0, 0, "the file is empty"},
    {"scalar_document", "hello\n", 1, 1, "expected a map"},
    {"list_document", "- a\n", 1, 1, "expected a map"},
    {"two_documents", with("") + "---\na: b\n", 5, 1, "another behind `---`"},
    {"not_yaml", "a: b: c\n", 1, 5, "this is not YAML"},
    {"open_bracket", "listeners: [\n", 2, 1, "this is not YAML"},
    {"byte_order_mark",
     "\xef\xbb\xbf"
     "a: \xff\n",
     1, 4, "UTF-8"},
    {"tab_indentation", "pools:\n\ta: b\n", 2, 1, "use spaces"},
    {"not_utf8", "a: \xff\n", 1, 4, "UTF-8"},
    {"overlong_utf8", "a: \xc0\x80\n", 1, 4, "UTF-8"},
    {"surrogate_utf8", "a: \xed\xa0\x80\n", 1, 4, "UTF-8"},
    {"nul", std::string("a: \0b\n", 6), 1, 4, "control character 0x00"},
    {"escape_octet", "a: \x1b[0m\n", 1, 4, "control character 0x1b"},
    {"tag", with("workers: !!int 4\n"), 1, 10, "tags are not supported"},
    {"alias_of_itself", "listeners: &a [*a]\n", 1, 16, "inside what it names"},
    {"unknown_alias", "listeners: *b\n", 1, 12, "this is not YAML"},
    {"too_deep", std::string(40, '[') + std::string(40, ']'), 1, 33, "32 levels"},
    {"deep_beyond_the_parser", std::string(100'000, '['), -1, -1, "32 levels"},
    {"no_listeners", "routes: [{ pool: a }]\npools: { a: { endpoints: [10.0.0.7:80] } }\n", 1, 1,
     "expected `listeners:`"},
    {"no_routes",
     "listeners: [{ address: 127.0.0.1:80 }]\npools: { a: { endpoints: [10.0.0.7:80] } }\n", 1, 1,
     "expected `routes:`"},
    {"no_pools", "listeners: [{ address: 127.0.0.1:80 }]\nroutes: [{ pool: a }]\n", 1, 1,
     "expected `pools:`"},
    // Keys
    {"unknown_key", with("listener: 1\n"), 1, 1, "did you mean `listeners`?"},
    {"unknown_key_far_off", with("backends: 1\n"), 1, 1, "unknown key `backends`: expected"},
    {"later_key", with("access_log: { path: stdout }\n"), 1, 1,
     "`access_log` is not supported yet by this version: remove it"},
    {"later_key_tls", listeners("[{ address: 127.0.0.1:80, tls: {} }]"), 1, 38,
     "`tls` is not supported yet"},
    {"later_key_tcp", listeners("[{ address: 127.0.0.1:80, tcp: {} }]"), 1, 38,
     "`tcp` is not supported yet"},
    {"later_key_headers", routes("[{ pool: a, match: { headers: { a: b } } }]"), 1, 30,
     "`headers` is not supported yet"},
    {"later_key_retry", routes("[{ pool: a, retry: {} }]"), 1, 21, "`retry` is not supported yet"},
    {"later_key_zone", endpoints("[{ address: 10.0.0.7:80, zone: a }]"), 2, 39,
     "`zone` is not supported yet"},
    {"later_key_queue", settings_of("limits: { queue: 1 }"), 2, 13, "`queue` is not supported yet"},
    {"in_flight_none", settings_of("limits: { in_flight_per_endpoint: 0 }"), 2, 37,
     "expected 1 to"},
    {"no_key_of_any_version", with("limits: { buffered_bytes: 1KiB }\n"), 1, 11,
     "unknown key `buffered_bytes`"},
    {"later_keys_of_a_pool_discovery", settings_of("discovery: {}"), 2, 3, "not supported yet"},
    {"later_keys_of_a_pool_probe", settings_of("probe: {}"), 2, 3, "not supported yet"},
    {"ejection_no_map", settings_of("ejection: never"), 2, 13, "expected a map"},
    {"ejection_unknown_key", settings_of("ejection: { consecutiv: 3 }"), 2, 15,
     "did you mean `consecutive`?"},
    {"ejection_share", settings_of("ejection: { max_share: 150% }"), 2, 26, "a share like `50%`"},
    {"ejection_range", settings_of("ejection: { base: 10s, longest: 1s }"), 2, 13, "longest"},
    {"warmup_no_unit", settings_of("warmup: 30"), 2, 11, "unit"},
    {"warmup_range", settings_of("warmup: 100h"), 2, 11, "warm-up"},
    {"later_keys_of_a_pool_budget", settings_of("budget: {}"), 2, 3, "not supported yet"},
    {"later_keys_of_a_pool_hedge", settings_of("hedge: {}"), 2, 3, "not supported yet"},
    {"later_keys_of_a_pool_subset", settings_of("subset: {}"), 2, 3, "not supported yet"},
    {"later_keys_of_a_pool_tls", settings_of("tls: {}"), 2, 3, "not supported yet"},
    {"duplicate_key", with("workers: 1\nworkers: 2\n"), 2, 1, "given before, on line 1"},
    {"duplicate_pool",
     "pools:\n  a: { endpoints: [10.0.0.7:80] }\n  a: { endpoints: [10.0.0.7:80] }\n"
     "listeners: [{ address: 127.0.0.1:80 }]\nroutes: [{ pool: a }]\n",
     3, 3, "key `a` was given before, on line 2"},
    {"duplicate_nested_key", listeners("[{ address: 127.0.0.1:80, address: 127.0.0.1:81 }]"), 1, 38,
     "given before"},
    {"merge_key", with("<<: {}\n"), 1, 1, "unknown key `<<`"},
    {"list_as_key", with("? [a]\n: b\n"), 1, 3, "expected a word as key"},
    // Listeners
    {"listeners_map", listeners("{ address: 127.0.0.1:80 }"), 1, 12, "expected a list"},
    {"listeners_empty", listeners("[]"), 1, 12, "at least one listener"},
    {"listeners_null", listeners(""), 1, 1, "found nothing"},
    {"listener_scalar", listeners("[127.0.0.1:80]"), 1, 13, "expected a map"},
    {"listener_no_address", listeners("[{ name: a }]"), 1, 13, "expected `address: ADDRESS:PORT`"},
    {"listener_no_port", listeners("[{ address: 127.0.0.1 }]"), 1, 24, "expected ADDRESS:PORT"},
    {"listener_port_range", listeners("[{ address: 127.0.0.1:70000 }]"), 1, 24, "0 to 65535"},
    {"case_F44_ipv6_without_brackets", listeners("[{ address: \"::1:80\" }]"), 1, 24, "brackets"},
    {"case_F44_ipv6_without_quotes", listeners("[{ address: [::1] }]"), 1, 24, "needs quotes"},
    {"listener_duplicate", listeners("[{ address: 127.0.0.1:80 }, { address: 127.0.0.1:80 }]"), 1,
     51, "taken by the listener on line 1"},
    {"case_F44_listener_duplicate_spelling",
     listeners("[{ address: \"[::1]:80\" }, { address: \"[0:0::1]:80\" }]"), 1, 49, "taken"},
    {"listener_duplicate_name",
     listeners("[{ name: x, address: 127.0.0.1:80 }, { name: x, address: 127.0.0.1:81 }]"), 1, 69,
     "name `x` is taken"},
    {"admin_takes_a_listeners_address", with("admin: { address: 127.0.0.1:80 }\n"), 1, 19, "taken"},
    {"admin_empty", with("admin: {}\n"), 1, 8, "expected `address"},
    // Routes
    {"route_unknown_pool", routes("[{ pool: b }]"), 1, 18, "did you mean `a`?"},
    {"route_unknown_pool_far_off", routes("[{ pool: postgres }]"), 1, 18, "add it under `pools`"},
    {"route_no_pool", routes("[{ match: {} }]"), 1, 10, "expected `pool: NAME`"},
    {"route_twice", routes("[{ pool: a }, { pool: a }]"), 1, 23, "never used"},
    {"route_host_with_port", routes("[{ pool: a, match: { host: \"a:80\" } }]"), 1, 36,
     "without a port"},
    {"route_path_without_slash", routes("[{ pool: a, match: { path: v1 } }]"), 1, 36,
     "begins with `/`"},
    {"route_path_with_query", routes("[{ pool: a, match: { path: \"/a?b\" } }]"), 1, 36,
     "without a query"},
    {"route_total_zero", routes("[{ pool: a, timeouts: { total: 0s } }]"), 1, 40, "1ms to 86400s"},
    {"routes_empty", routes("[]"), 1, 9, "at least one route"},
    // Pools
    {"pools_list", "pools: []\nlisteners: [{ address: 127.0.0.1:80 }]\nroutes: [{ pool: a }]\n", 1,
     8, "expected a map"},
    {"pool_name", "pools: { \"a b\": { endpoints: [10.0.0.7:80] } }\n", 1, 10, "expected a name"},
    {"pool_no_endpoints", pool("policy: p2c"), 1, 10, "expected `endpoints:"},
    {"endpoints_empty", endpoints("[]"), 2, 14, "at least one endpoint"},
    {"endpoints_scalar", endpoints("10.0.0.7:80"), 2, 14, "expected a list"},
    {"endpoint_name_not_address", endpoints("[api.internal:80]"), 2, 15, "names are not looked up"},
    {"endpoint_port_zero", endpoints("[10.0.0.7:0]"), 2, 15, "1 to 65535"},
    {"endpoint_twice", endpoints("[10.0.0.7:80, 10.0.0.7:80]"), 2, 28, "give it a `weight`"},
    {"endpoint_name_twice",
     endpoints("[{ address: 10.0.0.7:80, name: x }, { address: 10.0.0.8:80, name: x }]"), 2, 61,
     "named `x`"},
    {"endpoint_no_address", endpoints("[{ weight: 1 }]"), 2, 15, "expected `address"},
    {"weight_negative", endpoints("[{ address: 10.0.0.7:80, weight: -1 }]"), 2, 47, "above 0"},
    {"weight_zero", endpoints("[{ address: 10.0.0.7:80, weight: 0 }]"), 2, 47,
     "remove the endpoint"},
    {"weight_nan", endpoints("[{ address: 10.0.0.7:80, weight: .nan }]"), 2, 47,
     "expected a number"},
    {"weight_huge", endpoints("[{ address: 10.0.0.7:80, weight: 1000001 }]"), 2, 47,
     "at most 1000000"},
    {"policy_unknown", settings_of("policy: peak_ewmo"), 2, 11, "did you mean `peak_ewma`?"},
    {"policy_no_name", settings_of("policy: { choices: 2 }"), 2, 11, "expected `name: POLICY`"},
    {"policy_setting_not_taken", settings_of("policy: { name: round_robin, choices: 2 }"), 2, 32,
     "does not take `choices`"},
    {"policy_setting_unknown", settings_of("policy: { name: p2c, choice: 2 }"), 2, 24,
     "did you mean `choices`?"},
    {"policy_choices_range", settings_of("policy: { name: p2c, choices: 65 }"), 2, 33, "1 to 64"},
    {"policy_choices_word", settings_of("policy: { name: p2c, choices: all }"), 2, 33,
     "a whole number"},
    {"policy_beta_range", settings_of("policy: { name: p2c, beta: 1.5 }"), 2, 11, "0 to 1"},
    {"policy_replacement", settings_of("policy: { name: p2c, replacement: 2 }"), 2, 37, "true"},
    {"policy_tau_range", settings_of("policy: { name: peak_ewma, tau: 2h }"), 2, 11, "tau"},
    {"policy_estimator", settings_of("policy: { name: peak_ewma, estimator: meen }"), 2, 41,
     "did you mean `mean`?"},
    {"policy_points_range", settings_of("policy: { name: ring, points: 0 }, key: path"), 2, 33,
     "1 to 10000"},
    {"policy_points_not_taken", settings_of("policy: { name: maglev, points: 9 }, key: path"), 2,
     27, "it takes `table_size`"},
    {"policy_table_size_prime",
     settings_of("policy: { name: maglev, table_size: 65536 }, key: path"), 2, 11, "a prime"},
    {"policy_table_size_small",
     pool("policy: { name: maglev, table_size: 3 }, key: path,\n  endpoints: [10.0.0.1:80, "
          "10.0.0.2:80, 10.0.0.3:80, 10.0.0.4:80]"),
     2, 11, "the pool's 4 endpoints"},
    {"policy_load_factor", settings_of("policy: { name: bounded_load, load_factor: 1 }, key: path"),
     2, 11, "1.01 to 100"},
    {"policy_over", settings_of("policy: { name: bounded_load, over: rings }, key: path"), 2, 39,
     "did you mean `ring`?"},
    // Keys of requests
    {"key_missing", settings_of("policy: ring"), 2, 11,
     "policy `ring` needs a key: add `key:` to the pool, one of `client_ip`"},
    {"key_not_used", settings_of("policy: p2c, key: path"), 2, 21,
     "policy `p2c` uses none: remove it, or set `policy` to `two_choice_hash`"},
    {"key_not_used_by_the_default", settings_of("key: path"), 2, 8, "`peak_ewma` uses none"},
    {"key_unknown", settings_of("policy: ring, key: paht"), 2, 22, "did you mean `path`?"},
    {"key_kind_unknown", settings_of("policy: ring, key: { haeder: a }"), 2, 24,
     "did you mean `header`?"},
    {"key_list", settings_of("policy: ring, key: [path]"), 2, 22, "found a list"},
    {"key_two", settings_of("policy: ring, key: { header: a, query: b }"), 2, 22,
     "a map of more than one"},
    {"key_empty", settings_of("policy: ring, key: {}"), 2, 22, "an empty map"},
    {"key_name_odd", settings_of("policy: ring, key: { header: 'a b' }"), 2, 32,
     "expected a name of letters"},
    {"key_name_empty", settings_of("policy: ring, key: { cookie: '' }"), 2, 32,
     "expected a name of letters"},
    {"duration_without_unit", settings_of("timeouts: { connect: 5 }"), 2, 24, "write `5s`"},
    {"duration_list", settings_of("timeouts: { connect: [] }"), 2, 24, "expected a single value"},
    {"duration_too_long", settings_of("timeouts: { idle: 25h }"), 2, 21, "1ms to 86400s"},
    // Values at the top
    {"workers_zero", with("workers: 0\n"), 1, 10, "1 to 256"},
    {"workers_many", with("workers: 257\n"), 1, 10, "1 to 256"},
    {"workers_word", with("workers: all\n"), 1, 10, "`workers` (or `auto`)"},
    {"engine_unknown", with("engine: kqueue\n"), 1, 9, "`auto`, `epoll` or `uring`"},
    {"size_without_unit", with("limits: { head_bytes: 65536 }\n"), 1, 23, "KiB"},
    {"size_range", with("limits: { head_bytes: 1B }\n"), 1, 23, "1KiB to 16MiB"},
    {"field_count_range", with("limits: { field_count: 70000 }\n"), 1, 24, "8 to 10000"},
    {"target_over_head", with("limits: { head_bytes: 8KiB }\n"), 1, 9, "below `head_bytes`"},
    {"timeouts_scalar", with("timeouts: 5s\n"), 1, 11, "expected a map"},
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

class BadFiles : public testing::TestWithParam<BadFile> {};

TEST_P(BadFiles, are_told_where_and_why) {
  const BadFile& file = GetParam();
  const auto parsed = parse(file.yaml, "f.yaml");
  ASSERT_FALSE(parsed);
  std::string all;
  for (const Diagnostic& d : parsed.error()) all += to_string(d) + "\n";
  const bool found = std::ranges::any_of(parsed.error(), [&file](const Diagnostic& d) {
    return (file.line < 0 || (d.line == file.line && d.column == file.column)) &&
           d.message.contains(file.says);
  });
  EXPECT_TRUE(found) << "expected " << file.line << ":" << file.column << " " << file.says
                     << "\nfound\n"
                     << all.substr(0, 2000);
}

INSTANTIATE_TEST_SUITE_P(Config, BadFiles, testing::ValuesIn(kBadFiles),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BadFiles, all_errors_are_told_at_once_in_the_files_order) {
  const auto parsed = parse(R"(workers: 0
engine: x
listeners: [{ address: 1 }]
routes: [{ pool: b }]
pools: { a: { endpoints: [] } }
)",
                            "f.yaml");
  ASSERT_FALSE(parsed);
  std::vector<int> lines;
  for (const Diagnostic& d : parsed.error()) lines.push_back(d.line);
  EXPECT_EQ(lines, std::vector<int>({1, 2, 3, 4, 5}));
}

TEST(BadFiles, a_misspelt_policy_says_nothing_about_the_key) {
  const auto parsed = parse(settings_of("policy: rin, key: path"), "f.yaml");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().size(), 1u);
}

TEST(BadFiles, errors_are_bounded) {
  std::string yaml;
  for (int i = 0; i < 500; ++i) yaml += "key" + std::to_string(i) + ": x\n";
  const auto parsed = parse(yaml, "f.yaml");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().size(), kMaxDiagnostics);
}

TEST(BadFiles, the_excerpt_cannot_drive_a_terminal) {
  const auto parsed = parse("a: \x1b[31m\n", "f.yaml");
  ASSERT_FALSE(parsed);
  EXPECT_FALSE(to_string(parsed.error().at(0)).contains('\x1b'));
}

}  // namespace
}  // namespace evener::config
