// SPDX-License-Identifier: Apache-2.0
// Output that accelerator threads ask of their process (paper 000, section 5.3). A thread copies the
// arguments of its call into a buffer and goes on; process code formats what is there while it waits for its
// kernels, and writes it in larger pieces. Where nobody serves, the thread that needs room or order does it.
//
// Only standard output is put off. Order: requests are carried out in the order in which they were made;
// whatever could show that one has not been carried out yet (another call of stdio or of the system, a call
// of the language, code of others, the end of the kernel) waits for it first.
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <locale.h>

#include "taihu/abi/output_request.h"
#include "taihu/threads/waiting.h"

namespace taihu::parallelc {

/// Of one process. Any of its threads may use it.
class OutputRequests {
 public:
  /// Of accelerator threads: what they have asked for.
  struct Counts {
    std::uint64_t requests = 0;  ///< to process code
    std::uint64_t calls = 0;     ///< of the source
    std::uint64_t bytes = 0;     ///< of all requests
    std::uint64_t batches = 0;   ///< times that requests were carried out
  };

  OutputRequests();
  ~OutputRequests();
  OutputRequests(const OutputRequests&) = delete;
  OutputRequests& operator=(const OutputRequests&) = delete;

  /// Where process code waits for its kernels; null: nowhere.
  void set_doorbell(threads::Doorbell* doorbell) noexcept { doorbell_ = doorbell; }

  /// Puts a call of an accelerator thread to the process's standard output `stream` off. False: it is too
  /// large, or the thread is in such a call already (a signal handler); nothing has been done. Does not
  /// throw: without memory it is false, too.
  bool put_off(const taihu_output& output, std::FILE* stream, std::va_list values) noexcept;

  /// The same call in pieces (`parcc --no-proxy-opt`): the format and each argument is a request, and the
  /// caller waits for each. `wait(is_done)` returns when is_done() is true.
  void in_pieces(const taihu_output& output, std::FILE* stream, std::va_list values,
                 const std::function<void(const std::function<bool()>& is_done)>& wait);

  /// Carries out all requests that were made before. Blocks while others do, and as long as writing takes.
  void carry_out() noexcept;
  /// The same when there are any and the calling thread is not carrying out some.
  void fence() noexcept {
    if (waits_.load(std::memory_order_acquire)) [[unlikely]]
      carry_out();
  }
  /// Of process code that waits: carries out what is there unless somebody does already.
  void help() noexcept;

  /// While one lives, process code calls help().
  class Attended {
   public:
    explicit Attended(OutputRequests& requests) noexcept : requests_(requests) { ++requests_.attended_; }
    ~Attended() { --requests_.attended_; }
    Attended(const Attended&) = delete;
    Attended& operator=(const Attended&) = delete;

   private:
    OutputRequests& requests_;
  };

  /// A call that its thread has carried out itself.
  void count_own(const taihu_output& output) noexcept;
  Counts counts() noexcept;

 private:
  struct Buffer;
  struct Request;
  struct Pieces;
  /// A request that is one piece; lives as long as its sender waits.
  struct Piece {
    Pieces* call;
    int kind;          ///< of the argument
    const void* data;  ///< in the sender's memory
    std::size_t bytes;
    bool is_last;
    std::atomic<bool> is_done{false};
  };

  void post(Piece& piece);
  static void take(const Piece& piece);
  void write(const Buffer& buffer, std::size_t used, std::FILE* stream, locale_t locale) noexcept;
  void carry_out_holding_turn() noexcept;

  threads::Doorbell* doorbell_ = nullptr;
  std::atomic<int> attended_{0};
  std::atomic<bool> waits_{false};  ///< there are requests that are not carried out
  std::mutex turn_;                 ///< who holds it carries out; taken before mutex_

  std::mutex mutex_;  // guards those below
  std::unique_ptr<Buffer> filling_, emptying_;
  std::size_t used_ = 0;
  std::FILE* stream_ = nullptr;  ///< of all requests in `filling_`
  locale_t locale_ = nullptr;    ///< of the threads that made them
  std::vector<Piece*> pieces_;   ///< after them
  Counts counts_;
};

}  // namespace taihu::parallelc
