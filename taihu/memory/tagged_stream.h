// SPDX-License-Identifier: Apache-2.0
// Output of a rank by whole lines, each with a prefix: what --tag-output shows.
#pragma once

#include <cstdio>
#include <string>

namespace taihu::memory {

/// A stream whose lines go to descriptor `fd`, each behind `prefix` and by one write, so that lines of
/// different ranks never mix. A last line without newline is written, with one, when the stream is closed.
/// `fd` stays open. Throws Error.
std::FILE* make_tagged_stream(const std::string& prefix, int fd);

}  // namespace taihu::memory
