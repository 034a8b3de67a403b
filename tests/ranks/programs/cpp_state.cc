// SPDX-License-Identifier: Apache-2.0
// C++ per rank: constructors and destructors in order, inline variables, statics of templates and of
// functions, exceptions across libraries, streams, locales, threads.
#include <dlfcn.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <locale>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include "check.h"
#include "cpp_library.h"

inline int inline_variable = 12;

template <typename T>
struct Holder {
  static int value;
};
template <typename T>
int Holder<T>::value = 100;

inline int& local_of_inline() {
  static int value = 8;
  return value;
}

struct Tracer {
  explicit Tracer(const char* text) : name(text) { order() += name; }
  ~Tracer() { std::cout << "rank " << my_rank() << " ends " << name << " " << order() << "\n"; }
  static std::string& order() {
    static std::string text;
    return text;
  }
  std::string name;
};

Tracer first("A"), second("B");
std::map<std::string, int> table = {{"one", 1}};

__attribute__((constructor)) static void early(int count, char** words, char** environment) {
  CHECK(count == 2 && words[1] && environment && environment == environ);
}

// A program that replaces operator new replaces it for its libraries, too.
static int news;
void* operator new(std::size_t bytes) {
  ++news;
  if (void* place = std::malloc(bytes)) return place;
  throw std::bad_alloc();
}
void operator delete(void* place) noexcept {
  std::free(place);
}
void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

class CommaForPoint : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

int main(int, char** words) {
  const int rank = my_rank();
  CHECK(Tracer::order() == "AB" && std::string(words[1]) == "argument");
  inline_variable += rank;
  Holder<int>::value += rank;
  local_of_inline() += rank;
  table["rank"] = rank;
  library_inline += rank;
  CHECK(library_constructed() == 1);
  let_others_run();
  CHECK(inline_variable == 12 + rank && Holder<int>::value == 100 + rank && local_of_inline() == 8 + rank);
  CHECK(table["rank"] == rank && table.size() == 2);
  CHECK(library_inline_seen_there() == 30 + rank && library_inline == 30 + rank);
  // g++ marks it as one for the whole process; a search by name must find this rank's.
  CHECK(dlsym(RTLD_DEFAULT, "library_inline") == &library_inline);
  bool caught = false;
  try {
    library_throw(rank);
  } catch (const LibraryError& error) {
    caught = error.rank == rank && std::string(error.what()) == "from the library";
  }
  CHECK(caught);
  const int before = news;
  library_allocate();
  CHECK(news > before);
  std::ostringstream text;
  text << 1.5;
  CHECK(text.str() == "1.5");
  if (rank % 2) std::locale::global(std::locale(std::locale::classic(), new CommaForPoint));
  let_others_run();
  std::ostringstream other;
  other << 1.5;
  CHECK(other.str() == (rank % 2 ? "1,5" : "1.5"));
  int seen = -1;
  std::thread([&] { seen = inline_variable - 12; }).join();
  CHECK(seen == rank);
  std::cout << std::hex;
  let_others_run();
  CHECK((std::cout.flags() & std::ios::hex) != 0);
  std::ostringstream captured;
  std::streambuf* buffer = std::cout.rdbuf(captured.rdbuf());
  let_others_run();
  std::cout << "mine";
  std::cout.rdbuf(buffer);
  CHECK(captured.str() == "mine");
  if (rank % 2) std::exit(0);
  return 0;
}
