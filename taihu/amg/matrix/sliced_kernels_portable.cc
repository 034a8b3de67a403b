// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/sliced_kernels_body.h"

namespace taihu::amg {

extern const KernelSet portable_kernels;
const KernelSet portable_kernels = kernel_set("portable");

}  // namespace taihu::amg
