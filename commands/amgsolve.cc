// SPDX-License-Identifier: Apache-2.0
// amgsolve: solves a linear system from a file or a model problem by algebraic multigrid. Exit code 0:
// converged, 1: not converged or bad input, 2: wrong use.
#include <sys/resource.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

#include "taihu/amg/input/read.h"
#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/options/option_names.h"
#include "taihu/amg/report/tables.h"
#include "taihu/amg/solver.h"
#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/parallel/world.h"

namespace {

using namespace taihu;
using namespace taihu::amg;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> generate;
  std::string output;
  int threads = 0;
  bool report = false, json = false, quiet = false;
  SolverOptions solver;
};

void describe(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "amgsolve " TAIHU_VERSION);
  app.add_option("files", options.files,
                 "matrix and, where it is not all ones, right-hand side: Matrix Market, PETSc binary,\nhypre "
                 "IJ (NAME of NAME.00000 ...), scipy.sparse .npz, NumPy .npy")
      ->type_name("A [b]")
      ->expected(0, 2);
  app.add_option("--generate", options.generate,
                 "model problem instead of a file, with N points per direction:\n"
                 "laplace2d laplace2d9 laplace3d 27pt anisotropic jump")
      ->type_name("PROBLEM N")
      ->expected(2);
  for (const OptionName& option : option_names()) {
    if (option.name == "reuse") continue;  // a program solves once
    const auto set = [&options, name = option.name](const std::string& value) {
      set_option(options.solver, name, value);
    };
    app.add_option_function<std::string>("--" + option.name, set, option.help)->type_name(option.values);
  }
  app.add_option("--threads", options.threads,
                 "threads of each rank (default: OMP_NUM_THREADS, else all CPUs)")
      ->type_name("T")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_option("-o,--output", options.output, "write the solution to this file (Matrix Market array)")
      ->type_name("FILE");
  app.add_flag("--report", options.report,
               "also show levels, memory, bytes moved and share of the memory bandwidth");
  app.add_flag("--json", options.json, "print one JSON object instead of tables");
  app.add_flag("--quiet", options.quiet, "print nothing when it converges");
}

struct Times {
  double input = 0, setup = 0, solve = 0;
};

class Watch {
 public:
  double seconds() {
    const auto now = now_ns();
    const double passed = static_cast<double>(now - start_) * 1e-9;
    start_ = now;
    return passed;
  }

 private:
  std::int64_t start_ = now_ns();
};

DistributedMatrix input_matrix(const Context& context, const Options& options) {
  if (!options.files.empty()) return read_matrix(context, options.files[0]);
  const Problem problem = problem_of_name(options.generate[0]);
  GlobalIndex points = 0;
  const std::string& text = options.generate[1];
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), points);
  if (error != std::errc() || rest != text.data() + text.size())
    throw UsageError("--generate needs a number of points, not '" + text + "'");
  const auto rows = Distribution::even(problem_rows(problem, points), context.communicator.size());
  return generate(context, problem, points, rows);
}

/// Before the work the root checks that it can write the solution; all ranks end when it cannot.
void look_at_output(parallel::Communicator& communicator, const std::string& path) {
  std::string problem;
  try {
    if (communicator.rank() == 0) writable_file(path, "--output");
  } catch (const Error& error) {
    problem = error.what();
  }
  parallel::Bytes mine(problem.size());
  if (!mine.empty()) std::memcpy(mine.data(), problem.data(), mine.size());
  const parallel::Bytes of_root = communicator.all_gather(mine)[0];
  check_input(of_root.empty(), std::string(reinterpret_cast<const char*>(of_root.data()), of_root.size()));
}

void write_solution(const Context& context, const std::string& path, const std::vector<double>& x) {
  parallel::Bytes mine(x.size() * sizeof(double));
  if (!mine.empty()) std::memcpy(mine.data(), x.data(), mine.size());
  const auto all = context.communicator.all_gather(mine);
  if (context.communicator.rank() != 0) return;
  std::size_t rows = 0;
  for (const auto& bytes : all) rows += bytes.size() / sizeof(double);
  write_file(path, [&](std::FILE* file) {
    std::fprintf(file, "%%%%MatrixMarket matrix array real general\n%zu 1\n", rows);
    for (const auto& bytes : all)
      for (std::size_t i = 0; i < bytes.size(); i += sizeof(double)) {
        double value;
        std::memcpy(&value, bytes.data() + i, sizeof value);
        std::fprintf(file, "%.17g\n", value);
      }
  });
}

/// Peak memory of the process, with all ranks that run in it.
double process_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

void print_report(const Context& context, const Solver& solver, const SolveResult& result,
                  const Times& times) {
  const auto levels = solver.preconditioner().report();
  std::printf("\n%s", level_table(levels).c_str());
  std::printf("\n%s\n", profile_table(*context.profile).c_str());
  // Measured before the arrays of the bandwidth test are allocated.
  const double peak_bytes = static_cast<double>(context.storage.peak_bytes()), process = process_peak_bytes();
  const double bandwidth = measure_bandwidth(context, std::size_t{128} << 20);
  const double moved = static_cast<double>(solver.iteration_bytes()) * std::max(1, result.iterations);
  std::printf("hierarchy in %s precision, memory of the solver %.0f MB (peak), of the process %.0f MB\n",
              solver.preconditioner().single() ? "single" : "double", peak_bytes * 1e-6, process * 1e-6);
  std::printf("cycle: matrices and vectors of %.1f MB; iteration of pcg: %.1f MB on rank 0\n",
              static_cast<double>(solver.preconditioner().cycle_bytes()) * 1e-6,
              static_cast<double>(solver.iteration_bytes()) * 1e-6);
  if (context.storage.is_placing()) {
    const Storage::Pages pages = context.storage.placed_pages();
    std::printf("placement: %zu of %zu pages of what cycles read are on the node of their thread\n",
                pages.local, pages.local + pages.remote + pages.unknown);
  }
  std::printf("bandwidth: %.1f GB/s moved while solving, %.1f GB/s measured on large arrays: %.0f%%\n",
              moved / times.solve * 1e-9, bandwidth * 1e-9, 100 * moved / times.solve / bandwidth);
}

/// The bytes that an iteration moves on each level, for numa-model. Those of the method itself count for the
/// finest level.
void print_traffic(const Solver& solver, const std::vector<LevelReport>& levels) {
  const std::size_t method = solver.iteration_bytes() - solver.preconditioner().cycle_bytes();
  for (const LevelReport& level : levels) {
    const bool finest = &level == levels.data();
    std::printf(
        "%s{\"rows\":%lld,\"matrix\":%zu,\"prolongation\":%zu,\"restriction\":%zu,\"vectors\":%zu,\"runs\":%"
        "d}",
        finest ? "" : ",", static_cast<long long>(level.rows),
        level.cycle.matrix + (finest ? solver.system_bytes() : 0), level.cycle.prolongation,
        level.cycle.restriction, level.cycle.vectors + (finest ? method - solver.system_bytes() : 0),
        level.cycle.runs + (finest ? 3 : 0));
  }
}

void print_json(const Context& context, const Solver& solver, const SolveResult& result, const Times& times) {
  const auto levels = solver.preconditioner().report();
  double entries = 0, rows = 0;
  for (const LevelReport& level : levels) {
    entries += static_cast<double>(level.entries);
    rows += static_cast<double>(level.rows);
  }
  std::printf(
      "{\"rows\":%lld,\"entries\":%lld,\"ranks\":%d,\"threads\":%d,\"input\":%.4f,\"setup\":%.4f,\"solve\":%."
      "4f,"
      "\"iterations\":%d,\"residual\":%.3e,\"converged\":%s,\"levels\":%zu,\"grid_complexity\":%.4f,"
      "\"operator_complexity\":%.4f,\"precision\":\"%s\",\"iteration_bytes\":%zu,\"peak_bytes\":%zu,"
      "\"process_peak_bytes\":%.0f,\"traffic\":[",
      static_cast<long long>(levels[0].rows), static_cast<long long>(levels[0].entries),
      context.communicator.size(), context.team.size(), times.input, times.setup, times.solve,
      result.iterations, result.residual, result.converged ? "true" : "false", levels.size(),
      rows / static_cast<double>(levels[0].rows), entries / static_cast<double>(levels[0].entries),
      solver.preconditioner().single() ? "single" : "double", solver.iteration_bytes(),
      context.storage.peak_bytes(), process_peak_bytes());
  print_traffic(solver, levels);
  std::printf("],\"chosen\":[");
  for (const std::string& note : result.notes)
    std::printf("%s\"%s\"", &note == result.notes.data() ? "" : ",", note.c_str());
  std::printf("]}\n");
}

void print_result(const Context& context, const Options& options, const Solver& solver,
                  const SolveResult& result, const Times& times) {
  if (options.json) return print_json(context, solver, result, times);
  if (options.quiet && result.converged) return;
  const auto& levels = solver.preconditioner().report();
  std::printf("%lld rows, %lld entries, %d rank%s with %d thread%s\n", static_cast<long long>(levels[0].rows),
              static_cast<long long>(levels[0].entries), context.communicator.size(),
              context.communicator.size() == 1 ? "" : "s", context.team.size(),
              context.team.size() == 1 ? "" : "s");
  std::printf("%s", convergence_table(result.history).c_str());
  for (const std::string& note : result.notes) std::printf("chosen: %s\n", note.c_str());
  std::printf("%s after %d iterations, residual %.3e; input %.3f s, setup %.3f s, solve %.3f s\n",
              result.converged ? "converged" : "not converged", result.iterations, result.residual,
              times.input, times.setup, times.solve);
  if (options.report) print_report(context, solver, result, times);
}

int solve(const Options& options, parallel::Communicator& communicator) {
  if (!options.output.empty()) look_at_output(communicator, options.output);
  parallel::Team team(options.threads);
  Storage storage;
  Profile profile;
  const Context context{team, storage, communicator, options.report ? &profile : nullptr};
  Watch watch;
  Times times;
  DistributedMatrix matrix = input_matrix(context, options);
  const Distribution rows = matrix.row_distribution;
  std::vector<double> b;
  if (options.files.size() > 1) b = read_vector(options.files[1], rows, communicator.rank());
  times.input = watch.seconds();
  Solver solver(context, std::move(matrix), options.solver.hierarchy);
  times.setup = watch.seconds();
  std::vector<double> x(solver.rows());
  if (options.files.size() < 2) b.assign(x.size(), 1.0);
  times.input += watch.seconds();
  const SolveResult result = solver.solve(b, x, options.solver.solve);
  times.solve = watch.seconds();
  if (communicator.rank() == 0) print_result(context, options, solver, result, times);
  if (!result.converged) throw Error(why_not_converged(result, options.solver.solve));
  if (!options.output.empty()) write_solution(context, options.output, x);
  return 0;
}

// Options, or an exit code where the command line asks for help or the version.
int parse(int argc, char** argv, Options& options) {
  CLI::App app("Solves a sparse linear system by algebraic multigrid", "amgsolve");
  describe(app, options);
  if (!parse_command_line(app, argc, argv)) return 0;
  if (options.files.empty() == options.generate.empty())
    throw UsageError("give either a matrix file or --generate PROBLEM N; --help shows all options");
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<parallel::Communicator> world = parallel::open_world(&argc, &argv);
  const auto body = [&] {
    Options options;
    const int ended = parse(argc, argv, options);
    return ended >= 0 ? ended : solve(options, *world);
  };
  return run_program("amgsolve", body, world->rank() == 0);
}
