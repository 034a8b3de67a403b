// SPDX-License-Identifier: Apache-2.0
// amgsolve: solves a linear system from a file or a model problem by algebraic multigrid. Exit code 0:
// converged, 1: not converged or bad input, 2: wrong use.
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "taihu/amg/input/matrix_market.h"
#include "taihu/amg/input/read.h"
#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/options/option_names.h"
#include "taihu/amg/report/solve_report.h"
#include "taihu/amg/report/tables.h"
#include "taihu/amg/solver.h"
#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program_options.h"
#include "taihu/parallel/recorded_communicator.h"
#include "taihu/parallel/run_on_ranks.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/world.h"

namespace {

using namespace taihu;
using namespace taihu::amg;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> generate;
  std::string output, trace;
  int threads = 0;
  bool report = false, json = false, quiet = false;
  SolverOptions solver;
};

/// CLI11 does not know that a problem stands in place of the files.
struct UsageWithFiles final : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] A [b]\n       " + name + " [OPTIONS] --generate PROBLEM N\n";
  }
};

void describe(CLI::App& app, Options& options) {
  app.formatter(std::make_shared<UsageWithFiles>());
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
  app.add_option("--trace", options.trace,
                 "write the messages of the solve phase to this file, for network-model --trace")
      ->type_name("FILE");
  app.add_flag("--report", options.report,
               "also show levels, memory, bytes moved and share of the memory bandwidth");
  app.add_flag("--json", options.json, "print one JSON object instead of tables");
  app.add_flag("--quiet", options.quiet, "print nothing when it converges");
}

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

void print_result(const Context& context, const Options& options, const Solver& solver,
                  const SolveResult& result, const SolveTimes& times) {
  if (options.quiet && !options.json && result.converged) return;
  std::fputs(
      (options.json ? json_of(context, solver, result, times) : result_text(context, solver, result, times))
          .c_str(),
      stdout);
  if (options.report && !options.json)
    std::fputs(performance_text(context, solver, result, times).c_str(), stdout);
}

int solve(const Options& options, parallel::Communicator& ranks) {
  parallel::RecordedCommunicator recorded(ranks);
  parallel::Communicator& communicator = options.trace.empty() ? ranks : recorded;
  if (!options.output.empty())
    parallel::together(communicator, communicator.is_root(),
                       [&] { writable_file(options.output, "--output"); });
  if (!options.trace.empty())
    parallel::together(communicator, communicator.is_root(),
                       [&] { writable_file(options.trace, "--trace"); });
  parallel::Team team(options.threads);
  Storage storage;
  Profile profile;
  const Context context{team, storage, communicator, options.report ? &profile : nullptr};
  Watch watch;
  SolveTimes times;
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
  recorded.record(true);
  const SolveResult result = solver.solve(b, x, options.solver.solve);
  times.solve = watch.seconds();
  recorded.record(false);
  if (communicator.rank() == 0) print_result(context, options, solver, result, times);
  if (result.converged && !options.output.empty()) write_vector_market(context, options.output, x);
  // Behind all that took long to compute.
  if (!options.trace.empty()) recorded.write_trace(options.trace);
  if (!result.converged) throw Error(why_not_converged(result, options.solver.solve));
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
  const auto join = [&] {
    parallel::become_mpi_program(argv);
    return parallel::open_world(&argc, &argv);
  };
  return parallel::run_on_ranks("amgsolve", join, [&](parallel::Communicator& ranks) {
    Options options;
    const int ended = parse(argc, argv, options);
    return ended >= 0 ? ended : solve(options, ranks);
  });
}
