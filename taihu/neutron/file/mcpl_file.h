// SPDX-License-Identifier: Apache-2.0
// Files of particles in MCPL format, version 3. Source: T. Kittelmann et al., Monte Carlo Particle Lists:
// MCPL, Comput. Phys. Commun. 218 (2017) 17, and mcpl.h of the reference implementation.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/file/source_file.h"

namespace taihu::neutron {

/// All neutrons of a file; other particles are left out. Throws Error: not such a file, another version or
/// byte order, a file that is cut off, impossible numbers, no neutron.
std::vector<BankRecord> read_mcpl_file(const std::string& path);

}  // namespace taihu::neutron
