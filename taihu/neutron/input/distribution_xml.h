// SPDX-License-Identifier: Apache-2.0
// Distributions of numbers of sources.
#pragma once

#include <string>

#include "taihu/neutron/input/element.h"
#include "taihu/neutron/transport/settings.h"

namespace taihu::neutron {

Distribution read_distribution(Element element);

/// The child `name` of `owner`, which has to be there.
Distribution required_distribution(Element& owner, const std::string& name);

/// The same, with values that have to lie in a range, except for rounding errors.
Distribution required_between(Element& owner, const std::string& name, double least, double most);

/// Where the numbers of a distribution lie.
struct Range {
  double least, most;
};
Range range_of(const Distribution& d);

}  // namespace taihu::neutron
