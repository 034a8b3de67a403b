// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/output_requests.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <utility>

#include "taihu/parallelc/line_writer.h"
#include "taihu/parallelc/output_arguments.h"

namespace taihu::parallelc {
namespace {

constexpr std::size_t requests_bytes = 64 * 1024;
constexpr std::size_t request_alignment = 16;

/// In the middle of this file: a signal handler that prints on this thread must not wait for it.
thread_local bool is_inside = false;

class Inside {
 public:
  Inside() noexcept { is_inside = true; }
  ~Inside() { is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace

struct OutputRequests::Buffer {
  alignas(request_alignment) char bytes[requests_bytes];
};

/// At the beginning of a request; the arguments follow, then the strings.
struct alignas(request_alignment) OutputRequests::Request {
  const taihu_output* output;
  std::size_t bytes;  ///< with this head
};

OutputRequests::OutputRequests() = default;
OutputRequests::~OutputRequests() = default;

bool OutputRequests::put_off(const taihu_output& output, std::FILE* stream, std::va_list values) noexcept {
  if (is_inside) return false;
  const Inside inside;
  ArgumentSlots sizes(nullptr);
  std::size_t text_bytes = 0;
  if (output.format != nullptr) {
    take_arguments(output, values, sizes, [&](const char* text, std::size_t length) {
      text_bytes += length + 1;
      return text;
    });
  } else {
    std::va_list rest;
    va_copy(rest, values);
    static_cast<void>(va_arg(rest, const void*));
    const auto size = va_arg(rest, unsigned long);
    va_end(rest);
    sizes.add(size);
    if (size > requests_bytes) return false;
    text_bytes = size;
  }
  const std::size_t bytes = rounded(sizeof(Request) + sizes.used() + text_bytes, request_alignment);
  if (bytes > requests_bytes) return false;

  const locale_t locale = uselocale(nullptr);
  std::unique_lock hold(mutex_);
  for (;;) {
    const bool fits =
        (used_ == 0 || (stream_ == stream && locale_ == locale)) && used_ + bytes <= requests_bytes;
    if (fits && pieces_.empty()) break;
    hold.unlock();
    {
      const std::lock_guard turn(turn_);
      carry_out_holding_turn();
    }
    hold.lock();
  }
  if (filling_ == nullptr) filling_.reset(new (std::nothrow) Buffer);
  if (filling_ == nullptr) return false;
  const bool is_first = used_ == 0;
  stream_ = stream;
  locale_ = locale;
  char* const place = filling_->bytes + used_;
  new (place) Request{&output, bytes};
  char* const arguments = place + sizeof(Request);
  char* text = arguments + sizes.used();
  const char* const end = place + bytes;
  ArgumentSlots slots(arguments);
  if (output.format != nullptr) {
    take_arguments(output, values, slots, [&](const char* from, std::size_t length) {
      // Another thread may have made it longer meanwhile.
      length = std::min(length, static_cast<std::size_t>(end - text) - 1);
      char* const copy = text;
      std::memcpy(copy, from, length);
      copy[length] = 0;
      text += std::min(length + 1, static_cast<std::size_t>(end - text) - 1);
      return static_cast<const char*>(copy);
    });
  } else {
    std::va_list rest;
    va_copy(rest, values);
    const void* const from = va_arg(rest, const void*);
    const auto size = va_arg(rest, unsigned long);
    va_end(rest);
    slots.add(size);
    std::memcpy(text, from, size);
  }
  used_ += bytes;
  ++counts_.requests;
  counts_.calls += static_cast<std::uint64_t>(output.name_count);
  counts_.bytes += bytes;
  waits_.store(true, std::memory_order_release);
  hold.unlock();
  if (is_first && doorbell_ != nullptr) doorbell_->ring();
  return true;
}

void OutputRequests::write(const Buffer& buffer, std::size_t used, std::FILE* stream,
                           locale_t locale) noexcept {
  const locale_t own = uselocale(locale);
  {
    LineWriter writer(stream);
    for (std::size_t at = 0; at < used;) {
      const auto& request = *reinterpret_cast<const Request*>(buffer.bytes + at);
      const char* const arguments = buffer.bytes + at + sizeof(Request);
      if (request.output->format != nullptr) {
        writer.print(request.output->format, arguments);
      } else {
        std::uint64_t size = 0;
        std::memcpy(&size, arguments, sizeof size);
        writer.bytes(arguments + sizeof size, size);
      }
      at += request.bytes;
    }
  }
  uselocale(own);
}

// One exchange of the buffers carries out all that was asked for before the turn was taken.
void OutputRequests::carry_out_holding_turn() noexcept {
  std::size_t used = 0;
  std::FILE* stream = nullptr;
  locale_t locale = nullptr;
  std::vector<Piece*> pieces;
  {
    const std::lock_guard hold(mutex_);
    std::swap(filling_, emptying_);
    used = std::exchange(used_, 0);
    stream = stream_;
    locale = locale_;
    pieces.swap(pieces_);
    if (used != 0 || !pieces.empty()) ++counts_.batches;
  }
  if (used != 0) write(*emptying_, used, stream, locale);
  for (Piece* piece : pieces) {
    take(*piece);
    piece->is_done.store(true, std::memory_order_release);  // it may be gone from here on
  }
  bool is_more = false;
  {
    const std::lock_guard hold(mutex_);
    is_more = used_ != 0 || !pieces_.empty();
    waits_.store(is_more, std::memory_order_release);
  }
  if ((is_more || !pieces.empty()) && doorbell_ != nullptr) doorbell_->ring();
}

void OutputRequests::carry_out() noexcept {
  if (is_inside) return;
  const Inside inside;
  const std::lock_guard turn(turn_);
  carry_out_holding_turn();
}

void OutputRequests::help() noexcept {
  if (!waits_.load(std::memory_order_acquire) || is_inside) return;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn.owns_lock()) return;
  const Inside inside;
  carry_out_holding_turn();
}

/// What process code has of a call that comes in pieces.
struct OutputRequests::Pieces {
  std::FILE* stream;
  std::string format;
  std::vector<char> arguments;
  std::deque<std::string> texts;  ///< where `arguments` point to
};

void OutputRequests::take(const Piece& piece) {
  Pieces& call = *piece.call;
  const auto* const data = static_cast<const char*>(piece.data);
  const auto add = [&](const void* bytes, std::size_t size) {
    const std::size_t at = rounded(call.arguments.size(), std::max<std::size_t>(8, size));
    call.arguments.resize(at + std::max<std::size_t>(8, size));
    std::memcpy(call.arguments.data() + at, bytes, size);
  };
  if (call.format.empty()) {
    call.format = data;
  } else if (piece.kind >= 0 || piece.kind <= TAIHU_ARGUMENT_STRING) {
    const char* text = nullptr;
    if (data != nullptr) text = call.texts.emplace_back(data, piece.bytes).c_str();
    add(&text, sizeof text);
  } else {
    add(data, piece.bytes);
  }
  if (piece.is_last) LineWriter(call.stream).print(call.format.c_str(), call.arguments.data());
}

void OutputRequests::post(Piece& piece) {
  {
    const std::lock_guard hold(mutex_);
    pieces_.push_back(&piece);
    ++counts_.requests;
    counts_.bytes += piece.bytes;
    if (piece.is_last) ++counts_.calls;
    waits_.store(true, std::memory_order_release);
  }
  if (doorbell_ != nullptr) doorbell_->ring();
}

void OutputRequests::in_pieces(const taihu_output& output, std::FILE* stream, std::va_list values,
                               const std::function<void(const std::function<bool()>&)>& wait) {
  Pieces call{stream, {}, {}, {}};
  const auto send = [&](int kind, const void* data, std::size_t bytes, bool is_last) {
    Piece piece{&call, kind, data, bytes, is_last, {}};
    post(piece);
    wait([&] {
      if (piece.is_done.load(std::memory_order_acquire)) return true;
      if (attended_.load() == 0) carry_out();
      return piece.is_done.load(std::memory_order_acquire);
    });
  };
  send(TAIHU_ARGUMENT_STRING, output.format, std::strlen(output.format) + 1, output.argument_count == 0);
  std::va_list rest;
  va_copy(rest, values);
  int former_int = 0;
  for (int i = 0; i < output.argument_count; ++i) {
    const int kind = output.arguments[i];
    const bool is_last = i + 1 == output.argument_count;
    if (kind == TAIHU_ARGUMENT_INT) {
      former_int = va_arg(rest, int);
      send(kind, &former_int, sizeof former_int, is_last);
    } else if (kind == TAIHU_ARGUMENT_LONG) {
      const long value = va_arg(rest, long);
      send(kind, &value, sizeof value, is_last);
    } else if (kind == TAIHU_ARGUMENT_DOUBLE) {
      const double value = va_arg(rest, double);
      send(kind, &value, sizeof value, is_last);
    } else if (kind == TAIHU_ARGUMENT_LONG_DOUBLE) {
      const long double value = va_arg(rest, long double);
      send(kind, &value, sizeof value, is_last);
    } else {
      const char* const text = va_arg(rest, const char*);
      send(kind, text, length_of_argument(text, kind, former_int), is_last);
    }
  }
  va_end(rest);
}

void OutputRequests::count_own(const taihu_output& output) noexcept {
  const std::lock_guard hold(mutex_);
  ++counts_.requests;
  counts_.calls += static_cast<std::uint64_t>(output.name_count);
}

OutputRequests::Counts OutputRequests::counts() noexcept {
  const std::lock_guard hold(mutex_);
  return counts_;
}

}  // namespace taihu::parallelc
