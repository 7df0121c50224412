// docs/policies.md tells of every policy and every parameter.
#include <evener/policy.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace evener {
namespace {

// The part of the page under the policy's heading; empty when there is none.
std::string section(const std::string& page, std::string_view policy) {
  const std::string heading = "\n### " + std::string(policy) + "\n";
  const std::size_t begin = page.find(heading);
  if (begin == std::string::npos) return {};
  const std::size_t end = page.find("\n##", begin + heading.size());
  return page.substr(begin, end - begin);
}

TEST(PoliciesPage, HasEveryPolicyWithItsParametersAndSource) {
  std::ifstream file(EV_SOURCE_DIR "/docs/policies.md");
  ASSERT_TRUE(file) << "docs/policies.md is missing";
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::string needs = page.substr(0, page.find("\n## "));
  for (const PolicyInfo& info : policy_catalog()) {
    const std::string name(info.name);
    EXPECT_TRUE(needs.contains("(#" + name + ")")) << name << " is not in the table of needs";
    const std::string told = section(page, info.name);
    ASSERT_FALSE(told.empty()) << "expected a heading: ### " << name;
    EXPECT_TRUE(told.contains("Source: ")) << name;
    EXPECT_TRUE(told.contains("O(")) << name << " does not say what a pick costs";
    for (const std::string_view parameter : info.parameters) {
      EXPECT_TRUE(told.contains("`" + std::string(parameter) + "`")) << name << ": " << parameter;
    }
    if (info.parameters.empty())
      EXPECT_TRUE(told.contains("No\nparameters") || told.contains("No parameters")) << name;
  }
}

}  // namespace
}  // namespace evener
