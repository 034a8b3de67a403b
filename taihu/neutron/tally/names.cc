// SPDX-License-Identifier: Apache-2.0
// Names of filters and estimators, as OpenMC's files have them.
#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

const char* name_of(FilterType type) noexcept {
  constexpr const char* names[] = {"cell",
                                   "material",
                                   "universe",
                                   "mesh",
                                   "energy",
                                   "energyout",
                                   "surface",
                                   "distribcell",
                                   "cellinstance",
                                   "cellfrom",
                                   "materialfrom",
                                   "cellborn",
                                   "particle",
                                   "energyfunction",
                                   "mu",
                                   "polar",
                                   "azimuthal",
                                   "legendre",
                                   "delayedgroup",
                                   "meshsurface",
                                   "meshborn",
                                   "musurface",
                                   "collision",
                                   "time",
                                   "sphericalharmonics",
                                   "spatiallegendre",
                                   "zernike",
                                   "zernikeradial"};
  return names[static_cast<int>(type)];
}

const char* name_of(Estimator estimator) noexcept {
  constexpr const char* names[] = {"automatic", "tracklength", "collision", "analog"};
  return names[static_cast<int>(estimator)];
}

}  // namespace taihu::neutron
