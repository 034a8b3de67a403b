// SPDX-License-Identifier: Apache-2.0
// Programs that misuse malloc, each in a child of its own: what the heap must notice, and the line it must
// end with. The kinds of misuse are those of the public test suites of hardened allocators. With
// TAIHU_HEAP_SECURE=1 in the environment there are more.
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t small_sizes[] = {1, 16, 40, 100, 512, 1000, 1500, 3000, 7000, 9000, 20000, 32760};
constexpr std::size_t large_sizes[] = {40000, 65536, 100000, 300000, 5000000};

char* volatile kept;  // the compiler shall not see what is done to blocks

char* block(std::size_t bytes) {
  kept = static_cast<char*>(malloc(bytes));
  memset(kept, 0x5a, bytes);
  return kept;
}

template <typename Body>
void in_another_thread(Body body) {
  std::thread(body).join();
}

void use_heap(std::size_t bytes, int count) {
  std::vector<char*> blocks;
  for (int at = 0; at < count; ++at) blocks.push_back(block(bytes));
  for (char* old : blocks) free(old);
}

struct Case {
  std::string name;
  const char* expected;  ///< in the line; null: ends by a segmentation fault
  void (*misuse)(std::size_t bytes);
};

/// With every small and large size.
const Case double_frees[] = {
    {"at once", "double free",
     [](std::size_t bytes) {
       char* one = block(bytes);
       free(one);
       free(one);
     }},
    {"another one between", "double free",
     [](std::size_t bytes) {
       char *one = block(bytes), *other = block(bytes);
       free(one);
       free(other);
       free(one);
     }},
    {"the last of three", "double free",
     [](std::size_t bytes) {
       char *one = block(bytes), *two = block(bytes), *three = block(bytes);
       free(three);
       free(two);
       free(one);
       free(three);
     }},
    {"by another thread", "double free",
     [](std::size_t bytes) {
       std::atomic<char*> given{nullptr};
       std::thread other([&given] {  // there before the first free, as its start takes blocks, too
         while (!given) std::this_thread::yield();
         free(given);
       });
       char* one = block(bytes);
       free(one);
       given = one;
       other.join();
     }},
    {"after another thread", "double free",
     [](std::size_t bytes) {
       char* one = block(bytes);
       in_another_thread([one] { free(one); });
       free(one);
     }},
    {"realloc of a free block", "double free",
     [](std::size_t bytes) {
       char* one = block(bytes);
       free(one);
       kept = static_cast<char*>(realloc(one, 10));
     }},
    {"operator delete", "double free",
     [](std::size_t bytes) {
       void* one = ::operator new(bytes);
       kept = static_cast<char*>(one);
       ::operator delete(one);
       ::operator delete(kept);
     }},
};

const Case for_small_sizes[] = {
    {"double free after the list was emptied into its span", "double free",
     [](std::size_t bytes) {
       char *live = block(bytes), *one = block(bytes);
       free(one);
       malloc_trim(0);
       free(one);
       free(live);
     }},
    {"write to the first word, then malloc", "corrupted free list",
     [](std::size_t bytes) {
       static char target[65536];
       char *one = block(bytes), *two = block(bytes);
       free(two);
       free(one);
       *reinterpret_cast<void**>(one) = target;
       for (int round = 0; round < 3; ++round)
         if (malloc(bytes) == target) _exit(3);
     }},
    {"write to the second word, then malloc", "corrupted free list",
     [](std::size_t bytes) {
       char* one = block(bytes);
       free(one);
       one[12] ^= 1;
       block(bytes);
     }},
    {"write of one byte, then malloc", "corrupted free list",
     [](std::size_t bytes) {
       char *one = block(bytes), *two = block(bytes);
       free(one);
       free(two);
       one[0] ^= 16;
       for (int round = 0; round < 2; ++round) block(bytes);
     }},
    {"write after another thread freed it", "corrupted free list",
     [](std::size_t bytes) {
       char* one = block(bytes);
       in_another_thread([one] { free(one); });
       memset(one, 0, 8);
       use_heap(bytes, 10000000 / static_cast<int>(bytes + 16));
     }},
    {"free of the second byte", "interior pointer", [](std::size_t bytes) { free(block(bytes) + 1); }},
};

/// With sizes that have an inside.
const Case interior[] = {
    {"free, 8 bytes inside", "interior pointer", [](std::size_t bytes) { free(block(bytes) + 8); }},
    {"free, 16 bytes inside", "interior pointer", [](std::size_t bytes) { free(block(bytes) + 16); }},
    {"free, in the middle", "interior pointer",
     [](std::size_t bytes) { free(block(bytes) + (bytes / 2 & ~std::size_t{15})); }},
    {"free, by another thread", "interior pointer",
     [](std::size_t bytes) {
       char* one = block(bytes);
       in_another_thread([one] { free(one + 16); });
     }},
    {"realloc, 16 bytes inside", "interior pointer",
     [](std::size_t bytes) { kept = static_cast<char*>(realloc(block(bytes) + 16, 10)); }},
    {"malloc_usable_size, 16 bytes inside", "interior pointer",
     [](std::size_t bytes) {
       if (malloc_usable_size(block(bytes) + 16) == 0) _exit(3);
     }},
};

const Case once[] = {
    {"free of an address on the stack", "invalid pointer",
     [](std::size_t) {
       alignas(16) char local[64];
       kept = local;
       free(kept);
     }},
    {"free of a global", "invalid pointer",
     [](std::size_t) {
       alignas(16) static char global[64];
       kept = global;
       free(kept);
     }},
    {"free of other memory of the system", "invalid pointer",
     [](std::size_t) {
       free(mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
     }},
    {"free of a small number", "invalid pointer",
     [](std::size_t) { free(reinterpret_cast<void*>(std::uintptr_t{0x1230})); }},
    {"free of a block that was never handed out", "invalid pointer",
     [](std::size_t) {
       char* one = block(30000);
       free(one + malloc_usable_size(one) * 3);
     }},
    {"free at a slice inside a large block", "interior pointer",
     [](std::size_t) { free(block(1000000) + 4 * 65536); }},
    {"free at the last slice of a large block", "interior pointer",
     [](std::size_t) { free(block(10 * 65536) + 9 * 65536); }},
};

/// With every small and large size, of a secure heap.
const Case overflows_of_secure[] = {
    {"one byte behind the block", "overflow",
     [](std::size_t bytes) {
       char* one = block(bytes);
       one[malloc_usable_size(one)] ^= 1;
       free(one);
     }},
    {"one byte behind a block that the next class lent", "overflow",
     [](std::size_t bytes) {
       free(block(bytes + bytes / 8 + 16));
       char* one = block(bytes);
       one[malloc_usable_size(one)] ^= 1;
       free(one);
     }},
    {"eight bytes of a string behind the block", "overflow",
     [](std::size_t bytes) {
       char* one = block(bytes);
       memcpy(one + malloc_usable_size(one), "overflow", 8);
       free(one);
     }},
    {"overflow, then realloc", "overflow",
     [](std::size_t bytes) {
       char* one = block(bytes);
       one[malloc_usable_size(one)] ^= 1;
       kept = static_cast<char*>(realloc(one, 2 * bytes + 100));
     }},
    {"overflow, freed by another thread", "overflow",
     [](std::size_t bytes) {
       char* one = block(bytes);
       memset(one + malloc_usable_size(one), 0, 4);
       in_another_thread([one] { free(one); });
     }},
    {"write over all that is behind the block", nullptr,
     [](std::size_t bytes) {
       char* one = block(bytes);
       for (std::size_t at = 0; at < std::size_t{256} << 10; ++at) one[bytes + at] = 1;
     }},
    {"read of all that is behind the block", nullptr,
     [](std::size_t bytes) {
       char* volatile one = block(bytes);
       int sum = 0;
       for (std::size_t at = 0; at < std::size_t{256} << 10; ++at) sum += one[bytes + at];
       if (sum == 12345) _exit(3);
     }},
};

const Case large_overflows_of_secure[] = {
    {"one byte behind the block", nullptr,
     [](std::size_t bytes) {
       char* one = block(bytes);
       one[malloc_usable_size(one)] = 1;
     }},
    {"behind a block in the place of a freed one", nullptr,
     [](std::size_t bytes) {
       for (int round = 0; round < 3; ++round) free(block(bytes));
       char* one = block(bytes);
       one[malloc_usable_size(one)] = 1;
     }},
    {"read behind the block after calloc", nullptr,
     [](std::size_t bytes) {
       char* volatile one = static_cast<char*>(calloc(1, bytes));
       if (one[malloc_usable_size(one)] == 1) _exit(3);
     }},
    {"behind an aligned block", nullptr,
     [](std::size_t bytes) {
       char* volatile one = static_cast<char*>(memalign(1 << 20, bytes));
       one[malloc_usable_size(one)] = 1;
     }},
    {"behind a block that realloc made", nullptr,
     [](std::size_t bytes) {
       char* volatile one = static_cast<char*>(realloc(block(bytes), 3 * bytes));
       one[malloc_usable_size(one)] = 1;
     }},
};

/// Can the byte not be touched?
bool is_guarded(const char* byte) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool guarded = write(ends[1], byte, 1) != 1;
  close(ends[0]);
  close(ends[1]);
  return guarded;
}

/// A heap with many blocks, or one that makes many in a short time, does not guard all.
const Case overflow_without_a_page = {"one byte behind a block without a guard page", "overflow",
                                      [](std::size_t bytes) {
                                        char* one = nullptr;
                                        int count = 0;
                                        do {
                                          one = static_cast<char*>(malloc(bytes));
                                          if (!one || ++count > 20000) _exit(3);
                                        } while (is_guarded(one + malloc_usable_size(one)));
                                        one[malloc_usable_size(one)] ^= 1;
                                        free(one);
                                      }};

/// Runs the misuse in a child; true when it ends by abort() with one line that says `expected`.
bool noticed(const Case& one, std::size_t bytes) {
  int lines[2];
  if (pipe(lines) != 0) return false;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(lines[1], STDERR_FILENO);
    close(lines[0]);
    alarm(60);
    use_heap(bytes, 3);  // spans and lists are not new
    one.misuse(bytes);
    _exit(0);
  }
  close(lines[1]);
  std::string text;
  char buffer[512];
  for (ssize_t length = 0; (length = read(lines[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(length));
  close(lines[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!one.expected && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) return true;
  const bool one_line = text.find('\n') == text.size() - 1 && text.rfind("taihu heap: ", 0) == 0;
  const bool good = one.expected && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && one_line &&
                    text.find(one.expected) != text.npos;
  if (!good)
    std::printf("heap_misuse: not noticed as '%s': %s with %zu bytes (status %#x, said '%s')\n",
                one.expected ? one.expected : "segmentation fault", one.name.c_str(), bytes,
                static_cast<unsigned>(status), text.c_str());
  return good;
}

}  // namespace

int main() {
  int count = 0, failures = 0;
  const auto check = [&](const Case& one, std::size_t bytes) {
    ++count;
    if (!noticed(one, bytes)) ++failures;
  };
  for (const std::size_t bytes : small_sizes) {
    for (const Case& one : double_frees) check(one, bytes);
    for (const Case& one : for_small_sizes) check(one, bytes);
    for (const Case& one : interior)
      if (bytes > 32) check(one, bytes);
  }
  for (const std::size_t bytes : large_sizes) {
    // What merged with its neighbours is no block any more.
    for (Case one : double_frees) check({one.name, "taihu heap: ", one.misuse}, bytes);
    for (const Case& one : interior) check(one, bytes);
  }
  for (const Case& one : once) check(one, 100);
  if (std::getenv("TAIHU_HEAP_SECURE")) {
    for (const std::size_t bytes : small_sizes)
      for (const Case& one : overflows_of_secure) check(one, bytes);
    for (const std::size_t bytes : large_sizes)
      for (const Case& one : large_overflows_of_secure) check(one, bytes);
    for (const std::size_t bytes : large_sizes) check(overflow_without_a_page, bytes);
  }
  std::printf("heap_misuse: %d of %d noticed\n", count - failures, count);
  return failures == 0 ? 0 : 1;
}
