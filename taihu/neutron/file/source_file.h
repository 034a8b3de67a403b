// SPDX-License-Identifier: Apache-2.0
// Files of neutrons in OpenMC's format: a data set "source_bank" of records, in a file of its own (a source
// file, a surface source) or in a statepoint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/neutron/file/hdf5_handle.h"

namespace taihu::neutron {

/// One neutron as it is in the file, with the members that OpenMC has.
struct [[gnu::packed]] BankRecord {
  double r[3], u[3];                              ///< cm; unit vector
  double energy, time, weight;                    ///< eV; s; multi-group: energy of the group's middle
  std::int32_t delayed_group, surface, particle;  ///< 0: prompt; id, 0: none; 0: neutron
};

/// The type of a record in a file, which is also that in memory.
Hdf5Handle bank_type();

/// Whether place, direction, energy, time and weight are numbers that a neutron can have.
bool is_possible(const BankRecord& record) noexcept;

/// All neutrons of a source file or statepoint. Throws Error: not such a file, members that are not those of
/// BankRecord (of any number type), other particles than neutrons, impossible numbers, no neutron.
std::vector<BankRecord> read_source_file(const std::string& path);

/// Writes a source file, under a temporary name that is then replaced. Throws Error.
void write_source_file(const std::string& path, const std::vector<BankRecord>& records);

}  // namespace taihu::neutron
