#include <evener/endpoint.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "balance/conformance.h"

namespace evener {
namespace {

using conformance::make_endpoint;
using conformance::make_endpoints;
using ::testing::HasSubstr;

TEST(EndpointSet, KeepsOrderAndFindsById) {
  const EndpointSetPtr set = EndpointSet::make(7, make_endpoints(3)).value();
  EXPECT_EQ(set->version(), 7U);
  EXPECT_EQ(set->size(), 3U);
  EXPECT_EQ(set->find(EndpointId{2}), &set->endpoints()[2]);
  EXPECT_EQ(set->find(EndpointId{3}), nullptr);
  EXPECT_EQ(set->board(), nullptr);
  EXPECT_EQ(EndpointSet::make(1, {}).value()->size(), 0U);
}

TEST(EndpointSet, RefusesDuplicatesAndSaysWhich) {
  std::vector<Endpoint> endpoints = make_endpoints(3);
  endpoints.push_back(make_endpoint(1));
  const auto set = EndpointSet::make(1, endpoints);
  ASSERT_FALSE(set.has_value());
  EXPECT_THAT(set.error().message, HasSubstr("\"e1\" (number 4)"));
  EXPECT_THAT(set.error().message, HasSubstr("(number 2)"));
}

TEST(EndpointSet, RefusesImpossibleWeights) {
  for (const double weight : {0.0, -1.0, 1e7, 1e-9, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    const auto set = EndpointSet::make(1, {make_endpoint(0, weight)});
    ASSERT_FALSE(set.has_value()) << weight;
    EXPECT_THAT(set.error().message, HasSubstr("expected a weight between"));
  }
  EXPECT_TRUE(EndpointSet::make(1, {make_endpoint(0, 1e6), make_endpoint(1, 1e-6)}).has_value());
}

TEST(EndpointSet, RefusesImpossibleWorkers) {
  EXPECT_FALSE(EndpointSet::make(1, {}, 0).has_value());
  EXPECT_FALSE(EndpointSet::make(1, {}, 5000).has_value());
  const EndpointSetPtr set = EndpointSet::make(1, make_endpoints(20), 3).value();
  ASSERT_NE(set->board(), nullptr);
  EXPECT_EQ(set->board()->workers(), 3U);
  EXPECT_EQ(set->board()->columns(), 20U);
}

TEST(EndpointId, SameNameSameIdentity) {
  EXPECT_EQ(endpoint_id("10.0.0.7:8080"), endpoint_id("10.0.0.7:8080"));
  EXPECT_NE(endpoint_id("10.0.0.7:8080"), endpoint_id("10.0.0.8:8080"));
}

}  // namespace
}  // namespace evener
