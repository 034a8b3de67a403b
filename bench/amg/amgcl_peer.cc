// SPDX-License-Identifier: Apache-2.0
// AMGCL at the setting found best for these problems: smoothed aggregation, SPAI-0, conjugate gradients in
// double over a hierarchy in single precision with 32-bit indices. Built only where its headers are installed
// or named. Input: the file that `amg_matrix` writes. Prints one JSON object.
#include <sys/resource.h>

#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

using System = amgcl::backend::builtin<double, int, int>;
using Cycle = amgcl::backend::builtin<float, int, int>;

namespace amgcl::backend {
template <>
struct backends_compatible<System, Cycle> : std::true_type {};
}  // namespace amgcl::backend

using Solver =
    amgcl::make_solver<amgcl::amg<Cycle, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>,
                       amgcl::solver::cg<System>>;

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
static bool read(std::FILE* file, std::vector<T>& values) {
  return std::fread(values.data(), sizeof(T), values.size(), file) == values.size();
}

int main(int argc, char** argv) {
  std::FILE* file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
  std::vector<long long> size(2);
  if (file == nullptr || !read(file, size)) return 2;
  std::vector<int> starts(size[0] + 1), columns(size[1]);
  std::vector<double> values(size[1]);
  if (!read(file, starts) || !read(file, columns) || !read(file, values)) return 2;
  std::fclose(file);
  const auto rows = static_cast<std::size_t>(size[0]);
  std::vector<double> b(rows, 1.0), x(rows, 0.0);
  Solver::params parameters;
  parameters.solver.tol = 1e-8;
  parameters.solver.maxiter = 500;
  const double start = seconds();
  Solver solver(std::tie(rows, starts, columns, values), parameters);
  const double ready = seconds();
  const auto [iterations, residual] = solver(b, x);
  const double end = seconds();
  // The residual of x itself.
  double square = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double r = b[i];
    for (int k = starts[i]; k < starts[i + 1]; ++k) r -= values[k] * x[columns[k]];
    square += r * r;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"setup\":%.4f,\"solve\":%.4f,\"iterations\":%zu,\"residual\":%.3e,\"peak_mb\":%.0f}\n",
              ready - start, end - ready, iterations, std::sqrt(square / static_cast<double>(rows)),
              static_cast<double>(usage.ru_maxrss) / 1024);
}
