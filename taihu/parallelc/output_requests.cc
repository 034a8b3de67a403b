// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/output_requests.h"

#include <stdio_ext.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <utility>

namespace taihu::parallelc {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;
/// Lines of several ranks do not mix up to this length (POSIX: writes to pipes).
constexpr std::size_t most_bytes_of_write = 4096;
constexpr std::size_t alignment = 16;

/// In the middle of this file: a signal handler that prints on this thread must not wait for it.
thread_local bool is_inside = false;

class Inside {
 public:
  Inside() noexcept { is_inside = true; }
  ~Inside() { is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

/// The arguments of a variadic call that all lie on the stack, at `arguments` (x86-64: System V ABI, section
/// 3.5.7; aarch64: AAPCS64, appendix B).
void from_memory(std::va_list& list, const void* arguments) noexcept {
#if defined(__x86_64__)
  const struct {
    unsigned general_offset = 6 * 8, floating_offset = 6 * 8 + 8 * 16;  // past all registers
    const void* stack;
    void* registers = nullptr;
  } state{.stack = arguments};
#elif defined(__aarch64__)
  const struct {
    const void* stack;
    void *general = nullptr, *floating = nullptr;
    int general_offset = 0, floating_offset = 0;  // past all registers
  } state{.stack = arguments};
#else
#error "how arguments of variadic calls lie in memory is not known here"
#endif
  static_assert(sizeof state == sizeof list);
  std::memcpy(static_cast<void*>(&list), &state, sizeof list);
}

/// Writes arguments one after the other as they lie on a stack; without memory only counts the bytes.
class Slots {
 public:
  explicit Slots(char* memory) : memory_(memory) {}

  template <class Value>
  void add(Value value) {
    constexpr std::size_t size = std::max<std::size_t>(8, sizeof(Value));
    used_ = rounded(used_, size);
    if (memory_ != nullptr) std::memcpy(memory_ + used_, &value, sizeof value);
    used_ += size;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  char* memory_;
  std::size_t used_ = 0;
};

/// Bytes that a conversion reads of a string.
std::size_t length_of(const char* text, int kind, int former_int) {
  if (text == nullptr) return 0;
  if (kind == TAIHU_ARGUMENT_LIMITED_STRING) kind = former_int < 0 ? TAIHU_ARGUMENT_STRING : former_int;
  return kind == TAIHU_ARGUMENT_STRING ? std::strlen(text) : strnlen(text, static_cast<std::size_t>(kind));
}

/// As vsnprintf, with arguments from memory.
int print_from_memory(char* text, std::size_t bytes, const char* format, const void* arguments) noexcept {
  std::va_list list;
  from_memory(list, arguments);
  return std::vsnprintf(text, bytes, format, list);
}

/// Goes through the arguments of a call: `slots` gets them, strings are given to `copy`, which returns where
/// the copy is.
template <class Copy>
void take_arguments(const taihu_output& output, std::va_list values, Slots& slots, Copy&& copy) {
  std::va_list rest;
  va_copy(rest, values);
  int former_int = 0;
  for (int i = 0; i < output.argument_count; ++i) {
    const int kind = output.arguments[i];
    switch (kind) {
      case TAIHU_ARGUMENT_INT:
        slots.add(former_int = va_arg(rest, int));
        break;
      case TAIHU_ARGUMENT_LONG:
        slots.add(va_arg(rest, long));
        break;
      case TAIHU_ARGUMENT_DOUBLE:
        slots.add(va_arg(rest, double));
        break;
      case TAIHU_ARGUMENT_LONG_DOUBLE:
        slots.add(va_arg(rest, long double));
        break;
      default: {
        const char* const text = va_arg(rest, const char*);
        slots.add(text == nullptr ? text : copy(text, length_of(text, kind, former_int)));
      }
    }
  }
  va_end(rest);
}

/// Collects text, and writes it by whole lines.
class Writer {
 public:
  explicit Writer(std::FILE* stream) : stream_(stream) {}
  ~Writer() { flush(used_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void print(const char* format, const void* arguments) noexcept {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const std::size_t room = sizeof text_ - used_;
      const int length = print_from_memory(text_ + used_, room, format, arguments);
      if (length < 0) return;
      if (static_cast<std::size_t>(length) < room) {
        used_ += static_cast<std::size_t>(length);
        if (used_ > most_bytes_of_write) flush_lines();
        return;
      }
      flush(used_);
    }
    std::va_list list;
    from_memory(list, arguments);
    std::vfprintf(stream_, format, list);
  }

  void bytes(const void* data, std::size_t size) noexcept {
    flush(used_);
    std::fwrite(data, 1, size, stream_);
  }

 private:
  // What comes after the last line within the limit waits for more.
  void flush_lines() noexcept {
    std::size_t end = most_bytes_of_write;
    while (end > 0 && text_[end - 1] != '\n') --end;
    flush(end == 0 ? used_ : end);
    if (used_ > most_bytes_of_write) flush(used_);  // one long line
  }

  void flush(std::size_t size) noexcept {
    if (size == 0) return;
    flockfile(stream_);
    // Before it has a buffer, glibc writes each line of a line-buffered stream by itself.
    const std::size_t first = __fbufsize(stream_) == 0 ? 1 : 0;
    if (first != 0) putc_unlocked(text_[0], stream_);
    fwrite_unlocked(text_ + first, 1, size - first, stream_);
    funlockfile(stream_);
    used_ -= size;
    std::memmove(text_, text_ + size, used_);
  }

  std::FILE* stream_;
  std::size_t used_ = 0;
  char text_[2 * most_bytes_of_write];
};

}  // namespace

struct OutputRequests::Buffer {
  alignas(alignment) char bytes[buffer_bytes];
};

/// At the beginning of a request; the arguments follow, then the strings.
struct alignas(alignment) OutputRequests::Request {
  const taihu_output* output;
  std::size_t bytes;  ///< with this head
};

OutputRequests::OutputRequests() = default;
OutputRequests::~OutputRequests() = default;

bool OutputRequests::put_off(const taihu_output& output, std::FILE* stream, std::va_list values) noexcept {
  if (is_inside) return false;
  const Inside inside;
  Slots sizes(nullptr);
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
    if (size > buffer_bytes) return false;
    text_bytes = size;
  }
  const std::size_t bytes = rounded(sizeof(Request) + sizes.used() + text_bytes, alignment);
  if (bytes > buffer_bytes) return false;

  const locale_t locale = uselocale(nullptr);
  std::unique_lock hold(mutex_);
  for (;;) {
    const bool fits =
        (used_ == 0 || (stream_ == stream && locale_ == locale)) && used_ + bytes <= buffer_bytes;
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
  Slots slots(arguments);
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
    Writer writer(stream);
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
  if (piece.is_last) Writer(call.stream).print(call.format.c_str(), call.arguments.data());
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
      send(kind, text, length_of(text, kind, former_int), is_last);
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
