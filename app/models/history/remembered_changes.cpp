#include "app/models/history/remembered_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "app/models/tensors/same_tensor.h"
#include "app/models/text/format.h"
#include "app/models/values/value_format.h"
#include "core/compare/block_hashes.h"
#include "core/compare/compare.h"
#include "core/elements/element_bytes.h"
#include "core/inventory/survey.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/search/find_value.h"
#include "core/statistics/statistics.h"
#include "core/tensor/element.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;
using Result = BytesCompared::Result;

constexpr std::uint64_t kComparedAtOnce = 4096;                   // elements
constexpr std::uint64_t kMostCompared = std::uint64_t{64} << 20;  // elements one by one; views that overlap may have more than bytes

// A tensor at one moment, and what is known of its bytes then.
struct KeptTensor {
  const core::SnapshotPtr& snapshot;
  const TensorRecord& record;
  const RememberedTensor& content;
  std::shared_ptr<core::MemoryReader> reader;  // of the copies of that moment

  [[nodiscard]] core::LayoutView layout() const { return snapshot->layout(record); }
  [[nodiscard]] bool is_repeated(std::size_t axis) const { return layout().shape[axis] > 1 && layout().stride_bits[axis] == 0; }
  // Those that were kept, or those of the copy; empty: neither is there.
  [[nodiscard]] std::vector<std::uint64_t> hashes() const {
    if (content.hashes) return *content.hashes;
    if (!content.bytes) return {};
    return core::block_hashes(*snapshot, record, *reader).value_or(std::vector<std::uint64_t>{});
  }
};

std::string place_text(core::LayoutView layout, std::uint64_t element) { return "first at " + index_text(layout, element); }

BytesCompared compare_hashes(const KeptTensor& was, const KeptTensor& is) {
  for (std::size_t axis = 0; axis < is.layout().shape.size(); ++axis) {
    if (was.is_repeated(axis) != is.is_repeated(axis)) return {};  // their blocks are of other values
  }
  const auto before = was.hashes(), now = is.hashes();
  if (before.empty() != now.empty() || now.empty() != (is.record.elements == 0)) return {};
  if (before.size() != now.size()) {  // in another order of memory: the sums alone are of the same values
    const auto sum = [](const auto& hashes) { return std::accumulate(hashes.begin(), hashes.end(), std::uint64_t{0}); };
    if (sum(before) == sum(now)) return {Result::same, {}, {}};
    return {Result::changed, "its bytes changed, by their hashes", {}};
  }
  std::uint64_t changed = 0, first = 0;
  for (std::size_t block = now.size(); block-- > 0;) {
    if (before[block] == now[block]) continue;
    ++changed;
    first = block;
  }
  if (changed == 0) return {Result::same, {}, {}};
  return {Result::changed,
          fmt::format("its bytes changed: {} of {} of 1 MiB, by their hashes, the first at byte {} of its values", grouped(changed),
                      counted(now.size(), "block", "blocks"), grouped(first * core::kHashedBlock)),
          {}};
}

// For elements that are no values to compare (records, dates, text): each element's bytes, wherever it lies.
BytesCompared compare_items(const KeptTensor& was, const KeptTensor& is) {
  const std::size_t size = is.record.item_bits / 8;
  if (is.record.elements > kMostCompared || size > core::ElementBytes::kMaxEach) return compare_hashes(was, is);
  core::ElementBytes before, now;
  std::uint64_t changed = 0, first = 0;
  for (std::uint64_t from = 0; from < is.record.elements; from += kComparedAtOnce) {
    const std::uint64_t count = std::min(kComparedAtOnce, is.record.elements - from);
    for (const auto& [side, bytes] : {std::pair(&was, &before), std::pair(&is, &now)}) {
      bytes->restart(side->record.item_bits, count);
      bytes->add(side->layout(), side->record.address, from, count);
      bytes->read(*side->reader);
      if (std::ranges::find(bytes->complete, 0) != bytes->complete.end()) return {};
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (std::ranges::equal(before.of(i).first(size), now.of(i).first(size))) continue;
      if (changed++ == 0) first = from + i;
    }
  }
  if (changed == 0) return {Result::same, {}, {}};
  return {Result::changed,
          fmt::format("its bytes changed: {} of {}, {}", grouped(changed), counted(is.record.elements, "element", "elements"),
                      place_text(is.layout(), first)),
          first};
}

bool is_complete(const core::FindValueTask& task) { return task.found().unreadable == 0; }

}  // namespace

BytesCompared compare_bytes(const core::SnapshotPtr& before, const RememberedMomentPtr& kept_before, std::uint32_t was,
                            const core::SnapshotPtr& now, const RememberedMomentPtr& kept_now, std::uint32_t is) {
  if (!kept_before || !kept_now) return {};
  const RememberedTensor *const old = kept_before->find(was), *const fresh = kept_now->find(is);
  if (old == nullptr || fresh == nullptr) return {};
  const TensorRecord &a = before->tensors[was], &b = now->tensors[is];
  if (!a.has_layout || !b.has_layout || !same_dtype(*before, a, *now, b) || !std::ranges::equal(before->shape(a), now->shape(b)))
    return {};
  if (old->bytes && old->bytes == fresh->bytes && std::ranges::equal(before->stride_bits(a), now->stride_bits(b)))
    return {Result::same, {}, {}};
  const auto memory_then = remembered_reader(kept_before), memory_now = remembered_reader(kept_now);
  const KeptTensor at_first{before, a, *old, memory_then}, at_last{now, b, *fresh, memory_now};
  if (!old->bytes || !fresh->bytes) return compare_hashes(at_first, at_last);
  const core::TensorValues then = core::tensor_values(*before, a), after = core::tensor_values(*now, b);
  const core::ComparedTensor x{then.dtype, then.layout, then.address, then.source.read_by(*memory_then)};
  const core::ComparedTensor y{after.dtype, after.layout, after.address, after.source.read_by(*memory_now)};
  if (!core::why_not_comparable(x, y).empty()) return compare_items(at_first, at_last);
  core::CompareOptions options;
  options.threads = 1;
  const auto found = core::compare_tensors(x, y, options);
  if (!found) return {};
  if (found->different_bits == 0) return {Result::same, {}, {}};
  const std::uint64_t first = found->first_bits.value_or(0) / std::max<std::uint32_t>(found->lanes, 1);
  return {Result::changed,
          fmt::format("its bytes changed: {} of {}, {}", grouped(found->different_bits),
                      counted(found->values, found->lanes > 1 ? "value" : "element", found->lanes > 1 ? "values" : "elements"),
                      place_text(now->layout(b), first)),
          first};
}

core::ValueSummary count_specials(const core::SnapshotPtr& snapshot, const RememberedMomentPtr& kept, std::uint32_t tensor) {
  const TensorRecord& record = snapshot->tensors[tensor];
  core::ValueSummary out;
  if (!kept || kept->bytes_of(tensor) == nullptr || !record.has_layout) return out;
  if (!core::has_statistics(core::numbers_of(*snapshot, record).dtype)) return out;
  core::SurveyTask task({{tensor, core::tensor_values(*snapshot, record)}}, snapshot, remembered_reader(kept), 1);
  while (true) {
    const auto state = task.step();
    if (!state) return out;
    if (*state == core::Task::State::done) break;
  }
  for (const core::StatisticsRecord& one : task.take(1)) out = one.summary;
  return out;
}

std::optional<std::uint64_t> first_nan(const core::SnapshotPtr& snapshot, const RememberedMomentPtr& kept, std::uint32_t tensor) {
  const TensorRecord& record = snapshot->tensors[tensor];
  if (!kept || kept->bytes_of(tensor) == nullptr || !record.has_layout) return std::nullopt;
  const auto test = core::ValueTest::make(core::numbers_of(*snapshot, record).dtype, core::SearchedValue::nan);
  if (!test) return std::nullopt;
  core::FindValueTask task(snapshot, tensor, remembered_reader(kept), *test, 0);
  while (true) {
    const auto state = task.step();
    if (!state) return std::nullopt;
    if (*state == core::Task::State::done) break;
  }
  return is_complete(task) ? task.found().first : std::nullopt;
}

std::string specials_text(const core::ValueSummary& values) {
  const std::uint64_t infinite = values.pos_inf + values.neg_inf;
  return fmt::format("{} NaN, {} Inf", values.nan == 0 ? "no" : grouped(values.nan), infinite == 0 ? "no" : grouped(infinite));
}

std::string value_text(const Snapshot& snapshot, const RememberedMomentPtr& kept, std::uint32_t tensor, std::uint64_t element) {
  const TensorRecord& record = snapshot.tensors[tensor];
  if (!kept || kept->bytes_of(tensor) == nullptr || !record.has_layout || element >= record.elements) return {};
  core::ElementBytes bytes;
  bytes.restart(record.item_bits, 1);
  bytes.add(snapshot.layout(record), record.address, element, 1);
  bytes.read(*remembered_reader(kept));
  if (bytes.size() != 1 || bytes.complete[0] == 0) return {};
  return element_text(snapshot, record, bytes.of(0), bytes.bits[0], {}, core::sign_bits_of(snapshot, record)).text;
}

}  // namespace dlscope::app
