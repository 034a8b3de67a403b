// SPDX-License-Identifier: Apache-2.0
// For tests of files: a file in the temporary directory, datatypes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi::files {

/// A name that nobody else uses; what is there at the end of the test is deleted.
class TemporaryFile {
 public:
  TemporaryFile() {
    static std::atomic<int> number{0};
    path_ = testing::TempDir() + "taihu_files_" + std::to_string(getpid()) + "_" + std::to_string(number++);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const char* name() const { return path_.c_str(); }
  bool exists() const { return access(name(), F_OK) == 0; }

  std::vector<char> contents() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void set_contents(const std::vector<char>& bytes) const {
    std::ofstream stream(path_, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

/// A committed datatype of a test. Types of all ranks are freed with the last use of them in a file.
class TestType {
 public:
  explicit TestType(Reference<Datatype> type) : type_(std::move(type)) { type_->committed = true; }
  MPI_Datatype handle() const { return handle_of<MPI_Datatype>(type_.get()); }
  operator MPI_Datatype() const { return handle(); }  // NOLINT: stands for its handle
  Datatype& type() const { return *type_; }

 private:
  Reference<Datatype> type_;
};

inline MPI_File open_for_test(const TemporaryFile& file, int amode, MPI_Comm comm = MPI_COMM_WORLD,
                              MPI_Info info = MPI_INFO_NULL) {
  MPI_File handle = MPI_FILE_NULL;
  EXPECT_EQ(MPI_SUCCESS, MPI_File_open(comm, file.name(), amode, info, &handle));
  return handle;
}

}  // namespace taihu::mpi::files
