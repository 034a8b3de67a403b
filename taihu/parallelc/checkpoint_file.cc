// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/checkpoint_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "taihu/base/checksum.h"
#include "taihu/base/error.h"
#include "taihu/base/input_file.h"
#include "taihu/base/output_file.h"

namespace taihu::parallelc {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_line = "taihu checkpoint 1";

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

bool is_number(const std::string& text, const char* digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string::npos;
}

/// What is named like a file of an older checkpoint of this name.
void remove_others(const std::string& name, std::uint64_t generation) {
  const fs::path path = fs::absolute(name);
  const std::string stem = path.filename().string() + ".";
  const std::string keep = fs::path(process_file(name, generation, 0)).filename().string();
  const std::string kept_stem = keep.substr(0, keep.rfind('.') + 1);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), ignored)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(stem) || file.starts_with(kept_stem)) continue;
    const std::string rest = file.substr(stem.size());
    const std::size_t dot = rest.find('.');
    if (dot == 16 && is_number(rest.substr(0, dot), "0123456789abcdef") &&
        is_number(rest.substr(dot + 1), "0123456789"))
      fs::remove(entry.path(), ignored);
  }
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_.get() < 0) throw system_error("cannot write " + path_, errno);
}

CheckpointWriter::~CheckpointWriter() {
  if (!finished_) unlink(path_.c_str());
}

void CheckpointWriter::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  so_far_.bytes += bytes;
  while (bytes > 0) {
    const ssize_t done = ::write(file_.get(), from, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw system_error("cannot write " + path_, done < 0 ? errno : ENOSPC);
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void CheckpointWriter::add(SectionHead::Kind kind, int rank, std::uint64_t place,
                           std::span<const std::byte> bytes) {
  const SectionHead head{kind, rank, place, bytes.size(), checksum(bytes.data(), bytes.size())};
  so_far_.sum = checksum(&head, sizeof head, so_far_.sum);
  write(&head, sizeof head);
  write(bytes.data(), bytes.size());
  const std::uint64_t zero = 0;
  write(&zero, padded(bytes.size()) - bytes.size());
}

ProcessFile CheckpointWriter::finish() {
  if (fsync(file_.get()) != 0) throw system_error("cannot bring " + path_ + " to the disk", errno);
  finished_ = true;
  return so_far_;
}

CheckpointReader::CheckpointReader(const std::string& path, const ProcessFile& expected) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) throw system_error("cannot read " + path, errno);
  const std::string damage =
      path + " is not what the checkpoint had (damaged, or of another one); use another checkpoint";
  check_input(static_cast<std::uint64_t>(status.st_size) == expected.bytes, damage);
  bytes_ = expected.bytes;
  content_ = mmap(nullptr, std::max<std::size_t>(bytes_, 1), PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (content_ == MAP_FAILED) throw system_error("cannot read " + path, errno);
  const auto* const begin = static_cast<const std::byte*>(content_);
  ProcessFile found;
  bool good = true;
  while (good && found.bytes < bytes_) {
    Section section;
    good = bytes_ - found.bytes >= sizeof section.head;
    if (!good) break;
    std::memcpy(&section.head, begin + found.bytes, sizeof section.head);
    found.sum = checksum(&section.head, sizeof section.head, found.sum);
    found.bytes += sizeof section.head;
    good = section.head.bytes <= bytes_ && padded(section.head.bytes) <= bytes_ - found.bytes;
    if (!good) break;
    section.bytes = {begin + found.bytes, section.head.bytes};
    good = checksum(section.bytes.data(), section.bytes.size()) == section.head.sum;
    found.bytes += padded(section.head.bytes);
    sections_.push_back(section);
  }
  if (good && found.sum == expected.sum) return;
  munmap(content_, std::max<std::size_t>(bytes_, 1));
  throw Error(damage);
}

CheckpointReader::~CheckpointReader() {
  munmap(content_, std::max<std::size_t>(bytes_, 1));
}

std::string process_file(const std::string& name, std::uint64_t generation, int process) {
  std::ostringstream text;
  text << name << '.' << std::hex;
  text.width(16);
  text.fill('0');
  text << generation << std::dec << '.' << process;
  return text.str();
}

void write_manifest(const std::string& name, const CheckpointManifest& manifest) {
  std::ostringstream text;
  const JobShape& shape = manifest.shape;
  text << first_line << "\nprogram " << shape.program << "\ngeneration " << manifest.generation << "\nscopes "
       << shape.snode << ' ' << shape.bnode << ' ' << shape.node << "\nprocesses " << manifest.files.size()
       << '\n';
  for (std::size_t process = 0; process < manifest.files.size(); ++process) {
    text << "process " << shape.first_rank[process] << ' ' << shape.first_rank[process + 1] << ' '
         << manifest.files[process].bytes << ' ' << manifest.files[process].sum << '\n';
  }
  std::string content = text.str();
  content += "end " + std::to_string(checksum(content.data(), content.size())) + "\n";
  write_file(name, content);
  remove_others(name, manifest.generation);
}

CheckpointManifest read_manifest(const std::string& name) {
  const std::string content = read_file(name, "checkpoint");
  const std::string refusal = name + " is not a checkpoint of m_checkpoint, or damaged";
  const std::size_t end = content.rfind("end ");
  check_input(content.starts_with(first_line) && end != std::string::npos &&
                  content.substr(end) == "end " + std::to_string(checksum(content.data(), end)) + "\n",
              refusal);
  std::istringstream text(content.substr(content.find('\n')));
  CheckpointManifest manifest;
  JobShape& shape = manifest.shape;
  std::string word;
  std::size_t processes = 0;
  text >> word >> shape.program >> word >> manifest.generation >> word >> shape.snode >> shape.bnode >>
      shape.node >> word >> processes;
  check_input(text.good() && processes >= 1 && processes < content.size(), refusal);
  shape.first_rank.push_back(0);
  for (std::size_t process = 0; process < processes; ++process) {
    int first = 0, last = 0;
    ProcessFile entry;
    text >> word >> first >> last >> entry.bytes >> entry.sum;
    check_input(!text.fail() && first == shape.first_rank.back() && last > first, refusal);
    shape.first_rank.push_back(last);
    manifest.files.push_back(entry);
  }
  return manifest;
}

void check_same_job(const std::string& name, const JobShape& saved, const JobShape& job) {
  const std::string checkpoint = "checkpoint " + name + " is of ";
  check_input(saved.program == job.program,
              checkpoint + "another program, or of another build of it; run that one");
  const auto number = [](int value) { return std::to_string(value); };
  check_input(saved.first_rank.back() == job.first_rank.back(),
              checkpoint + number(saved.first_rank.back()) + " ranks, not of " +
                  number(job.first_rank.back()) + "; give -n " + number(saved.first_rank.back()));
  check_input(saved.first_rank == job.first_rank,
              checkpoint + std::to_string(saved.first_rank.size() - 1) + " node processes, not of " +
                  std::to_string(job.first_rank.size() - 1) + ", or they had other ranks; start as many");
  check_input(saved.snode == job.snode && saved.bnode == job.bnode && saved.node == job.node,
              checkpoint + "a job with --snode " + number(saved.snode) + " --bnode " + number(saved.bnode) +
                  " --node " + number(saved.node) + "; give the same");
}

}  // namespace taihu::parallelc
