#include "app/models/history/tensor_excerpt.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;

// Builds the small snapshot, record by record.
class Excerpt {
 public:
  explicit Excerpt(const MomentReader& moment) : moment_(moment) {
    out_->info.missing_pairs = moment.info().missing_pairs;
    out_->info.open_groups = moment.info().open_groups;
    // Whether there are any says how far a stopped analysis came (core/inventory/relation.cpp).
    if (moment.size(&Snapshot::groups) > 0) out_->groups.emplace_back();
  }

  std::uint32_t add(std::uint32_t id) {
    const TensorRecord there = moment_.tensor(id);
    TensorRecord tensor = there;
    tensor.library = tensor.type = {};
    tensor.refusals = {};
    tensor.deleter = tensor.group = core::kNone32;
    tensor.frame = core::kNone16;
    add_dims(tensor, there);
    tensor.names = {static_cast<std::uint32_t>(out_->names.size()), there.names.count};
    for (const core::TextRef name : moment_.read(&Snapshot::names, there.names.first, there.names.count, names_))
      out_->names.push_back(text(name));
    tensor.remarks = {static_cast<std::uint32_t>(out_->remarks.size()), there.remarks.count};
    for (const core::RemarkRecord& remark : moment_.read(&Snapshot::remarks, there.remarks.first, there.remarks.count, remarks_))
      out_->remarks.push_back({.code = remark.code, .message = {}});
    if (there.item_type != core::kNone16) {
      const core::ItemTypeRecord type = moment_.read(&Snapshot::item_types, there.item_type, 1, types_).front();
      tensor.item_type = static_cast<std::uint16_t>(out_->item_types.size());
      out_->item_types.push_back({.name = text(type.name), .fields = {}, .bytes = type.bytes});
    }
    if (there.allocation < core::kOwnAllocation) {
      tensor.allocation = static_cast<std::uint32_t>(out_->allocations.size());
      out_->allocations.push_back(moment_.read(&Snapshot::allocations, there.allocation, 1, allocations_).front());
    }
    const auto id_here = static_cast<std::uint32_t>(out_->tensors.size());
    if (const auto told = moment_.driver_device_of(id)) out_->driver_devices.push_back({told->device, id_here});
    out_->tensors.push_back(tensor);
    return id_here;
  }

  void add_pair(core::PairRecord pair) {
    pair.a = 0;
    pair.b = 1;
    out_->pairs.push_back(pair);
  }

  core::SnapshotPtr take() { return std::move(out_); }

 private:
  void add_dims(TensorRecord& tensor, const TensorRecord& there) {
    tensor.dims = static_cast<std::uint32_t>(out_->dims.size());
    const auto dims = moment_.read(&Snapshot::dims, there.dims, std::size_t{there.rank} * 2, dims_);
    out_->dims.insert(out_->dims.end(), dims.begin(), dims.end());
  }

  core::TextRef text(core::TextRef there) {
    const core::TextRef here{static_cast<std::uint32_t>(out_->text.size()), there.length};
    const auto characters = moment_.read(&Snapshot::text, there.offset, there.length, text_);
    out_->text.insert(out_->text.end(), characters.begin(), characters.end());
    return here;
  }

  const MomentReader& moment_;
  std::shared_ptr<Snapshot> out_ = std::make_shared<Snapshot>();
  std::vector<std::int64_t> dims_;
  std::vector<core::TextRef> names_;
  std::vector<core::RemarkRecord> remarks_;
  std::vector<core::ItemTypeRecord> types_;
  std::vector<core::AllocationRecord> allocations_;
  std::vector<char> text_;
};

// Compares the first name of a tensor, reading nothing else of it.
bool is_named(const MomentReader& moment, std::uint32_t id, std::string_view name) {
  const core::Slice names = moment.names_of_tensors(id, 1).front();
  if (names.count == 0) return false;
  std::vector<core::TextRef> refs;
  const core::TextRef first = moment.read(&Snapshot::names, names.first, 1, refs).front();
  if (first.length != name.size()) return false;
  std::vector<char> text;
  return std::ranges::equal(moment.read(&Snapshot::text, first.offset, first.length, text), name);
}

}  // namespace

TensorExcerpt excerpt_of(const MomentReader& moment, std::uint32_t tensor, std::uint32_t other) {
  Excerpt excerpt(moment);
  TensorExcerpt out;
  if (other == tensor || other == core::kNone32) {
    out.tensor = excerpt.add(tensor);
    if (other == tensor) out.other = out.tensor;
  } else {
    const auto [low, high] = std::minmax(tensor, other);
    excerpt.add(low);
    excerpt.add(high);
    out.tensor = tensor == low ? 0 : 1;
    out.other = 1 - out.tensor;
    if (const auto pair = moment.listed_pair(low, high)) excerpt.add_pair(*pair);
  }
  out.snapshot = excerpt.take();
  return out;
}

RememberedMomentPtr remembered_excerpt(const RememberedMomentPtr& kept, std::uint32_t tensor, std::uint32_t id) {
  const RememberedTensor* const found = kept ? kept->find(tensor) : nullptr;
  if (found == nullptr) return nullptr;
  auto out = std::make_shared<RememberedMoment>();
  out->moment = kept->moment;
  out->tensors.push_back(*found);
  out->tensors.front().tensor = id;
  return out;
}

std::uint32_t find_by_name(const MomentReader& moment, const core::Snapshot& from, const core::TensorRecord& tensor,
                           std::span<const std::uint32_t> likely) {
  const auto wanted = Snapshot::slice(from.names, tensor.names);
  if (wanted.empty()) return core::kNone32;
  for (const std::uint32_t id : likely) {
    if (id < moment.tensors() && is_named(moment, id, from.str(wanted[0]))) return id;
  }
  std::vector<core::TextRef> refs;
  std::vector<char> text;
  const std::span<const core::TextRef> names = moment.read_all(&Snapshot::names, refs);
  const std::span<const char> characters = moment.read_all(&Snapshot::text, text);
  const std::vector<core::Slice> of_tensors = moment.names_of_tensors(0, moment.tensors());
  std::size_t best = wanted.size();
  std::uint32_t found = core::kNone32;
  for (std::uint32_t id = 0; id < of_tensors.size() && best > 0; ++id) {
    for (const core::TextRef name : names.subspan(of_tensors[id].first, of_tensors[id].count)) {
      for (std::size_t i = 0; i < best; ++i) {
        if (wanted[i].length != name.length ||
            !std::ranges::equal(from.str(wanted[i]), characters.subspan(name.offset, name.length)))
          continue;
        best = i;
        found = id;
        break;
      }
    }
  }
  return found;
}

}  // namespace dlscope::app
