// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <memory>
#include <string_view>

#include "taihu/base/error.h"

namespace taihu {
namespace {

namespace fs = std::filesystem;

/// Devices, pipes and what stands for open descriptors: they have no contents that could be replaced.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const std::string name = path.string();
  return (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) ||
         (fs::exists(status) && (name.starts_with("/dev/") || name.starts_with("/proc/")));
}

/// Writes a small file into a folder and removes it: permissions alone do not tell of full disks, quotas and
/// file systems that are mounted read-only. The error number of what failed, or 0.
int try_to_write(const fs::path& folder) {
  std::string name = (folder / ".taihu-XXXXXX").string();
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return errno;
  const std::array<char, 4096> block{};
  const ssize_t done = write(descriptor, block.data(), block.size());
  const int error = done < 0 ? errno : done < std::ssize(block) ? ENOSPC : 0;
  close(descriptor);
  unlink(name.c_str());
  return error;
}

/// The name beside `path` under which its new contents are written; shortened where it would be too long, and
/// never `path` itself.
std::string temporary_name(const fs::path& path) {
  static constexpr std::string_view end = ".part";
  std::string name = path.filename().native().substr(0, NAME_MAX - end.size());
  if (name.append(end) == path.filename().native()) name.back() = '_';
  return path.parent_path() / name;
}

}  // namespace

std::string writable_file(const std::string& path, const std::string& option, FileUse use) {
  const std::string refusal = (option.empty() ? "" : option + ": ") + "cannot write " + path;
  check_input(!path.empty(), refusal + "\"\" (a name of a file is missing)");
  std::error_code ignored;
  const fs::path file = fs::absolute(path);
  const fs::path folder = file.parent_path();
  if (file.filename().native().size() > NAME_MAX) throw system_error(refusal, ENAMETOOLONG);
  check_input(file.has_filename() && !fs::is_directory(file, ignored),
              refusal + " (it is a directory); name a file in it");
  check_input(fs::is_directory(folder, ignored), refusal + " (no directory " + folder.string() + ")");
  const bool there = fs::exists(file, ignored);
  if (there && access(file.c_str(), W_OK) != 0) throw system_error(refusal, errno);
  if (is_special(file) || (there && use == FileUse::appended)) return file;
  if (const int error = try_to_write(folder)) throw system_error(refusal, error);
  return file;
}

void make_writable_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  check_input(!error, "cannot create folder " + folder + " (" + error.message() + ")");
  if (const int problem = try_to_write(folder))
    throw system_error("cannot write into folder " + folder, problem);
}

void replace_file(const std::string& temporary, const std::string& path) {
  const int descriptor = open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!synced) throw system_error(temporary + ": cannot be brought to the disk", error);
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    throw system_error(path + ": cannot be replaced", errno);
  const std::string folder = fs::path(path).parent_path().string();
  const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);  // some file systems refuse this for folders; the file itself is safe
  close(directory);
}

void write_and_replace(const std::string& path,
                       const std::function<void(const std::string& temporary)>& write) {
  if (is_special(path)) return write(path);
  std::error_code not_there;
  const fs::path target = fs::canonical(path, not_there);  // a link stays; what it names is replaced
  const std::string file = not_there ? path : target.string(), temporary = temporary_name(file);
  try {
    write(temporary);
    replace_file(temporary, file);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

void write_file(const std::string& path, const std::function<void(std::FILE* file)>& write) {
  write_and_replace(path, [&](const std::string& temporary) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "we"),
                                                               &std::fclose);
    if (file == nullptr) throw system_error("cannot write " + path, errno);
    errno = 0;
    write(file.get());
    const bool failed = std::ferror(file.get()) != 0;
    const int error = errno;
    if (failed) throw system_error("cannot write " + path, error == 0 ? EIO : error);
    if (std::fflush(file.get()) != 0) throw system_error("cannot write " + path, errno);
  });
}

void write_file(const std::string& path, const std::string& content) {
  write_file(path, [&](std::FILE* file) { std::fwrite(content.data(), 1, content.size(), file); });
}

}  // namespace taihu
