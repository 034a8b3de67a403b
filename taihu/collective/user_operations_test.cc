// SPDX-License-Identifier: Apache-2.0
// Reductions with an operation of the caller that is not commutative: products of 2 x 2 matrices, in elements
// of one matrix and in elements longer than any piece. The operation writes to what it may write to only and
// has a context.
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "taihu/base/random.h"
#include "taihu/collective/collectives_fixture.h"

namespace taihu::collective {
namespace {

using Matrix = std::array<std::uint32_t, 4>;
using Matrices = std::vector<Matrix>;

Matrix product(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}

struct Context {
  std::size_t matrices_per_element;
  std::atomic<int>* wrong_uses;
};

// As MPI's user functions work: the target is the right operand.
void multiply(void* target, const void* left, const void* right, std::size_t count, const void* given) {
  const auto& context = *static_cast<const Context*>(given);
  const std::size_t matrices = count * context.matrices_per_element;
  const std::size_t bytes = matrices * sizeof(Matrix);
  const auto* out = static_cast<std::byte*>(target);
  const auto overlaps = [&](const void* operand) {
    const auto* other = static_cast<const std::byte*>(operand);
    return out < other + bytes && other < out + bytes;
  };
  if (overlaps(left) || (target != right && overlaps(right)) || count == 0) ++*context.wrong_uses;
  if (target != right) std::memcpy(target, right, bytes);
  auto* product_of = static_cast<Matrix*>(target);
  for (std::size_t k = 0; k < matrices; ++k)
    product_of[k] = product(static_cast<const Matrix*>(left)[k], product_of[k]);
}

Matrices matrices_of(int member, std::size_t count) {
  Random random(static_cast<std::uint64_t>(member) * 977 + count);
  Matrices all(count);
  for (Matrix& matrix : all) {
    for (std::uint32_t& entry : matrix) entry = static_cast<std::uint32_t>(random.next());
  }
  return all;
}

// The product over members first .. last in this order.
Matrices plain_product(int first, int last, std::size_t count) {
  Matrices all = matrices_of(first, count);
  for (int member = first + 1; member <= last; ++member) {
    const Matrices next = matrices_of(member, count);
    for (std::size_t k = 0; k < count; ++k) all[k] = product(all[k], next[k]);
  }
  return all;
}

struct Case {
  std::size_t elements;
  std::size_t matrices_per_element;
  std::size_t matrices() const { return elements * matrices_per_element; }
};
constexpr Case cases[] = {{1, 1}, {3, 7}, {40, 1}, {257, 1}, {2000, 1}, {3, 700}, {33, 20}};

class UserOperations : public Collectives {
 protected:
  // Runs body(handle, reduction, case) on every rank for each case.
  template <class Body>
  void run_cases(Body&& body) {
    for (const Case& size : cases) {
      std::atomic<int> wrong_uses{0};
      run([&](GroupHandle& handle) {
        const Context context{size.matrices_per_element, &wrong_uses};
        const Reduction reduction{.combine = multiply,
                                  .element_bytes = size.matrices_per_element * sizeof(Matrix),
                                  .commutative = false,
                                  .context = &context};
        body(handle, reduction, size);
      });
      ASSERT_EQ(wrong_uses.load(), 0) << "elements " << size.elements;
    }
  }

  // plain_product of all members, made by the first rank that asks: it takes longer than what is tested.
  const Matrices& product_of_all(std::size_t count) {
    const std::lock_guard lock(mutex_);
    Matrices& all = products_[count];
    if (all.empty()) all = plain_product(0, n - 1, count);
    return all;
  }

 private:
  std::mutex mutex_;  // guards products_
  std::map<std::size_t, Matrices> products_;
};

TEST_P(UserOperations, ReduceAndAllreduceKeepTheOrderOfMembers) {
  run_cases([&](GroupHandle& handle, const Reduction& reduction, const Case& size) {
    const Matrices mine = matrices_of(handle.rank(), size.matrices());
    const Matrices& expected = product_of_all(size.matrices());
    for (const int root : roots()) {
      Matrices result(handle.rank() == root ? mine.size() : 0);
      Matrices buffer = mine;
      ASSERT_EQ(reduce(handle, mine.data(), result.data(), size.elements, reduction, root), M_SUCCESS);
      ASSERT_EQ(reduce(handle, buffer.data(), buffer.data(), size.elements, reduction, root), M_SUCCESS);
      ASSERT_EQ(buffer, handle.rank() == root ? expected : mine) << "in place, root " << root;
      if (handle.rank() == root) {
        ASSERT_EQ(result, expected) << "root " << root << " elements " << size.elements;
      }
    }
    Matrices result(mine.size());
    ASSERT_EQ(allreduce(handle, mine.data(), result.data(), size.elements, reduction), M_SUCCESS);
    ASSERT_EQ(result, expected);
    result = mine;
    ASSERT_EQ(allreduce(handle, result.data(), result.data(), size.elements, reduction), M_SUCCESS);
    ASSERT_EQ(result, expected) << "in place";
  });
}

TEST_P(UserOperations, AllreduceMayBeInPlaceOnSomeMembersOnly) {
  run_cases([&](GroupHandle& handle, const Reduction& reduction, const Case& size) {
    Matrices mine = matrices_of(handle.rank(), size.matrices());
    Matrices result(mine.size());
    Matrices& target = handle.rank() % 2 == 0 ? mine : result;
    ASSERT_EQ(allreduce(handle, mine.data(), target.data(), size.elements, reduction), M_SUCCESS);
    ASSERT_EQ(target, product_of_all(size.matrices()));
  });
}

TEST_P(UserOperations, ScanAndExscanCombineLowerMembers) {
  run_cases([&](GroupHandle& handle, const Reduction& reduction, const Case& size) {
    const int me = handle.rank();
    const Matrices mine = matrices_of(me, size.matrices());
    const Matrices upto_me = plain_product(0, me, size.matrices());
    const Matrices before_me = me == 0 ? mine : plain_product(0, me - 1, size.matrices());
    Matrices result(mine.size());
    ASSERT_EQ(scan(handle, mine.data(), result.data(), size.elements, reduction), M_SUCCESS);
    ASSERT_EQ(result, upto_me);
    result = mine;
    ASSERT_EQ(scan(handle, result.data(), result.data(), size.elements, reduction), M_SUCCESS);
    ASSERT_EQ(result, upto_me) << "in place";
    result = mine;  // what member 0 keeps
    ASSERT_EQ(exscan(handle, mine.data(), me == 0 ? nullptr : result.data(), size.elements, reduction),
              M_SUCCESS);
    ASSERT_EQ(result, before_me);
    result = mine;
    ASSERT_EQ(exscan(handle, result.data(), result.data(), size.elements, reduction), M_SUCCESS);
    ASSERT_EQ(result, before_me) << "in place";
  });
}

TEST_P(UserOperations, ReduceScatterGivesEachMemberItsBlock) {
  run_cases([&](GroupHandle& handle, const Reduction& reduction, const Case& size) {
    // Sanitized, the blocks of all members are together as long as the elements of other tests.
    const auto members = static_cast<std::size_t>(n);
    const std::size_t elements = (size.elements - 1) / plain_or_sanitized(std::size_t{1}, members) + 1;
    std::vector<std::size_t> counts;
    for (std::size_t k = 0; k < members; ++k) counts.push_back(k % 3 == 1 ? 0 : elements + k);
    for (const bool has_equal_blocks : {false, true}) {
      if (has_equal_blocks) counts.assign(members, elements);
      std::size_t all = 0;
      std::size_t before = 0;
      for (int k = 0; k < n; ++k) {
        if (k == handle.rank()) before = all * size.matrices_per_element;
        all += counts[static_cast<std::size_t>(k)];
      }
      const std::size_t matrices = all * size.matrices_per_element;
      const std::size_t block = counts[static_cast<std::size_t>(handle.rank())] * size.matrices_per_element;
      const Matrices& whole = product_of_all(matrices);
      const auto start = whole.begin() + static_cast<std::ptrdiff_t>(before);
      const Matrices expected(start, start + static_cast<std::ptrdiff_t>(block));
      const auto call = [&](const void* source, void* result) {
        return reduce_scatter(handle, source, result, counts.data(), reduction);
      };
      Matrices mine = matrices_of(handle.rank(), matrices);
      Matrices result(block);
      ASSERT_EQ(call(mine.data(), result.data()), M_SUCCESS);
      ASSERT_EQ(result, expected);
      ASSERT_EQ(call(mine.data(), mine.data()), M_SUCCESS);
      mine.resize(block);
      ASSERT_EQ(mine, expected) << "in place";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, UserOperations, testing::ValuesIn(small_settings()), name_of);

}  // namespace
}  // namespace taihu::collective
