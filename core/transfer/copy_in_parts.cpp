#include "core/transfer/copy_in_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/workers.h"
#include "core/transfer/convert.h"
#include "core/transfer/index_box.h"
#include "core/transfer/strided_copy.h"

namespace dlscope::core {
namespace {

constexpr unsigned kMaxThreads = 4;  // more are limited by memory bandwidth

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

using Strides = std::array<std::int64_t, kMaxRank>;

LayoutView without_gaps(const IndexBox& tile, LayoutView whole, const Strides& dense) {
  return {std::span(tile.shape).first(whole.shape.size()), std::span(dense).first(whole.shape.size()), whole.item_bits};
}

bool lies_without_gaps(const IndexBox& tile, LayoutView whole, const Strides& dense) {
  for (std::size_t d = 0; d < whole.shape.size(); ++d) {
    if (tile.shape[d] > 1 && whole.stride_bits[d] != dense[d]) return false;
  }
  return true;
}

// A tile's elements one after another in the order of the target: where they are, if they lie so, else gathered in `room`.
const std::byte* gathered(const std::byte* bytes, LayoutView layout, const Tiles& tiles, const IndexBox& tile, std::byte* room) {
  const Strides dense = tiles.dense_strides(tile, layout.item_bits);
  const std::byte* const begin = bytes + tile.offset_in(layout);
  if (lies_without_gaps(tile, layout, dense)) return begin;
  static_cast<void>(copy_strided(begin, tile.layout_in(layout), room, without_gaps(tile, layout, dense)));
  return room;
}

// One thread's buffers for a tile's elements: as they are in the source, converted, and as they are in a copy.
struct TileRoom {
  Room source, converted, copy;
};

// `elements` of the source as the target has them, in `into` if they have to be converted.
const std::byte* as_wanted(const CopySource& from, const CopyTarget& to, const IndexBox& tile, const std::byte* elements,
                           std::byte* into) {
  if (from.dtype == to.dtype) return elements;
  convert_elements(from.dtype, elements, to.dtype, into, tile.elements);
  return into;
}

const std::byte* wanted(const CopySource& from, const CopyTarget& to, const Tiles& tiles, const IndexBox& tile,
                        const TileRoom& room, std::byte* into) {
  return as_wanted(from, to, tile, gathered(from.bytes, from.layout, tiles, tile, room.source.bytes.get()), into);
}

void convert_tile(const CopySource& from, const CopyTarget& to, const Tiles& tiles, const IndexBox& tile, const TileRoom& room) {
  const Strides dense = tiles.dense_strides(tile, to.layout.item_bits);
  std::byte* const place = to.bytes + tile.offset_in(to.layout);
  if (lies_without_gaps(tile, to.layout, dense)) {
    static_cast<void>(wanted(from, to, tiles, tile, room, place));
    return;
  }
  const std::byte* const elements = wanted(from, to, tiles, tile, room, room.converted.bytes.get());
  static_cast<void>(copy_strided(elements, without_gaps(tile, to.layout, dense), place, tile.layout_in(to.layout)));
}

bool is_copied_tile(const CopySource& from, const CopyTarget& made, const Tiles& tiles, const IndexBox& tile,
                    const TileRoom& room, const SeeConverted& see) {
  const std::byte* const elements = gathered(from.bytes, from.layout, tiles, tile, room.source.bytes.get());
  const std::byte* const expected = as_wanted(from, made, tile, elements, room.converted.bytes.get());
  if (see && from.dtype != made.dtype) see(elements, expected, tile.elements);
  const std::byte* const found = gathered(made.bytes, made.layout, tiles, tile, room.copy.bytes.get());
  const std::uint64_t bits = tile.elements * made.layout.item_bits;
  if (std::memcmp(expected, found, bits / 8) != 0) return false;
  const auto rest = static_cast<unsigned>(bits % 8);  // the unused bits of the last byte belong to no element
  if (rest == 0) return true;
  return (std::to_integer<unsigned>(expected[bits / 8] ^ found[bits / 8]) & ((1U << rest) - 1)) == 0;
}

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

// The tiles of a part after another, on several threads, each with its own buffers.
class TileWork {
 public:
  static Result<TileWork> make(const CopySource& from, const CopyTarget& to, std::uint64_t part_elements, bool compares) {
    constexpr std::uint64_t kTileBytes = 384 << 10;  // the level-2 caches of today have at least 512 KiB
    TileWork made;
    const bool whole_bytes = from.layout.item_bits % 8 == 0 && to.layout.item_bits % 8 == 0;
    if (whole_bytes) made.most_ = std::max<std::uint64_t>(1, kTileBytes * 8 / (from.layout.item_bits + to.layout.item_bits));
    const std::uint64_t elements = std::min(made.most_, part_elements);
    // Packed elements are one tile, as large as the tensor, which gets no buffer that it does not need.
    IndexBox all;
    const bool one_tile = !whole_bytes && Parts(to.layout.shape, made.most_).next(all);
    const Tiles tiles(all, from.layout, to.layout, made.most_);
    const auto bits_to_gather = [&](LayoutView layout) {
      const bool lies = one_tile && lies_without_gaps(all, layout, tiles.dense_strides(all, layout.item_bits));
      return lies ? 0 : layout.item_bits;
    };
    const std::uint32_t source = bits_to_gather(from.layout), target = bits_to_gather(to.layout);
    const std::uint32_t converted = from.dtype == to.dtype ? 0 : compares ? to.layout.item_bits : target;
    made.rooms_.resize(whole_bytes ? with_threads(part_elements * to.layout.item_bits / 8).threads : 1);
    for (TileRoom& room : made.rooms_) {
      for (const auto& [buffer, bits] : {std::pair{&room.source, source}, std::pair{&room.converted, converted},
                                         std::pair{&room.copy, compares ? target : 0}}) {
        auto bytes = room_for((elements * bits + 7) / 8);
        if (!bytes) return std::unexpected(bytes.error());
        *buffer = std::move(*bytes);
      }
    }
    return made;
  }

  // Calls work(tiles, tile, room) for each tile of the part until one call returns false; whether none has.
  template <class Work>
  [[nodiscard]] bool all_of(const IndexBox& part, LayoutView from, LayoutView to, Work work) const {
    const Tiles tiles(part, from, to, most_);
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> good = true;
    run_workers(std::min<std::uint64_t>(rooms_.size(), tiles.count()), [&](std::size_t worker) {
      for (std::uint64_t i = next++; i < tiles.count() && good; i = next++) {
        if (!work(tiles, tiles.at(i), rooms_[worker])) good = false;
      }
    });
    return good;
  }

 private:
  std::uint64_t most_ = ~std::uint64_t{0};  // elements of a tile
  std::vector<TileRoom> rooms_;
};

}  // namespace

Result<bool> copy_in_parts(const CopySource& from, const CopyTarget& to, const CopyProgress& progress, std::uint64_t part_bytes) {
  if (const auto fits = check_item_sizes(from, to); !fits) return std::unexpected(fits.error());
  const std::uint64_t most = elements_a_part(from, to, part_bytes);
  Parts parts(from.layout.shape, most);
  const std::uint64_t total = (parts.elements() * to.layout.item_bits + 7) / 8;
  std::optional<TileWork> conversion;
  if (from.dtype != to.dtype) {
    auto made = TileWork::make(from, to, std::min(most, parts.elements()), false);
    if (!made) return std::unexpected(made.error());
    conversion.emplace(std::move(*made));
  }
  const auto convert = [&](const Tiles& tiles, const IndexBox& tile, const TileRoom& room) {
    convert_tile(from, to, tiles, tile, room);
    return true;
  };
  std::uint64_t done = 0;
  for (IndexBox part; parts.next(part);) {
    if (!progress(done * to.layout.item_bits / 8, total)) return false;
    if (conversion)
      static_cast<void>(conversion->all_of(part, from.layout, to.layout, convert));
    else
      static_cast<void>(copy_strided(from.bytes + part.offset_in(from.layout), part.layout_in(from.layout),
                                     to.bytes + part.offset_in(to.layout), part.layout_in(to.layout),
                                     with_threads(part.elements * to.layout.item_bits / 8)));
    done += part.elements;
  }
  return progress(total, total);
}

Result<std::optional<bool>> is_copy_of(const CopySource& from, const CopyTarget& made, const CopyProgress& progress,
                                       std::uint64_t part_bytes, const SeeConverted& see) {
  if (const auto fits = check_item_sizes(from, made); !fits) return std::unexpected(fits.error());
  const std::uint64_t most = elements_a_part(from, made, part_bytes);
  Parts parts(from.layout.shape, most);
  const std::uint64_t total = (parts.elements() * made.layout.item_bits + 7) / 8;
  const auto comparison = TileWork::make(from, made, std::min(most, parts.elements()), true);
  if (!comparison) return std::unexpected(comparison.error());
  const auto compare = [&](const Tiles& tiles, const IndexBox& tile, const TileRoom& room) {
    return is_copied_tile(from, made, tiles, tile, room, see);
  };
  std::uint64_t done = 0;
  for (IndexBox part; parts.next(part);) {
    if (!progress(done * made.layout.item_bits / 8, total)) return std::optional<bool>();
    if (!comparison->all_of(part, from.layout, made.layout, compare)) return std::optional(false);
    done += part.elements;
  }
  if (!progress(total, total)) return std::optional<bool>();
  return std::optional(true);
}

}  // namespace dlscope::core
