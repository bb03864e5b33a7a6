// The loops that count values in the bins of a histogram, for block_kernels.cpp only. Included once for each instruction set.
#if defined(DLSCOPE_BIN_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_BIN_LOOPS_INL_H_
#undef DLSCOPE_BIN_LOOPS_INL_H_
#else
#define DLSCOPE_BIN_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/statistics/block_kernels.h"
#include "core/statistics/float_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Finding bins keeps the vector units busy, counting them the ones that store. A group at a time, the processor does both at once;
// groups of fewer than 128 values are slower: their bins are wanted again before they have reached the cache.
inline constexpr std::size_t kBinGroup = 256, kLineBytes = 64;

// put(i, n, bins): writes the bins of the values [i, i + n), and perhaps up to 64 bytes more.
template <class T, class Put>
HWY_INLINE void count_in_groups(std::size_t count, const std::byte* ahead, std::uint32_t* tables, const Put& put) {
  alignas(64) std::uint8_t bins[kBinGroup + 64];
  for (std::size_t i = 0; i < count; i += kBinGroup) {
    const std::size_t n = std::min(kBinGroup, count - i), whole = n / 8 * 8;
    put(i, n, bins);
    if (ahead != nullptr) {
      for (std::size_t at = i * sizeof(T); at < (i + n) * sizeof(T); at += kLineBytes) __builtin_prefetch(ahead + at);
    }
    for (std::size_t k = 0; k < whole; k += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, bins + k, sizeof eight);
      for (std::size_t table = 0; table < kBinTables; ++table) ++tables[table * 256 + (eight >> 8 * table & 255)];
    }
    for (std::size_t k = whole; k < n; ++k) ++tables[bins[k]];
  }
}

// Bins of one vector of doubles or floats, to `lanes` bytes.
template <class D>
HWY_INLINE void store_bins(D d, hn::Vec<D> x, const BinScale& scale, std::uint8_t* bins) {
  using W = hn::TFromD<D>;
  const auto from_low = hn::MulSub(x, hn::Set(d, static_cast<W>(scale.unit)), hn::Set(d, static_cast<W>(scale.low * scale.unit)));
  auto at = hn::Mul(from_low, hn::Set(d, static_cast<W>(scale.scale)));
  at = hn::IfThenZeroElse(hn::IsNaN(at), at);
  at = hn::Min(hn::Max(at, hn::Zero(d)), hn::Set(d, W{255}));
  const hn::Rebind<std::int32_t, D> di;
  const hn::Rebind<std::uint8_t, D> d8;
  if constexpr (std::is_same_v<W, double>) {
    hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(di, at)), d8, bins);
  } else {
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(di, at)), d8, bins);
  }
}

// The same of values that lie in [scale.low, scale.high]: no NaN, nothing to cut but what the roundings put behind the last bin.
template <class D>
HWY_INLINE void store_bins_inside(D d, hn::Vec<D> x, const BinScale& scale, std::uint8_t* bins) {
  using W = hn::TFromD<D>;
  constexpr W kOneIsLastBit = std::is_same_v<W, double> ? W{0x1p52} : W{0x1p23};  // added to a whole number, that is the low bits
  const auto from_low = hn::MulSub(x, hn::Set(d, static_cast<W>(scale.unit)), hn::Set(d, static_cast<W>(scale.low * scale.unit)));
  const auto at = hn::Min(hn::Floor(hn::Mul(from_low, hn::Set(d, static_cast<W>(scale.scale)))), hn::Set(d, W{255}));
  const auto whole = hn::BitCast(hn::RebindToUnsigned<D>(), hn::Add(at, hn::Set(d, kOneIsLastBit)));
  const hn::Rebind<std::uint8_t, D> d8;
  hn::StoreU(hn::TruncateTo(d8, whole), d8, bins);
}

template <class T>
void put_bins_inside(const T* from, std::size_t count, const BinScale& scale, std::uint8_t* bins) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) store_bins_inside(d, hn::LoadU(d, from + i), scale, bins + i);
  if (whole == count) return;
  const Tail<T> tail(from + whole, count - whole, lanes);
  store_bins_inside(d, hn::LoadU(d, tail.values), scale, bins + whole);
}

template <class T>
void count_bins_inside(const std::byte* values, std::size_t count, const BinScale& scale, const std::byte* ahead,
                       std::uint32_t* tables) {
  const auto* const from = reinterpret_cast<const T*>(values);
  count_in_groups<T>(count, ahead, tables, [&](std::size_t i, std::size_t n, std::uint8_t* bins) HWY_ATTR {
    put_bins_inside(from + i, n, scale, bins);
  });
}

template <class T>
void put_bins(const T* from, std::size_t count, const BinScale& scale, BinOutliers& outliers, std::uint8_t* bins) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const auto low = hn::Set(d, static_cast<T>(scale.low)), high = hn::Set(d, static_cast<T>(scale.high));
  auto below = hn::Zero(di), above = hn::Zero(di);
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto x = hn::LoadU(d, from + i);
    below = hn::Sub(below, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(x, low))));
    above = hn::Sub(above, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(high, x))));
    store_bins(d, x, scale, bins + i);
  }
  outliers.below += static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, below)));
  outliers.above += static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, above)));
  if (whole == count) return;
  const Tail<T> tail(from + whole, count - whole, lanes);
  const auto valid = hn::FirstN(d, tail.count);
  const auto x = hn::LoadU(d, tail.values);
  outliers.below += static_cast<std::uint32_t>(hn::CountTrue(d, hn::And(valid, hn::Lt(x, low))));
  outliers.above += static_cast<std::uint32_t>(hn::CountTrue(d, hn::And(valid, hn::Lt(high, x))));
  store_bins(d, x, scale, bins + whole);
}

template <class T>
void count_bins(const std::byte* values, std::size_t count, const BinScale& scale, const std::byte* ahead, BinOutliers& outliers,
                std::uint32_t* tables) {
  const auto* const from = reinterpret_cast<const T*>(values);
  outliers = {};
  count_in_groups<T>(count, ahead, tables, [&](std::size_t i, std::size_t n, std::uint8_t* bins) HWY_ATTR {
    put_bins(from + i, n, scale, outliers, bins);
  });
}

inline void put_int_bins(const std::int32_t* from, std::size_t count, bool is_unsigned, const BinScale& scale,
                         BinOutliers& outliers, std::uint8_t* bins) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<std::int32_t, decltype(dd)> d;
  const std::size_t lanes = hn::Lanes(dd), whole = count / lanes * lanes;
  const auto flips = hn::Set(d, is_unsigned ? std::numeric_limits<std::int32_t>::min() : 0);
  const auto offset = hn::Set(dd, is_unsigned ? 0x1p31 : 0.0), low = hn::Set(dd, scale.low), high = hn::Set(dd, scale.high);
  const auto put = [&](const std::int32_t* at, std::size_t valid, std::uint8_t* to) HWY_ATTR {
    const auto x = hn::Add(hn::PromoteTo(dd, hn::Xor(hn::LoadU(d, at), flips)), offset);
    const auto counts = hn::FirstN(dd, valid);
    outliers.below += static_cast<std::uint32_t>(hn::CountTrue(dd, hn::And(counts, hn::Lt(x, low))));
    outliers.above += static_cast<std::uint32_t>(hn::CountTrue(dd, hn::And(counts, hn::Lt(high, x))));
    store_bins(dd, x, scale, to);
  };
  for (std::size_t i = 0; i < whole; i += lanes) put(from + i, lanes, bins + i);
  if (whole == count) return;
  const Tail<std::int32_t> tail(from + whole, count - whole, lanes);
  put(tail.values, tail.count, bins + whole);
}

inline void put_int_bins(const std::int64_t* from, std::size_t count, bool is_unsigned, const BinScale& scale,
                         BinOutliers& outliers, std::uint8_t* bins) {
  const hn::ScalableTag<double> dd;
  const hn::ScalableTag<std::int64_t> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const std::size_t lanes = hn::Lanes(dd), whole = count / lanes * lanes;
  const auto flips = hn::Set(d, is_unsigned ? std::numeric_limits<std::int64_t>::min() : 0);
  const auto low = hn::Set(d, scale.int_low), high = hn::Set(d, scale.int_high);
  const bool halve = scale.unit != 1;  // the differences need all 64 bits
  BinScale from_low = scale;
  from_low.low = 0;
  from_low.unit = 1;
  const auto put = [&](const std::int64_t* at, std::size_t valid, std::uint8_t* to) HWY_ATTR {
    const auto x = hn::Xor(hn::LoadU(d, at), flips);
    const auto counts = hn::FirstN(d, valid);
    outliers.below += static_cast<std::uint32_t>(hn::CountTrue(d, hn::And(counts, hn::Lt(x, low))));
    outliers.above += static_cast<std::uint32_t>(hn::CountTrue(d, hn::And(counts, hn::Lt(high, x))));
    auto difference = hn::BitCast(du, hn::Sub(hn::Min(hn::Max(x, low), high), low));
    if (halve) difference = hn::ShiftRight<1>(difference);
    store_bins(dd, hn::ConvertTo(dd, hn::BitCast(d, difference)), from_low, to);
  };
  for (std::size_t i = 0; i < whole; i += lanes) put(from + i, lanes, bins + i);
  if (whole == count) return;
  const Tail<std::int64_t> tail(from + whole, count - whole, lanes);
  put(tail.values, tail.count, bins + whole);
}

template <class T>
void count_int_bins(const std::byte* values, std::size_t count, bool is_unsigned, const BinScale& scale, const std::byte* ahead,
                    BinOutliers& outliers, std::uint32_t* tables) {
  const auto* const from = reinterpret_cast<const T*>(values);
  outliers = {};
  count_in_groups<T>(count, ahead, tables, [&](std::size_t i, std::size_t n, std::uint8_t* bins) HWY_ATTR {
    put_int_bins(from + i, n, is_unsigned, scale, outliers, bins);
  });
}

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
