// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/tagged_output.h"

#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/memory/current_rank.h"

namespace taihu::launch {
namespace {

constexpr int no_rank = -1;

/// False when the other end is gone.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

/// One replaced stream. `lines_` is guarded by `mutex_`; several ranks print at once.
class TaggedOutput::Stream {
 public:
  explicit Stream(FILE*& variable) : variable_(variable), original_(variable), descriptor_(fileno(variable)) {
    std::fflush(original_);
    cookie_io_functions_t functions{};
    functions.write = write_text;
    stream_ = fopencookie(this, "w", functions);
    if (stream_ == nullptr) throw system_error("cannot tag the output", errno);
    std::setvbuf(stream_, nullptr, _IONBF, 0);
    variable_ = stream_;
  }
  ~Stream() {
    std::fclose(stream_);
    variable_ = original_;
    flush();
  }

  void flush() {
    std::lock_guard lock(mutex_);
    for (auto& [rank, line] : lines_)
      if (!line.empty()) print(rank, line + "\n");
    lines_.clear();
  }

 private:
  static ssize_t write_text(void* self, const char* text, std::size_t bytes) {
    const memory::RankIdentity* rank = memory::current_rank();
    return static_cast<Stream*>(self)->add(rank ? rank->rank : no_rank, {text, bytes})
               ? static_cast<ssize_t>(bytes)
               : 0;
  }

  bool add(int rank, std::string_view text) {
    if (rank == no_rank) return write_all(descriptor_, text);
    std::lock_guard lock(mutex_);
    std::string& line = lines_[rank];
    line += text;
    const std::size_t end = line.rfind('\n');
    if (end == line.npos) return true;
    const bool printed = print(rank, std::string_view(line).substr(0, end + 1));
    line.erase(0, end + 1);
    return printed;
  }

  /// `text` is whole lines; one write, so that node processes do not cut each other's lines.
  bool print(int rank, std::string_view text) const {
    const std::string tag = "[" + std::to_string(rank) + "] ";
    std::string tagged;
    while (!text.empty()) {
      const std::size_t length = text.find('\n') + 1;
      tagged.append(tag).append(text.substr(0, length));
      text.remove_prefix(length);
    }
    return write_all(descriptor_, tagged);
  }

  FILE*& variable_;
  FILE* original_;
  int descriptor_;
  FILE* stream_ = nullptr;
  std::mutex mutex_;
  std::map<int, std::string> lines_;
};

TaggedOutput::TaggedOutput()
    : out_(std::make_unique<Stream>(stdout)), err_(std::make_unique<Stream>(stderr)) {}

TaggedOutput::~TaggedOutput() = default;

void TaggedOutput::flush() {
  out_->flush();
  err_->flush();
}

}  // namespace taihu::launch
