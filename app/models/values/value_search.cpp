#include "app/models/values/value_search.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "app/models/values/value_grid.h"
#include "core/base/checked_math.h"
#include "core/tensor/element.h"

namespace dlscope::app {
namespace {

using core::DTypeCode;
using core::ValueClass;

constexpr std::uint64_t kChunk = 32768;
constexpr std::size_t kMostBytes = 256;  // of a vector element

bool is_special(core::DType dtype, std::span<const std::byte> piece, std::size_t bit) {
  for (unsigned lane = 0; lane < dtype.lanes && bit + (lane + std::size_t{1}) * dtype.bits <= piece.size() * 8; ++lane) {
    const core::Value value = core::decode_element(dtype, piece, bit, lane);
    if (value.value_class != ValueClass::normal && value.value_class != ValueClass::zero) return true;
    if (value.kind == core::ValueKind::boolean && value.as_unsigned > 1) return true;
  }
  return false;
}

// The common floats, without decoding: an exponent of all ones, or of none with a fraction.
template <class Word>
bool is_special_word(const std::byte* at, unsigned fraction_bits) {
  Word word{};
  std::memcpy(&word, at, sizeof(Word));
  const Word magnitude = static_cast<Word>(static_cast<Word>(word << 1) >> 1);
  const auto exponent = static_cast<Word>(magnitude >> fraction_bits);
  const auto ones = static_cast<Word>((Word{1} << (sizeof(Word) * 8 - 1 - fraction_bits)) - 1);
  return exponent == ones || (exponent == 0 && magnitude != 0);
}

using Test = bool (*)(const std::byte*);
Test quick_test(core::DType dtype) {
  if (dtype.lanes != 1) return nullptr;
  const auto code = static_cast<DTypeCode>(dtype.code);
  if (code == DTypeCode::bfloat && dtype.bits == 16)
    return [](const std::byte* at) { return is_special_word<std::uint16_t>(at, 7); };
  if (code != DTypeCode::float_) return nullptr;
  if (dtype.bits == 16) return [](const std::byte* at) { return is_special_word<std::uint16_t>(at, 10); };
  if (dtype.bits == 32) return [](const std::byte* at) { return is_special_word<std::uint32_t>(at, 23); };
  if (dtype.bits == 64) return [](const std::byte* at) { return is_special_word<std::uint64_t>(at, 52); };
  return nullptr;
}

// Elements of the trailing axes that lie one after the other in C order.
std::uint64_t dense_run(core::LayoutView layout) {
  std::uint64_t run = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const auto length = static_cast<std::uint64_t>(layout.shape[d]);
    if (length > 1 && static_cast<std::uint64_t>(layout.stride_bits[d]) != run * layout.item_bits) break;
    run *= length;
  }
  return run;
}

// Reads stretches of elements that are consecutive in C order.
class ElementReader {
 public:
  ElementReader(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::MemoryReader& reader)
      : tensor_(tensor),
        layout_(snapshot.layout(tensor)),
        reader_(reader),
        run_(dense_run(layout_)),
        quick_(quick_test(tensor.dtype)),
        packed_(layout_.item_bits % 8 != 0),
        each_(std::min((layout_.item_bits + 7) / 8 + (packed_ ? std::size_t{1} : 0), kMostBytes)) {}

  // Fetches elements from `first` on, at most `most`; how many.
  std::uint64_t fetch(std::uint64_t first, std::uint64_t most) {
    most = std::min(most, kChunk);
    const bool dense = !packed_ && layout_.item_bits / 8 == each_ && run_ >= 64;
    if (dense) {
      const std::uint64_t count = std::min(most, run_ - first % run_);
      return fetch_run(first, count);
    }
    return fetch_scattered(first, most);
  }
  [[nodiscard]] bool readable(std::size_t i) const { return complete_[i] != 0; }
  [[nodiscard]] bool special(std::size_t i) const {
    if (quick_ != nullptr) return quick_(bytes_.data() + i * each_);
    return is_special(tensor_.dtype, std::span(bytes_).subspan(i * each_, each_), bits_.empty() ? 0 : bits_[i]);
  }

 private:
  std::uint64_t fetch_run(std::uint64_t first, std::uint64_t count) {
    bytes_.assign(count * each_, std::byte{0});
    bits_.clear();
    const core::Address at = tensor_.address + static_cast<core::Address>(core::bit_offset_of(layout_, first) / 8);
    const std::uint64_t whole = reader_.read(at, bytes_) / each_;
    complete_.assign(count, 0);
    std::fill_n(complete_.begin(), whole, std::uint8_t{1});
    return count;
  }

  std::uint64_t fetch_scattered(std::uint64_t first, std::uint64_t count) {
    count = std::min(count, tensor_.elements - first);
    addresses_.clear();
    bits_.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t bit = core::bit_offset_of(layout_, first + i);
      const std::int64_t byte = core::floor_div(bit, 8);
      addresses_.push_back(tensor_.address + static_cast<core::Address>(byte));
      bits_.push_back(static_cast<std::uint8_t>(bit - byte * 8));
    }
    bytes_.assign(count * each_, std::byte{0});
    complete_.assign(count, 0);
    reader_.gather(addresses_, each_, bytes_, complete_);
    if (packed_) read_without_spare_byte(reader_, layout_.item_bits, addresses_, bits_, each_, bytes_, complete_);
    return count;
  }

  const core::TensorRecord& tensor_;
  core::LayoutView layout_;
  const core::MemoryReader& reader_;
  std::uint64_t run_;
  Test quick_;
  bool packed_;
  std::size_t each_;
  std::vector<core::Address> addresses_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint8_t> bits_, complete_;
};

}  // namespace

bool can_be_special(core::DType dtype) {
  if (!core::dtype_is_known(dtype)) return false;
  const auto code = static_cast<DTypeCode>(dtype.code);
  return code != DTypeCode::int_ && code != DTypeCode::uint && code != DTypeCode::opaque;
}

SpecialFound find_special(const core::Snapshot& snapshot, const core::TensorRecord& tensor, SpecialSearch search,
                          const core::MemoryReader& reader, const std::stop_token& stop) {
  SpecialFound found;
  ElementReader elements(snapshot, tensor, reader);
  // Elements still to be looked at, in front of or behind `at`, which is not one of those looked at already.
  std::uint64_t at = search.from, left = search.forward ? tensor.elements - search.from : search.from + 1;
  while (left > 0 && found.searched < search.most && !stop.stop_requested()) {
    const std::uint64_t wanted = std::min({left, search.most - found.searched, kChunk});
    const std::uint64_t first = search.forward ? at : at + 1 - wanted;
    std::uint64_t done = 0;
    // Backwards a stretch is fetched from its low end, in pieces, and looked at from its high end.
    std::optional<std::uint64_t> last_special;
    while (done < wanted && !(search.forward && found.element)) {
      const std::uint64_t count = elements.fetch(first + done, wanted - done);
      for (std::uint64_t i = 0; i < count; ++i) {
        if (!elements.readable(i)) {
          ++found.unreadable;
        } else if (elements.special(i)) {
          if (!search.forward) {
            last_special = first + done + i;
            continue;
          }
          found.element = first + done + i;
          break;
        }
      }
      done += count;
    }
    if (!search.forward) found.element = last_special;
    if (found.element) {
      found.searched += search.forward ? *found.element - first + 1 : at - *found.element + 1;
      return found;
    }
    found.searched += wanted;
    left -= wanted;
    at = search.forward ? at + wanted : at - std::min(at, wanted);
  }
  if (left > 0) found.next = at;
  return found;
}

}  // namespace dlscope::app
