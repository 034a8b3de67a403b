// SPDX-License-Identifier: Apache-2.0
// <amgsolve.h>: one Solver with what it needs behind a handle. Exceptions end here and become texts.
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "taihu/abi/amgsolve.h"
#include "taihu/amg/matrix/matrix_of_csr.h"
#include "taihu/amg/options/option_names.h"
#include "taihu/amg/report/tables.h"
#include "taihu/amg/solver.h"
#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/parallel/solo_communicator.h"

using namespace taihu;
using namespace taihu::amg;

struct amgsolve {
  explicit amgsolve(int threads) : team(threads) {}

  parallel::SoloCommunicator alone;
  parallel::Team team;
  Storage storage;
  Context context{team, storage, alone};
  SolverOptions options;
  std::unique_ptr<Solver> solver;
  // Pattern of the matrix, for amgsolve_update().
  std::vector<std::int64_t> starts;
  const std::int32_t* columns32 = nullptr;
  const std::int64_t* columns64 = nullptr;
  SolveResult result;
  amgsolve_result last{};
  std::string error, report;
};

namespace {

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) * 1e-9;
}

// Runs body() and turns exceptions into the text of the solver.
template <class Body>
int guarded(amgsolve* solver, const Body& body) {
  if (solver == nullptr) return AMGSOLVE_FAILED;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    solver->error = "not enough memory";
  } catch (const std::exception& error) {
    solver->error = error.what();
  }
  return AMGSOLVE_FAILED;
}

void check_ready(const amgsolve* solver, const void* from, const void* to) {
  check_input(solver->solver != nullptr, "there is no matrix; set the solver up first");
  check_input((from != nullptr && to != nullptr) || solver->solver->rows() == 0, "a vector is missing");
}

DistributedMatrix matrix_of(const amgsolve& solver, const double* values) {
  const auto rows = static_cast<GlobalIndex>(solver.starts.size()) - 1;
  if (solver.columns64 != nullptr)
    return matrix_of_csr(solver.context, rows, solver.starts.data(), solver.columns64, values);
  const std::vector<std::int32_t> starts(solver.starts.begin(), solver.starts.end());
  return matrix_of_csr(solver.context, rows, starts.data(), solver.columns32, values);
}

template <class Index>
int set_up(amgsolve* solver, std::int64_t rows, const Index* starts, const Index* columns,
           const double* values) {
  return guarded(solver, [&] {
    const std::int64_t begin = now_ns();
    solver->solver.reset();
    solver->starts.clear();
    solver->last = {};
    solver->result = {};
    DistributedMatrix matrix = matrix_of_csr(solver->context, rows, starts, columns, values);
    solver->starts.assign(starts, starts + rows + 1);
    if constexpr (sizeof(Index) == 8) {
      solver->columns64 = columns;
    } else {
      solver->columns32 = columns;
      solver->columns64 = nullptr;
    }
    solver->solver = std::make_unique<Solver>(solver->context, std::move(matrix), solver->options.hierarchy);
    solver->last.setup_seconds = seconds_since(begin);
    return AMGSOLVE_DONE;
  });
}

std::string option_text() {
  std::string text;
  for (const OptionName& option : option_names())
    text += option.name + "\t" + option.values + "\t" + option.help + "\n";
  return text;
}

}  // namespace

extern "C" {

amgsolve* amgsolve_create(int threads) {
  if (threads < 0 || threads > 4096) return nullptr;
  try {
    return new amgsolve(threads);
  } catch (const std::exception&) {
    return nullptr;
  }
}

void amgsolve_destroy(amgsolve* solver) {
  delete solver;
}

int amgsolve_set(amgsolve* solver, const char* name, const char* value) {
  return guarded(solver, [&] {
    check_input(name != nullptr && value != nullptr, "the name or the value of the option is missing");
    set_option(solver->options, name, value);
    return AMGSOLVE_DONE;
  });
}

int amgsolve_setup32(amgsolve* solver, int64_t rows, const int32_t* starts, const int32_t* columns,
                     const double* values) {
  return set_up(solver, rows, starts, columns, values);
}

int amgsolve_setup64(amgsolve* solver, int64_t rows, const int64_t* starts, const int64_t* columns,
                     const double* values) {
  return set_up(solver, rows, starts, columns, values);
}

int amgsolve_update(amgsolve* solver, const double* values) {
  return guarded(solver, [&] {
    check_input(solver->solver != nullptr, "there is no matrix; set the solver up first");
    check_input(values != nullptr || solver->starts.back() == 0, "the values are missing");
    const std::int64_t begin = now_ns();
    try {
      solver->solver->update(matrix_of(*solver, values));
    } catch (...) {
      solver->solver.reset();
      throw;
    }
    solver->last = {};
    solver->last.setup_seconds = seconds_since(begin);
    return AMGSOLVE_DONE;
  });
}

int amgsolve_solve(amgsolve* solver, const double* b, double* x) {
  return guarded(solver, [&] {
    check_ready(solver, b, x);
    const std::int64_t begin = now_ns();
    const auto rows = static_cast<std::size_t>(solver->solver->rows());
    solver->result = solver->solver->solve({b, rows}, {x, rows}, solver->options.solve);
    const SolveResult& result = solver->result;
    amgsolve_result& last = solver->last;
    last.converged = result.converged ? 1 : 0;
    last.iterations = result.iterations;
    last.residual = result.residual;
    last.solve_seconds = seconds_since(begin);
    if (result.converged) return AMGSOLVE_DONE;
    solver->error = why_not_converged(result, solver->options.solve);
    return AMGSOLVE_NOT_CONVERGED;
  });
}

int amgsolve_precondition(amgsolve* solver, const double* r, double* z) {
  return guarded(solver, [&] {
    check_ready(solver, r, z);
    const auto rows = static_cast<std::size_t>(solver->solver->rows());
    solver->solver->precondition({r, rows}, {z, rows});
    return AMGSOLVE_DONE;
  });
}

amgsolve_result amgsolve_last(const amgsolve* solver) {
  return solver != nullptr ? solver->last : amgsolve_result{};
}

const double* amgsolve_history(const amgsolve* solver, int* count) {
  const auto size = solver != nullptr ? solver->result.history.size() : 0;
  if (count != nullptr) *count = static_cast<int>(size);
  return size > 0 ? solver->result.history.data() : nullptr;
}

const char* amgsolve_report(amgsolve* solver) {
  const int status = guarded(solver, [&] {
    check_input(solver->solver != nullptr, "there is no matrix; set the solver up first");
    const Preconditioner& preconditioner = solver->solver->preconditioner();
    solver->report = level_table(preconditioner.report());
    solver->report += formatted("hierarchy in %s precision, memory of the solver %.0f MB (peak)\n",
                                preconditioner.single() ? "single" : "double",
                                static_cast<double>(solver->storage.peak_bytes()) * 1e-6);
    solver->report += formatted("%d thread%s, set-up %.3f s, solution %.3f s\n", solver->team.size(),
                                solver->team.size() == 1 ? "" : "s", solver->last.setup_seconds,
                                solver->last.solve_seconds);
    for (const std::string& note : solver->result.notes) solver->report += "chosen: " + note + "\n";
    if (!solver->result.history.empty()) solver->report += convergence_table(solver->result.history);
    return AMGSOLVE_DONE;
  });
  return status == AMGSOLVE_DONE ? solver->report.c_str() : nullptr;
}

const char* amgsolve_error(const amgsolve* solver) {
  return solver != nullptr ? solver->error.c_str() : "there is no solver";
}

const char* amgsolve_options(void) {
  static const std::string text = option_text();
  return text.c_str();
}

}  // extern "C"
