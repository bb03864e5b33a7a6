#include "app/models/hex/byte_search.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace dlscope::app {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
constexpr core::Address kPage = 4096;

// Goes through the places where a match may begin, [low, high], piece by piece. Each piece is read with the bytes after it that a
// match beginning in it needs.
class Searcher {
 public:
  Searcher(const ByteSearch& search, const core::MemoryReader& reader) : search_(search), reader_(reader) {}

  ByteSearchFound run(const std::function<bool(std::uint64_t)>& go_on) {
    const std::uint64_t size = search_.pattern.size();
    if (search_.last - search_.first < size - 1) return found_;  // the range is shorter than the pattern
    const core::Address last_place = search_.last - (size - 1);
    core::Address low = search_.forward ? std::max(search_.from, search_.first) : search_.first;
    core::Address high = search_.forward ? last_place : std::min(search_.from, last_place);
    while (low <= high) {
      const core::Address at = search_.forward ? low : high;
      if (found_.searched >= search_.most || !go_on(found_.searched)) {
        found_.next = at;
        return found_;
      }
      const std::uint64_t more = std::min(high - low, kPiece - 1);  // places besides the first one
      const core::Address begin = search_.forward ? low : high - more;
      look_in(begin, begin + more);
      found_.searched += more + 1;
      if (found_.address || high - low == more) return found_;
      if (search_.forward)
        low += more + 1;
      else
        high -= more + 1;
    }
    return found_;
  }

 private:
  // Searches the places [begin, end], inclusive.
  void look_in(core::Address begin, core::Address end) {
    const std::uint64_t size = search_.pattern.size();
    bytes_.resize(end - begin + size);  // never beyond the range
    stretches_.clear();
    for (std::uint64_t at = 0; at < bytes_.size();) {
      const std::uint64_t got = reader_.read(begin + at, std::span(bytes_).subspan(at));
      if (got > 0) stretches_.push_back({at, got});
      at += got;
      if (at >= bytes_.size()) break;
      const std::uint64_t page_left = kPage - (begin + at) % kPage;  // skip the unreadable page
      const std::uint64_t lost = std::min(page_left, bytes_.size() - at);
      found_.unreadable += std::min(lost, end - begin + 1 - std::min(at, end - begin + 1));
      at += lost;
    }
    if (!search_.forward) std::ranges::reverse(stretches_);
    for (const Stretch& stretch : stretches_) {
      const auto bytes = std::span(bytes_).subspan(stretch.at, stretch.size);
      const std::size_t first = first_place(begin + stretch.at);
      const auto hit = search_.forward ? search_.pattern.find(bytes, first, search_.step)
                                       : search_.pattern.find_last(bytes, first, search_.step);
      if (!hit) continue;
      found_.address = begin + stretch.at + *hit;
      return;
    }
  }

  // The distance from `address` to the next place where a match may begin.
  [[nodiscard]] std::size_t first_place(core::Address address) const {
    const std::uint64_t step = search_.step;
    const std::uint64_t beyond = (address % step + step - search_.origin % step) % step;
    return beyond == 0 ? 0 : step - beyond;
  }

  struct Stretch {
    std::uint64_t at, size;  // in bytes_
  };
  const ByteSearch& search_;
  const core::MemoryReader& reader_;
  ByteSearchFound found_;
  std::vector<std::byte> bytes_;
  std::vector<Stretch> stretches_;
};

}  // namespace

// Lanes of an element lie side by side, so that they are multiples of their size apart.
ValuePlaces places_of_values(core::Address address, core::LayoutView layout, std::size_t size) {
  std::uint64_t step = size;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    const std::int64_t stride = layout.stride_bits[axis];
    if (layout.shape[axis] <= 1) continue;
    if (stride % 8 != 0) return {address, 1};
    step = std::gcd(step, static_cast<std::uint64_t>(stride < 0 ? -(stride / 8) : stride / 8));
  }
  return {address, static_cast<std::size_t>(step)};
}

ByteSearchFound search_bytes(const ByteSearch& search, const core::MemoryReader& reader,
                             const std::function<bool(std::uint64_t)>& go_on) {
  return Searcher(search, reader).run(go_on);
}

}  // namespace dlscope::app
