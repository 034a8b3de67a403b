// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/options/option_names.h"

#include <charconv>
#include <functional>
#include <limits>
#include <type_traits>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"

namespace taihu::amg {
namespace {

struct Row {
  OptionName option;
  std::function<void(SolverOptions&, const std::string&)> set;
  std::function<std::string(const SolverOptions&)> get;
};

template <class Value>
using Words = std::vector<std::pair<std::string, Value>>;

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& wanted) {
  throw UsageError("option " + name + ": '" + value + "' is not " + wanted);
}

// `of(options)` is a reference to the value.
template <class Of>
using ValueOf = std::remove_cvref_t<std::invoke_result_t<Of, SolverOptions&>>;

template <class Of>
Row choice(const std::string& name, const Words<ValueOf<Of>>& words, const std::string& help, const Of& of) {
  std::string values;
  for (const auto& [word, value] : words) values += (values.empty() ? "" : "|") + word;
  const auto set = [=](SolverOptions& options, const std::string& given) {
    for (const auto& [word, value] : words)
      if (word == given) return void(of(options) = value);
    refuse(name, given, "one of " + values);
  };
  const auto get = [=](const SolverOptions& options) {
    for (const auto& [word, value] : words)
      if (value == of(const_cast<SolverOptions&>(options))) return word;
    return std::string();
  };
  return {{name, values, help}, set, get};
}

template <class Of>
Row number(const std::string& name, ValueOf<Of> least, ValueOf<Of> most, const std::string& help,
           const Of& of) {
  using Value = ValueOf<Of>;
  constexpr bool whole = std::is_integral_v<Value>;
  const auto text = [](double value) { return formatted("%.10g", value); };
  const auto set = [=](SolverOptions& options, const std::string& given) {
    Value value{};
    const auto [rest, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    const bool read = error == std::errc() && rest == given.data() + given.size();
    if (!read || !(value >= least && value <= most))
      refuse(name, given,
             std::string("a ") + (whole ? "whole " : "") + "number from " + text(static_cast<double>(least)) +
                 " to " + text(static_cast<double>(most)));
    of(options) = value;
  };
  const auto get = [=](const SolverOptions& options) {
    return text(static_cast<double>(of(const_cast<SolverOptions&>(options))));
  };
  return {{name, whole ? "N" : "E", help}, set, get};
}

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Row> make_rows() {
  const auto hierarchy = [](auto member) {
    return [=](SolverOptions& o) -> auto& { return o.hierarchy.*member; };
  };
  const auto solve = [](auto member) { return [=](SolverOptions& o) -> auto& { return o.solve.*member; }; };
  using H = HierarchyOptions;
  using S = SolveOptions;
  std::vector<Row> rows = {
      choice("solver",
             Words<Method>{{"auto", Method::automatic},
                           {"pcg", Method::cg},
                           {"gmres", Method::gmres},
                           {"bicgstab", Method::bicgstab},
                           {"amg", Method::cycles}},
             "method; auto: pcg, gmres where the matrix is not symmetric or not positive definite",
             solve(&S::method)),
      number("tol", 0.0, 1.0, "relative 2-norm of the residual to reach", solve(&S::tolerance)),
      number("max-iterations", 0, 1 << 30, "give up after so many", solve(&S::iterations)),
      number("restart", 1, 1000, "vectors of gmres", solve(&S::restart)),
      choice(
          "family",
          Words<Family>{{"auto", Family::automatic},
                        {"aggregation", Family::aggregation},
                        {"classical", Family::classical},
                        {"direct", Family::direct}},
          "how coarser levels are made; auto: aggregation, the others where it does not do; direct: not at "
          "all, for small or slender problems",
          hierarchy(&H::family)),
      choice("coarsening", Words<Coarsening>{{"pmis", Coarsening::pmis}, {"hmis", Coarsening::hmis}},
             "coarse points of the classical family", hierarchy(&H::coarsening)),
      number("aggressive", 0, 20,
             "levels of the classical family, from the finest one, that are coarsened by distance two",
             hierarchy(&H::aggressive_levels)),
      number("interpolation-entries", 0, 1000, "most weights of a row, classical family; 0: all",
             hierarchy(&H::interpolation_entries)),
      number("truncation", 0.0, 1.0, "drop weights below this share of the row's largest, classical family",
             hierarchy(&H::truncation)),
      choice("smoother",
             Words<Smoother>{{"auto", Smoother::automatic},
                             {"spai0", Smoother::spai0},
                             {"jacobi", Smoother::jacobi},
                             {"l1-jacobi", Smoother::l1_jacobi},
                             {"chebyshev", Smoother::chebyshev},
                             {"gauss-seidel", Smoother::gauss_seidel}},
             "smoother; auto: spai0, chebyshev where that does not do", hierarchy(&H::smoother)),
      number("sweeps", 1, 20, "smoothing sweeps before and after", hierarchy(&H::sweeps_before)),
      choice("cycle", Words<Cycle>{{"V", Cycle::v}, {"W", Cycle::w}, {"F", Cycle::f}}, "cycle",
             hierarchy(&H::cycle)),
      choice(
          "precision",
          Words<Precision>{
              {"auto", Precision::automatic}, {"single", Precision::single_}, {"double", Precision::double_}},
          "of the hierarchy, the method itself is in double; auto: single, double where that fails",
          hierarchy(&H::precision)),
      choice("reuse", Words<Reuse>{{"nothing", Reuse::nothing}, {"interpolation", Reuse::interpolation}},
             "what libraries keep when only the values of a matrix change", hierarchy(&H::reuse)),
      number("strength", 0.0, 1.0, "threshold of strong connections", hierarchy(&H::strength))};
  const SolverOptions defaults;
  for (Row& row : rows) row.option.help += " (default " + row.get(defaults) + ")";
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = make_rows();
  return table;
}

const Row& row_of(const std::string& name) {
  std::string known;
  for (const Row& row : rows()) {
    if (row.option.name == name) return row;
    known += " " + row.option.name;
  }
  throw UsageError("there is no option '" + name + "'; there are:" + known);
}

}  // namespace

std::vector<OptionName> option_names() {
  std::vector<OptionName> names;
  for (const Row& row : rows()) names.push_back(row.option);
  return names;
}

void set_option(SolverOptions& options, const std::string& name, const std::string& value) {
  row_of(name).set(options, value);
  options.hierarchy.sweeps_after = options.hierarchy.sweeps_before;
}

std::string option_value(const SolverOptions& options, const std::string& name) {
  return row_of(name).get(options);
}

}  // namespace taihu::amg
