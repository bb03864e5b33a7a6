#include "core/wire/snapshot_check.h"

#include <cstring>
#include <string>
#include <type_traits>

#include "core/inventory/sanitise.h"
#include "core/tensor/layout.h"

namespace dlscope::core::wire {
namespace {

// The enum or bool at `offset` has a numeric value of at most `last`.
template <class T>
bool at_most(const std::byte* bytes, std::size_t offset, T last) {
  using Number = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  static_assert(sizeof(T) == sizeof(Number));
  Number value{};
  std::memcpy(&value, bytes + offset, sizeof value);
  return value <= static_cast<Number>(last);
}

class Checker {
 public:
  explicit Checker(const Snapshot& s) : s_(s) {}

  [[nodiscard]] Result<void> run() const {
    if (s_.spaces.size() < 2) return wrong("spaces", 0);
    if (!is_sanitised({s_.text.data(), s_.text.size()})) return wrong("text", 0);
    if (!info()) return wrong("description", 0);
    for (const auto& check :
         {each("tensor", s_.tensors, &Checker::tensor), each("name", s_.names, &Checker::text),
          each("refusal", s_.refusals, &Checker::refusal), each("remark", s_.remarks, &Checker::remark),
          each("deleter", s_.deleters, &Checker::deleter), each("space", s_.spaces, &Checker::space),
          each("group", s_.groups, &Checker::group), each("group member", s_.group_members, &Checker::tensor_id),
          each("group library", s_.group_libraries, &Checker::text), each("pair", s_.pairs, &Checker::pair),
          each("statistics", s_.statistics, &Checker::statistics), each("allocation", s_.allocations, &Checker::allocation),
          each("device of the driver", s_.driver_devices, &Checker::driver_device), each("event", s_.events, &Checker::event),
          each("copy", s_.copies, &Checker::copy), each("limit", s_.limits, &Checker::limit),
          each("library", s_.libraries, &Checker::library), each("device", s_.devices, &Checker::device),
          each("item type", s_.item_types, &Checker::item_type), each("frame", s_.frames, &Checker::frame),
          each("not entered", s_.not_entered, &Checker::not_entered)}) {
      if (!check) return check;
    }
    return {};
  }

 private:
  [[nodiscard]] static Result<void> wrong(const char* what, std::size_t index) {
    return fail(ErrorKind::invalid, std::string(what) + " " + std::to_string(index) + " is malformed");
  }
  template <class T>
  [[nodiscard]] Result<void> each(const char* what, const std::vector<T>& pool, bool (Checker::*check)(const T&) const) const {
    for (std::size_t i = 0; i < pool.size(); ++i) {
      if (!(this->*check)(pool[i])) return wrong(what, i);
    }
    return {};
  }

  template <class T>
  [[nodiscard]] static bool inside(const std::vector<T>& pool, std::uint64_t first, std::uint64_t count) {
    return first <= pool.size() && count <= pool.size() - first;
  }
  template <class T>
  [[nodiscard]] static bool inside(const std::vector<T>& pool, Slice slice) {
    return inside(pool, slice.first, slice.count);
  }
  template <class T>
  [[nodiscard]] static bool index_or_none(const std::vector<T>& pool, std::uint32_t index) {
    return index == kNone32 || index < pool.size();
  }

  // A slice of Snapshot::text that splits no character. (The text as a whole is checked to be valid UTF-8.)
  [[nodiscard]] bool text(const TextRef& ref) const {
    const std::size_t end = std::size_t{ref.offset} + ref.length;
    return inside(s_.text, ref.offset, ref.length) && begins_character(ref.offset) && begins_character(end);
  }
  [[nodiscard]] bool begins_character(std::size_t at) const {
    return at == s_.text.size() || (static_cast<unsigned char>(s_.text[at]) & 0xc0U) != 0x80U;
  }
  [[nodiscard]] bool tensor_id(const std::uint32_t& id) const { return id < s_.tensors.size(); }
  [[nodiscard]] bool info() const {
    return text(s_.info.python_version) && text(s_.info.python_executable) && text(s_.info.python_prefix) &&
           text(s_.info.stop.file) && text(s_.info.stop.function) && text(s_.info.stop.thread) &&
           text(s_.info.last_function);
  }

  [[nodiscard]] bool tensor(const TensorRecord& t) const {
    if (!inside(s_.names, t.names) || !inside(s_.refusals, t.refusals) || !inside(s_.remarks, t.remarks)) return false;
    if (!text(t.library) || !text(t.type)) return false;
    if (!index_or_none(s_.deleters, t.deleter) || !index_or_none(s_.groups, t.group)) return false;
    if (!allocation_of(t)) return false;
    if (t.frame != kNone16 && t.frame >= s_.frames.size()) return false;
    if (t.item_type != kNone16 && !item_of(t)) return false;
    if (t.rank > kMaxRank || !inside(s_.dims, t.dims, 2 * std::uint64_t{t.rank})) return false;
    if (t.space >= s_.spaces.size() || (t.alignment & (t.alignment - 1)) != 0 || t.alignment > 4096) return false;
    return t.has_layout ? t.has_metadata && layout(t) : t.extent.empty() && t.group == kNone32 && !t.readable;
  }

  // The tensor's bytes lie in its allocation.
  [[nodiscard]] bool allocation_of(const TensorRecord& t) const {
    if (t.allocation == kNone32) return true;
    if (t.allocation == kOwnAllocation) return !t.extent.empty();
    if (t.allocation >= s_.allocations.size()) return false;
    const ByteRange whole = s_.allocations[t.allocation].range;
    return t.extent.empty() || (whole.begin <= t.extent.begin && t.extent.end <= whole.end);
  }

  [[nodiscard]] bool item_of(const TensorRecord& t) const {
    return t.item_type < s_.item_types.size() && t.dtype == dtype_of_item(s_.item_types[t.item_type].bytes);
  }
  // The code that formats an element relies on its fields lying inside it.
  [[nodiscard]] bool item_type(const ItemTypeRecord& type) const {
    if (!text(type.name) || type.bytes > kMaxItemBytes || !inside(s_.item_fields, type.fields)) return false;
    for (const ItemFieldRecord& field : Snapshot::slice(s_.item_fields, type.fields)) {
      const FieldLayout& layout = field.layout;
      if (!text(field.name) || layout.multiple == 0) return false;
      if (layout.bytes > type.bytes || layout.offset + std::uint64_t{layout.bytes} * layout.count > type.bytes) return false;
      if (layout.axes > kMaxFieldAxes) return false;
      std::uint64_t product = 1;
      for (std::size_t axis = 0; axis < layout.axes; ++axis) product *= layout.shape[axis];  // of 16 bits each
      if (layout.axes > 0 && product != layout.count) return false;
    }
    return true;
  }
  [[nodiscard]] bool frame(const FrameRecord& f) const { return text(f.function) && text(f.file); }
  [[nodiscard]] bool not_entered(const NotEnteredRecord& n) const { return text(n.type); }

  // Code that reads a snapshot relies on these numbers without checking for overflow again.
  [[nodiscard]] bool layout(const TensorRecord& t) const {
    LayoutBounds bounds;
    if (check_layout(s_.layout(t), bounds) != LayoutFault::none) return false;
    if (t.elements != bounds.elements || t.nbytes != (t.elements * t.item_bits + 7) / 8) return false;
    // An element of b bits, starting at any bit, touches at most (b + 7) / 8 + 1 bytes.
    if (t.distinct_bytes != kUnknown64 && t.distinct_bytes > t.nbytes + 2 * t.elements) return false;
    const ByteRange compared = Snapshot::compared_extent(t);
    if (compared.begin > compared.end) return false;
    if (t.extent == ByteRange{}) return true;  // the data is a handle or NULL: no address
    ByteRange extent;
    return find_extent(bounds, t.address, extent) && extent == t.extent;
  }

  [[nodiscard]] bool refusal(const RefusalRecord& r) const { return text(r.type) && text(r.message); }
  [[nodiscard]] bool remark(const RemarkRecord& r) const { return text(r.message); }
  [[nodiscard]] bool deleter(const DeleterRecord& d) const { return text(d.symbol) && text(d.library); }
  [[nodiscard]] bool space(const SpaceRecord& r) const { return text(r.name); }

  [[nodiscard]] bool group(const GroupRecord& g) const {
    return g.range.begin <= g.range.end && inside(s_.group_members, g.members) && g.members.count > 0 &&
           inside(s_.group_libraries, g.libraries) && g.space < s_.spaces.size();
  }

  [[nodiscard]] bool pair(const PairRecord& p) const {
    if (p.a >= p.b || p.b >= s_.tensors.size()) return false;
    if (!s_.tensors[p.a].has_layout || !s_.tensors[p.b].has_layout) return false;
    const bool unknown = p.relation == Relation::unknown;
    return unknown == (p.why != UnknownWhy::none) && unknown == (p.shared_bytes == kUnknown64);
  }

  [[nodiscard]] bool statistics(const StatisticsRecord& r) const {
    const bool sorted = &r == s_.statistics.data() || (&r - 1)->tensor < r.tensor;
    if (r.tensor >= s_.tensors.size() || !sorted || r.summary.method == StatisticsMethod::none) return false;
    const TensorRecord& t = s_.tensors[r.tensor];
    const auto inside_tensor = [&](const SpecialValue& special) {
      return special.index == kNoIndex || special.index < t.elements;
    };
    return t.has_layout && inside_tensor(r.summary.first_special) && inside_tensor(r.summary.last_special);
  }

  [[nodiscard]] bool allocation(const AllocationRecord& a) const {
    return a.range.begin < a.range.end && (a.used_bytes == kUnknown64 || a.used_bytes <= a.range.size());
  }
  [[nodiscard]] bool driver_device(const DriverDeviceRecord& d) const {
    return (&d == s_.driver_devices.data() || (&d - 1)->tensor < d.tensor) && d.tensor < s_.tensors.size();
  }

  [[nodiscard]] bool event(const EventRecord& e) const { return text(e.text) && index_or_none(s_.tensors, e.tensor); }
  [[nodiscard]] bool copy(const CopyRecord& c) const { return text(c.from) && text(c.to) && text(c.why) && text(c.path); }
  [[nodiscard]] bool limit(const LimitRecord& l) const { return text(l.what); }
  [[nodiscard]] bool library(const LibraryRecord& l) const { return text(l.name) && text(l.version); }
  [[nodiscard]] bool device(const DeviceRecord& d) const { return text(d.name); }

  const Snapshot& s_;
};

}  // namespace

template <>
bool raw_values_fit<SnapshotInfo>(const std::byte* bytes) {
  return at_most(bytes, offsetof(SnapshotInfo, scanned), Scanned::raise) &&
         at_most(bytes, offsetof(SnapshotInfo, functions_returned), true) &&
         at_most(bytes, offsetof(SnapshotInfo, missing_pairs), UnknownWhy::not_yet) &&
         at_most(bytes, offsetof(SnapshotInfo, open_groups), UnknownWhy::not_yet);
}

template <>
bool raw_values_fit<TensorRecord>(const std::byte* bytes) {
  using T = TensorRecord;
  return at_most(bytes, offsetof(T, protocol), Protocol::attributes) &&
         at_most(bytes, offsetof(T, capsule), CapsuleKind::dltensor_versioned) &&
         at_most(bytes, offsetof(T, read_by), ReadBy::mapped) && at_most(bytes, offsetof(T, given_by), GivenBy::held_capsule) &&
         at_most(bytes, offsetof(T, contiguity), Contiguity::scalar) &&
         at_most(bytes, offsetof(T, read_only), Tri::yes) && at_most(bytes, offsetof(T, is_copied), Tri::yes) &&
         at_most(bytes, offsetof(T, subbyte_padded), Tri::yes) && at_most(bytes, offsetof(T, strides_implied), true) &&
         at_most(bytes, offsetof(T, has_claimed_device), true) && at_most(bytes, offsetof(T, has_metadata), true) &&
         at_most(bytes, offsetof(T, has_layout), true) && at_most(bytes, offsetof(T, readable), true) &&
         at_most(bytes, offsetof(T, held), true);
}

template <>
bool raw_values_fit<RefusalRecord>(const std::byte* bytes) {
  return at_most(bytes, offsetof(RefusalRecord, protocol), Protocol::attributes);
}

template <>
bool raw_values_fit<RemarkRecord>(const std::byte* bytes) {
  return at_most(bytes, offsetof(RemarkRecord, code), static_cast<RemarkCode>(all_remarks().size() - 1));
}

template <>
bool raw_values_fit<PairRecord>(const std::byte* bytes) {
  return at_most(bytes, offsetof(PairRecord, relation), Relation::unknown) &&
         at_most(bytes, offsetof(PairRecord, method), OverlapMethod::sweep) &&
         at_most(bytes, offsetof(PairRecord, why), UnknownWhy::stopped);
}

template <>
bool raw_values_fit<StatisticsRecord>(const std::byte* bytes) {
  using T = ValueSummary;
  const std::byte* const summary = bytes + offsetof(StatisticsRecord, summary);
  const auto number_fits = [](const std::byte* number) { return at_most(number, offsetof(Number, kind), ValueKind::complex); };
  const auto special_fits = [](const std::byte* special) {
    return at_most(special, offsetof(SpecialValue, kind), ValueClass::negative_infinity);
  };
  return at_most(summary, offsetof(T, method), StatisticsMethod::exact) && number_fits(summary + offsetof(T, min)) &&
         number_fits(summary + offsetof(T, max)) && special_fits(summary + offsetof(T, first_special)) &&
         special_fits(summary + offsetof(T, last_special));
}

template <>
bool raw_values_fit<AllocationRecord>(const std::byte* bytes) {
  return at_most(bytes, offsetof(AllocationRecord, source), AllocationSource::driver);
}

template <>
bool raw_values_fit<EventRecord>(const std::byte* bytes) {
  return at_most(bytes, offsetof(EventRecord, kind), EventKind::write);
}

template <>
bool raw_values_fit<ItemFieldRecord>(const std::byte* bytes) {
  constexpr std::size_t kLayout = offsetof(ItemFieldRecord, layout);
  return at_most(bytes, kLayout + offsetof(FieldLayout, kind), ItemKind::object) &&
         at_most(bytes, kLayout + offsetof(FieldLayout, unit), DateUnit::as) &&
         at_most(bytes, kLayout + offsetof(FieldLayout, swapped), true) &&
         at_most(bytes, kLayout + offsetof(FieldLayout, no_path), true);
}

template <>
bool raw_values_fit<LimitRecord>(const std::byte* bytes) {
  return at_most(bytes, offsetof(LimitRecord, reached), true);
}

Result<void> check_snapshot(const Snapshot& snapshot) { return Checker(snapshot).run(); }

}  // namespace dlscope::core::wire
