// The inner loops of the reduction: values widened to floating point, and rows of values added to columns. Plain loops that the
// compiler turns into vector code, once for each instruction set.
// thread: any. The floating-point environment must be the default one: subnormals are not flushed to zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscope::core {

// What was added up so far, one entry for each column, of finite values only.
template <class T>
struct ColumnSpan {
  T* min;
  T* max;
  double* sum;
};

struct ColumnKernels {
  const char* name;
  // Adds values[i] to column i. True: one at least is no finite number and was left out.
  bool (*add_f32)(const float* values, std::size_t count, const ColumnSpan<float>& columns);
  bool (*add_f64)(const double* values, std::size_t count, const ColumnSpan<double>& columns);
  // Exact.
  void (*widen_f16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*widen_bf16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*widen_i8)(const std::int8_t* from, std::size_t count, float* to);
  void (*widen_u8)(const std::uint8_t* from, std::size_t count, float* to);
  void (*widen_bool)(const std::uint8_t* from, std::size_t count, float* to);  // anything but 0 is 1
  void (*widen_i16)(const std::int16_t* from, std::size_t count, float* to);
  void (*widen_u16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*widen_i32)(const std::int32_t* from, std::size_t count, double* to);
  void (*widen_u32)(const std::uint32_t* from, std::size_t count, double* to);
  // To the nearest double.
  void (*widen_i64)(const std::int64_t* from, std::size_t count, double* to);
  void (*widen_u64)(const std::uint64_t* from, std::size_t count, double* to);
};

// Of the best instruction set this machine has. Static storage.
[[nodiscard]] const ColumnKernels& column_kernels();

}  // namespace dlscope::core
