// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/file_head.h"

#include <ctime>

namespace taihu::neutron {

void write_file_head(Hdf5File& file, const std::string& type, const std::vector<int>& version) {
  file.write_attribute("/", "filetype", type);
  file.write_attribute("/", "version", version);
  file.write_attribute("/", "openmc_version", std::vector<int>{0, 15, 3});  // whose format this is
  file.write_attribute("/", "git_sha1", std::string(40, '0'));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::tm local;
  localtime_r(&now, &local);
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
  file.write_attribute("/", "date_and_time", std::string(date));
}

}  // namespace taihu::neutron
