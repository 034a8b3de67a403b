// SPDX-License-Identifier: Apache-2.0
// Against the mixed integer solver of GLPK.
#include "taihu/scratchpad_model/placement.h"

#include <glpk.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/random.h"

namespace taihu::scratchpad_model {
namespace {

using Objects = std::vector<std::vector<Choice>>;

/// The largest benefit that any placement has.
double exact_benefit(const Objects& objects, std::uint64_t capacity) {
  glp_prob* problem = glp_create_prob();
  glp_set_obj_dir(problem, GLP_MAX);
  const int rows = static_cast<int>(objects.size()) + 1;
  glp_add_rows(problem, rows);
  glp_set_row_bnds(problem, 1, GLP_UP, 0, static_cast<double>(capacity));
  for (int row = 2; row <= rows; ++row) glp_set_row_bnds(problem, row, GLP_UP, 0, 1);
  for (std::size_t object = 0; object < objects.size(); ++object) {
    for (const Choice& choice : objects[object]) {
      const int column = glp_add_cols(problem, 1);
      glp_set_col_kind(problem, column, GLP_BV);
      glp_set_obj_coef(problem, column, choice.benefit);
      const int places[] = {0, 1, static_cast<int>(object) + 2};
      const double values[] = {0, static_cast<double>(choice.bytes), 1};
      glp_set_mat_col(problem, column, 2, places, values);
    }
  }
  glp_iocp options;
  glp_init_iocp(&options);
  options.presolve = GLP_ON;
  options.msg_lev = GLP_MSG_OFF;
  EXPECT_EQ(glp_intopt(problem, &options), 0);
  const double benefit = glp_mip_obj_val(problem);
  glp_delete_prob(problem);
  return benefit;
}

/// Benefits are whole numbers, so that sums are exact.
Objects random_objects(Random& random, int most_objects, int most_choices) {
  Objects objects(1 + random.next() % static_cast<unsigned>(most_objects));
  for (auto& choices : objects) {
    choices.resize(random.next() % static_cast<unsigned>(most_choices + 1));
    for (Choice& choice : choices)
      choice = {1 + random.next() % 30000, static_cast<double>(random.next() % 1000) - 100};
  }
  return objects;
}

void expect_right(const Placement& placement, const Objects& objects, std::uint64_t capacity) {
  ASSERT_EQ(placement.chosen.size(), objects.size());
  std::uint64_t bytes = 0;
  double benefit = 0;
  for (std::size_t object = 0; object < objects.size(); ++object) {
    if (placement.chosen[object] < 0) continue;
    const Choice& choice = objects[object].at(static_cast<std::size_t>(placement.chosen[object]));
    EXPECT_GT(choice.benefit, 0);
    bytes += choice.bytes;
    benefit += choice.benefit;
  }
  EXPECT_LE(bytes, capacity);
  EXPECT_EQ(bytes, placement.bytes);
  EXPECT_EQ(benefit, placement.benefit);
}

TEST(ScratchpadPlacement, ExhaustiveFindsTheBest) {
  Random random(7);
  for (int k = 0; k < 200; ++k) {
    const Objects objects = random_objects(random, 7, 4);
    const std::uint64_t capacity = random.next() % 65537;
    const Placement placement = place(objects, capacity);
    expect_right(placement, objects, capacity);
    EXPECT_STREQ(placement.method, "exhaustive");
    EXPECT_EQ(placement.benefit, exact_benefit(objects, capacity)) << k;
  }
}

TEST(ScratchpadPlacement, OthersStayBelowTheBestButNear) {
  Random random(8);
  double sum = 0, exact_sum = 0;
  for (int k = 0; k < 40; ++k) {
    Objects objects = random_objects(random, 30, 5);
    while (objects.size() < 20) objects.push_back({{100, 5}, {50, 3}, {10, 1}});
    const std::uint64_t capacity = 65536;
    const Placement placement = place(objects, capacity);
    expect_right(placement, objects, capacity);
    expect_right(first_fit(objects, capacity), objects, capacity);
    EXPECT_STRNE(placement.method, "exhaustive");
    const double exact = exact_benefit(objects, capacity);
    EXPECT_LE(placement.benefit, exact);
    sum += placement.benefit;
    exact_sum += exact;
  }
  EXPECT_GT(sum, 0.9 * exact_sum);
}

TEST(ScratchpadPlacement, Edges) {
  EXPECT_EQ(place({}, 100).benefit, 0);
  EXPECT_EQ(place({{}}, 100).chosen, std::vector<int>{-1});
  EXPECT_EQ(place({{{100, 1}}}, 100).chosen, std::vector<int>{0});
  EXPECT_EQ(place({{{101, 1}}}, 100).chosen, std::vector<int>{-1});
  EXPECT_EQ(place({{{1, 1}}}, 0).chosen, std::vector<int>{-1});
  EXPECT_EQ(place({{{10, -5}, {10, 0}}}, 100).chosen, std::vector<int>{-1});
  // The densest first would leave no room for the better pair.
  EXPECT_EQ(place({{{60, 61}}, {{50, 50}}, {{50, 50}}}, 100).benefit, 100);
}

}  // namespace
}  // namespace taihu::scratchpad_model
