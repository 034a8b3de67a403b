// SPDX-License-Identifier: Apache-2.0
// Dynamic and shared windows, the memory of the others, and refused arguments.
#include <cstring>

#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/work/windows/agreement.h"
#include "taihu/mpi/work/windows/window_for_tests.h"

namespace taihu::mpi::windows {
namespace {

MPI_Aint address_of(const void* pointer) {
  return static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(pointer));
}

TEST(DynamicWindow, ReachesWhatIsAttached) {
  for (const TestShape& shape : window_shapes()) {
    run_ranks(shape, [](Rank& rank) {
      MPI_Win window;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
      std::vector<int> memory(10, -1), other(4, -1);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_attach(window, memory.data(), 40));
      EXPECT_EQ(MPI_ERR_RMA_ATTACH, MPI_Win_attach(window, &memory[9], 4));
      EXPECT_EQ(MPI_ERR_RMA_ATTACH, MPI_Win_detach(window, &memory[1]));
      const auto addresses = from_all(rank.world(), address_of(memory.data()));
      const int right = (rank.number() + 1) % rank.world().size();
      const MPI_Aint there = addresses[static_cast<unsigned>(right)];
      const int left = (rank.number() + rank.world().size() - 1) % rank.world().size();

      EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(0, window));
      const int value = rank.number();
      EXPECT_EQ(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, right, there + 8, 1, MPI_INT, window));
      EXPECT_EQ(MPI_SUCCESS,
                MPI_Accumulate(&value, 1, MPI_INT, right, there + 36, 1, MPI_INT, MPI_SUM, window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window));
      require_collective(collective::barrier(rank.world().collectives()));
      EXPECT_EQ(memory[2], left);
      EXPECT_EQ(memory[9], left - 1);
      EXPECT_EQ(memory[3], -1);
      require_collective(collective::barrier(rank.world().collectives()));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_detach(window, memory.data()));
      EXPECT_EQ(MPI_ERR_RMA_ATTACH, MPI_Win_detach(window, memory.data()));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
    });
  }
}

/// Locally the call itself fails; of another node process one learns at the next synchronisation.
TEST(DynamicWindow, RefusesWhatIsNotAttached) {
  for (const TestShape& shape : {TestShape(2), TestShape(2, 2)}) {
    run_ranks(shape, [&](Rank& rank) {
      MPI_Win window;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
      std::vector<int> memory(10, -1);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_attach(window, memory.data(), 20));
      const int peer = 1 - rank.number();
      const MPI_Aint there = from_all(rank.world(), address_of(memory.data()))[static_cast<unsigned>(peer)];
      int data[2] = {1, 2};
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, window));
      int first = MPI_Put(data, 2, MPI_INT, peer, there + 16, 2, MPI_INT, window);
      int second = MPI_Win_flush(peer, window);
      EXPECT_EQ(shape.node_processes == 1 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS, first);
      EXPECT_EQ(shape.node_processes == 1 ? MPI_SUCCESS : MPI_ERR_RMA_RANGE, second);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(peer, window));
      MPI_Request request = MPI_REQUEST_NULL;
      first = MPI_Rget(data, 2, MPI_INT, peer, there + 16, 2, MPI_INT, window, &request);
      if (shape.node_processes == 1) {
        EXPECT_EQ(MPI_ERR_RMA_RANGE, first);
      } else {
        EXPECT_EQ(MPI_ERR_RMA_RANGE, complete_request(rank, request));
      }
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(peer, window));
      require_collective(collective::barrier(rank.world().collectives()));
      EXPECT_EQ(memory, std::vector<int>(10, -1));
      EXPECT_EQ(data[0], 1);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
    });
  }
}

TEST(SharedWindow, IsOneSegmentForAllRanksOfTheMachine) {
  for (const TestShape& shape : window_shapes()) {
    run_ranks(shape, [](Rank& rank) {
      const int ranks = rank.world().size();
      MPI_Win window;
      int* mine = nullptr;
      // Ranks give different amounts; the first one gives nothing when there are others.
      const MPI_Aint bytes = (rank.number() == 0 && ranks > 1 ? 0 : rank.number() + 1) * 4;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD,
                                                     static_cast<void*>(&mine), &window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(0, window));
      for (int i = 0; i < bytes / 4; ++i) mine[i] = rank.number() * 100 + i;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_sync(window));
      require_collective(collective::barrier(rank.world().collectives()));
      const char* expected_base = nullptr;
      for (int other = 0; other < ranks; ++other) {
        MPI_Aint size = -1;
        int unit = -1;
        int* base = nullptr;
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_shared_query(window, other, &size, &unit, static_cast<void*>(&base)));
        EXPECT_EQ(size, (other == 0 && ranks > 1 ? 0 : other + 1) * 4);
        EXPECT_EQ(unit, 4);
        if (expected_base != nullptr) {
          EXPECT_EQ(reinterpret_cast<char*>(base), expected_base);
        }
        expected_base = reinterpret_cast<char*>(base) + size;
        for (int i = 0; i < size / 4; ++i) EXPECT_EQ(base[i], other * 100 + i);
      }
      MPI_Aint size = -1;
      int unit = -1;
      int* base = nullptr;
      EXPECT_EQ(MPI_SUCCESS,
                MPI_Win_shared_query(window, MPI_PROC_NULL, &size, &unit, static_cast<void*>(&base)));
      EXPECT_EQ(*base, ranks > 1 ? 100 : 0);
      // The same memory by calls: a put goes straight there, an accumulate through its owner.
      require_collective(collective::barrier(rank.world().collectives()));
      const int last = ranks - 1, one = 1;
      EXPECT_EQ(MPI_SUCCESS, MPI_Accumulate(&one, 1, MPI_INT, last, 0, 1, MPI_INT, MPI_SUM, window));
      if (rank.number() == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Put(&one, 1, MPI_INT, last, last, 1, MPI_INT, window));
      }
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush_all(window));
      require_collective(collective::barrier(rank.world().collectives()));
      if (rank.number() == last && last > 0) {
        EXPECT_EQ(mine[0], last * 100 + ranks);
        EXPECT_EQ(mine[last], 1);
      }
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
    });
  }
}

TEST(SharedWindow, PartsAreOnPagesWhenTheHintSaysSo) {
  run_ranks(TestShape(4, 2), [](Rank& rank) {
    auto* const info = new Info(Info::Entries{{"alloc_shared_noncontig", "true"}});
    MPI_Win window;
    char* mine = nullptr;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_allocate_shared(10, 1, handle_of<MPI_Info>(info), MPI_COMM_WORLD,
                                                   static_cast<void*>(&mine), &window));
    info->release();
    EXPECT_EQ(address_of(mine) % 4096, 0);
    std::memset(mine, rank.number(), 10);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
    MPI_Aint size;
    int unit;
    char* base;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_shared_query(window, 3, &size, &unit, static_cast<void*>(&base)));
    EXPECT_EQ(base[9], 3);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
  });
}

TEST(SharedWindow, EmptyPartsOnPagesHaveNoAddress) {
  run_ranks(TestShape(3, 1), [](Rank& rank) {
    auto* const info = new Info(Info::Entries{{"alloc_shared_noncontig", "true"}});
    MPI_Win window;
    char* mine = nullptr;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_allocate_shared(rank.number() == 1 ? 0 : 16, 1, handle_of<MPI_Info>(info),
                                                   MPI_COMM_WORLD, static_cast<void*>(&mine), &window));
    info->release();
    for (int member = 0; member < 3; ++member) {
      MPI_Aint size;
      int unit;
      char* base;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_shared_query(window, member, &size, &unit, static_cast<void*>(&base)));
      EXPECT_EQ(base == nullptr, member == 1);
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
  });
}

TEST(SharedWindow, IsRefusedAcrossMachines) {
  run_ranks(TestShape(2, 2, 2), [](Rank& rank) {
    rank.world().errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
    MPI_Win window;
    char* mine = nullptr;
    EXPECT_EQ(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(10, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                                          static_cast<void*>(&mine), &window));
  });
}

TEST(Window, RefusesBadArguments) {
  run_ranks(1, [](Rank& rank) {
    rank.world().errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
    int memory[4] = {0, 0, 0, 0};
    MPI_Win win;
    EXPECT_EQ(MPI_ERR_SIZE, MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    EXPECT_EQ(MPI_ERR_DISP, MPI_Win_create(memory, 16, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    EXPECT_EQ(MPI_ERR_BUFFER, MPI_Win_create(nullptr, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    EXPECT_EQ(MPI_ERR_COMM, MPI_Win_create(memory, 16, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
    EXPECT_EQ(MPI_ERR_WIN, MPI_Win_fence(0, MPI_WIN_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, win));
    int data[8] = {};
    const auto put = [&](int count, MPI_Datatype type, int target, MPI_Aint displacement) {
      return MPI_Put(data, count, type, target, displacement, count, type, win);
    };
    EXPECT_EQ(MPI_SUCCESS, put(4, MPI_INT, 0, 0));
    EXPECT_EQ(MPI_SUCCESS, put(0, MPI_INT, 0, 4));
    EXPECT_EQ(MPI_ERR_RMA_RANGE, put(1, MPI_INT, 0, 4));
    EXPECT_EQ(MPI_ERR_RMA_RANGE, put(5, MPI_INT, 0, 0));
    EXPECT_EQ(MPI_ERR_RMA_RANGE, put(1, MPI_INT, 0, MPI_Aint{1} << 62));
    EXPECT_EQ(MPI_ERR_DISP, put(1, MPI_INT, 0, -1));
    EXPECT_EQ(MPI_ERR_RANK, put(1, MPI_INT, 1, 0));
    EXPECT_EQ(MPI_ERR_RANK, put(1, MPI_INT, -1, 0));
    EXPECT_EQ(MPI_ERR_COUNT, put(-1, MPI_INT, 0, 0));
    EXPECT_EQ(MPI_ERR_TYPE, put(1, MPI_DATATYPE_NULL, 0, 0));
    EXPECT_EQ(MPI_ERR_BUFFER, MPI_Put(nullptr, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    EXPECT_EQ(MPI_ERR_BUFFER, MPI_Fetch_and_op(data, nullptr, MPI_INT, 0, 0, MPI_SUM, win));
    EXPECT_EQ(MPI_ERR_TRUNCATE, MPI_Put(data, 2, MPI_INT, 0, 0, 1, MPI_INT, win));
    EXPECT_EQ(MPI_ERR_TRUNCATE, MPI_Get(data, 1, MPI_INT, 0, 0, 2, MPI_INT, win));
    EXPECT_EQ(MPI_ERR_OP, MPI_Accumulate(data, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win));
    EXPECT_EQ(MPI_ERR_OP, MPI_Accumulate(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
    EXPECT_EQ(MPI_ERR_TYPE, MPI_Accumulate(data, 1, MPI_FLOAT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    EXPECT_EQ(MPI_ERR_TYPE, MPI_Compare_and_swap(data, data, data, MPI_DOUBLE, 0, 0, win));
    EXPECT_EQ(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, memory, 4));
    EXPECT_EQ(MPI_ERR_RMA_FLAVOR, MPI_Win_detach(win, memory));
    MPI_Aint size;
    int unit;
    void* base;
    for (const int asked : {0, MPI_PROC_NULL}) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_shared_query(win, asked, &size, &unit, static_cast<void*>(&base)));
      EXPECT_EQ(base, static_cast<void*>(memory));
      EXPECT_EQ(size, 16);
    }
    MPI_Win dynamic;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    EXPECT_EQ(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(dynamic, 0, &size, &unit, static_cast<void*>(&base)));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&dynamic));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&win));
  });
}

TEST(Window, TellsNameAndHints) {
  run_ranks(1, [](Rank& rank) {
    WindowForTests<int> window(1);
    char name[MPI_MAX_OBJECT_NAME] = "x";
    int length = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_name(window.window, name, &length));
    EXPECT_STREQ(name, "");
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_name(MPI_WIN_NULL, name, &length));
    EXPECT_STREQ(name, "MPI_WIN_NULL");
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_name(window.window, name, &length));
    EXPECT_EQ(length, 0);
    const std::string long_name(1000, 'n');
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_name(window.window, long_name.c_str()));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_name(window.window, name, &length));
    EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    auto* const info = new Info(Info::Entries{{"no_locks", "true"}, {"unknown", "1"}});
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_info(window.window, handle_of<MPI_Info>(info)));
    info->release();
    MPI_Info used;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_info(window.window, &used));
    const Reference<Info> told(rank.find<Info>(used));
    EXPECT_EQ(told->get("no_locks"), "true");
    EXPECT_EQ(told->get("accumulate_ordering"), "rar,raw,war,waw");
    EXPECT_FALSE(told->get("unknown").has_value());
    MPI_Group group;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_group(window.window, &group));
    const Reference<Group> members(rank.find<Group>(group));
    EXPECT_EQ(members->ranks, std::vector<int>{0});
  });
}

int count_removal(MPI_Win, int, void* value, void* extra) {
  *static_cast<int*>(extra) += *static_cast<int*>(value);
  return MPI_SUCCESS;
}

TEST(Window, HasAttributes) {
  run_ranks(TestShape(2, 2), [](Rank&) {
    int removed = 0, keyval = MPI_KEYVAL_INVALID, number = 5, flag = 0;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_removal, &keyval, &removed));
    {
      const WindowForTests<double> window(6);
      void* value = nullptr;
      const auto get = [&](int key) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_attr(window.window, key, &value, &flag));
      };
      get(MPI_WIN_BASE);
      EXPECT_EQ(value, window.base);
      get(MPI_WIN_SIZE);
      EXPECT_EQ(*static_cast<MPI_Aint*>(value), 48);
      get(MPI_WIN_DISP_UNIT);
      EXPECT_EQ(*static_cast<int*>(value), 8);
      get(MPI_WIN_CREATE_FLAVOR);
      EXPECT_EQ(*static_cast<int*>(value), MPI_WIN_FLAVOR_ALLOCATE);
      get(MPI_WIN_MODEL);
      EXPECT_EQ(*static_cast<int*>(value), MPI_WIN_UNIFIED);
      get(keyval);
      EXPECT_EQ(flag, 0);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_attr(window.window, keyval, &number));
      get(keyval);
      EXPECT_EQ(flag, 1);
      EXPECT_EQ(value, &number);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_delete_attr(window.window, keyval));
      EXPECT_EQ(removed, 5);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_attr(window.window, keyval, &number));
    }
    EXPECT_EQ(removed, 10);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free_keyval(&keyval));
    EXPECT_EQ(MPI_KEYVAL_INVALID, keyval);
  });
}

void note_error(MPI_Win* window, int* code, ...) {
  void* place = nullptr;
  int flag = 0;
  MPI_Win_get_attr(*window, MPI_WIN_BASE, &place, &flag);
  *static_cast<int*>(place) = *code;
}

TEST(Window, CallsItsErrorHandler) {
  run_ranks(1, [](Rank&) {
    const WindowForTests<int> window(1);
    MPI_Errhandler handler, found;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_create_errhandler(note_error, &handler));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(window.window, handler));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_get_errhandler(window.window, &found));
    EXPECT_EQ(found, handler);
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, window.window));
    EXPECT_EQ(*window.base, MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_call_errhandler(window.window, MPI_ERR_OTHER));
    EXPECT_EQ(*window.base, MPI_ERR_OTHER);
    EXPECT_EQ(MPI_SUCCESS, MPI_Errhandler_free(&handler));
    EXPECT_EQ(MPI_SUCCESS, MPI_Errhandler_free(&found));
  });
}

}  // namespace
}  // namespace taihu::mpi::windows
