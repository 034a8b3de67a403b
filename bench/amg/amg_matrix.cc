// SPDX-License-Identifier: Apache-2.0
// Writes a model problem for other solvers: amg_matrix PROBLEM N FILE. The file has rows and entries (64
// bits), then row starts and columns (32 bits) and values (double).
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "taihu/amg/matrix/generate.h"
#include "taihu/parallel/solo_communicator.h"

using namespace taihu;
using namespace taihu::amg;

template <class T>
static void write(std::FILE* file, const T* values, std::size_t count) {
  if (std::fwrite(values, sizeof(T), count, file) != count) std::exit(1);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  parallel::SoloCommunicator alone;
  parallel::Team team;
  Storage storage;
  const Context context{team, storage, alone};
  const Problem problem = problem_of_name(argv[1]);
  const GlobalIndex points = std::atoll(argv[2]);
  const auto matrix =
      generate(context, problem, points, Distribution::even(problem_rows(problem, points), 1));
  std::FILE* file = std::fopen(argv[3], "wb");
  if (file == nullptr) return 1;
  const long long size[2] = {matrix.local.rows, matrix.local.entries()};
  const std::vector<int> starts(matrix.local.starts.begin(), matrix.local.starts.end());
  write(file, size, 2);
  write(file, starts.data(), starts.size());
  write(file, matrix.local.column.data(), matrix.local.column.size());
  write(file, matrix.local.value.data(), matrix.local.value.size());
  return std::fclose(file) == 0 ? 0 : 1;
}
