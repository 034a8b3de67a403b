// SPDX-License-Identifier: Apache-2.0
// Sizes that taihu-tune has measured on a machine: a text file, which parcrun and marun read before they
// start a job. They hand its values to all node processes as variables, so that all of a job decide alike.
//
//   taihu tuning 1
//   # any text
//   processor AMD EPYC 9354
//   TAIHU_EAGER_BYTES 2048
//   checksum 0123456789abcdef
//
// The checksum is that of all bytes before its line (base/checksum.h). A table of another processor is not
// used.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taihu::launch {

struct TuningTable {
  std::string processor;
  std::vector<std::pair<std::string, std::string>> values;  ///< variable -> size in bytes
};

/// The variables that a table may have.
std::span<const std::string_view> tunable_variables() noexcept;

/// Throws Error, one line that begins with `name`, for anything that is not a whole table.
TuningTable parse_tuning_table(std::string_view text, const std::string& name);
/// The text of a table; `remarks` become comments, a line each.
std::string to_text(const TuningTable& table, const std::vector<std::string>& remarks);

/// Where the table of this process is: TAIHU_TUNING, else the user's file, else the system's; "" when none is
/// there, or TAIHU_TUNING is `off`. A file that TAIHU_TUNING names has to be there.
std::string tuning_file();
/// $XDG_CONFIG_HOME/taihu/tuning or ~/.config/taihu/tuning; "" without a home.
std::string tuning_file_of_user();
/// /etc/taihu/tuning.
std::string tuning_file_of_system();

/// The processor of this machine as the system names it; "unknown" where it does not.
std::string processor_name();

/// What a process has made of its table.
struct AppliedTable {
  std::string file;              ///< "" where there is none
  std::string measured_on = {};  ///< the other processor for whose sake it is not used; else ""
  bool is_used() const noexcept { return !file.empty() && measured_on.empty(); }
};
/// For the user: the file, and why it is not used; "" where there is none.
std::string to_text(const AppliedTable& table);

/// Sets what the table of this process has and the environment has not. Throws Error for a file that cannot
/// be read, is none, or is damaged.
AppliedTable apply_tuning_table();

}  // namespace taihu::launch
