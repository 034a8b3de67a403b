// SPDX-License-Identifier: Apache-2.0
// The files of a checkpoint of a whole job. Each node process writes one, NAME.GENERATION.PROCESS, brings it
// to the disk, and then rank 0 writes the manifest NAME, which names them, under a temporary name and renames
// it. So NAME is always a whole checkpoint: the one before, or this one. Numbers are in the machine's byte
// order.
//
// A process's file is a sequence of sections: a SectionHead and its bytes, filled up to a multiple of 8. The
// manifest is text, its last line a checksum of the lines before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taihu/base/descriptor.h"

namespace taihu::parallelc {

struct SectionHead {
  enum class Kind : std::int64_t {
    rank,        ///< numbers: base of the image, base and capacity of the heap, its state
    variables,   ///< at `place`
    heap,        ///< at `place`
    shared,      ///< of the group that begins with `rank`; `place`: which of the areas
    registered,  ///< `place`: how many were registered before
  };
  Kind kind = Kind::rank;
  std::int64_t rank = 0;
  std::uint64_t place = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;  ///< checksum of the bytes
};

/// What a manifest says of one node process's file.
struct ProcessFile {
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;  ///< checksum of all its SectionHeads
};

class CheckpointWriter {
 public:
  /// Makes the file. Throws Error. The file is removed again unless finish is called.
  explicit CheckpointWriter(std::string path);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Throws Error, such as of a full disk.
  void add(SectionHead::Kind kind, int rank, std::uint64_t place, std::span<const std::byte> bytes);
  /// Brings the file to the disk. Throws Error.
  ProcessFile finish();

 private:
  void write(const void* data, std::size_t bytes);

  const std::string path_;
  Descriptor file_;
  ProcessFile so_far_;
  bool finished_ = false;
};

/// A process's file, whole and unchanged.
class CheckpointReader {
 public:
  struct Section {
    SectionHead head;
    std::span<const std::byte> bytes;
  };

  /// Reads and checks all of it. Throws Error when it is not what the manifest says.
  CheckpointReader(const std::string& path, const ProcessFile& expected);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const std::vector<Section>& sections() const noexcept { return sections_; }

 private:
  void* content_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<Section> sections_;
};

/// Which job a checkpoint is of. A restart must have the same.
struct JobShape {
  std::uint64_t program = 0;    ///< checksum of its file
  std::vector<int> first_rank;  ///< of each node process, and the number of ranks
  int snode = 0, bnode = 0, node = 0;
};

struct CheckpointManifest {
  JobShape shape;
  std::uint64_t generation = 0;
  std::vector<ProcessFile> files;  ///< by node process
};

/// NAME.GENERATION.PROCESS
std::string process_file(const std::string& name, std::uint64_t generation, int process);

/// Makes `name` this checkpoint, then removes the files of those that had the name before. Throws Error.
void write_manifest(const std::string& name, const CheckpointManifest& manifest);

/// Throws Error when the file is missing, damaged, or no manifest.
CheckpointManifest read_manifest(const std::string& name);

/// Throws Error naming the first difference between the job and that of the checkpoint.
void check_same_job(const std::string& name, const JobShape& saved, const JobShape& job);

}  // namespace taihu::parallelc
