// Stretches that lie beside each other, as the columns of a transposed array do: the first value of each, then the second ones, and so
// on. Where the values of a stretch are neighbours, squares of them are transposed in registers.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/elements/move_values.h"

namespace dlscope::core {
namespace {

// Of a stretch. Lines that are wanted together are fetched together; with many more of them, what is written would leave the
// first-level cache before it is whole.
constexpr std::size_t kLinesAtOnce = 4;
constexpr std::size_t kLineBytes = 64, kVectorBytes = 16;  // of the cache; of the registers every machine has

template <class T>
struct Transposing {
  static constexpr std::size_t kLanes = kVectorBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  struct Square {
    Vector rows[kLanes];
  };

  // Lanes of a and b in turn: of their first halves, of their second ones.
  template <std::size_t... Lane>
  static Vector first_halves(Vector a, Vector b, std::index_sequence<Lane...> /*lanes*/) {
    return __builtin_shufflevector(a, b, (Lane / 2 + Lane % 2 * kLanes)...);
  }
  template <std::size_t... Lane>
  static Vector second_halves(Vector a, Vector b, std::index_sequence<Lane...> /*lanes*/) {
    return __builtin_shufflevector(a, b, (kLanes / 2 + Lane / 2 + Lane % 2 * kLanes)...);
  }

  // Rows that lie half a square apart are put together lane by lane, as often as the lanes can be halved: then each row is a column.
  static Square transposed(Square square) {
    constexpr auto kAll = std::make_index_sequence<kLanes>();
    for (std::size_t left = kLanes; left > 1; left /= 2) {
      Square next;
      for (std::size_t i = 0; i < kLanes / 2; ++i) {
        next.rows[2 * i] = first_halves(square.rows[i], square.rows[i + kLanes / 2], kAll);
        next.rows[2 * i + 1] = second_halves(square.rows[i], square.rows[i + kLanes / 2], kAll);
      }
      square = next;
    }
    return square;
  }

  // So many vectors from each of as many stretches as a vector has lanes.
  static void transpose_vectors(const std::byte* from, std::int64_t across, std::uint64_t vectors, std::byte* to, std::int64_t row) {
    for (std::size_t at = 0; at < vectors * kVectorBytes; at += kVectorBytes) {
      Square square;
      for (std::size_t i = 0; i < kLanes; ++i)
        std::memcpy(&square.rows[i], from + across * static_cast<std::int64_t>(i) + at, kVectorBytes);
      square = transposed(square);
      for (std::size_t i = 0; i < kLanes; ++i, to += row) std::memcpy(to, &square.rows[i], kVectorBytes);
    }
  }
};

// `count` values of each stretch, of which the first one lies at `from`.
template <std::size_t Bytes>
void transpose_one_by_one(const Stretches& all, const std::byte* from, std::uint64_t stretches, std::uint64_t count, std::byte* to) {
  const auto row = static_cast<std::int64_t>(all.stretches * Bytes);
  for (std::uint64_t i = 0; i < stretches; ++i, from += all.across, to += Bytes) {
    for (std::uint64_t k = 0; k < count; ++k)
      std::memcpy(to + row * static_cast<std::int64_t>(k), from + all.along * static_cast<std::int64_t>(k), Bytes);
  }
}

// A few lines of each stretch at a time.
template <std::size_t Bytes, class T = void>
void transpose(const Stretches& all, std::byte* to) {
  constexpr std::uint64_t kAtOnce = kLinesAtOnce * kLineBytes / Bytes;
  const auto row = static_cast<std::int64_t>(all.stretches * Bytes);
  const bool dense = all.along == static_cast<std::int64_t>(Bytes);
  const std::uint64_t into_line = dense ? reinterpret_cast<std::uintptr_t>(all.from) % kLineBytes / Bytes : 0;
  for (std::uint64_t done = 0, now = 0; done < all.count; done += now) {
    now = std::min(all.count - done, done == 0 ? kAtOnce - into_line : kAtOnce);
    const std::byte* from = all.from + all.along * static_cast<std::int64_t>(done);
    std::byte* out = to + row * static_cast<std::int64_t>(done);
    std::uint64_t transposed = 0;  // stretches
    if constexpr (Bytes < kVectorBytes) {
      constexpr auto kLanes = Transposing<T>::kLanes;
      const std::uint64_t vectors = dense ? now / kLanes : 0, in_vectors = vectors * kLanes;
      for (; vectors > 0 && transposed + kLanes <= all.stretches; transposed += kLanes) {
        Transposing<T>::transpose_vectors(from, all.across, vectors, out, row);
        if (in_vectors < now)
          transpose_one_by_one<Bytes>(all, from + in_vectors * Bytes, kLanes, now - in_vectors,
                                      out + row * static_cast<std::int64_t>(in_vectors));
        from += all.across * static_cast<std::int64_t>(kLanes);
        out += kVectorBytes;
      }
    }
    transpose_one_by_one<Bytes>(all, from, all.stretches - transposed, now, out);
  }
}

}  // namespace

bool transpose_values(std::size_t bytes, const Stretches& all, std::byte* to) {
  switch (bytes) {
    case 1:
      transpose<1, std::uint8_t>(all, to);
      return true;
    case 2:
      transpose<2, std::uint16_t>(all, to);
      return true;
    case 4:
      transpose<4, std::uint32_t>(all, to);
      return true;
    case 8:
      transpose<8, std::uint64_t>(all, to);
      return true;
    case 16:
      transpose<16>(all, to);
      return true;
    default:
      return false;
  }
}

}  // namespace dlscope::core
