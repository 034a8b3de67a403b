// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/region.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

/// Node of the expression: a half-space, or "and" / "or" of two.
struct Expression {
  enum Kind { half_space, both, either } kind = half_space;
  SurfaceId surface;
  bool positive = false;
  std::unique_ptr<Expression> left, right;
};
using ExpressionPointer = std::unique_ptr<Expression>;

/// union := intersection ('|' intersection)*;  intersection := factor factor*
/// factor := '~' factor | '(' union ')' | [+-] digits
class RegionParser {
 public:
  RegionParser(const std::string& text, const std::function<SurfaceId(int)>& index_of)
      : text_(text), index_of_(index_of) {}

  ExpressionPointer parse() {
    ExpressionPointer result = parse_union(false);
    if (peek() != 0) fail("unexpected '" + std::string(1, peek()) + "'");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    constexpr std::size_t around = 40;
    const std::size_t first = at_ > around ? at_ - around : 0, last = std::min(text_.size(), at_ + around);
    throw Error("region \"" + std::string(first > 0 ? "..." : "") + text_.substr(first, last - first) +
                (last < text_.size() ? "..." : "") + "\": " + problem + " at character " +
                std::to_string(at_ + 1));
  }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : 0;
  }

  ExpressionPointer join(bool either, ExpressionPointer left, ExpressionPointer right) {
    auto node = std::make_unique<Expression>();
    node->kind = either ? Expression::either : Expression::both;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  ExpressionPointer parse_union(bool complement) {
    if (++depth_ > 200) fail("more than 200 parentheses or complements inside one another");
    ExpressionPointer left = parse_intersection(complement);
    while (peek() == '|') {
      ++at_;
      left = join(!complement, std::move(left), parse_intersection(complement));
    }
    --depth_;
    return left;
  }

  ExpressionPointer parse_intersection(bool complement) {
    ExpressionPointer left = parse_factor(complement);
    for (char next = peek(); next != 0 && next != '|' && next != ')'; next = peek())
      left = join(complement, std::move(left), parse_factor(complement));
    return left;
  }

  ExpressionPointer parse_factor(bool complement) {
    const char next = peek();
    if (next == '~') {
      if (++depth_ > 200) fail("more than 200 parentheses or complements inside one another");
      ++at_;
      ExpressionPointer inner = parse_factor(!complement);
      --depth_;
      return inner;
    }
    if (next == '(') {
      ++at_;
      ExpressionPointer inner = parse_union(complement);
      if (peek() != ')') fail("')' is missing");
      ++at_;
      return inner;
    }
    return parse_half_space(complement);
  }

  ExpressionPointer parse_half_space(bool complement) {
    if (++half_spaces_ > 10000) fail("more than 10000 half-spaces");
    auto node = std::make_unique<Expression>();
    const bool negative = peek() == '-';
    if (negative || peek() == '+') ++at_;
    int id = 0;
    const char* first = text_.data() + at_;
    const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), id);
    if (error != std::errc() || last == first || id <= 0) fail("a surface number is expected");
    at_ += last - first;
    node->surface = index_of_(id);
    node->positive = negative == complement;
    return node;
  }

  const std::string& text_;
  const std::function<SurfaceId(int)>& index_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int half_spaces_ = 0;
};

/// Writes the tests of `node` to the end of `tests`; jumps to `if_true` / `if_false` outside of it. A jump to
/// the test behind the left side is known only when that side is written: a number below -2, one per `level`,
/// stands for it meanwhile.
void write_tests(const Expression& node, int if_true, int if_false, int level,
                 std::vector<HalfSpaceTest>& tests) {
  if (node.kind == Expression::half_space) {
    tests.push_back({node.surface, node.positive, if_true, if_false});
    return;
  }
  const int next = -3 - level;
  const bool either = node.kind == Expression::either;
  const std::size_t first = tests.size();
  write_tests(*node.left, either ? if_true : next, either ? next : if_false, level + 1, tests);
  const int behind = static_cast<int>(tests.size());
  for (std::size_t i = first; i < tests.size(); ++i) {
    if (tests[i].if_true == next) tests[i].if_true = behind;
    if (tests[i].if_false == next) tests[i].if_false = behind;
  }
  write_tests(*node.right, if_true, if_false, level + 1, tests);
}

}  // namespace

std::vector<HalfSpaceTest> compile_region(const std::string& text,
                                          const std::function<SurfaceId(int)>& index_of) {
  std::vector<HalfSpaceTest> tests;
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); })) return tests;
  write_tests(*RegionParser(text, index_of).parse(), HalfSpaceTest::inside, HalfSpaceTest::outside, 0, tests);
  return tests;
}

}  // namespace taihu::neutron
