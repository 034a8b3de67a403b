// SPDX-License-Identifier: Apache-2.0
// The autonomic model (paper 000, section 5.6; parcc --model=autonomic): the program's main runs as the one
// kernel of its process, on an array of one thread; process code waits for it and serves it.
#pragma once

#include "taihu/memory/image/image_template.h"

namespace taihu::parallelc {

/// Whether the program was compiled for the autonomic model.
bool is_autonomic(const memory::ImageTemplate& program);

}  // namespace taihu::parallelc
