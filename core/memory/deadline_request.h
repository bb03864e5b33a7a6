// What is asked of a DeadlineReader, and how far it has been answered.
// thread: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/memory_reader.h"

namespace dlscope::core::deadline {

using Probed = MemoryReader::Probed;

inline constexpr std::size_t kMaxPieces = 512;                    // pieces in one step, that is one call of the inner reader
inline constexpr std::size_t kMaxBytes = std::size_t{256} << 10;  // bytes in one step
inline constexpr Address kPage = 4096;

// Pieces of equal size at many addresses (gather), or one piece of any size, of which only the front may be readable (read).
struct Question {
  bool one_piece = false;
  std::span<const Address> addresses;
  std::size_t each = 0;
};

struct Request {
  bool one_piece = false;
  std::vector<Address> addresses;
  std::size_t each = 0;
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> complete;  // written by the inner reader, perhaps long after the request has been answered
  std::vector<Probed> got;             // by piece; of the one piece: readable as a whole, or what ended it
  std::size_t front = 0;               // one_piece: bytes read

  void ask(const Question& question) {
    one_piece = question.one_piece;
    addresses.assign(question.addresses.begin(), question.addresses.end());
    each = question.each;
    bytes.assign(addresses.size() * each, std::byte{0});
    complete.assign(addresses.size(), 0);
    got.assign(addresses.size(), Probed::skipped);
    front = 0;
  }
  [[nodiscard]] MemoryReader::ReadStatus status() const {
    const auto has = [&](Probed probed) { return std::ranges::find(got, probed) != got.end(); };
    if (has(Probed::hung)) return MemoryReader::ReadStatus::hung;
    return has(Probed::skipped) ? MemoryReader::ReadStatus::skipped : MemoryReader::ReadStatus::fresh;
  }
  [[nodiscard]] bool asks(const Question& question) const {
    return one_piece == question.one_piece && each == question.each && std::ranges::equal(addresses, question.addresses);
  }
  // The one piece has met memory that cannot be read.
  [[nodiscard]] bool ended() const { return one_piece && got[0] == Probed::unreadable; }
  // The unit of progress: pieces, or bytes of the one piece.
  [[nodiscard]] std::size_t steps() const { return one_piece ? each : addresses.size(); }
  [[nodiscard]] std::size_t steps_at_once() const {
    return one_piece ? kMaxBytes : std::clamp<std::size_t>(kMaxBytes / std::max<std::size_t>(each, 1), 1, kMaxPieces);
  }
  // Calls page() with the number of every page that the steps [begin, end) touch.
  template <class Each>
  void pages(std::size_t begin, std::size_t end, Each page) const {
    const auto range = [&](Address from, std::size_t size) {
      for (Address at = from / kPage; size > 0 && at <= (from + size - 1) / kPage; ++at) page(at);
    };
    if (one_piece) return range(addresses[0] + begin, end - begin);
    for (std::size_t i = begin; i < end; ++i) range(addresses[i], each);
  }
};

}  // namespace dlscope::core::deadline
