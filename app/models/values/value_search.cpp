#include "app/models/values/value_search.h"

#include <algorithm>

#include "app/models/values/not_a_time.h"
#include "core/elements/element_bytes.h"
#include "core/elements/reverse_bytes.h"
#include "core/inventory/tensor_numbers.h"
#include "core/search/value_test.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kChunk = 32768;

// Pieces of consecutive elements in C order, tested for special values.
class Stretches {
 public:
  // test: null for dates and durations, of which NaT is sought.
  Stretches(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::MemoryReader& reader,
            const core::ValueTest* test)
      : values_(core::tensor_values(snapshot, tensor)),
        reader_(reader),
        test_(test),
        time_(time_field(snapshot, tensor)),
        in_a_row_(values_.layout.item_bits % 8 == 0 && values_.layout.item_bits / 8 <= core::ElementBytes::kMaxEach &&
                  !core::axis_breaking_c_order(values_.layout)) {}

  void fetch(std::uint64_t first, std::uint64_t count) {
    elements_.restart(values_.layout.item_bits);
    is_whole_ = in_a_row_ && fetch_whole(first, count);
    if (is_whole_) return reverse();
    elements_.add(values_.layout, values_.address, first, count);
    elements_.read(reader_);
    reverse();
  }
  [[nodiscard]] bool readable(std::size_t i) const { return is_whole_ || elements_.complete[i] != 0; }
  // Index in the piece: no element before it is special. Fast when there is none.
  [[nodiscard]] std::size_t first_candidate() const {
    if (test_ == nullptr || values_.dtype.lanes != 1 || elements_.each * 8 != values_.layout.item_bits) return 0;
    return test_->first(elements_.bytes, elements_.each).value_or(elements_.bytes.size() / elements_.each);
  }
  [[nodiscard]] bool special(std::size_t i) const {
    if (!readable(i)) return false;
    if (test_ == nullptr) return is_not_a_time(*time_, elements_.of(i));
    return test_->matches(elements_.of(i), is_whole_ ? 0 : elements_.bits[i]);
  }

 private:
  // Without an address for each element. false: some cannot be read.
  bool fetch_whole(std::uint64_t first, std::uint64_t count) {
    elements_.bytes.resize(count * elements_.each);
    return reader_.read(values_.address + first * elements_.each, elements_.bytes) == elements_.bytes.size();
  }
  void reverse() {
    const std::size_t reversed = values_.source.reversed_bytes;
    if (reversed != 0) core::reverse_bytes(reversed, elements_.bytes, elements_.bytes.data());
  }

  core::TensorValues values_;
  const core::MemoryReader& reader_;
  const core::ValueTest* test_;
  const core::FieldLayout* time_;
  bool in_a_row_, is_whole_ = false;  // all elements lie in C order without gaps; the piece was read as one
  core::ElementBytes elements_;
};

}  // namespace

SpecialFound find_special(const core::Snapshot& snapshot, const core::TensorRecord& tensor, SpecialSearch search,
                          const core::MemoryReader& reader, const std::stop_token& stop) {
  SpecialFound found;
  const auto test = core::ValueTest::make(core::numbers_of(snapshot, tensor).dtype, search.sought);
  const bool of_times = time_field(snapshot, tensor) != nullptr && search.sought != core::SearchedValue::subnormal;
  if (!test && !of_times) return found;  // no bits of such a dtype are special
  Stretches stretches(snapshot, tensor, reader, test ? &*test : nullptr);
  // left: elements still to test, from `at` on (backward: up to `at`); `at` itself is not tested yet.
  std::uint64_t at = search.from, left = search.forward ? tensor.elements - search.from : search.from + 1;
  while (left > 0 && found.searched < search.most && !stop.stop_requested()) {
    const std::uint64_t wanted = std::min({left, search.most - found.searched, kChunk});
    const std::uint64_t first = search.forward ? at : at + 1 - wanted;
    stretches.fetch(first, wanted);
    std::size_t looked = stretches.first_candidate();
    if (search.forward) {
      while (looked < wanted && !stretches.special(looked)) ++looked;
      if (looked < wanted) found.element = first + looked;
    } else {
      for (std::size_t i = wanted; i > looked && !found.element; --i) {
        if (stretches.special(i - 1)) found.element = first + i - 1;
      }
    }
    const std::uint64_t from = search.forward || !found.element ? first : *found.element;
    const std::uint64_t to = search.forward && found.element ? *found.element + 1 : first + wanted;
    for (std::uint64_t i = from; i < to; ++i) found.unreadable += stretches.readable(i - first) ? 0 : 1;
    found.searched += to - from;
    if (found.element) return found;
    left -= wanted;
    at = search.forward ? at + wanted : at - std::min(at, wanted);
  }
  if (left > 0) found.next = at;
  return found;
}

}  // namespace dlscope::app
