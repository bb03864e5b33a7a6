// Run-time dispatch for files that Highway compiles once per instruction set: collects the tables of loops this machine can run.
// Highway's own dispatch (HWY_DYNAMIC_DISPATCH) needs its shared library, which the Python module must not depend on.
// Include after <hwy/highway.h>, under HWY_ONCE.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/instruction_sets.h"

namespace dlscope::core {

// Borrowed tables of loops that this machine can run, the fastest last. DLSCOPE_KERNEL_TARGETS() makes it with at least one.
template <class Kernels>
class KernelTargets {
 public:
  void add(bool runs, const Kernels& kernels) {
    if (runs) tables_[count_++] = &kernels;
  }
  [[nodiscard]] std::span<const Kernels* const> all() const { return std::span(tables_).first(count_); }

 private:
  std::array<const Kernels*, 4> tables_{};
  std::size_t count_ = 0;
};

}  // namespace dlscope::core

#if HWY_STATIC_TARGET == HWY_EMU128
#define DLSCOPE_ADD_PORTABLE(targets, table) (targets).add(true, N_EMU128::table)
#else
#define DLSCOPE_ADD_PORTABLE(targets, table) (targets).add(true, HWY_STATIC_NAMESPACE::table)
#endif
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2)
#define DLSCOPE_ADD_AVX2(targets, table) (targets).add(has_avx2(), N_AVX2::table)
#else
#define DLSCOPE_ADD_AVX2(targets, table) static_cast<void>(0)
#endif
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX3)
#define DLSCOPE_ADD_AVX512(targets, table) (targets).add(has_avx512(), N_AVX3::table)
#else
#define DLSCOPE_ADD_AVX512(targets, table) static_cast<void>(0)
#endif

// A KernelTargets<Kernels>. table: the name of the Kernels object that the file defines in each instruction set's namespace.
#define DLSCOPE_KERNEL_TARGETS(Kernels, table) \
  [] {                                         \
    KernelTargets<Kernels> that_run;           \
    DLSCOPE_ADD_PORTABLE(that_run, table);     \
    DLSCOPE_ADD_AVX2(that_run, table);         \
    DLSCOPE_ADD_AVX512(that_run, table);       \
    return that_run;                           \
  }()
