// SPDX-License-Identifier: Apache-2.0
// A C++ program: globals with constructors, inline variables, exceptions and containers belong to each rank
// alone.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

namespace {

struct Registry {
  std::vector<std::string> names{"first"};
};
Registry registry;

template <class T>
struct Counted {
  inline static int made = 0;
  Counted() { ++made; }
};

int thrown_and_caught(int value) {
  try {
    throw std::runtime_error(std::to_string(value));
  } catch (const std::exception& error) {
    return std::stoi(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int k = 0; k < rank; ++k) registry.names.push_back(std::to_string(k));
  std::vector<Counted<int>> some(static_cast<std::size_t>(rank) + 2);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(registry.names.size() == static_cast<std::size_t>(rank) + 1);
  CHECK(Counted<int>::made == rank + 2);
  CHECK(thrown_and_caught(rank) == rank);
  std::map<int, double> gathered;
  std::vector<double> all(static_cast<std::size_t>(ranks));
  const double mine = rank * 0.25;
  MPI_Allgather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) gathered[k] = all[static_cast<std::size_t>(k)];
  CHECK(gathered.size() == static_cast<std::size_t>(ranks) && gathered[ranks - 1] == (ranks - 1) * 0.25);
  return end("cxx");
}
