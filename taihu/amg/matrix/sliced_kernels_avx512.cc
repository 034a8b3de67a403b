// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/sliced_kernels_body.h"

namespace taihu::amg {

extern const KernelSet avx512_kernels;
const KernelSet avx512_kernels = kernel_set("avx512");

}  // namespace taihu::amg
