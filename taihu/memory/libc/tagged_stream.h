// SPDX-License-Identifier: Apache-2.0
// Output of a rank by whole lines, each with a prefix: what --tag-output shows.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace taihu::memory {

/// The descriptor to which a rank's `fd` has been redirected; negative when it still is the job's output.
using Redirection = std::optional<int> (*)(int fd);

/// A stream whose lines go to descriptor `fd`, each behind `prefix` and by one write, so that lines of
/// different ranks never mix. A last line without newline is written, with one, when the stream is closed.
/// `fd` stays open. While there is a redirection, output goes there unchanged. Throws Error.
std::FILE* make_tagged_stream(const std::string& prefix, int fd, Redirection redirection = nullptr);

}  // namespace taihu::memory
