// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/surface_source.h"

#include "taihu/neutron/file/mcpl_file.h"
#include "taihu/neutron/output/bank_record.h"

namespace taihu::neutron {

void write_surface_source(const std::string& path, const Model& model, const std::vector<Passage>& passages) {
  std::vector<BankRecord> records;
  for (const auto& [site, history, number, surface] : passages)
    records.push_back(bank_record(model, site, surface));
  if (model.settings.surface_banking.mcpl)
    write_mcpl_file(path, records);
  else
    write_source_file(path, records);
}

}  // namespace taihu::neutron
