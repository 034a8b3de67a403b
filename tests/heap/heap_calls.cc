// SPDX-License-Identifier: Apache-2.0
// The calls as a program sees them: linked with the heap, rules of the C library, operators of C++, memory
// that runs out.
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* block);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

int failures = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::printf("%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                               \
    }                                                                           \
  } while (0)

bool aligned(const void* address, std::size_t alignment) {
  return address && reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

volatile std::size_t most = SIZE_MAX;  // volatile: the compiler shall not know

void errors_as_in_the_c_library() {
  errno = 0;
  CHECK(malloc(most) == nullptr && errno == ENOMEM);
  errno = 0;
  CHECK(malloc(PTRDIFF_MAX + most % 2) == nullptr && errno == ENOMEM);
  errno = 0;
  CHECK(calloc(most / 2, 3) == nullptr && errno == ENOMEM);
  errno = 0;
  CHECK(reallocarray(nullptr, most / 2, 3) == nullptr && errno == ENOMEM);
  errno = 0;
  CHECK(aligned_alloc(48, 100) == nullptr && errno == EINVAL);
  errno = 0;
  CHECK(memalign(most, 1) == nullptr && errno == EINVAL);
  errno = 0;
  CHECK(pvalloc(most) == nullptr && errno == ENOMEM);
  void* result = &failures;
  errno = 0;
  CHECK(posix_memalign(&result, 4, 10) == EINVAL && posix_memalign(&result, 24, 10) == EINVAL);
  CHECK(posix_memalign(&result, 0, 10) == EINVAL && posix_memalign(&result, 64, most) == ENOMEM);
  CHECK(result == &failures && errno == 0);
  errno = 77;
  free(malloc(100));
  free(malloc(50 << 20));
  free(nullptr);
  CHECK(errno == 77);
}

void results_as_in_the_c_library() {
  void* nothing = malloc(0);
  void* another = malloc(0);
  CHECK(nothing && another && nothing != another);
  free(nothing);
  CHECK(realloc(another, 0) == nullptr);
  CHECK(malloc_usable_size(nullptr) == 0);
  auto* text = static_cast<char*>(realloc(nullptr, 10));
  std::strcpy(text, "rank");
  text = static_cast<char*>(realloc(text, 100000));
  CHECK(std::string_view(text) == "rank" && malloc_usable_size(text) >= 100000);
  text = static_cast<char*>(realloc(text, 5));
  CHECK(std::string_view(text) == "rank");
  free(text);
  void* result = nullptr;
  CHECK(posix_memalign(&result, 4096, 100) == 0 && aligned(result, 4096));
  free(result);
  for (void* block : {memalign(48, 100), valloc(10), pvalloc(1), aligned_alloc(64, 1)}) {
    CHECK(aligned(block, 64));
    free(block);
  }
  void* pages = pvalloc(5000);
  CHECK(malloc_usable_size(pages) >= 8192);
  free(pages);
  std::vector<char*> zeros;
  for (int count = 0; count < 100; ++count) {
    char* block = static_cast<char*>(calloc(100, 7));
    for (int at = 0; at < 700; ++at) CHECK(block[at] == 0);
    std::memset(block, 1, 700);
    zeros.push_back(block);
  }
  for (char* block : zeros) free(block);
}

struct alignas(256) Wide {
  char bytes[300];
};

void operators_of_cxx() {
  int* one = new int(5);
  delete one;
  auto* many = new double[1000];
  delete[] many;
  auto* wide = new Wide;
  CHECK(aligned(wide, 256));
  delete wide;
  auto* wides = new Wide[5];
  CHECK(aligned(wides, 256));
  delete[] wides;
  CHECK(::operator new(most / 2, std::nothrow) == nullptr);
  CHECK(::operator new(most / 2, std::align_val_t{128}, std::nothrow) == nullptr);
  bool caught = false;
  try {
    ::operator delete(::operator new(most / 2));
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught);
  static int handled;
  std::set_new_handler([] {
    if (++handled == 3) std::set_new_handler(nullptr);
  });
  caught = false;
  try {
    ::operator delete(::operator new(most / 4, std::align_val_t{64}), std::align_val_t{64});
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  CHECK(caught && handled == 3);
}

void what_programs_ask_about() {
  void* block = malloc(10 << 20);
  std::memset(block, 1, 10 << 20);
  const struct mallinfo2 with = mallinfo2();
  CHECK(with.uordblks >= 10 << 20 && with.arena >= with.uordblks);
  free(block);
  CHECK(malloc_trim(0) == 1);
  CHECK(mallinfo2().uordblks < with.uordblks);
  CHECK(mallopt(M_TRIM_THRESHOLD, -2) == 0);
  CHECK(mallopt(M_TRIM_THRESHOLD, 100) == 1);
  CHECK(mallopt(M_TRIM_THRESHOLD, 0x7fffffff) == 1);
  char text[1000] = {};
  std::FILE* stream = fmemopen(text, sizeof text, "w");
  CHECK(malloc_info(1, stream) == -1 && malloc_info(0, stream) == 0);
  std::fclose(stream);
  CHECK(std::string_view(text).substr(0, 7) == "<malloc");
}

/// The other names of the C library lead to the same heap: a block may come by one and go by the other.
void other_names() {
  free(__libc_malloc(40));
  __libc_free(strdup("a word"));
  auto* numbers = static_cast<int*>(__libc_calloc(10, sizeof(int)));
  CHECK(numbers[9] == 0);
  free(realloc(numbers, 1000));
  void* block = __libc_memalign(256, 100);
  CHECK(aligned(block, 256));
  free(__libc_realloc(block, 200));
}

/// Alignments from 1 byte to 64 MiB, each with a size below, at and above it.
void every_alignment() {
  for (std::size_t alignment = 1; alignment <= std::size_t{64} << 20; alignment *= 2) {
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, alignment - 1, alignment, alignment + 1}) {
      auto* block = static_cast<char*>(memalign(alignment, bytes));
      CHECK(aligned(block, alignment) && malloc_usable_size(block) >= bytes);
      if (!block) continue;
      if (bytes > 0) block[0] = block[bytes - 1] = 1;
      block = static_cast<char*>(realloc(block, bytes + 1));  // need not stay aligned
      CHECK(block && malloc_usable_size(block) >= bytes + 1);
      free(block);
    }
  }
}

/// A thousand threads that live for a few calls, their blocks freed by others; a timer interrupts them all
/// the time, also where they wait for a lock. Caches of ended threads are used again, so memory stays.
void short_threads() {
  struct sigaction action{};
  static volatile std::sig_atomic_t interrupts;
  action.sa_handler = [](int) { interrupts = interrupts + 1; };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 500}, {0, 500}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  std::vector<std::vector<char*>> left(8);
  std::size_t early = 0;
  for (int round = 0; round < 125; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < left.size(); ++number)
      threads.emplace_back([&blocks = left[number], round] {
        for (char* block : blocks) free(block);  // of another thread, which has ended
        blocks.clear();
        for (std::size_t at = 0; at < 50; ++at) {
          blocks.push_back(static_cast<char*>(malloc(16 + at * at * 40)));
          blocks.back()[0] = static_cast<char>(round);
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const auto& blocks : left)
      for (const char* block : blocks) CHECK(block[0] == static_cast<char>(round));
    std::swap(left.front(), left.back());
    if (round == 10) early = mallinfo2().uordblks;
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  CHECK(interrupts > 0);
  CHECK(mallinfo2().uordblks <= 2 * early);
  for (const auto& blocks : left)
    for (char* block : blocks) free(block);
}

/// Allocates until nothing is left, then frees all and goes on.
void runs_out(std::size_t bytes) {
  // More than the limit, which does not take back what the heap had mapped before: up to 1.3 GiB.
  const std::size_t too_many = (std::size_t{2} << 30) / bytes;
  std::vector<void*> blocks;
  blocks.reserve(too_many);
  errno = 0;
  void* block = nullptr;
  while (blocks.size() < too_many && (block = malloc(bytes))) {
    std::memset(block, 7, bytes < 100 ? bytes : 100);
    blocks.push_back(block);
  }
  CHECK(block == nullptr && errno == ENOMEM);
  CHECK(blocks.size() * bytes > std::size_t{100} << 20);  // most of what the limit allows
  for (void* old : blocks) free(old);
  block = malloc(20 << 20);
  CHECK(block);
  free(block);
}

void memory_runs_out() {
  runs_out(1 << 20);
  runs_out(300);
  runs_out(5000);
  runs_out(60 << 20);
  CHECK(malloc_trim(0) == 1);  // makes room for the stack of a thread
  std::thread([] { runs_out(300000); }).join();
}

}  // namespace

int main(int argc, char** argv) {
  const bool limited = argc > 1 && std::string_view(argv[1]) == "limited";
  errors_as_in_the_c_library();
  results_as_in_the_c_library();
  operators_of_cxx();
  every_alignment();
  malloc_trim(0);  // where address space is limited, room for stacks
  short_threads();
  what_programs_ask_about();
  other_names();
  if (!limited) {  // a limit set while the program runs
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::size_t{500} << 20;
    setrlimit(RLIMIT_AS, &limit);
  }
  memory_runs_out();
  std::printf(failures == 0 ? "heap_calls: passed\n" : "heap_calls: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
