// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/options/option_names.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

std::string complaint(const std::string& name, const std::string& value) {
  SolverOptions options;
  try {
    set_option(options, name, value);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(OptionNames, EveryValueThatIsListedCanBeSetAndRead) {
  for (const OptionName& option : option_names()) {
    SolverOptions options;
    std::string words = option.values;
    if (words == "N") words = "3";
    if (words == "E") words = "0.5";
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = words.find('|', begin);
      const std::string word = words.substr(begin, end == std::string::npos ? end : end - begin);
      set_option(options, option.name, word);
      EXPECT_EQ(option_value(options, option.name), word) << option.name;
    }
  }
}

TEST(OptionNames, ReachTheOptionsOfTheSolver) {
  SolverOptions options;
  set_option(options, "family", "classical");
  set_option(options, "sweeps", "2");
  set_option(options, "tol", "1e-6");
  set_option(options, "solver", "bicgstab");
  EXPECT_EQ(options.hierarchy.family, Family::classical);
  EXPECT_EQ(options.hierarchy.sweeps_before, 2);
  EXPECT_EQ(options.hierarchy.sweeps_after, 2);
  EXPECT_EQ(options.solve.tolerance, 1e-6);
  EXPECT_EQ(options.solve.method, Method::bicgstab);
}

TEST(OptionNames, FaultsAreNamed) {
  EXPECT_EQ(complaint("cycle", "X"), "option cycle: 'X' is not one of V|W|F");
  EXPECT_EQ(complaint("sweeps", "0"), "option sweeps: '0' is not a whole number from 1 to 20");
  EXPECT_EQ(complaint("sweeps", "1.5"), "option sweeps: '1.5' is not a whole number from 1 to 20");
  EXPECT_EQ(complaint("tol", "nan"), "option tol: 'nan' is not a number from 0 to 1");
  EXPECT_EQ(complaint("tol", ""), "option tol: '' is not a number from 0 to 1");
  EXPECT_EQ(complaint("tolerance", "1").rfind("there is no option 'tolerance'; there are: solver tol max", 0),
            0);
}

}  // namespace
}  // namespace taihu::amg
