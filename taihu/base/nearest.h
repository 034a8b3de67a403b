// SPDX-License-Identifier: Apache-2.0
// The word a user probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taihu {

/// The least number of inserted, deleted, changed or swapped neighbouring letters that turns `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` when it is near enough to be a misspelling, else "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean X?)" or "".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace taihu
