#include "core/elements/move_values.h"

#include <algorithm>
#include <cstring>

namespace dlscope::core {
namespace {

// `Bytes` each, `stride` apart, to one after another.
template <std::size_t Bytes>
void copy_strided(const std::byte* from, std::int64_t stride, std::uint64_t count, std::byte* to) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, Bytes);
    from += stride;
    to += Bytes;
  }
}

// Rows of one to one after another: `stretches` rows of `count` values.
template <std::size_t Bytes>
void copy_rows_of(const Stretches& rows, std::byte* to) {
  const std::byte* from = rows.from;
  for (std::uint64_t i = 0; i < rows.stretches; ++i, from += rows.across) {
    copy_strided<Bytes>(from, rows.along, rows.count, to);
    to += rows.count * Bytes;
  }
}

// Rows that are dense, of at most Chunk bytes, and lie at least as far apart: a whole chunk at a time, of which the next row overwrites
// what is too much.
template <std::size_t Chunk>
void copy_chunks(const Stretches& rows, std::size_t row_bytes, std::byte* to) {
  const std::byte* from = rows.from;
  std::uint64_t left = rows.stretches;
  // Behind the last rows nothing may be read or written.
  const std::uint64_t exact = std::min<std::uint64_t>(left, Chunk / row_bytes + 1);
  for (; left > exact; --left, from += rows.across, to += row_bytes) std::memcpy(to, from, Chunk);
  for (; left > 0; --left, from += rows.across, to += row_bytes) std::memcpy(to, from, row_bytes);
}

}  // namespace

void copy_values(std::size_t bytes, const std::byte* from, std::int64_t stride, std::uint64_t count, std::byte* to) {
  if (stride == static_cast<std::int64_t>(bytes) || count == 1) {
    std::memcpy(to, from, bytes * count);
    return;
  }
  switch (bytes) {
    case 1:
      return copy_strided<1>(from, stride, count, to);
    case 2:
      return copy_strided<2>(from, stride, count, to);
    case 4:
      return copy_strided<4>(from, stride, count, to);
    case 8:
      return copy_strided<8>(from, stride, count, to);
    case 16:
      return copy_strided<16>(from, stride, count, to);
    default:
      for (std::uint64_t i = 0; i < count; ++i, from += stride, to += bytes) std::memcpy(to, from, bytes);
  }
}

bool copy_rows(std::size_t bytes, const Stretches& rows, std::byte* to) {
  const std::size_t row_bytes = bytes * rows.count;
  const bool dense = rows.along == static_cast<std::int64_t>(bytes) && rows.across >= static_cast<std::int64_t>(row_bytes);
  if (dense && row_bytes <= 16) {
    copy_chunks<16>(rows, row_bytes, to);
  } else if (dense && row_bytes <= 32) {
    copy_chunks<32>(rows, row_bytes, to);
  } else if (dense && row_bytes <= 64) {
    copy_chunks<64>(rows, row_bytes, to);
  } else if (bytes == 1) {
    copy_rows_of<1>(rows, to);
  } else if (bytes == 2) {
    copy_rows_of<2>(rows, to);
  } else if (bytes == 4) {
    copy_rows_of<4>(rows, to);
  } else if (bytes == 8) {
    copy_rows_of<8>(rows, to);
  } else if (bytes == 16) {
    copy_rows_of<16>(rows, to);
  } else {
    return false;
  }
  return true;
}

void copy_bits(const std::byte* base, std::uint64_t bit, unsigned width, std::byte* to) {
  for (unsigned done = 0; done < width; done += 8) {
    const unsigned wanted = std::min(8u, width - done);
    const std::byte* const at = base + (bit + done) / 8;
    const auto shift = static_cast<unsigned>((bit + done) % 8);
    unsigned value = static_cast<unsigned>(at[0]) >> shift;
    if (shift + wanted > 8) value |= static_cast<unsigned>(at[1]) << (8 - shift);
    *to++ = static_cast<std::byte>(value & ((1u << wanted) - 1));
  }
}

void split_nibbles(const std::byte* from, std::uint64_t count, std::byte* to) {
  for (std::uint64_t i = 0; i < count / 2; ++i) {
    to[2 * i] = from[i] & std::byte{15};
    to[2 * i + 1] = from[i] >> 4;
  }
  if (count % 2 != 0) to[count - 1] = from[count / 2] & std::byte{15};
}

}  // namespace dlscope::core
