#include "core/transfer/narrow_float.h"

#include <algorithm>
#include <array>

namespace dlscope::core {
namespace {

constexpr std::array kFormats{
    NarrowFloat{DTypeCode::float_, 16, 10, 15, 0x7bff, 0x7e00, Overflow::infinity},
    NarrowFloat{DTypeCode::bfloat, 16, 7, 127, 0x7f7f, 0x7fc0, Overflow::infinity},
    NarrowFloat{DTypeCode::float8_e3m4, 8, 4, 3, 0x6f, 0x78, Overflow::infinity},
    NarrowFloat{DTypeCode::float8_e4m3, 8, 3, 7, 0x77, 0x7c, Overflow::infinity},
    NarrowFloat{DTypeCode::float8_e4m3b11fnuz, 8, 3, 11, 0x7f, 0x80, Overflow::nan, false},
    NarrowFloat{DTypeCode::float8_e4m3fn, 8, 3, 7, 0x7e, 0x7f, Overflow::nan},
    NarrowFloat{DTypeCode::float8_e4m3fnuz, 8, 3, 8, 0x7f, 0x80, Overflow::nan, false},
    NarrowFloat{DTypeCode::float8_e5m2, 8, 2, 15, 0x7b, 0x7e, Overflow::infinity},
    NarrowFloat{DTypeCode::float8_e5m2fnuz, 8, 2, 16, 0x7f, 0x80, Overflow::nan, false},
    NarrowFloat{DTypeCode::float6_e2m3fn, 6, 3, 1, 0x1f, 0, Overflow::largest},
    NarrowFloat{DTypeCode::float6_e3m2fn, 6, 2, 3, 0x1f, 0, Overflow::largest},
    NarrowFloat{DTypeCode::float4_e2m1fn, 4, 1, 1, 0x7, 0, Overflow::largest},
};

}  // namespace

const NarrowFloat* narrow_float(DType dtype) {
  const auto fits = [&](const NarrowFloat& f) { return static_cast<std::uint8_t>(f.code) == dtype.code && f.bits == dtype.bits; };
  const auto* const found = std::ranges::find_if(kFormats, fits);
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace dlscope::core
