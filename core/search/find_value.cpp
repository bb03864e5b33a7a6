#include "core/search/find_value.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/clock.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kStretchBytes = 256 << 10;  // stays in the second-level cache between reading and testing

}  // namespace

FindValueTask::FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader,
                             ValueTest test, std::uint64_t from)
    : snapshot_(std::move(snapshot)),
      tensor_(snapshot_->tensors[tensor]),
      reader_(std::move(reader)),
      test_(test),
      elements_(snapshot_->layout(tensor_), tensor_.address, *reader_),
      from_(from) {}

Result<Task::State> FindValueTask::step() {
  const std::int64_t ends = monotonic_ns() + kStepNs;
  const std::uint64_t most = std::max<std::uint64_t>(1, kStretchBytes * 8 / std::max<std::uint32_t>(1, tensor_.item_bits));
  while (found_.searched < tensor_.elements) {
    // A stretch does not reach over `from`, so that the first match behind it is a first match of its stretch.
    std::uint64_t wanted = std::min(most, tensor_.elements - found_.searched);
    if (found_.searched < from_) wanted = std::min(wanted, from_ - found_.searched);
    const std::uint64_t count = elements_.range(found_.searched, wanted, pieces_);
    search_pieces(found_.searched, count);
    found_.searched += count;
    if (monotonic_ns() > ends) break;
  }
  return found_.searched == tensor_.elements ? State::done : State::more;
}

void FindValueTask::search_pieces(std::uint64_t first, std::uint64_t count) {
  if (pieces_.addresses.empty() && pieces_.readable(0)) {  // one stretch
    const auto matches = test_.in_stretch(pieces_.bytes, pieces_.each);
    if (matches.count > 0) note_match(first + matches.first, matches.count);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!pieces_.readable(i))
      ++found_.unreadable;
    else if (test_.matches(pieces_.of(i), pieces_.bit(i)))
      note_match(first + i, 1);
  }
}

void FindValueTask::note_match(std::uint64_t element, std::uint64_t matches) {
  found_.matches += matches;
  if (!found_.first) found_.first = element;
  if (!found_.next && element >= from_) found_.next = element;
}

// A validated layout: the bits of all elements together fit 64 bits.
TaskProgress FindValueTask::progress() const {
  const std::uint64_t bits = tensor_.item_bits;
  return {found_.searched * bits / 8, tensor_.elements * bits / 8};
}

}  // namespace dlscope::core
