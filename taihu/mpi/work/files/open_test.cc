// SPDX-License-Identifier: Apache-2.0
// Opening, closing, sizes, hints, error handlers, and what goes wrong there.
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/diagnostics/deadlock_watch.h"
#include "taihu/mpi/work/files/files_for_tests.h"

namespace taihu::mpi::files {
namespace {

int try_open(const char* name, int amode, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(comm, name, amode, MPI_INFO_NULL, &file);
  if (code == MPI_SUCCESS) {
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  }
  EXPECT_EQ(MPI_FILE_NULL, file);
  return code;
}

class OpenFiles : public testing::TestWithParam<TestShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, OpenFiles,
                         testing::Values(TestShape(1), TestShape(3), TestShape(4, 2), TestShape(3, 3)),
                         [](const auto& about) {
                           return std::to_string(about.param.ranks) + "in" +
                                  std::to_string(about.param.node_processes);
                         });

TEST_P(OpenFiles, ModesMustMakeSense) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank& rank) {
    for (const int amode :
         {0, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_MODE_RDONLY | MPI_MODE_CREATE,
          MPI_MODE_RDONLY | MPI_MODE_EXCL, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, 1 << 20 | MPI_MODE_RDWR})
      EXPECT_EQ(MPI_ERR_AMODE, try_open(temporary.name(), amode));
    if (rank.world().size() > 1) {
      EXPECT_EQ(MPI_ERR_NOT_SAME,
                try_open(temporary.name(), rank.number() == 1 ? MPI_MODE_RDWR : MPI_MODE_WRONLY));
    }
  });
  EXPECT_FALSE(temporary.exists());
}

TEST_P(OpenFiles, AllRanksHearThatItFailed) {
  const TemporaryFile temporary, directory;
  ASSERT_EQ(0, mkdir(directory.name(), 0700));
  run_ranks(GetParam(), [&](Rank& rank) {
    EXPECT_EQ(MPI_ERR_NO_SUCH_FILE, try_open(temporary.name(), MPI_MODE_RDONLY));
    EXPECT_EQ(MPI_ERR_NO_SUCH_FILE,
              try_open((std::string(directory.name()) + "/a/b").c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR));
    EXPECT_EQ(MPI_ERR_BAD_FILE, try_open(directory.name(), MPI_MODE_RDONLY));
    EXPECT_EQ(MPI_SUCCESS, try_open(temporary.name(), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY));
    EXPECT_EQ(MPI_ERR_FILE_EXISTS,
              try_open(temporary.name(), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY));
    EXPECT_EQ(MPI_SUCCESS, try_open(temporary.name(), MPI_MODE_CREATE | MPI_MODE_RDWR));
    barrier_inside(rank.world());
    if (rank.number() == 0) {
      EXPECT_EQ(MPI_SUCCESS, MPI_File_delete(temporary.name(), MPI_INFO_NULL));
      EXPECT_EQ(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(temporary.name(), MPI_INFO_NULL));
    }
  });
  rmdir(directory.name());
}

TEST(OpenFilesAlone, PipesAreRefused) {
  const TemporaryFile temporary;
  ASSERT_EQ(0, mkfifo(temporary.name(), 0600));
  run_ranks(1, [&](Rank&) {
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_OPERATION, try_open(temporary.name(), MPI_MODE_RDONLY));
  });
}

TEST_P(OpenFiles, CloseDeletesWhereAsked) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank&) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT_TRUE(temporary.exists());
    int amode = 0;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_amode(file, &amode));
    EXPECT_EQ(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, amode);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
    EXPECT_FALSE(temporary.exists());
  });
}

TEST_P(OpenFiles, AppendStartsAtTheEnd) {
  const TemporaryFile temporary;
  temporary.set_contents(std::vector<char>(10, 'a'));
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_APPEND | MPI_MODE_WRONLY);
    MPI_Offset individual = -1, shared = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position(file, &individual));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position_shared(file, &shared));
    EXPECT_EQ(10, individual);
    EXPECT_EQ(10, shared);
    barrier_inside(rank.world());
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_ordered(file, "b", 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
  const std::vector<char> contents = temporary.contents();
  ASSERT_EQ(static_cast<std::size_t>(10 + GetParam().ranks), contents.size());
  EXPECT_EQ('b', contents[10]);
}

TEST_P(OpenFiles, SizesAreThoseOfTheFile) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    const MPI_Offset large = (MPI_Offset{1} << 33) + 5;
    MPI_Offset size = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_size(file, large));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_size(file, &size));
    EXPECT_EQ(large, size);
    MPI_Offset end = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_seek(file, -2, MPI_SEEK_END));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position(file, &end));
    EXPECT_EQ(large - 2, end);
    barrier_inside(rank.world());
    // A collective access far out, where 32 bits are not enough.
    const int value = 77 + rank.number();
    EXPECT_EQ(MPI_SUCCESS,
              MPI_File_write_at_all(file, large + 4 * rank.number(), &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    int found = 0;
    const int next = (rank.number() + 1) % rank.world().size();
    barrier_inside(rank.world());
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at(file, large + 4 * next, &found, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(77 + next, found);
    barrier_inside(rank.world());
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_size(file, 3));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_preallocate(file, 2));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_size(file, &size));
    EXPECT_EQ(3, size);
    barrier_inside(rank.world());
    EXPECT_EQ(MPI_SUCCESS, MPI_File_preallocate(file, 5000));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_size(file, &size));
    EXPECT_EQ(5000, size);
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_set_size(file, -1));
    if (rank.world().size() > 1) {
      EXPECT_EQ(MPI_ERR_NOT_SAME, MPI_File_set_size(file, rank.number()));
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_sync(file));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST_P(OpenFiles, AccessMustFitTheMode) {
  const TemporaryFile temporary;
  temporary.set_contents({'x'});
  run_ranks(GetParam(), [&](Rank&) {
    char byte = 0;
    MPI_Offset offset = 0;
    MPI_File file = open_for_test(temporary, MPI_MODE_RDONLY);
    EXPECT_EQ(MPI_ERR_READ_ONLY, MPI_File_write(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_READ_ONLY, MPI_File_write_all(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 0));
    EXPECT_EQ(MPI_ERR_COUNT, MPI_File_read(file, &byte, -1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_read_at(file, -1, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_TYPE, MPI_File_read(file, &byte, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_seek(file, 0, 12345));
    EXPECT_EQ(MPI_ERR_IO, MPI_File_read_all_end(file, &byte, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_all_begin(file, &byte, 1, MPI_CHAR));
    EXPECT_EQ(MPI_ERR_IO, MPI_File_read_all(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_IO, MPI_File_read_at_all_end(file, &byte, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_all_end(file, &byte, MPI_STATUS_IGNORE));
    EXPECT_EQ('x', byte);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));

    file = open_for_test(temporary, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    EXPECT_EQ(MPI_ERR_ACCESS, MPI_File_read_shared(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_get_position(file, &offset));
    EXPECT_EQ(MPI_ERR_DISP, MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_ordered(file, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS,
              MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_ordered(file, "d", 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
    EXPECT_EQ(MPI_ERR_FILE, MPI_File_close(&file));
  });
  std::string expected;
  for (int i = 0; i < GetParam().ranks; ++i) expected += "abc";
  expected.append(static_cast<std::size_t>(GetParam().ranks), 'd');
  const std::vector<char> contents = temporary.contents();
  EXPECT_EQ(expected, std::string(contents.begin(), contents.end()));
}

TEST_P(OpenFiles, OneRankWithWrongArgumentsDoesNotStopTheOthers) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    const bool wrong = rank.number() == 0;
    const char byte = static_cast<char>('0' + rank.number());
    EXPECT_EQ(wrong ? MPI_ERR_COUNT : MPI_SUCCESS,
              MPI_File_write_at_all(file, rank.number(), &byte, wrong ? -1 : 1, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(
        wrong ? MPI_ERR_TYPE : MPI_SUCCESS,
        MPI_File_write_ordered(file, &byte, 1, wrong ? MPI_DATATYPE_NULL : MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_EQ(wrong                     ? MPI_ERR_DISP
              : rank.world().size() > 0 ? MPI_ERR_DISP
                                        : MPI_SUCCESS,
              MPI_File_set_view(file, wrong ? -5 : 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_DATAREP,
              MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "klingon", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST(FileHintsOfTheProgram, AreToldWhenTheyHaveAnEffect) {
  const TemporaryFile temporary;
  run_ranks(2, [&](Rank& rank) {
    const Reference<Info> given(new Info);
    given->set("collective_buffering", "false");
    given->set("cb_buffer_size", "4096");
    given->set("colour", "red");
    auto* const handle = handle_of<MPI_Info>(given.get());
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_COMM_WORLD, handle);
    for (const char* no_size : {"minus one", "-4", "4 kittens", "0", "99999999999999999999", ""}) {
      given->set("cb_buffer_size", no_size);
      EXPECT_EQ(MPI_SUCCESS, MPI_File_set_info(file, handle));
    }
    MPI_Info info = MPI_INFO_NULL;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_info(file, &info));
    const Reference<Info> told(rank.find<Info>(info));
    const Info::Entries expected = {{"collective_buffering", "false"}, {"cb_buffer_size", "4096"}};
    EXPECT_EQ(expected, told->entries());
    given->set("cb_buffer_size", "8k");
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_info(file, handle));
    MPI_Info larger = MPI_INFO_NULL;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_info(file, &larger));
    const Reference<Info> told_again(rank.find<Info>(larger));
    const Info::Entries then = {{"collective_buffering", "false"}, {"cb_buffer_size", "8192"}};
    EXPECT_EQ(then, told_again->entries());
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

int handled_code = 0;
MPI_File handled_file = MPI_FILE_NULL;
void remember(MPI_File* file, int* code, ...) {
  handled_file = *file;
  handled_code = *code;
}

TEST(FileErrorHandlers, ThoseOfTheNullFileCountForOpenAndForNewFiles) {
  const TemporaryFile temporary;
  run_ranks(1, [&](Rank& rank) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, found = MPI_ERRHANDLER_NULL;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    EXPECT_EQ(MPI_ERRORS_RETURN, found);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_create_errhandler(remember, &handler));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    EXPECT_EQ(MPI_ERR_NO_SUCH_FILE, try_open(temporary.name(), MPI_MODE_RDWR));
    EXPECT_EQ(MPI_ERR_NO_SUCH_FILE, handled_code);
    EXPECT_EQ(MPI_FILE_NULL, handled_file);

    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    EXPECT_EQ(MPI_ERR_ARG, handled_code);
    EXPECT_EQ(file, handled_file);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_call_errhandler(file, MPI_ERR_QUOTA));
    EXPECT_EQ(MPI_ERR_QUOTA, handled_code);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    EXPECT_EQ(MPI_ERR_QUOTA, handled_code);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
    rank.find<ErrorHandler>(handler)->release();  // as MPI_Errhandler_free
  });
}

TEST(WritingFiles, IsNotTakenForStuck) {
  const TemporaryFile temporary;
  run_ranks(1, [&](Rank& rank) {
    {
      const CurrentCall call("MPI_File_write", nullptr);
      EXPECT_TRUE(look_at({&rank}).all_wait);
      const AtWork at_work;
      EXPECT_FALSE(look_at({&rank}).all_wait);
    }
    // Another thread sees that of a write; if there is nothing to see, this ends after a while.
    CallRecord& record = call_record();
    std::atomic<bool> seen{false}, ended{false};
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    std::thread watcher([&] {
      while (!seen && !ended) seen = record.works.load();
    });
    const std::vector<char> block(1 << 22);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!seen && std::chrono::steady_clock::now() < end)
      EXPECT_EQ(MPI_SUCCESS, MPI_File_write_at(file, 0, block.data(), static_cast<int>(block.size()),
                                               MPI_BYTE, MPI_STATUS_IGNORE));
    ended = true;
    watcher.join();
    EXPECT_TRUE(seen);
    EXPECT_FALSE(record.works);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST(FileGroups, AreThatOfTheCommunicator) {
  const TemporaryFile temporary;
  run_ranks({3, 2}, [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Group group = MPI_GROUP_NULL;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_group(file, &group));
    EXPECT_EQ(rank.world().group->ranks, rank.find<Group>(group)->ranks);
    rank.find<Group>(group)->release();
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

}  // namespace
}  // namespace taihu::mpi::files
