// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/sliced_kernels.h"

namespace taihu::amg {

extern const KernelSet portable_kernels;
#if defined(__x86_64__)
extern const KernelSet avx2_kernels;
extern const KernelSet avx512_kernels;
#endif

std::vector<const KernelSet*> usable_kernel_sets() {
  std::vector<const KernelSet*> usable;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f")) usable.push_back(&avx512_kernels);
  if (avx2) usable.push_back(&avx2_kernels);
#endif
  usable.push_back(&portable_kernels);
  return usable;
}

namespace {
const KernelSet& best() {
  static const KernelSet& set = *usable_kernel_sets().front();
  return set;
}
}  // namespace

template <>
const SlicedKernels<float, float>& sliced_kernels() {
  return best().single_precision;
}
template <>
const SlicedKernels<double, double>& sliced_kernels() {
  return best().double_precision;
}
template <>
const SlicedKernels<float, double>& sliced_kernels() {
  return best().mixed_precision;
}

}  // namespace taihu::amg
