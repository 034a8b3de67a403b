// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/test_trials_movement.h"

namespace taihu::mpi::collectives {
namespace {

using Shared = std::shared_ptr<TestBuffer>;

Shared make(const TestType& type, int ints) {
  return std::make_shared<TestBuffer>(type, ints);
}

/// Rows of unequal length, each in its own place of one buffer, with gaps between them.
struct Rows {
  std::vector<int> ints, counts, displacements, first;
  int total = 0;
};

Rows rows_for(const TestType& type, const std::vector<int>& ints) {
  Rows rows;
  rows.ints = ints;
  for (const int row : ints) {
    rows.counts.push_back(row / type.ints());
    rows.displacements.push_back(rows.total / type.ints());
    rows.first.push_back(rows.total);
    rows.total += row + ints_of_all_types;
  }
  return rows;
}

std::vector<int> equal_rows(int size, int ints) {
  return std::vector<int>(static_cast<std::size_t>(size), ints);
}

std::vector<int> unequal_rows(TrialContext& context) {
  std::vector<int> ints;
  for (int k = 0; k < context.size; ++k)
    ints.push_back(context.pick(4) == 0 ? 0 : ints_of_all_types * context.pick(30));
  return ints;
}

void fill_row(TestBuffer& buffer, int first, int ints, int call, int from, int to) {
  for (int k = 0; k < ints; ++k) buffer[first + k] = test_value(call, from, to, k);
}
void expect_row(TestBuffer& buffer, int first, int ints, int call, int from, int to) {
  for (int k = 0; k < ints; ++k)
    ASSERT_EQ(buffer[first + k], test_value(call, from, to, k))
        << "call " << call << " from " << from << " to " << to << " int " << k << " of " << ints;
}

}  // namespace

Trial barrier_trial(TrialContext& context) {
  const MPI_Comm comm = context.comm;
  return {[] {},
          [=](CallForm form, MPI_Request* request) {
            switch (form) {
              case CallForm::blocking:
                return MPI_Barrier(comm);
              case CallForm::nonblocking:
                return MPI_Ibarrier(comm, request);
              case CallForm::persistent:
                return MPI_Barrier_init(comm, MPI_INFO_NULL, request);
            }
            return MPI_ERR_INTERN;
          },
          [] {}, "barrier"};
}

Trial bcast_trial(TrialContext& context) {
  const MPI_Comm comm = context.comm;
  const int root = context.pick(context.size), ints = context.pick_ints(), me = context.me;
  const int number = context.number;
  const Shared buffer = make(context.any_type(), ints);
  return {[=] {
            buffer->clear();
            if (me == root) fill_row(*buffer, 0, ints, number, root, 0);
          },
          TAIHU_TRIAL_CALL(Bcast, Ibcast, buffer->address(), buffer->count(), buffer->handle(), root),
          [=] {
            expect_row(*buffer, 0, ints, number, root, 0);
            buffer->expect_gaps_untouched();
          },
          "bcast from " + std::to_string(root)};
}

Trial gather_trial(TrialContext& context, bool with_counts) {
  const MPI_Comm comm = context.comm;
  const int root = context.pick(context.size), me = context.me, size = context.size;
  const int number = context.number;
  const std::vector<int> ints =
      with_counts ? unequal_rows(context) : equal_rows(size, context.pick_ints() / 4 / 6 * 6);
  const bool in_place = context.pick(3) == 0;
  const int mine = ints[static_cast<std::size_t>(me)];
  const Shared source = make(context.any_type(), mine);
  const TestType& type = context.any_type();
  auto rows = std::make_shared<Rows>(rows_for(type, ints));
  if (!with_counts) {
    for (int k = 0; k < size; ++k) rows->first[static_cast<std::size_t>(k)] = k * mine;
  }
  const Shared result = make(type, rows->total);
  const bool is_root = me == root;
  const void* const send = is_root && in_place ? MPI_IN_PLACE : source->address();
  void* const receive = is_root ? result->address() : nullptr;
  const int block = mine / type.ints();
  Trial trial;
  trial.prepare = [=] {
    result->clear();
    fill_row(*source, 0, mine, number, me, 0);
    if (is_root && in_place)
      fill_row(*result, rows->first[static_cast<std::size_t>(me)], mine, number, me, 0);
  };
  if (with_counts)
    trial.call = TAIHU_TRIAL_CALL(Gatherv, Igatherv, send, source->count(), source->handle(), receive,
                                  is_root ? rows->counts.data() : nullptr,
                                  is_root ? rows->displacements.data() : nullptr, result->handle(), root);
  else
    trial.call = TAIHU_TRIAL_CALL(Gather, Igather, send, source->count(), source->handle(), receive, block,
                                  result->handle(), root);
  trial.verify = [=] {
    if (!is_root) return;
    for (int k = 0; k < size; ++k) {
      const auto row = static_cast<std::size_t>(k);
      expect_row(*result, rows->first[row], ints[row], number, k, 0);
    }
    result->expect_gaps_untouched();
  };
  trial.name = std::string(in_place ? "in place " : "") + "gather" + (with_counts ? "v" : "");
  return trial;
}

Trial scatter_trial(TrialContext& context, bool with_counts) {
  const MPI_Comm comm = context.comm;
  const int root = context.pick(context.size), me = context.me, size = context.size;
  const int number = context.number;
  const std::vector<int> ints =
      with_counts ? unequal_rows(context) : equal_rows(size, context.pick_ints() / 4 / 6 * 6);
  const bool in_place = context.pick(3) == 0;
  const int mine = ints[static_cast<std::size_t>(me)];
  const Shared result = make(context.any_type(), mine);
  const TestType& type = context.any_type();
  auto rows = std::make_shared<Rows>(rows_for(type, ints));
  if (!with_counts) {
    for (int k = 0; k < size; ++k) rows->first[static_cast<std::size_t>(k)] = k * mine;
  }
  const Shared source = make(type, rows->total);
  const bool is_root = me == root;
  void* const receive = is_root && in_place ? MPI_IN_PLACE : result->address();
  const void* const send = is_root ? source->address() : nullptr;
  const int block = mine / type.ints();
  Trial trial;
  trial.prepare = [=] {
    result->clear();
    for (int k = 0; k < size; ++k) {
      const auto row = static_cast<std::size_t>(k);
      fill_row(*source, rows->first[row], ints[row], number, root, k);
    }
  };
  if (with_counts)
    trial.call = TAIHU_TRIAL_CALL(Scatterv, Iscatterv, send, is_root ? rows->counts.data() : nullptr,
                                  is_root ? rows->displacements.data() : nullptr, source->handle(), receive,
                                  result->count(), result->handle(), root);
  else
    trial.call = TAIHU_TRIAL_CALL(Scatter, Iscatter, send, block, source->handle(), receive, result->count(),
                                  result->handle(), root);
  trial.verify = [=] {
    if (is_root && in_place)
      expect_row(*source, rows->first[static_cast<std::size_t>(me)], mine, number, root, me);
    else
      expect_row(*result, 0, mine, number, root, me);
    result->expect_gaps_untouched();
  };
  trial.name = std::string(in_place ? "in place " : "") + "scatter" + (with_counts ? "v" : "");
  return trial;
}

Trial allgather_trial(TrialContext& context, bool with_counts) {
  const MPI_Comm comm = context.comm;
  const int me = context.me, size = context.size, number = context.number;
  const std::vector<int> ints =
      with_counts ? unequal_rows(context) : equal_rows(size, context.pick_ints() / 4 / 6 * 6);
  const bool in_place = context.pick(3) == 0;
  const int mine = ints[static_cast<std::size_t>(me)];
  const Shared source = make(context.any_type(), mine);
  const TestType& type = context.any_type();
  auto rows = std::make_shared<Rows>(rows_for(type, ints));
  if (!with_counts) {
    for (int k = 0; k < size; ++k) rows->first[static_cast<std::size_t>(k)] = k * mine;
  }
  const Shared result = make(type, rows->total);
  const void* const send = in_place ? MPI_IN_PLACE : source->address();
  const int block = mine / type.ints();
  Trial trial;
  trial.prepare = [=] {
    result->clear();
    fill_row(*source, 0, mine, number, me, 0);
    if (in_place) fill_row(*result, rows->first[static_cast<std::size_t>(me)], mine, number, me, 0);
  };
  if (with_counts)
    trial.call =
        TAIHU_TRIAL_CALL(Allgatherv, Iallgatherv, send, source->count(), source->handle(), result->address(),
                         rows->counts.data(), rows->displacements.data(), result->handle());
  else
    trial.call = TAIHU_TRIAL_CALL(Allgather, Iallgather, send, source->count(), source->handle(),
                                  result->address(), block, result->handle());
  trial.verify = [=] {
    for (int k = 0; k < size; ++k) {
      const auto row = static_cast<std::size_t>(k);
      expect_row(*result, rows->first[row], ints[row], number, k, 0);
    }
    result->expect_gaps_untouched();
  };
  trial.name = std::string(in_place ? "in place " : "") + "allgather" + (with_counts ? "v" : "");
  return trial;
}

Trial alltoall_trial(TrialContext& context, Form form) {
  const MPI_Comm comm = context.comm;
  const int me = context.me, size = context.size, number = context.number;
  const bool in_place = context.pick(3) == 0;
  // Ints from each to each; in place what goes and comes between two is of one length.
  std::vector<std::vector<int>> lengths;
  const int equal = context.pick_ints() / 4 / 6 * 6;
  for (int k = 0; k < size; ++k)
    lengths.push_back(form == Form::equal ? equal_rows(size, equal) : unequal_rows(context));
  std::vector<int> sent, received;
  for (int k = 0; k < size; ++k) {
    const auto i = static_cast<std::size_t>(me), j = static_cast<std::size_t>(k);
    received.push_back(in_place ? lengths[std::min(i, j)][std::max(i, j)] : lengths[j][i]);
    sent.push_back(in_place ? received.back() : lengths[i][j]);
  }
  const TestType& source_type = context.any_type();
  const TestType& result_type = context.any_type();
  struct State {
    Rows sent, received;
    std::vector<MPI_Datatype> source_types, result_types;
  };
  auto state = std::make_shared<State>();
  state->sent = rows_for(source_type, sent);
  state->received = rows_for(result_type, received);
  for (int k = 0; k < size; ++k) {
    const auto row = static_cast<std::size_t>(k);
    if (form == Form::equal) {
      state->sent.first[row] = k * equal;
      state->received.first[row] = k * equal;
    }
    if (form == Form::with_types) {  // displacements in bytes
      state->sent.displacements[row] *= source_type.extent * 4;
      state->received.displacements[row] *= result_type.extent * 4;
    }
    state->source_types.push_back(source_type.handle());
    state->result_types.push_back(result_type.handle());
  }
  const Shared source = make(source_type, state->sent.total);
  const Shared result = make(result_type, state->received.total);
  const void* const send = in_place ? MPI_IN_PLACE : source->address();
  Trial trial;
  trial.prepare = [=] {
    result->clear();
    for (int k = 0; k < size; ++k) {
      const auto row = static_cast<std::size_t>(k);
      fill_row(*source, state->sent.first[row], sent[row], number, me, k);
      if (in_place) fill_row(*result, state->received.first[row], sent[row], number, me, k);
    }
  };
  if (form == Form::equal)
    trial.call = TAIHU_TRIAL_CALL(Alltoall, Ialltoall, send, equal / source_type.ints(), source->handle(),
                                  result->address(), equal / result_type.ints(), result->handle());
  else if (form == Form::with_counts)
    trial.call = TAIHU_TRIAL_CALL(Alltoallv, Ialltoallv, send, state->sent.counts.data(),
                                  state->sent.displacements.data(), source->handle(), result->address(),
                                  state->received.counts.data(), state->received.displacements.data(),
                                  result->handle());
  else
    trial.call = TAIHU_TRIAL_CALL(Alltoallw, Ialltoallw, send, state->sent.counts.data(),
                                  state->sent.displacements.data(), state->source_types.data(),
                                  result->address(), state->received.counts.data(),
                                  state->received.displacements.data(), state->result_types.data());
  trial.verify = [=] {
    for (int k = 0; k < size; ++k) {
      const auto row = static_cast<std::size_t>(k);
      expect_row(*result, state->received.first[row], received[row], number, k, me);
    }
    result->expect_gaps_untouched();
  };
  trial.name = std::string(in_place ? "in place " : "") + "alltoall" + " of form " +
               std::to_string(static_cast<int>(form));
  return trial;
}

}  // namespace taihu::mpi::collectives
