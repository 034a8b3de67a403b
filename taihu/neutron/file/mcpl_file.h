// SPDX-License-Identifier: Apache-2.0
// Files of particles in MCPL format, version 3. Source: T. Kittelmann et al., Monte Carlo Particle Lists:
// MCPL, Comput. Phys. Commun. 218 (2017) 17, and mcpl.h of the reference implementation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taihu/neutron/file/source_file.h"

namespace taihu::neutron {

/// All neutrons of a file; other particles are left out. Throws Error: not such a file, another version or
/// byte order, a file that is cut off, impossible numbers, no neutron.
std::vector<BankRecord> read_mcpl_file(const std::string& path);

/// Writes neutrons, under a temporary name that is then replaced. Throws Error.
void write_mcpl_file(const std::string& path, const std::vector<BankRecord>& records);

// The same in parts, which several ranks may write: a head, then neutrons of a fixed size, with numbers of
// double precision.
constexpr std::int64_t mcpl_neutron_bytes = 8 * sizeof(double);
std::string mcpl_head(std::uint64_t neutrons);
std::string mcpl_neutrons(std::span<const BankRecord> records);

}  // namespace taihu::neutron
