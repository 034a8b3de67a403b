// SPDX-License-Identifier: Apache-2.0
// The kernels of sliced matrices in terms of vectors of the compiler, `vector_bytes` long. Included by one
// source file for each instruction set. Everything is in an unnamed namespace and uses no function of the
// standard library: code compiled for one processor must not be merged with that for another.
#pragma once

#include "taihu/amg/matrix/sliced_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace taihu::amg {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// Eight numbers in as many vectors of the processor as they need.
template <class T>
struct Eight {
  static constexpr int bytes = vector_bytes < 8 * int{sizeof(T)} ? vector_bytes : 8 * int{sizeof(T)};
  static constexpr int parts = 8 * sizeof(T) / bytes;
  static constexpr int lanes = 8 / parts;
  typedef T Vector __attribute__((vector_size(bytes)));
  Vector part[parts];

  static Eight load(const T* source) {
    Eight result;
    __builtin_memcpy(&result.part, source, sizeof(result.part));
    return result;
  }
  void store(T* target) const { __builtin_memcpy(target, &part, sizeof(part)); }
};

template <class T>
inline Eight<T> gathered(const T* x, const std::int32_t* index) {
  Eight<T> result;
  for (int p = 0; p < Eight<T>::parts; ++p)
    for (int lane = 0; lane < Eight<T>::lanes; ++lane)
      result.part[p][lane] = x[index[p * Eight<T>::lanes + lane]];
  return result;
}

#if defined(__AVX2__)
inline Eight<float> gathered(const float* x, const std::int32_t* index) {
  Eight<float> result;
  const __m256i where = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
  result.part[0] = _mm256_i32gather_ps(x, where, 4);
  return result;
}
inline Eight<double> gathered(const double* x, const std::int32_t* index) {
  Eight<double> result;
#if defined(__AVX512F__)
  result.part[0] = _mm512_i32gather_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)), x, 8);
#else
  for (int p = 0; p < 2; ++p)
    result.part[p] =
        _mm256_i32gather_pd(x, _mm_loadu_si128(reinterpret_cast<const __m128i*>(index + 4 * p)), 8);
#endif
  return result;
}
#endif

template <class Stored, class Number>
inline Eight<Number> values_of(const Stored* source) {
  if constexpr (sizeof(Stored) == sizeof(Number)) {
    return Eight<Number>::load(source);
  } else {
    Eight<Number> result;
    for (int p = 0; p < Eight<Number>::parts; ++p) {
      typedef float Half __attribute__((vector_size(Eight<Number>::lanes * sizeof(float))));
      Half half;
      __builtin_memcpy(&half, source + p * Eight<Number>::lanes, sizeof(half));
      result.part[p] = __builtin_convertvector(half, typename Eight<Number>::Vector);
    }
    return result;
  }
}

template <class Number>
inline void add_products(Eight<Number>& sum, const Eight<Number>& a, const Eight<Number>& b) {
  for (int p = 0; p < Eight<Number>::parts; ++p) sum.part[p] += a.part[p] * b.part[p];
}

// Calls use(first row, A x of its rows) for each slice.
template <class Stored, class Number, class Use>
inline void for_slices(const SlicedView<Stored>& matrix, LocalIndex begin, LocalIndex end, const Number* x,
                       const Use& use) {
  for (LocalIndex slice = begin; slice < end; ++slice) {
    Eight<Number> sum{};
    for (std::int32_t group = matrix.start[slice]; group < matrix.start[slice + 1]; ++group) {
      const std::int32_t base = matrix.base[group];
      const Eight<Number> value = values_of<Stored, Number>(matrix.value + 8 * static_cast<long>(group));
      // Two calls: one operand chosen between two sources would go through memory.
      if (base >= 0)
        add_products(sum, value, Eight<Number>::load(x + base));
      else
        add_products(sum, value, gathered(x, matrix.gather + 8 * static_cast<long>(~base)));
    }
    use(8 * static_cast<long>(slice), sum);
  }
}

template <class Stored, class Number>
void product(const SlicedView<Stored>& matrix, LocalIndex begin, LocalIndex end, const Number* x, Number* y) {
  for_slices(matrix, begin, end, x, [=](long row, const Eight<Number>& sum) { sum.store(y + row); });
}

template <class Stored, class Number>
void add_product(const SlicedView<Stored>& matrix, LocalIndex begin, LocalIndex end, const Number* x,
                 Number* y) {
  for_slices(matrix, begin, end, x, [=](long row, const Eight<Number>& sum) {
    Eight<Number> result = Eight<Number>::load(y + row);
    for (int p = 0; p < Eight<Number>::parts; ++p) result.part[p] += sum.part[p];
    result.store(y + row);
  });
}

template <class Stored, class Number>
void residual(const SlicedView<Stored>& matrix, LocalIndex begin, LocalIndex end, const Number* x,
              const Number* b, Number* y) {
  for_slices(matrix, begin, end, x, [=](long row, const Eight<Number>& sum) {
    Eight<Number> result = Eight<Number>::load(b + row);
    for (int p = 0; p < Eight<Number>::parts; ++p) result.part[p] -= sum.part[p];
    result.store(y + row);
  });
}

template <class Stored, class Number>
void smooth(const SlicedView<Stored>& matrix, LocalIndex begin, LocalIndex end, const Number* x,
            const Number* b, const Number* scale, Number* y) {
  for_slices(matrix, begin, end, x, [=](long row, const Eight<Number>& sum) {
    Eight<Number> result = Eight<Number>::load(b + row);
    const Eight<Number> own = Eight<Number>::load(x + row), factor = Eight<Number>::load(scale + row);
    for (int p = 0; p < Eight<Number>::parts; ++p)
      result.part[p] = own.part[p] + factor.part[p] * (result.part[p] - sum.part[p]);
    result.store(y + row);
  });
}

// A sweep of Gauss-Seidel over one slice. Groups without columns of the slice itself are summed up for all
// eight rows at once; then each row takes its entries inside the slice.
template <class Stored, class Number>
struct SliceSweep {
  const SlicedView<Stored>& matrix;
  const Number *x, *b, *scale;
  Number* y;
  long first, last;  // rows of the block

  const Number* source(long column) const { return column >= first && column < last ? y : x; }
  static bool inside(long column, long row) { return column >= row && column < row + 8; }

  bool touches(std::int32_t group, long row) const {
    const std::int32_t base = matrix.base[group];
    if (base >= 0) return base > row - 8 && base < row + 8;
    const std::int32_t* column = matrix.gather + 8 * static_cast<long>(~base);
    bool any = false;
    for (int lane = 0; lane < 8; ++lane) any |= inside(column[lane], row);
    return any;
  }

  void add_outside(std::int32_t group, Eight<Number>& sum) const {
    const std::int32_t base = matrix.base[group];
    const Eight<Number> value = values_of<Stored, Number>(matrix.value + 8 * static_cast<long>(group));
    if (base >= 0 && source(base) == source(base + 7)) {
      add_products(sum, value, Eight<Number>::load(source(base) + base));
      return;
    }
    const std::int32_t* column = matrix.gather + 8 * static_cast<long>(base < 0 ? ~base : 0);
    Number operand[8];
    for (int lane = 0; lane < 8; ++lane) {
      const long c = base >= 0 ? base + lane : column[lane];
      operand[lane] = source(c)[c];
    }
    add_products(sum, value, Eight<Number>::load(operand));
  }

  void run(LocalIndex slice, bool backward) const {
    const long row = 8 * static_cast<long>(slice);
    Eight<Number> sum{};
    for (std::int32_t group = matrix.start[slice]; group < matrix.start[slice + 1]; ++group)
      if (!touches(group, row)) add_outside(group, sum);
    Number rest[8];
    sum.store(rest);
    for (int step = 0; step < 8; ++step) {
      const int lane = backward ? 7 - step : step;
      Number residual = b[row + lane] - rest[lane];
      for (std::int32_t group = matrix.start[slice]; group < matrix.start[slice + 1]; ++group) {
        if (!touches(group, row)) continue;
        const std::int32_t base = matrix.base[group];
        const long c = base >= 0 ? base + lane : matrix.gather[8 * static_cast<long>(~base) + lane];
        residual -= static_cast<Number>(matrix.value[8 * static_cast<long>(group) + lane]) * source(c)[c];
      }
      y[row + lane] += scale[row + lane] * residual;
    }
  }
};

template <class Stored, class Number>
void gauss_seidel(const SlicedView<Stored>& matrix, LocalIndex begin, LocalIndex end, LocalIndex block,
                  const Number* x, const Number* b, const Number* scale, Number* y, bool backward) {
  for (LocalIndex first = begin; first < end; first += block) {
    const LocalIndex last = first + block < end ? first + block : end;
    const SliceSweep<Stored, Number> sweep{matrix, x, b, scale, y, 8L * first, 8L * last};
    for (long i = 8L * first; i < 8L * last; ++i) y[i] = x[i];
    for (LocalIndex n = 0; n < last - first; ++n) sweep.run(backward ? last - 1 - n : first + n, backward);
  }
}

template <class Stored, class Number>
constexpr SlicedKernels<Stored, Number> kernels_of() {
  return {product<Stored, Number>, add_product<Stored, Number>, residual<Stored, Number>,
          smooth<Stored, Number>, gauss_seidel<Stored, Number>};
}

constexpr KernelSet kernel_set(const char* name) {
  return {name, kernels_of<float, float>(), kernels_of<double, double>(), kernels_of<float, double>()};
}

}  // namespace
}  // namespace taihu::amg
