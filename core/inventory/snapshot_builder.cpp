#include "core/inventory/snapshot_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/inventory/sanitise.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kMaxTextBytes = 4096;                                  // of one name or message
constexpr std::size_t kMaxPool = std::numeric_limits<std::uint32_t>::max();  // indices are 32 bits
constexpr std::size_t kMaxTextPool = kMaxPool - 2 * kMaxTextBytes;           // leaves room for a note that the pool is full

// Makes room for one more. Large pools grow fourfold, because moving the elements costs time, but untouched memory costs nothing.
template <class T>
void make_room(std::vector<T>& pool, std::size_t more = 1) {
  constexpr std::size_t kLarge = 1024;
  if (pool.capacity() - pool.size() < more && pool.size() >= kLarge) pool.reserve(4 * pool.size() + more);
}

// Moves items that were added out of order into the pool, so that each tensor's items are contiguous, those of add_tensor()
// first. One pass over the tensors, only if there is something to move.
template <class Item, class PendingItem, class Member>
void merge_pending(std::vector<TensorRecord>& tensors, std::vector<Item>& pool, std::vector<PendingItem>& pending,
                   Slice TensorRecord::*slice, Member PendingItem::*item) {
  if (pending.empty()) return;
  std::ranges::stable_sort(pending, {}, &PendingItem::tensor);
  std::vector<Item> merged;
  merged.reserve(pool.size() + pending.size());
  auto next = pending.begin();
  for (std::uint32_t id = 0; id < tensors.size(); ++id) {
    Slice& own = tensors[id].*slice;
    const auto first = static_cast<std::uint32_t>(merged.size());
    const auto begin = pool.begin() + own.first;
    merged.insert(merged.end(), begin, begin + own.count);
    for (; next != pending.end() && next->tensor == id; ++next) merged.push_back((*next).*item);
    own = {first, static_cast<std::uint32_t>(merged.size()) - first};
  }
  pool = std::move(merged);
  pending.clear();
}

void copy_metadata(const TensorDesc& desc, TensorRecord& out) {
  out.data = desc.data;
  out.byte_offset = desc.byte_offset;
  out.address = desc.address();
  out.dtype = desc.dtype;
  out.device = desc.device;
  out.item_bits = desc.item_bits();
  out.strides_implied = desc.strides_implied;
}

// Elements times item size, rounded up to whole bytes once at the end. validate() has checked that the bits fit.
std::uint64_t logical_bytes(std::uint64_t elements, std::uint32_t item_bits) { return (elements * item_bits + 7) / 8; }

}  // namespace

SnapshotBuilder::SnapshotBuilder() : snapshot_(std::make_shared<Snapshot>()) {
  snapshot_->spaces = {SpaceRecord{}, SpaceRecord{kCpuDevice, add_text("host")}};
}

TextRef SnapshotBuilder::intern(std::string_view text) {
  if (const auto found = interned_.find(text); found != interned_.end()) return found->second;
  const TextRef ref = add_text(text);
  interned_.emplace(text, ref);
  return ref;
}

TextRef SnapshotBuilder::add_text(std::string_view text) { return append(text, LineBreaks::escape); }

TextRef SnapshotBuilder::append(std::string_view text, LineBreaks breaks) {
  std::vector<char>& pool = snapshot_->text;
  if (pool.size() > kMaxTextPool) {
    text_full_ = true;
    return {};
  }
  make_room(pool, std::min(text.size(), kMaxTextBytes));
  const auto offset = static_cast<std::uint32_t>(pool.size());
  return {offset, static_cast<std::uint32_t>(append_sanitised(pool, text, kMaxTextBytes, breaks))};
}

TextRef SnapshotBuilder::remark_text(RemarkCode code, std::string_view message) {
  const auto index = static_cast<std::size_t>(code);
  if (index >= last_remark_texts_.size()) last_remark_texts_.resize(index + 1);
  TextRef& last = last_remark_texts_[index];
  if (last.length == 0 || snapshot_->str(last) != message) last = append(message, LineBreaks::keep);
  return last;
}

std::uint32_t SnapshotBuilder::deleter_index(Address address) {
  if (address == 0) return kNone32;
  std::vector<DeleterRecord>& deleters = snapshot_->deleters;
  if (!deleters.empty() && deleters.back().address == address) return static_cast<std::uint32_t>(deleters.size() - 1);
  const auto [entry, added] = deleter_indices_.try_emplace(address, static_cast<std::uint32_t>(deleters.size()));
  if (added) deleters.push_back({.address = address, .library_offset = 0, .symbol = {}, .library = {}});
  return entry->second;
}

// A linear search, because there are few different item types: all arrays of records in a script tend to have the same.
std::uint16_t SnapshotBuilder::item_type_index(const ItemType& type) {
  constexpr std::size_t kMaxTypes = 4096;
  for (std::size_t i = item_types_.size(); i-- > 0;) {
    if (item_types_[i] == type) return static_cast<std::uint16_t>(i);
  }
  Snapshot& s = *snapshot_;
  const bool full = s.item_types.size() >= kMaxTypes;  // then the type is described by its size only
  if (full && item_types_.back().bytes == type.bytes) return static_cast<std::uint16_t>(item_types_.size() - 1);
  if (s.item_types.size() >= kNone16 - 1) return kNone16;
  const ItemType& kept = item_types_.emplace_back(full ? raw_item(type.bytes) : type);
  ItemTypeRecord record{intern(kept.name), {static_cast<std::uint32_t>(s.item_fields.size()), 0}, kept.bytes};
  for (const ItemField& field : kept.fields) s.item_fields.push_back({intern(field.name), field.layout});
  record.fields.count = static_cast<std::uint32_t>(s.item_fields.size()) - record.fields.first;
  s.item_types.push_back(record);
  return static_cast<std::uint16_t>(s.item_types.size() - 1);
}

std::uint32_t SnapshotBuilder::add_tensor(const TensorDesc& desc, TextRef library, TextRef type, TextRef name) {
  Snapshot& s = *snapshot_;
  const auto id = static_cast<std::uint32_t>(s.tensors.size());
  make_room(s.tensors);
  TensorRecord& t = s.tensors.emplace_back();
  t.protocol = desc.protocol;
  t.capsule = desc.capsule;
  t.read_by = desc.read_by;
  t.given_by = desc.given_by;
  t.library = library;
  t.type = type;
  t.has_metadata = desc.has_metadata;
  t.has_claimed_device = desc.has_claimed_device;
  t.claimed_device = desc.claimed_device;
  t.struct_address = desc.struct_address;
  t.version_major = desc.version_major;
  t.version_minor = desc.version_minor;
  t.read_only = desc.read_only;
  t.is_copied = desc.is_copied;
  t.subbyte_padded = desc.subbyte_padded;
  t.manager = desc.manager;
  t.deleter = deleter_index(desc.deleter);
  if (desc.has_metadata) copy_metadata(desc, t);
  if (desc.has_metadata && desc.item_type) t.item_type = item_type_index(*desc.item_type);
  const auto rank = static_cast<std::size_t>(std::clamp(desc.rank, 0, kMaxRank));
  if (desc.has_metadata && s.dims.size() + 2 * rank <= kMaxPool) {
    t.rank = static_cast<std::uint8_t>(rank);
    t.dims = static_cast<std::uint32_t>(s.dims.size());
    make_room(s.dims, 2 * rank);
    s.dims.insert(s.dims.end(), desc.shape.begin(), desc.shape.begin() + rank);
    t.has_layout = desc.has_layout;
    if (t.has_layout) {
      s.dims.insert(s.dims.end(), desc.stride_bits.begin(), desc.stride_bits.begin() + rank);
    } else {
      s.dims.resize(s.dims.size() + rank);  // zeros: desc's strides may be left over from the tensor before
    }
  }
  if (t.has_layout) {
    t.extent = desc.extent;
    t.elements = desc.bounds.elements;
    t.nbytes = logical_bytes(t.elements, t.item_bits);
    if (!desc.allocation.empty()) set_allocation(t, desc.allocation, desc.allocation_source);
    if (desc.allocation_references != 0)
      counted_references_.push_back({desc.allocation, desc.allocation_references, desc.allocation_referrer});
  }
  if (name.length != 0) {
    t.names = {static_cast<std::uint32_t>(s.names.size()), 1};
    make_room(s.names);
    s.names.push_back(name);
  }
  if (!desc.remarks.empty()) {
    t.remarks = {static_cast<std::uint32_t>(s.remarks.size()), static_cast<std::uint32_t>(desc.remarks.size())};
    for (const Remark& remark : desc.remarks) s.remarks.push_back({remark.code, remark_text(remark.code, remark.message)});
  }
  return id;
}

// Neighbours are often views of one allocation.
void SnapshotBuilder::set_allocation(TensorRecord& t, ByteRange range, AllocationSource source) {
  if (source == AllocationSource::exporter && range == t.extent) {
    t.allocation = kOwnAllocation;
    return;
  }
  std::vector<AllocationRecord>& known = snapshot_->allocations;
  if (known.empty() || known.back().range != range || known.back().source != source) {
    make_room(known);
    known.push_back({.range = range, .source = source});
  }
  t.allocation = static_cast<std::uint32_t>(known.size() - 1);
}

void SnapshotBuilder::add_name(std::uint32_t tensor, TextRef name) {
  if (name.length != 0) pending_names_.push_back({tensor, name});
}

std::uint16_t SnapshotBuilder::add_frame(std::string_view function, std::string_view file, std::uint32_t line,
                                         std::uint32_t depth) {
  std::vector<FrameRecord>& frames = snapshot_->frames;
  if (frames.size() >= kNone16) return kNone16;
  frames.push_back({intern(function), intern(file), line, depth});
  return static_cast<std::uint16_t>(frames.size() - 1);
}

void SnapshotBuilder::add_not_entered(std::string_view type, std::uint64_t count) {
  snapshot_->not_entered.push_back({count, intern(type)});
}

void SnapshotBuilder::add_refusal(std::uint32_t tensor, Protocol protocol, std::string_view exception_type,
                                  std::string_view message) {
  pending_refusals_.push_back({tensor, {protocol, intern(exception_type), append(message, LineBreaks::keep)}});
}

void SnapshotBuilder::add_remark(std::uint32_t tensor, RemarkCode code, std::string_view message) {
  pending_remarks_.push_back({tensor, {code, remark_text(code, message)}});
}

void SnapshotBuilder::add_limit(std::string_view what, std::uint64_t limit, bool reached) {
  snapshot_->limits.push_back({limit, intern(what), reached});
}

void SnapshotBuilder::add_library(std::string_view name, std::string_view version) {
  snapshot_->libraries.push_back({intern(name), intern(version)});
}

void SnapshotBuilder::add_device(const DeviceRecord& device) { snapshot_->devices.push_back(device); }
void SnapshotBuilder::add_event(const EventRecord& event) { snapshot_->events.push_back(event); }
void SnapshotBuilder::add_copy(const CopyRecord& copy) { snapshot_->copies.push_back(copy); }

std::shared_ptr<Snapshot> SnapshotBuilder::finish() {
  Snapshot& s = *snapshot_;
  if (text_full_) {
    const auto offset = static_cast<std::uint32_t>(s.text.size());
    const std::size_t length = append_sanitised(s.text, "text_bytes", kMaxTextBytes, LineBreaks::escape);
    s.limits.push_back({kMaxTextPool, {offset, static_cast<std::uint32_t>(length)}, true});
  }
  merge_pending(s.tensors, s.names, pending_names_, &TensorRecord::names, &Pending::name);
  merge_pending(s.tensors, s.refusals, pending_refusals_, &TensorRecord::refusals, &PendingRefusal::refusal);
  merge_pending(s.tensors, s.remarks, pending_remarks_, &TensorRecord::remarks, &PendingRemark::remark);
  std::shared_ptr<Snapshot> done = std::move(snapshot_);
  *this = SnapshotBuilder();
  return done;
}

}  // namespace dlscope::core
