#include "core/transfer/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "core/base/float_environment.h"
#include "core/tensor/item_type.h"
#include "core/transfer/convert_kernels.h"
#include "core/transfer/narrow_float.h"
#include "core/transfer/number_dtypes.h"
#include "core/transfer/packed_numbers.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kBlock = 1024;  // numbers between two loops

std::optional<NumberKind> number_kind(DType dtype) {
  const auto of_size = [&](NumberKind smallest) -> std::optional<NumberKind> {  // int8, int16, ...: every other kind
    if (is_packed_number(dtype)) return smallest;
    if (dtype.bits < 8 || !std::has_single_bit(unsigned{dtype.bits})) return std::nullopt;
    return static_cast<NumberKind>(static_cast<int>(smallest) + 2 * (std::countr_zero(unsigned{dtype.bits}) - 3));
  };
  switch (code_of(dtype)) {
    case DTypeCode::bool_:
      return NumberKind::boolean;
    case DTypeCode::int_:
      return of_size(NumberKind::int8);
    case DTypeCode::uint:
      return of_size(NumberKind::uint8);
    case DTypeCode::bfloat:
      return NumberKind::bfloat16;
    case DTypeCode::float_:
      return dtype.bits == 16 ? NumberKind::float16 : dtype.bits == 32 ? NumberKind::float32 : NumberKind::float64;
    default:
      return dtype.bits == 8 || is_packed_number(dtype) ? std::optional(NumberKind::float8) : std::nullopt;
  }
}

// Of a number while it is converted.
std::size_t number_bytes(DType dtype) { return std::max<std::size_t>(1, dtype.bits / 8); }

bool is_narrow_float(NumberKind kind) { return kind >= NumberKind::float8 && kind <= NumberKind::bfloat16; }
bool is_integer_or_bool(NumberKind kind) { return kind <= NumberKind::uint64; }
bool is_exact_in_float(NumberKind kind) {
  return kind <= NumberKind::uint16 || is_narrow_float(kind) || kind == NumberKind::float32;
}

// Up to three loops, one after another: by way of float32 or float64.
class LoopChain {
 public:
  void add(ConvertLoop loop, std::size_t item, const NarrowFloat* format = nullptr) {
    steps_[count_++] = {loop, item, format};
  }

  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  // from_item: bytes of a number of the source. False: a loop is missing, and nothing was written.
  [[nodiscard]] bool run(const std::byte* source, std::size_t from_item, std::byte* target, std::uint64_t count) const {
    const auto steps = std::span(steps_).first(count_);
    if (steps.empty() || std::ranges::any_of(steps, [](const Step& step) { return step.loop == nullptr; })) return false;
    if (steps.size() == 1) {
      steps[0].loop(source, target, count, steps[0].format);
      return true;
    }
    alignas(64) std::array<std::array<std::byte, kBlock * sizeof(double)>, 2> between;
    for (std::uint64_t first = 0; first < count; first += kBlock) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, count - first));
      const std::byte* from = source + first * from_item;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        std::byte* const to = i + 1 == steps.size() ? target + first * steps[i].item : between[i].data();
        steps[i].loop(from, to, n, steps[i].format);
        from = to;
      }
    }
    return true;
  }

 private:
  struct Step {
    ConvertLoop loop = nullptr;
    std::size_t item = 0;  // bytes of a number that it writes
    const NarrowFloat* format = nullptr;
  };
  std::array<Step, 3> steps_{};
  std::size_t count_ = 0;
};

// Each number is rounded once; where there are two roundings, the first is to odd, which leaves the second as if it were alone.
// Empty: there is no conversion by loops.
LoopChain chain_between(const ConvertKernels& kernels, DType from, DType to) {
  constexpr std::size_t kFloat = sizeof(float), kDouble = sizeof(double);
  constexpr auto at = [](NumberKind kind) { return static_cast<std::size_t>(kind); };
  LoopChain chain;
  const auto source = number_kind(from), target = number_kind(to);
  if (!source || !target || from == to) return chain;
  const std::size_t item = number_bytes(to);
  const NarrowFloat *from_format = narrow_float(from), *to_format = narrow_float(to);
  const auto to_float = kernels.to_float[at(*source)], from_float = kernels.from_float[at(*target)];
  if (is_integer_or_bool(*target)) {
    if (is_narrow_float(*source)) chain.add(to_float, kFloat, from_format);
    chain.add(kernels.to_integer[at(is_narrow_float(*source) ? NumberKind::float32 : *source)][at(*target)], item);
  } else if (*target == NumberKind::float64 && !is_narrow_float(*source)) {
    chain.add(kernels.to_double[at(*source)], kDouble);
  } else if (*target == NumberKind::float32 || *source == NumberKind::float32) {
    const bool reads = *target == NumberKind::float32;
    chain.add(reads ? to_float : from_float, item, reads ? from_format : to_format);
  } else if (is_exact_in_float(*source)) {
    chain.add(to_float, kFloat, from_format);
    chain.add(from_float, item, to_format);
  } else {
    if (*source != NumberKind::float64) chain.add(kernels.to_odd_double[at(*source)], kDouble);
    chain.add(kernels.to_odd_float, kFloat);
    chain.add(from_float, item, to_format);
  }
  return chain;
}

// Unpacks or packs the numbers of a block before and after they are converted.
bool convert_packed(const ConvertKernels& kernels, DType from, const std::byte* source, DType to, std::byte* target,
                    std::uint64_t count) {
  const LoopChain chain = chain_between(kernels, from, to);
  const bool unpacks = is_packed_number(from), packs = is_packed_number(to);
  std::array<std::byte, kBlock> unpacked, made;
  for (std::uint64_t first = 0; first < count; first += kBlock) {  // a block's numbers fill whole bytes
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, count - first));
    const std::byte* numbers = source + first * from.bits / 8;
    if (unpacks) {
      unpack_numbers(from, numbers, unpacked.data(), n);
      numbers = unpacked.data();
    }
    std::byte* const place = target + first * to.bits / 8;
    if (!chain.run(numbers, number_bytes(from), packs ? made.data() : place, n)) return false;
    if (packs) pack_numbers(to, made.data(), place, n);
  }
  return true;
}

// Inserts an imaginary 0 after each of the numbers, whose size is that of Number.
template <class Number>
void add_imaginary(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Number, 2> both{};
    std::memcpy(both.data(), from + i * sizeof(Number), sizeof(Number));
    std::memcpy(to + i * sizeof both, both.data(), sizeof both);
  }
}

// False: there are no loops from `from` to `part`, the type of one part of the target.
bool convert_to_complex(const ConvertKernels& kernels, DType from, const std::byte* source, DType part, std::byte* target,
                        std::uint64_t count) {
  LoopChain chain = chain_between(kernels, from, part);
  if (is_packed_number(from) || (part.bits != 32 && part.bits != 64) || (from != part && chain.is_empty())) return false;
  if (from == part && part.bits == 32) {  // makes NaN quiet, as every other conversion
    chain.add(kernels.to_double[static_cast<std::size_t>(NumberKind::float32)], sizeof(double));
    chain.add(kernels.to_float[static_cast<std::size_t>(NumberKind::float64)], sizeof(float));
  }
  alignas(64) std::array<std::byte, kBlock * sizeof(double)> reals;
  for (std::uint64_t first = 0; first < count; first += kBlock) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, count - first));
    const std::byte* numbers = source + first * (from.bits / 8U);
    if (!chain.is_empty()) {
      if (!chain.run(numbers, from.bits / 8U, reals.data(), n)) return false;
      numbers = reals.data();
    }
    std::byte* const to = target + first * (part.bits / 4U);
    part.bits == 32 ? add_imaginary<std::uint32_t>(numbers, to, n) : add_imaginary<std::uint64_t>(numbers, to, n);
  }
  return true;
}

// The name of a dtype; for one without a name what it is.
std::string described(DType dtype) {
  constexpr std::array kFamilies{"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  if (dtype.code == kItemCode) return fmt::format("elements of {} bytes that are not plain numbers", dtype.lanes);
  std::string name = dtype_name(dtype);
  if (!name.starts_with("code")) return name;
  name = fmt::format("{} bits of DLPack's dtype code {}", dtype.bits, dtype.code);
  if (dtype.code < kFamilies.size()) name += fmt::format(" ({})", kFamilies[dtype.code]);
  if (dtype.lanes != 1) name += fmt::format(", {} lanes", dtype.lanes);
  return name;
}

}  // namespace

std::string why_not_convertible(DType from, DType to) {
  const auto can = [](DType dtype) {
    const DType part = part_of(dtype);
    const bool native = code_of(part) == DTypeCode::float_ && (part.bits == 32 || part.bits == 64);
    return dtype_is_known(dtype) && dtype.lanes == 1 &&
           (is_integer(dtype) || is_bool(dtype) || native || narrow_float(part) != nullptr);
  };
  for (const DType dtype : {from, to}) {
    if (!can(dtype)) return fmt::format("there is no conversion for {}", described(dtype));
  }
  if (is_complex(from) && !is_complex(to))
    return fmt::format("{} to {} would drop the imaginary part", dtype_name(from), dtype_name(to));
  return {};
}

bool convert_with(const ConvertKernels& kernels, DType from, const std::byte* source, DType to, std::byte* target,
                  std::uint64_t count) {
  const DefaultFloatEnvironment environment;
  const DType from_part = part_of(from), to_part = part_of(to);
  if (is_complex(to) && !is_complex(from)) return convert_to_complex(kernels, from, source, to_part, target, count);
  if (is_packed_number(from) || is_packed_number(to)) return convert_packed(kernels, from, source, to, target, count);
  if (is_complex(from)) count *= 2;
  return chain_between(kernels, from_part, to_part).run(source, from_part.bits / 8U, target, count);
}

void convert_elements(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count) {
  if (!convert_with(convert_kernels(), from, source, to, target, count)) convert_one_by_one(from, source, to, target, count);
}

}  // namespace dlscope::core
