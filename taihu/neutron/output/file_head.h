// SPDX-License-Identifier: Apache-2.0
// Attributes that every file in OpenMC's formats begins with.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/file/hdf5_file.h"

namespace taihu::neutron {

void write_file_head(Hdf5File& file, const std::string& type, const std::vector<int>& version);

}  // namespace taihu::neutron
