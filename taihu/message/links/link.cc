// SPDX-License-Identifier: Apache-2.0
// The link over an MPI shim: finds and loads the shim, cuts transfers into pieces that MPI's int counts can
// name.
#include "taihu/message/link.h"

#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <thread>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/base/mpi_launcher.h"
#include "taihu/message/links/mpi_link/shim.h"
#include "taihu/message/links/shared_link.h"
#include "taihu/message/links/tagged_link.h"

namespace taihu::message {

namespace {

/// The pieces of a transfer that are still under way; all but the last are full.
struct ShimRequest : LinkRequest {
  std::vector<void*> pieces;
  std::size_t tested = 0;  ///< pieces known to be complete
  LinkStatus status;
};

constexpr std::size_t longest_call_bytes = std::size_t{1} << 30;
static_assert(any_process == TAIHU_SHIM_ANY_PROCESS);
static_assert(envelope_tag == TAIHU_SHIM_SHARED_TAG);

/// Until whoever forwards this process's output has read it, or a second has passed: an MPI launcher that is
/// told of an abort drops what is still in the pipes, which would be the reason of the abort.
void wait_until_output_is_read() {
  const auto patience_ends = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat file;
    if (fstat(output, &file) != 0 || !S_ISFIFO(file.st_mode)) continue;
    int unread = 0;
    while (ioctl(output, FIONREAD, &unread) == 0 && unread > 0 &&
           std::chrono::steady_clock::now() < patience_ends) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

class ShimLink final : public TaggedLink {
 public:
  explicit ShimLink(const taihu_shim* shim) : shim_(shim) {
    shim_->start(&process_, &processes_, &tag_limit_, &unasked_bytes_);
  }
  ~ShimLink() override {
    close_envelopes();
    shim_->stop();
  }

  int process() const override { return process_; }
  int processes() const override { return processes_; }
  int tag_limit() const override { return tag_limit_; }
  std::size_t unasked_bytes(int /*process*/) const override {
    return static_cast<std::size_t>(unasked_bytes_);
  }

  std::string library() const override {
    char text[200];
    shim_->library(text, sizeof text);
    return text;
  }

  LinkRequest* send(int process, int tag, const void* data, std::size_t bytes) override {
    if (bytes > longest_call_bytes) {
      const auto* from = static_cast<const std::byte*>(data);
      return start(bytes, [&](std::size_t offset, int count) {
        return shim_->send(process, tag, from + offset, count);
      });
    }
    void* piece = shim_->send_now(process, tag, data, static_cast<int>(bytes));
    if (piece == nullptr) return nullptr;
    ShimRequest* request = take();
    request->pieces.push_back(piece);
    return request;
  }

  LinkRequest* receive(int process_or_any, int tag, void* buffer, std::size_t capacity) override {
    auto* to = static_cast<std::byte*>(buffer);
    return start(capacity, [&](std::size_t offset, int count) {
      return shim_->receive(process_or_any, tag, to + offset, count);
    });
  }

  bool test(LinkRequest* link_request, LinkStatus* status) override {
    auto* const request = static_cast<ShimRequest*>(link_request);
    for (; request->tested < request->pieces.size(); ++request->tested) {
      taihu_shim_status piece{};
      if (shim_->test(request->pieces[request->tested], &piece) == 0) return false;
      request->status.process = piece.process;
      request->status.tag = piece.tag;
      request->status.bytes += static_cast<std::size_t>(piece.bytes);
    }
    if (status != nullptr) *status = request->status;
    release(request);
    return true;
  }

  void cancel(LinkRequest* link_request) override {
    auto* const request = static_cast<ShimRequest*>(link_request);
    for (; request->tested < request->pieces.size(); ++request->tested)
      shim_->cancel(request->pieces[request->tested]);
    release(request);
  }

  std::vector<std::string> allgather(const std::string& mine) override {
    std::vector<int> sizes(static_cast<std::size_t>(processes_));
    std::vector<int> offsets(sizes.size());
    shim_->gather_sizes(static_cast<int>(mine.size()), sizes.data());
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    std::string all(static_cast<std::size_t>(offsets.back() + sizes.back()), '\0');
    shim_->gather_bytes(mine.data(), static_cast<int>(mine.size()), all.data(), sizes.data(), offsets.data());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(sizes[i])));
    }
    return texts;
  }

  void barrier() override { shim_->barrier(); }

  [[noreturn]] void abort(int exit_code) override {
    wait_until_output_is_read();
    shim_->abort(exit_code);
    std::_Exit(exit_code);
  }

 private:
  template <class StartPiece>
  ShimRequest* start(std::size_t bytes, StartPiece&& start_piece) {
    ShimRequest* request = take();
    std::size_t offset = 0;
    do {
      const std::size_t count = std::min(bytes - offset, longest_call_bytes);
      request->pieces.push_back(start_piece(offset, static_cast<int>(count)));
      offset += count;
    } while (offset < bytes);
    return request;
  }

  ShimRequest* take() {
    if (free_.empty()) return all_.emplace_back(std::make_unique<ShimRequest>()).get();
    ShimRequest* request = free_.back();
    free_.pop_back();
    return request;
  }

  void release(ShimRequest* request) {
    request->pieces.clear();
    request->tested = 0;
    request->status = {};
    free_.push_back(request);
  }

  const taihu_shim* const shim_;
  int process_ = 0;
  int processes_ = 1;
  int tag_limit_ = 0;
  int unasked_bytes_ = 0;
  std::vector<std::unique_ptr<ShimRequest>> all_;
  std::vector<ShimRequest*> free_;
};

/// Folders that may hold the shims: next to this code, and where lib/ is seen from there in a build tree or
/// installation.
std::vector<std::filesystem::path> shim_folders() {
  std::vector<std::filesystem::path> folders;
  const auto add_around = [&](const std::filesystem::path& file) {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::canonical(file, ignored).parent_path();
    if (folder.empty()) return;
    for (const char* step :
         {".", "../" TAIHU_LIBRARY_FOLDER, "../../" TAIHU_LIBRARY_FOLDER, "../lib", "../../lib"}) {
      folders.push_back((folder / step).lexically_normal());
    }
  };
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&open_link), &info) != 0 && info.dli_fname != nullptr)
    add_around(info.dli_fname);
  add_around("/proc/self/exe");
  return folders;
}

std::string shim_file(MpiLibrary library) {
  const std::string name = "libtaihu-link-" + file_suffix(library) + ".so";
  for (const std::filesystem::path& folder : shim_folders()) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / name, ignored)) return folder / name;
  }
  throw taihu::Error(
      "cannot find " + name + " (this installation was built without " + file_suffix(library) +
      "); rebuild with that MPI library installed, or start the job with the launcher of another one");
}

const taihu_shim* load_shim(MpiLibrary library) {
  const std::string file = shim_file(library);
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw taihu::Error(std::string("cannot load the MPI link (") + dlerror() + "); install the " +
                       file_suffix(library) + " library on this node");
  }
  const auto entry = reinterpret_cast<const taihu_shim* (*)()>(dlsym(handle, "taihu_mpi_shim"));
  if (entry == nullptr || entry()->version != TAIHU_SHIM_VERSION) {
    throw taihu::Error(file + " belongs to another version of this library; reinstall");
  }
  return entry();
}

}  // namespace

std::unique_ptr<Link> open_link() {
  const std::optional<MpiLibrary> library = launcher_library(process_environment);
  if (!library) return nullptr;
  const SharedMemory wanted = shared_memory_wanted(std::getenv("TAIHU_SHARED_MEMORY"));
  return share_memory(std::make_unique<ShimLink>(load_shim(*library)), wanted);
}

}  // namespace taihu::message
