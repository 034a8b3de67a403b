// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/checkpoint_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "taihu/base/error.h"

namespace taihu::parallelc {
namespace {

namespace fs = std::filesystem;

class CheckpointFile : public testing::Test {
 protected:
  CheckpointFile() { fs::create_directories(folder_); }
  ~CheckpointFile() override { fs::remove_all(folder_); }

  static std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  std::string read(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& path, const std::string& content) const {
    std::ofstream(path, std::ios::binary) << content;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  const std::string folder_ = testing::TempDir() + "checkpoint_file_" + std::to_string(getpid());
  const std::string name_ = folder_ + "/save";
};

/// Sections of 0, 1, 8 and 1000 bytes.
ProcessFile write_sections(const std::string& path) {
  CheckpointWriter writer(path);
  std::uint64_t place = 5;
  for (const std::size_t size : {0, 1, 8, 1000}) {
    const std::vector<std::byte> bytes(size, static_cast<std::byte>(size + 1));
    writer.add(SectionHead::Kind::heap, static_cast<int>(size), place++, bytes);
  }
  return writer.finish();
}

TEST_F(CheckpointFile, SectionsComeBack) {
  const ProcessFile file = write_sections(name_);
  EXPECT_EQ(fs::file_size(name_), file.bytes);
  const CheckpointReader reader(name_, file);
  ASSERT_EQ(reader.sections().size(), 4u);
  std::uint64_t place = 5;
  for (const CheckpointReader::Section& section : reader.sections()) {
    EXPECT_EQ(section.head.kind, SectionHead::Kind::heap);
    EXPECT_EQ(section.head.place, place++);
    EXPECT_EQ(section.head.rank, static_cast<std::int64_t>(section.bytes.size()));
    for (const std::byte byte : section.bytes)
      EXPECT_EQ(byte, static_cast<std::byte>(section.bytes.size() + 1));
  }
}

TEST_F(CheckpointFile, AFileOfNothing) {
  CheckpointWriter writer(name_);
  const ProcessFile file = writer.finish();
  EXPECT_EQ(file.bytes, 0u);
  EXPECT_TRUE(CheckpointReader(name_, file).sections().empty());
}

TEST_F(CheckpointFile, AnUnfinishedFileIsRemoved) {
  {
    CheckpointWriter(name_).add(SectionHead::Kind::rank, 0, 0, {});
  }
  EXPECT_EQ(files(), 0u);
  EXPECT_THROW(CheckpointWriter(folder_ + "/no/folder"), Error);
}

// Bits that only fill up a section to a multiple of 8 mean nothing.
TEST_F(CheckpointFile, EveryChangedByteIsNoticed) {
  const ProcessFile file = write_sections(name_);
  const std::string whole = read(name_);
  const std::size_t padding_begin = 2 * sizeof(SectionHead) + 1;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    if (place >= padding_begin && place < padding_begin + 7) continue;
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
    write(name_, damaged);
    EXPECT_THROW(CheckpointReader(name_, file), Error) << place;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() - 1}) {
    write(name_, whole.substr(0, length));
    EXPECT_THROW(CheckpointReader(name_, file), Error) << length;
  }
  write(name_, whole + std::string(8, 0));
  EXPECT_THROW(CheckpointReader(name_, file), Error);
  write(name_, whole);
  EXPECT_NO_THROW(CheckpointReader(name_, file));
}

CheckpointManifest manifest_of(std::uint64_t generation) {
  return {{77, {0, 2, 3}, 3, 3, 1}, generation, {{100, 1}, {200, 2}}};
}

TEST_F(CheckpointFile, ManifestsComeBackAndOlderFilesGo) {
  const std::string others[] = {folder_ + "/save.more", folder_ + "/other.0000000000000001.0"};
  for (const std::string& other : others) write(other, "x");
  for (const std::uint64_t generation : {1, 0xabc}) {
    for (int process = 0; process < 2; ++process) write(process_file(name_, generation, process), "x");
    write_manifest(name_, manifest_of(generation));
    const CheckpointManifest found = read_manifest(name_);
    EXPECT_EQ(found.generation, generation);
    EXPECT_EQ(found.shape.program, 77u);
    EXPECT_EQ(found.shape.first_rank, (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(found.shape.node, 1);
    ASSERT_EQ(found.files.size(), 2u);
    EXPECT_EQ(found.files[1].bytes, 200u);
    EXPECT_EQ(found.files[1].sum, 2u);
    EXPECT_EQ(files(), 5u) << "the manifest, two files of it, two of others";
    EXPECT_TRUE(fs::exists(process_file(name_, generation, 1)));
  }
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(other));
}

TEST_F(CheckpointFile, EveryChangedByteOfAManifestIsNoticed) {
  write_manifest(name_, manifest_of(3));
  const std::string whole = read(name_);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    write(name_, damaged);
    EXPECT_THROW(read_manifest(name_), Error) << place;
    write(name_, whole.substr(0, place));
    EXPECT_THROW(read_manifest(name_), Error) << place;
  }
  fs::remove(name_);
  EXPECT_THROW(read_manifest(name_), Error);
  fs::create_directory(name_);
  EXPECT_THROW(read_manifest(name_), Error);
}

TEST_F(CheckpointFile, OnlyTheSameJobGoesOn) {
  const JobShape saved = manifest_of(1).shape;
  EXPECT_NO_THROW(check_same_job(name_, saved, saved));
  const auto refused = [&](const JobShape& job, const std::string& why) {
    try {
      check_same_job(name_, saved, job);
      FAIL() << why;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  JobShape job = saved;
  job.program = 78;
  refused(job, "another program");
  job = saved;
  job.first_rank = {0, 2, 4};
  refused(job, "3 ranks, not of 4; give -n 3");
  job.first_rank = {0, 3};
  refused(job, "2 node processes, not of 1");
  job.first_rank = {0, 1, 3};
  refused(job, "or they had other ranks");
  job = saved;
  job.node = 3;
  refused(job, "--node 1; give the same");
}

}  // namespace
}  // namespace taihu::parallelc
