#include "core/elements/element_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "core/elements/move_values.h"
#include "core/elements/reverse_bytes.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kScratchBytes = std::size_t{256} << 10;  // stays in the second-level cache
// Bytes between two values that are rather copied along than left out: a piece of its own costs the kernel more.
constexpr std::uint64_t kSmallGap = 512;
constexpr std::size_t kMaxPieces = 4096;
constexpr std::uint64_t kMinRowsBytes = 4096;  // of rows that are read in a piece of their own
constexpr std::uint64_t kShortRow = 64;          // values: rows of fewer are moved many at a time

std::size_t bytes_of_bits(std::uint64_t bits) { return static_cast<std::size_t>((bits + 7) / 8); }

}  // namespace

ElementReader::ElementReader(Address base, const AffineAxes& bits, unsigned value_bits, ElementSource source,
                             std::uint64_t most_values)
    : base_(base),
      bits_(&bits),
      value_bits_(value_bits),
      source_(source),
      most_values_(std::max<std::uint64_t>(most_values, 1)),
      value_bytes_(bytes_of_bits(value_bits)),
      whole_bytes_(false),
      values_(bits.places() * value_bytes_),
      scratch_(bits.places() * value_bytes_) {
  retarget(base, bits);
}

void ElementReader::retarget(Address base, const AffineAxes& bits) {
  base_ = base;
  bits_ = &bits;
  whole_bytes_ = value_bits_ % 8 == 0 && bits.origin % 8 == 0;
  for (const AffineAxes::Axis& axis : bits.axes) whole_bytes_ = whole_bytes_ && axis.step % 8 == 0;
  constexpr std::int64_t kLineBits = 64 * 8;  // of the cache
  transposed_ = whole_bytes_ && std::has_single_bit(value_bytes_) && value_bytes_ <= 16 && bits.axes.size() > 1 &&
            std::abs(bits.axes[0].step) >= kLineBits && std::abs(bits.axes[1].step) < kLineBits;
  short_rows_ = !transposed_ && whole_bytes_ && std::has_single_bit(value_bytes_) && value_bytes_ <= 16 && bits.axes.size() > 1 &&
                bits.axes[0].count <= kShortRow;
}

// How many whole rows of the first axis begin at a place; 0 where that is no gain.
std::uint64_t ElementReader::rows_at(std::uint64_t place, std::uint64_t to) const {
  if (!(transposed_ || short_rows_) || place % bits_->axes[0].count != 0) return 0;
  const std::uint64_t row = place / bits_->axes[0].count % bits_->axes[1].count;
  const std::uint64_t rows = std::min(bits_->axes[1].count - row, (to - place) / bits_->axes[0].count);
  return rows > 1 ? rows : 0;
}

bool ElementReader::is_straight(const AffineRun& run) const {
  return whole_bytes_ && (run.count == 1 || run.step == value_bits_);
}

// Unpacks a run whose bit positions count from `base`.
void ElementReader::unpack(const std::byte* base, const AffineRun& run, std::byte* out) const {
  const unsigned width = value_bits_;
  const auto first = static_cast<std::uint64_t>(run.first);
  if (whole_bytes_) return copy_values(value_bytes_, base + first / 8, run.step / 8, run.count, out);
  if (width == 4 && run.step == 4 && first % 8 == 0) return split_nibbles(base + first / 8, run.count, out);
  if (width < 8 && run.step % 8 == 0 && first % 8 == 0) {  // a byte each, whose high bits mean nothing
    copy_values(1, base + first / 8, run.step / 8, run.count, out);
    for (std::uint64_t i = 0; i < run.count; ++i) out[i] &= static_cast<std::byte>((1U << width) - 1);
    return;
  }
  auto bit = first;
  for (std::uint64_t i = 0; i < run.count; ++i, bit += static_cast<std::uint64_t>(run.step), out += value_bytes_) {
    copy_bits(base, bit, width, out);
  }
}

Result<ElementReader::Window> ElementReader::read(std::uint64_t from, std::uint64_t to, std::uint64_t granule) {
  const std::uint64_t left = to - from;
  const auto whole = [&](std::uint64_t count) { return count >= left ? left : count / granule * granule; };
  AffineRun run;
  AffineCursor cursor(*bits_, from, to);
  static_cast<void>(cursor.next(run));
  const bool of_many = short_rows_ && run.count < left;  // a window of one short row would cost more than its copy
  const std::uint64_t at_once = is_straight(run) && !of_many ? whole(run.count) : 0;
  const Address address = base_ + static_cast<std::uint64_t>(run.first) / 8;
  const bool is_held = source_.reader == nullptr, is_reversed = source_.reversed_bytes != 0;
  if (at_once > 0 && is_held && !is_reversed) return Window{reinterpret_cast<const std::byte*>(address), at_once, 0};

  const std::uint64_t count = whole(std::min(at_once > 0 ? at_once : left, most_values_));
  const std::span<std::byte> room = values_.first(most_values_ * value_bytes_).first(count * value_bytes_);
  if (at_once > 0 && is_held) {
    reverse_bytes(source_.reversed_bytes, {reinterpret_cast<const std::byte*>(address), room.size()}, room.data());
    return Window{values_.data(), count, count < at_once ? address + room.size() : 0};
  }
  if (at_once > 0) {
    const auto read = read_checked(address, room);
    if (!read) return std::unexpected(read.error());
  } else if (is_held) {
    gather_held(from, count);
  } else if (const auto read = gather_checked(from, count); !read) {
    return std::unexpected(read.error());
  }
  if (is_reversed) reverse_bytes(source_.reversed_bytes, room, room.data());
  return Window{values_.data(), count, count < at_once ? address + room.size() : 0};
}

// Rows of the first axis, each where the second one puts it from `from` on.
void ElementReader::move_rows(const std::byte* from, std::uint64_t rows, std::byte* out) const {
  const auto &first = bits_->axes[0], &second = bits_->axes[1];
  if (transposed_) {
    static_cast<void>(transpose_values(value_bytes_, {from, first.step / 8, second.step / 8, first.count, rows}, out));
  } else {
    static_cast<void>(copy_rows(value_bytes_, {from, second.step / 8, first.step / 8, rows, first.count}, out));
  }
}

void ElementReader::gather_held(std::uint64_t from, std::uint64_t count) {
  const auto* const base = reinterpret_cast<const std::byte*>(base_);
  for (std::uint64_t place = from; place < from + count;) {
    if (const std::uint64_t rows = rows_at(place, from + count); rows > 0) {
      move_rows(base + bits_->at(place) / 8, rows, out_at(place - from));
      place += rows * bits_->axes[0].count;
      continue;
    }
    // The rest of a row that was begun, or everything.
    const bool by_rows = transposed_ || short_rows_;
    const std::uint64_t row_ends = by_rows ? (place / bits_->axes[0].count + 1) * bits_->axes[0].count : from + count;
    AffineCursor cursor(*bits_, place, std::min(row_ends, from + count));
    for (AffineRun run; cursor.next(run); place += run.count) unpack(base, run, out_at(run.place - from));
  }
}

Result<void> ElementReader::read_checked(Address from, std::span<std::byte> out) const {
  const std::size_t got = source_.reader->read(from, out);
  if (got == out.size()) return {};
  const std::string why = source_.reader->problem();
  return fail(ErrorKind::environment,
              fmt::format("the byte at {:#x} cannot be read{}{}", from + got, why.empty() ? "" : ": ", why));
}

Result<void> ElementReader::gather_checked(std::uint64_t from, std::uint64_t count) {
  static_cast<void>(scratch_.first(kScratchBytes + 64));
  pieces_.clear();  // of a call that failed
  reads_.clear();
  scratch_used_ = 0;
  const unsigned width = value_bits_;
  const AffineAxes& axes = *bits_;
  // A run is cut where its bytes, gaps included, would not fit; far apart, each value is a run of its own.
  const auto step = axes.axes.empty() ? 0 : static_cast<std::uint64_t>(std::abs(axes.axes.front().step));
  const std::uint64_t most = step == 0 || step > kSmallGap * 8 ? 1 : (kScratchBytes / 2 * 8 - width) / step;
  for (std::uint64_t place = from; place < from + count;) {
    if (const std::uint64_t rows = rows_at(place, from + count); transposed_ && rows > 0) {
      if (const auto planned = plan_transposed(place, rows, place - from); !planned) return planned;
      place += rows * axes.axes[0].count;
      continue;
    } else if (const std::uint64_t close = rows_to_read(rows); close > 0) {
      if (const auto read = read_rows(place, close, place - from); !read) return read;
      place += close * axes.axes[0].count;
      continue;
    }
    const std::uint64_t row_ends = transposed_ || short_rows_ ? (place / axes.axes[0].count + 1) * axes.axes[0].count : from + count;
    AffineCursor cursor(axes, place, std::min(row_ends, from + count));
    for (AffineRun run; cursor.next(run, most); place += run.count) {
      if (const auto room = make_room(run); !room) return room;
      plan(run, run.place - from);
    }
  }
  return fetch();
}

// Of so many short rows: how many are best read in one piece, with what lies between them; 0: none.
std::uint64_t ElementReader::rows_to_read(std::uint64_t rows) const {
  if (!short_rows_ || rows == 0) return 0;
  const auto &first = bits_->axes[0], &second = bits_->axes[1];
  const auto row = static_cast<std::uint64_t>(std::abs(first.step)) * (first.count - 1) + value_bits_;
  const auto step = static_cast<std::uint64_t>(std::abs(second.step));
  const auto gap_inside =
      static_cast<std::uint64_t>(std::abs(first.step)) - std::min<std::uint64_t>(std::abs(first.step), value_bits_);
  if (gap_inside > kSmallGap * 8 || step > row + kSmallGap * 8 || step == 0 || step * rows < kMinRowsBytes * 8) return 0;
  return std::min(rows, (kScratchBytes * 8 - row) / step + 1);
}

Result<void> ElementReader::read_rows(std::uint64_t place, std::uint64_t rows, std::uint64_t to) {
  if (const auto before = fetch(); !before) return before;  // the room is taken
  const auto &first = bits_->axes[0], &second = bits_->axes[1];
  const std::int64_t begin = bits_->at(place) / 8;
  const std::int64_t ends[] = {first.step / 8 * static_cast<std::int64_t>(first.count - 1),
                               second.step / 8 * static_cast<std::int64_t>(rows - 1)};
  const std::int64_t lowest = std::min<std::int64_t>(ends[0], 0) + std::min<std::int64_t>(ends[1], 0);
  const auto size = static_cast<std::size_t>(std::abs(ends[0]) + std::abs(ends[1])) + value_bytes_;
  const Address address = base_ + static_cast<std::uint64_t>(begin + lowest);
  if (const auto read = read_checked(address, scratch_.first(size)); !read) return read;
  move_rows(scratch_.data() - lowest, rows, out_at(to));
  return {};
}

// The values of so many rows, stretch by stretch.
Result<void> ElementReader::plan_transposed(std::uint64_t place, std::uint64_t rows, std::uint64_t to) {
  const auto &across = bits_->axes[0], &along = bits_->axes[1];
  const std::uint64_t most =
      (kScratchBytes / 2 * 8 - value_bits_) / static_cast<std::uint64_t>(std::max<std::int64_t>(std::abs(along.step), 1));
  for (std::uint64_t done = 0; done < rows; done += most) {
    const std::int64_t first = bits_->at(place + done * across.count);
    for (std::uint64_t i = 0; i < across.count; ++i) {
      const AffineRun run{place, first + across.step * static_cast<std::int64_t>(i), along.step, std::min(most, rows - done)};
      if (const auto room = make_room(run); !room) return room;
      plan(run, to + done * across.count + i, across.count);
    }
  }
  return {};
}

// Reads what was planned where the run would not fit beside it.
Result<void> ElementReader::make_room(const AffineRun& run) {
  const std::size_t bytes = bytes_of_bits(7 + static_cast<std::uint64_t>(std::abs(run.step)) * (run.count - 1) + value_bits_);
  if (pieces_.size() < kMaxPieces && scratch_used_ + bytes <= kScratchBytes) return {};
  return fetch();
}

// Puts a run down to be read, together with the one before it where they lie close.
void ElementReader::plan(const AffineRun& run, std::uint64_t to, std::uint64_t spread) {
  const std::int64_t span = run.step * static_cast<std::int64_t>(run.count - 1);
  const auto lowest = static_cast<std::uint64_t>(run.first + std::min<std::int64_t>(span, 0));
  const auto behind = static_cast<std::uint64_t>(run.first) - lowest / 8 * 8;  // the first value's bit from the lowest one's byte
  const Address begin = base_ + lowest / 8;
  const std::size_t size = bytes_of_bits(lowest % 8 + static_cast<std::uint64_t>(std::abs(span)) + value_bits_);
  if (!reads_.empty()) {
    Read& last = reads_.back();
    const std::uint64_t distance = begin - last.from;
    if (begin >= last.from && distance <= last.size + kSmallGap && last.offset + distance + size <= kScratchBytes) {
      last.size = std::max<std::size_t>(last.size, distance + size);
      scratch_used_ = last.offset + last.size;
      pieces_.push_back(
          {{run.place, static_cast<std::int64_t>((last.offset + distance) * 8 + behind), run.step, run.count}, to, spread});
      return;
    }
  }
  reads_.push_back({begin, scratch_used_, size});
  pieces_.push_back({{run.place, static_cast<std::int64_t>(scratch_used_ * 8 + behind), run.step, run.count}, to, spread});
  scratch_used_ += size;
}

// Reads what was planned, pieces of one size together, and unpacks it.
Result<void> ElementReader::fetch() {
  for (std::size_t first = 0; first < reads_.size();) {
    std::size_t end = first + 1;
    while (end < reads_.size() && reads_[end].size == reads_[first].size) ++end;
    if (const auto read = fetch_equal(first, end - first); !read) return read;
    first = end;
  }
  for (const Piece& piece : pieces_) {
    if (piece.spread == 1) {
      unpack(scratch_.data(), piece.run, out_at(piece.to));
      continue;
    }
    const std::byte* from = scratch_.data() + piece.run.first / 8;
    std::uint64_t to = piece.to;
    for (std::uint64_t i = 0; i < piece.run.count; ++i, from += piece.run.step / 8, to += piece.spread)
      std::memcpy(out_at(to), from, value_bytes_);
  }
  pieces_.clear();
  reads_.clear();
  scratch_used_ = 0;
  return {};
}

Result<void> ElementReader::fetch_equal(std::size_t first, std::size_t count) {
  const std::size_t each = reads_[first].size;
  const auto out = scratch_.first(kScratchBytes).subspan(reads_[first].offset, each * count);
  if (count == 1) return read_checked(reads_[first].from, out);
  addresses_.clear();
  for (std::size_t i = 0; i < count; ++i) addresses_.push_back(reads_[first + i].from);
  complete_.assign(count, 0);
  source_.reader->gather(addresses_, each, out, complete_);
  for (std::size_t i = 0; i < count; ++i) {
    if (complete_[i] != 0) continue;
    // Once more, for the address that is at fault.
    if (const auto read = read_checked(addresses_[i], out.subspan(i * each, each)); !read) return read;
  }
  return {};
}

}  // namespace dlscope::core
