// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/test_trials_reductions.h"

#include <numeric>

#include "taihu/mpi/objects/operations/operation.h"

namespace taihu::mpi::collectives {
namespace {

using Shared = std::shared_ptr<TestBuffer>;
constexpr int modulus = 10007;

/// Of the affine maps x -> a x + b, left after right: does not commute.
void compose(int left_a, int left_b, int& a, int& b) {
  const long b_after = static_cast<long>(left_a) * b + left_b;
  a = static_cast<int>(static_cast<long>(left_a) * a % modulus);
  b = static_cast<int>(b_after % modulus);
}

/// Elements of two ints, at 0 and 1 (test type 1) or at 1 and 2 of four (test type 4).
void compose_pairs(void* in, void* inout, int* length, MPI_Datatype* type) {
  const bool with_gaps = *type != MPI_INT && reinterpret_cast<Datatype*>(*type)->extent == 16;
  const int step = with_gaps ? 4 : 2, offset = with_gaps ? 1 : 0;
  const int* left = static_cast<int*>(in) + offset;
  int* right = static_cast<int*>(inout) + offset;
  for (int k = 0; k < *length; ++k, left += step, right += step)
    compose(left[0], left[1], right[0], right[1]);
}

void add_ints(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int k = 0; k < *length; ++k) static_cast<int*>(inout)[k] += static_cast<int*>(in)[k];
}

/// An operation, the type that it is used with, and what it means for rows of ints.
struct Choice {
  MPI_Op operation;
  const TestType* type;
  std::function<void(const int* left, int* right, int ints)> combine;
  std::shared_ptr<Operation> made{};
  int kind = 0;
};

Choice choose(TrialContext& context) {
  Choice choice{MPI_SUM, &context.types[0], [](const int* left, int* right, int ints) {
                  for (int k = 0; k < ints; ++k) right[k] += left[k];
                }};
  const int kind = choice.kind = context.pick(6);
  if (kind == 1) {
    choice.operation = MPI_MAX;
    choice.combine = [](const int* left, int* right, int ints) {
      for (int k = 0; k < ints; ++k) right[k] = std::max(left[k], right[k]);
    };
  } else if (kind == 2) {
    choice.operation = MPI_BXOR;
    choice.type = &context.types[1];  // two ints without a gap: taken as ints
    choice.combine = [](const int* left, int* right, int ints) {
      for (int k = 0; k < ints; ++k) right[k] ^= left[k];
    };
  } else if (kind == 3) {
    choice.made = std::make_shared<Operation>(add_ints, true);
  } else if (kind > 3) {
    choice.made = std::make_shared<Operation>(compose_pairs, false);
    choice.type = &context.types[kind == 4 ? 1 : 4];
    choice.combine = [](const int* left, int* right, int ints) {
      for (int k = 0; k < ints; k += 2) compose(left[k], left[k + 1], right[k], right[k + 1]);
    };
  }
  if (choice.made) choice.operation = handle_of<MPI_Op>(choice.made.get());
  return choice;
}

int operand(int number, int member, int k) {
  return test_value(number, member, 0, k) % modulus;
}

/// The operands of members first .. last combined.
std::vector<int> combined(const Choice& choice, int number, int first, int last, int ints) {
  std::vector<int> right(static_cast<std::size_t>(ints)), left(right);
  for (int k = 0; k < ints; ++k) right[static_cast<std::size_t>(k)] = operand(number, last, k);
  for (int member = last - 1; member >= first; --member) {
    for (int k = 0; k < ints; ++k) left[static_cast<std::size_t>(k)] = operand(number, member, k);
    choice.combine(left.data(), right.data(), ints);
  }
  return right;
}

void fill(TestBuffer& buffer, int number, int member, int ints) {
  for (int k = 0; k < ints; ++k) buffer[k] = operand(number, member, k);
}

/// `result` holds expected[first .. first + ints).
void expect(TestBuffer& result, const std::vector<int>& expected, int first, int ints, int number) {
  for (int k = 0; k < ints; ++k)
    ASSERT_EQ(result[k], expected[static_cast<std::size_t>(first + k)]) << "call " << number << " int " << k;
}

/// What all trials here have in common.
struct Common {
  MPI_Comm comm;
  int me, size, number, ints;
  bool in_place;
  Choice choice;
  Shared source, result;
  Common(TrialContext& context, int total_ints)
      : comm(context.comm),
        me(context.me),
        size(context.size),
        number(context.number),
        ints(total_ints),
        in_place(context.pick(3) == 0),
        choice(choose(context)),
        source(std::make_shared<TestBuffer>(*choice.type, total_ints)),
        result(std::make_shared<TestBuffer>(*choice.type, total_ints)) {}
  const void* send() const { return in_place ? MPI_IN_PLACE : source->address(); }
  int count() const { return ints / choice.type->ints(); }
  std::string name(const char* collective) const {
    return std::string(in_place ? "in place " : "") + collective + " of " + std::to_string(ints) +
           " ints, operation " + std::to_string(choice.kind);
  }
  void prepare() const {
    result->clear();
    fill(*source, number, me, ints);
    if (in_place) fill(*result, number, me, ints);
  }
};

}  // namespace

Trial reduce_trial(TrialContext& context) {
  const int root = context.pick(context.size);
  const Common all(context, context.pick_ints());
  const MPI_Comm comm = all.comm;
  const bool is_root = all.me == root;
  const void* const send = is_root ? all.send() : all.source->address();
  void* const receive = is_root ? all.result->address() : nullptr;
  return {[=] { all.prepare(); },
          TAIHU_TRIAL_CALL(Reduce, Ireduce, send, receive, all.count(), all.source->handle(),
                           all.choice.operation, root),
          [=] {
            if (!is_root) return;
            expect(*all.result, combined(all.choice, all.number, 0, all.size - 1, all.ints), 0, all.ints,
                   all.number);
            all.result->expect_gaps_untouched();
          },
          all.name("reduce")};
}

Trial allreduce_trial(TrialContext& context) {
  const Common all(context, context.pick_ints());
  const MPI_Comm comm = all.comm;
  return {[=] { all.prepare(); },
          TAIHU_TRIAL_CALL(Allreduce, Iallreduce, all.send(), all.result->address(), all.count(),
                           all.source->handle(), all.choice.operation),
          [=] {
            expect(*all.result, combined(all.choice, all.number, 0, all.size - 1, all.ints), 0, all.ints,
                   all.number);
            all.result->expect_gaps_untouched();
          },
          all.name("allreduce")};
}

Trial reduce_scatter_trial(TrialContext& context, bool with_counts) {
  const int equal = ints_of_all_types * context.pick(60);
  std::vector<int> ints;
  for (int k = 0; k < context.size; ++k)
    ints.push_back(with_counts ? ints_of_all_types * context.pick(40) : equal);
  const Common all(context, std::accumulate(ints.begin(), ints.end(), 0));
  const MPI_Comm comm = all.comm;
  auto counts = std::make_shared<std::vector<int>>();
  for (const int row : ints) counts->push_back(row / all.choice.type->ints());
  const int first = std::accumulate(ints.begin(), ints.begin() + all.me, 0);
  const int mine = ints[static_cast<std::size_t>(all.me)];
  Trial trial;
  trial.prepare = [=] { all.prepare(); };
  if (with_counts)
    trial.call = TAIHU_TRIAL_CALL(Reduce_scatter, Ireduce_scatter, all.send(), all.result->address(),
                                  counts->data(), all.source->handle(), all.choice.operation);
  else
    trial.call =
        TAIHU_TRIAL_CALL(Reduce_scatter_block, Ireduce_scatter_block, all.send(), all.result->address(),
                         counts->front(), all.source->handle(), all.choice.operation);
  trial.verify = [=] {
    expect(*all.result, combined(all.choice, all.number, 0, all.size - 1, all.ints), first, mine, all.number);
    all.result->expect_gaps_untouched();
  };
  trial.name = all.name(with_counts ? "reduce_scatter" : "reduce_scatter_block");
  return trial;
}

Trial scan_trial(TrialContext& context, bool exclusive) {
  const Common all(context, context.pick_ints());
  const MPI_Comm comm = all.comm;
  Trial trial;
  trial.prepare = [=] { all.prepare(); };
  if (exclusive)
    trial.call = TAIHU_TRIAL_CALL(Exscan, Iexscan, all.send(), all.result->address(), all.count(),
                                  all.source->handle(), all.choice.operation);
  else
    trial.call = TAIHU_TRIAL_CALL(Scan, Iscan, all.send(), all.result->address(), all.count(),
                                  all.source->handle(), all.choice.operation);
  trial.verify = [=] {
    if (exclusive && all.me == 0) return;
    const int last = exclusive ? all.me - 1 : all.me;
    expect(*all.result, combined(all.choice, all.number, 0, last, all.ints), 0, all.ints, all.number);
    all.result->expect_gaps_untouched();
  };
  trial.name = all.name(exclusive ? "exscan" : "scan");
  return trial;
}

}  // namespace taihu::mpi::collectives
