// SPDX-License-Identifier: Apache-2.0
// Pictures of results: curves, bars, and the load of the links as a heat map.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taihu/noc/network/network.h"
#include "taihu/picture/picture.h"

namespace taihu::noc {

using picture::Picture;

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Curves over linear axes; points above `most_y` (0: none) are cut off.
Picture curves(const std::string& title, const std::string& x_label, const std::string& y_label,
               const std::vector<Series>& series, double most_y);

struct BarGroup {
  std::string name;
  std::vector<double> values;  ///< one per series; not finite: left out
};

/// Groups of bars over a linear or logarithmic axis, with the value above each bar.
Picture bars(const std::string& title, const std::string& y_label, const std::vector<std::string>& series,
             const std::vector<BarGroup>& groups, bool logarithmic);

/// Share of cycles in which each link of the network carried a flit, since its start.
Picture heat_map(const Network& network, const std::string& title);
/// The same as rows "router,port,neighbour,flits,share" with a first line of names.
std::string link_table(const Network& network);

}  // namespace taihu::noc
