#include "core/transfer/copy_in_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <thread>

#include "core/transfer/convert.h"
#include "core/transfer/strided_copy.h"

namespace dlscope::core {
namespace {

constexpr unsigned kMaxThreads = 4;  // more are limited by memory bandwidth

// A box of the index space: whole inner axes, a range of one axis, and single indices of the axes outside it.
struct Part {
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> start{};
  std::uint64_t elements = 0;
};

// Divides the index space into boxes of at most `most` elements, in C order. (Elements that are not whole bytes need one box for
// all, because a part cannot begin inside a byte.)
class Parts {
 public:
  Parts(std::span<const std::int64_t> shape, std::uint64_t most) : shape_(shape), axis_(0) {
    elements_ = 1;
    for (const std::int64_t n : shape) elements_ *= static_cast<std::uint64_t>(n);
    inner_ = elements_;
    while (axis_ < shape.size() && inner_ > most) inner_ /= static_cast<std::uint64_t>(shape[axis_++]);
    // Axes [0, axis_) are divided: the last of them into ranges of as many indices as fit, the others into single indices.
    if (axis_ > 0) range_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(most / std::max<std::uint64_t>(inner_, 1)));
  }
  [[nodiscard]] std::uint64_t elements() const { return elements_; }

  [[nodiscard]] bool next(Part& part) {
    if (over_ || elements_ == 0) return false;
    std::ranges::copy(shape_, part.shape.begin());
    part.start = at_;
    part.elements = inner_;
    if (axis_ == 0) return over_ = true;
    for (std::size_t d = 0; d + 1 < axis_; ++d) part.shape[d] = 1;
    const std::size_t cut = axis_ - 1;
    part.shape[cut] = std::min(range_, shape_[cut] - at_[cut]);
    part.elements = inner_ * static_cast<std::uint64_t>(part.shape[cut]);
    advance(cut);
    return true;
  }

 private:
  void advance(std::size_t cut) {
    at_[cut] += range_;
    for (std::size_t d = cut; at_[d] >= shape_[d]; --d) {
      at_[d] = 0;
      if (d == 0) {
        over_ = true;
        return;
      }
      ++at_[d - 1];
    }
  }
  std::span<const std::int64_t> shape_;
  std::size_t axis_;
  std::uint64_t elements_ = 1, inner_ = 1;
  std::int64_t range_ = 1;
  std::array<std::int64_t, kMaxRank> at_{};
  bool over_ = false;
};

LayoutView layout_of(const Part& part, LayoutView whole) {
  return {std::span(part.shape).first(whole.shape.size()), whole.stride_bits, whole.item_bits};
}

std::int64_t offset_of(const Part& part, LayoutView whole) {
  std::int64_t bits = 0;
  for (std::size_t d = 0; d < whole.shape.size(); ++d) bits += part.start[d] * whole.stride_bits[d];
  return bits / 8;
}

CopyOptions with_threads(std::uint64_t bytes) {
  constexpr std::uint64_t kWorthAThread = std::uint64_t{2} << 20;
  const auto most = std::min<std::uint64_t>(kMaxThreads, std::max(1U, std::thread::hardware_concurrency()));
  return {.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / kWorthAThread, 1, most)), .stop = {}};
}

struct Room {
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes;
};

Result<Room> room_for(std::uint64_t bytes) {
  Room room;
  room.bytes.reset(static_cast<std::byte*>(std::aligned_alloc(64, (std::max<std::uint64_t>(bytes, 1) + 63) / 64 * 64)));
  if (!room.bytes) return fail(ErrorKind::environment, "there is not enough memory for a part of the copy");
  return room;
}

// Buffers for one part's elements, contiguous in C order: in the source's dtype, and converted to the target's.
class Gathering {
 public:
  static Result<Gathering> make(const CopySource& from, DType target, std::uint64_t part_elements) {
    Gathering made;
    made.target_ = target;
    auto room = room_for((part_elements * from.layout.item_bits + 7) / 8);
    if (!room) return std::unexpected(room.error());
    made.gathered_ = std::move(*room);
    if (target == from.dtype) return made;
    auto converted = room_for((part_elements * target.item_bits() + 7) / 8);
    if (!converted) return std::unexpected(converted.error());
    made.converted_ = std::move(*converted);
    return made;
  }

  [[nodiscard]] const std::byte* of(const CopySource& from, const Part& part) {
    gather(from.bytes, from.layout, part, gathered_.bytes.get());
    if (target_ == from.dtype) return gathered_.bytes.get();
    convert_elements(from.dtype, gathered_.bytes.get(), target_, converted_.bytes.get(), part.elements);
    return converted_.bytes.get();
  }

  static void gather(const std::byte* bytes, LayoutView layout, const Part& part, std::byte* to) {
    const LayoutView there = layout_of(part, layout);
    std::array<std::int64_t, kMaxRank> dense{};
    const auto strides = std::span(dense).first(layout.shape.size());
    static_cast<void>(c_order_strides(there.shape, layout.item_bits, strides));
    static_cast<void>(copy_strided(bytes + offset_of(part, layout), there, to, {there.shape, strides, layout.item_bits},
                                   with_threads(part.elements * layout.item_bits / 8)));
  }

 private:
  DType target_;
  Room gathered_, converted_;
};

std::uint64_t elements_a_part(const CopySource& from, const CopyTarget& to, std::uint64_t part_bytes) {
  const std::uint32_t bits = std::max(from.layout.item_bits, to.layout.item_bits);
  if (from.layout.item_bits % 8 != 0 || to.layout.item_bits % 8 != 0) return ~std::uint64_t{0};
  return std::max<std::uint64_t>(1, part_bytes * 8 / bits);
}

// One dtype may have items of two sizes: a sub-byte type packed, or padded to whole bytes. Elements are only moved between equal ones.
Result<void> check_item_sizes(const CopySource& from, const CopyTarget& to) {
  const bool converts = from.dtype != to.dtype;
  const std::uint32_t source = converts ? from.dtype.item_bits() : from.layout.item_bits;
  const std::uint32_t target = converts ? to.dtype.item_bits() : from.layout.item_bits;
  if (from.layout.item_bits == source && to.layout.item_bits == target) return {};
  return fail(ErrorKind::unsupported, fmt::format("the elements of one are {} bits apart and those of the other {}",
                                                  from.layout.item_bits, to.layout.item_bits));
}

// Copies the C-order elements of a part into the target's layout.
void scatter(const std::byte* elements, const CopyTarget& to, const Part& part) {
  const LayoutView there = layout_of(part, to.layout);
  std::array<std::int64_t, kMaxRank> dense{};
  const auto strides = std::span(dense).first(to.layout.shape.size());
  static_cast<void>(c_order_strides(there.shape, to.layout.item_bits, strides));
  static_cast<void>(
      copy_strided(elements, {there.shape, strides, to.layout.item_bits}, to.bytes + offset_of(part, to.layout), there));
}

}  // namespace

Result<bool> copy_in_parts(const CopySource& from, const CopyTarget& to, const CopyProgress& progress, std::uint64_t part_bytes) {
  if (const auto fits = check_item_sizes(from, to); !fits) return std::unexpected(fits.error());
  const std::uint64_t most = elements_a_part(from, to, part_bytes);
  Parts parts(from.layout.shape, most);
  const std::uint64_t total = (parts.elements() * to.layout.item_bits + 7) / 8;
  std::optional<Gathering> gathering;
  if (from.dtype != to.dtype) {
    auto made = Gathering::make(from, to.dtype, std::min(most, parts.elements()));
    if (!made) return std::unexpected(made.error());
    gathering.emplace(std::move(*made));
  }
  std::uint64_t done = 0;
  for (Part part; parts.next(part);) {
    if (!progress(done * to.layout.item_bits / 8, total)) return false;
    if (gathering)
      scatter(gathering->of(from, part), to, part);
    else
      static_cast<void>(copy_strided(from.bytes + offset_of(part, from.layout), layout_of(part, from.layout),
                                     to.bytes + offset_of(part, to.layout), layout_of(part, to.layout),
                                     with_threads(part.elements * to.layout.item_bits / 8)));
    done += part.elements;
  }
  return progress(total, total);
}

Result<std::optional<bool>> is_copy_of(const CopySource& from, const CopyTarget& made, const CopyProgress& progress,
                                       std::uint64_t part_bytes) {
  if (const auto fits = check_item_sizes(from, made); !fits) return std::unexpected(fits.error());
  const std::uint64_t most = elements_a_part(from, made, part_bytes);
  Parts parts(from.layout.shape, most);
  const std::uint64_t part_elements = std::min(most, parts.elements());
  const std::uint64_t total = (parts.elements() * made.layout.item_bits + 7) / 8;
  auto expected = Gathering::make(from, made.dtype, part_elements);
  auto found = room_for((part_elements * made.layout.item_bits + 7) / 8);
  if (!expected) return std::unexpected(expected.error());
  if (!found) return std::unexpected(found.error());
  // The unused bits of the last byte belong to no element.
  const std::uint64_t room = (part_elements * made.layout.item_bits + 7) / 8;
  std::memset(found->bytes.get(), 0, room);
  std::uint64_t done = 0;
  for (Part part; parts.next(part);) {
    if (!progress(done * made.layout.item_bits / 8, total)) return std::optional<bool>();
    const std::byte* const wanted = expected->of(from, part);
    Gathering::gather(made.bytes, made.layout, part, found->bytes.get());
    const std::uint64_t bits = part.elements * made.layout.item_bits;
    if (std::memcmp(wanted, found->bytes.get(), bits / 8) != 0) return std::optional(false);
    if (const auto rest = static_cast<unsigned>(bits % 8); rest != 0) {
      const auto difference = std::to_integer<unsigned>(wanted[bits / 8] ^ found->bytes.get()[bits / 8]);
      if ((difference & ((1U << rest) - 1)) != 0) return std::optional(false);
    }
    done += part.elements;
  }
  if (!progress(total, total)) return std::optional<bool>();
  return std::optional(true);
}

}  // namespace dlscope::core
