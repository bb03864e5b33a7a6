#include "core/statistics/device_blocks.h"

#include <algorithm>

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWorthIt = std::uint64_t{1} << 20;  // bytes; fewer are read as fast as the kernel is loaded
constexpr std::uint64_t kBlocksAtOnce = 16384;  // 256 MiB: so that starting the kernel costs nothing beside it

std::optional<kernels::ScanType> scan_type(DType dtype) {
  using kernels::ScanType;
  const auto of_width = [&](ScanType b8, ScanType b16, ScanType b32, ScanType b64) -> std::optional<ScanType> {
    switch (dtype.bits) {
      case 8:
        return b8;
      case 16:
        return b16;
      case 32:
        return b32;
      case 64:
        return b64;
      default:
        return std::nullopt;
    }
  };
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::float_:
      if (dtype.bits == 16) return ScanType::f16;
      if (dtype.bits == 32) return ScanType::f32;
      return dtype.bits == 64 ? std::optional(ScanType::f64) : std::nullopt;
    case DTypeCode::bfloat:
      return dtype.bits == 16 ? std::optional(ScanType::bf16) : std::nullopt;
    case DTypeCode::int_:
      return of_width(ScanType::i8, ScanType::i16, ScanType::i32, ScanType::i64);
    case DTypeCode::uint:
      return of_width(ScanType::u8, ScanType::u16, ScanType::u32, ScanType::u64);
    case DTypeCode::bool_:
      return dtype.bits == 8 ? std::optional(ScanType::boolean) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::unique_ptr<DeviceBlocks> DeviceBlocks::make(const TensorValues& values, const MemoryOrder& order, std::uint32_t block_values,
                                                 const std::optional<BinScale>& bins, bool count_codes) {
  const auto* const scanner = dynamic_cast<const BlockScanner*>(values.source.reader);
  const auto type = scan_type(values.dtype);
  if (scanner == nullptr || !type || values.source.reversed_bytes != 0) return nullptr;
  if (order.places() * kernels::bytes_of(*type) < kWorthIt || !scanner->can_scan(order.base())) return nullptr;
  if (count_codes && kernels::bytes_of(*type) > 2) return nullptr;
  const bool wide_integers = !kernels::is_float(*type) && kernels::bytes_of(*type) == 8;
  if ((bins && wide_integers) || order.bits().axes.size() > kernels::kMaxScanAxes) return nullptr;
  kernels::BlockScan scan;
  scan.base = order.base() + static_cast<Address>(order.bits().origin / 8);
  scan.block_values = block_values;
  scan.type = *type;
  if (bins) {
    scan.low = bins->low;
    scan.high = bins->high;
    scan.scale = bins->scale;
    scan.unit = bins->unit;
  }
  for (const AffineAxes::Axis& axis : order.bits().axes) {
    const auto bytes = static_cast<std::int64_t>(kernels::bytes_of(*type));
    if (axis.step % 8 != 0 || (scan.base + static_cast<Address>(axis.step / 8)) % static_cast<Address>(bytes) != 0)
      return nullptr;
    scan.count[scan.axes] = axis.count;
    scan.step[scan.axes++] = axis.step / 8;
  }
  if (scan.axes == 0) {  // a single value
    scan.count[0] = 1;
    scan.axes = 1;
  }
  if (scan.base % kernels::bytes_of(*type) != 0) return nullptr;
  std::unique_ptr<DeviceBlocks> made(new DeviceBlocks(*scanner, order, scan));
  made->wants_bins_ = bins.has_value();
  if (count_codes) made->codes_.resize(std::size_t{1} << (8 * kernels::bytes_of(*type)));
  return made;
}

Result<void> DeviceBlocks::scan_from(std::uint64_t place) {
  const std::uint64_t most = kBlocksAtOnce * scan_.block_values;
  kernels::BlockScan some = scan_;
  some.first_place = place;
  some.places = std::min(order_.places() - place, most);
  some.blocks = (some.places + scan_.block_values - 1) / scan_.block_values;
  // All that the tensor touches: no step is negative (MemoryOrder).
  std::int64_t reach = 0;
  for (std::int32_t axis = 0; axis < scan_.axes; ++axis)
    reach += static_cast<std::int64_t>(scan_.count[axis] - 1) * scan_.step[axis];
  const Address last = scan_.base + static_cast<Address>(reach) + kernels::bytes_of(scan_.type);
  answers_.resize(some.blocks);
  first_ = place;
  return scanner_.scan(some, {scan_.base, last}, {answers_, wants_bins_ ? &bins_ : nullptr, codes_});
}

Result<kernels::BlockAnswer> DeviceBlocks::block_at(std::uint64_t place) {
  const bool known = place >= first_ && (place - first_) / scan_.block_values < answers_.size();
  if (!known) {
    if (const auto done = scan_from(place); !done) return std::unexpected(done.error());
  }
  return answers_[(place - first_) / scan_.block_values];
}

}  // namespace dlscope::core
