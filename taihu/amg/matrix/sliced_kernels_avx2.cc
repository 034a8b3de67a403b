// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/sliced_kernels_body.h"

namespace taihu::amg {

extern const KernelSet avx2_kernels;
const KernelSet avx2_kernels = kernel_set("avx2");

}  // namespace taihu::amg
