#include "core/report/record_json.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/inventory/relation.h"
#include "core/report/report.h"
#include "core/report/statistics_json.h"

namespace dlscope::core {
namespace {

// null: the thing has no name.
void put_name(JsonWriter& json, const char* name) {
  if (*name == '\0') return json.null();
  json.value(name);
}

void put_tri(JsonWriter& json, Tri tri) {
  if (tri == Tri::unknown) return json.null();
  json.value(tri == Tri::yes);
}

void put_numbers(JsonWriter& json, std::span<const std::int64_t> numbers) {
  json.begin_array();
  for (const std::int64_t number : numbers) json.value(number);
  json.end_array();
}

// The bit strides divided by `unit`; null if one of them is not a whole multiple, or is capped (too large to count).
void put_strides(JsonWriter& json, std::span<const std::int64_t> stride_bits, std::int64_t unit) {
  const auto has_no_number = [unit](std::int64_t bits) { return bits % unit != 0 || is_capped(bits); };
  if (unit == 0 || std::ranges::any_of(stride_bits, has_no_number)) return json.null();
  json.begin_array();
  for (const std::int64_t bits : stride_bits) json.value(bits / unit);
  json.end_array();
}

// null for a handle, and for a malformed struct whose data + byte_offset overflows.
void put_address(JsonWriter& json, bool known, Address address) {
  if (!known) return json.null();
  json.value(hex(address));
}

void put_remarks(JsonWriter& json, const Snapshot& s, const TensorRecord& t, RemarkKind kind) {
  json.begin_array();
  for (const RemarkRecord& remark : Snapshot::slice(s.remarks, t.remarks)) {
    if (remark_kind(remark.code) != kind) continue;
    json.begin_object();
    json.field("code", remark_code_name(remark.code));
    json.field("message", s.str(remark.message));
    json.end_object();
  }
  json.end_array();
}

void put_origin(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  json.field("id", static_cast<std::uint64_t>(&t - s.tensors.data()));
  json.key("space");
  if (t.space == kNoSpace) {
    json.null();
  } else {
    put_text(json, s, s.spaces[t.space].name);
  }
  json.key("name");
  put_text(json, s, t.names.count != 0 ? s.names[t.names.first] : TextRef{});
  json.key("names");
  json.begin_array();
  for (const TextRef name : Snapshot::slice(s.names, t.names)) json.value(s.str(name));
  json.end_array();
  json.key("library");
  put_text(json, s, t.library);
  json.key("type");
  put_text(json, s, t.type);
}

void put_hand_over(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  json.key("protocol");
  put_name(json, protocol_name(t.protocol));
  json.key("capsule");
  put_name(json, capsule_kind_name(t.capsule));
  json.key("read_by");
  put_name(json, read_by_name(t.read_by));
  json.key("given_by");
  put_name(json, given_by_name(t.given_by));
  json.key("dlpack_version");
  put_version(json, t.version_major, t.version_minor);
  json.key("refusals");
  json.begin_array();
  for (const RefusalRecord& refusal : Snapshot::slice(s.refusals, t.refusals)) {
    json.begin_object();
    json.key("protocol");
    put_name(json, protocol_name(refusal.protocol));
    json.key("type");
    put_text(json, s, refusal.type);
    json.field("message", s.str(refusal.message));
    json.end_object();
  }
  json.end_array();
}

void put_dtype(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  if (!t.has_metadata) return json.null();
  json.begin_object();
  const bool is_item = t.item_type != kNone16;
  json.key("code");
  if (is_item) {
    json.null();
  } else {
    json.value(t.dtype.code);
  }
  json.field("bits", is_item ? t.dtype.item_bits() : t.dtype.bits);
  json.field("lanes", is_item ? std::uint16_t{1} : t.dtype.lanes);
  json.field("name", s.dtype_name(t));
  json.end_object();
}

void put_layout(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  json.key("dtype");
  put_dtype(json, s, t);
  json.key("shape");
  if (t.has_metadata) {
    put_numbers(json, s.shape(t));
  } else {
    json.null();
  }
  json.key("strides");
  put_strides(json, s.stride_bits(t), t.has_layout ? std::int64_t{t.item_bits} : 0);
  json.key("strides_bytes");
  put_strides(json, s.stride_bits(t), t.has_layout ? 8 : 0);
  json.key("strides_implied");
  if (t.has_metadata) {
    json.value(t.strides_implied);
  } else {
    json.null();
  }
}

void put_place(JsonWriter& json, const TensorRecord& t) {
  json.key("device");
  if (t.has_metadata) {
    json.begin_object();
    put_device(json, t.device);
    json.field("name", device_name(t.device));
    json.end_object();
  } else {
    json.null();
  }
  json.key("device_claimed");
  if (t.has_claimed_device) {
    json.begin_object();
    put_device(json, t.claimed_device);
    json.end_object();
  } else {
    json.null();
  }
  json.key("data");
  put_address(json, t.has_metadata, t.data);
  json.key("byte_offset");
  put_size(json, t.has_metadata ? t.byte_offset : kUnknown64);
  json.key("address");
  put_address(json, has_known_address(t), t.address);
  json.key("extent");
  put_range(json, has_known_extent(t) ? std::optional(t.extent) : std::nullopt);
}

void put_measures(JsonWriter& json, const TensorRecord& t) {
  json.key("elements");
  put_size(json, t.elements);
  json.key("nbytes");
  put_size(json, t.nbytes);
  json.key("distinct_bytes");
  put_size(json, t.distinct_bytes);
  json.key("contiguity");
  if (t.contiguity == Contiguity::unknown) {
    json.null();
  } else {
    json.value(contiguity_name(t.contiguity));
  }
  json.key("alignment");
  put_size(json, t.alignment != 0 ? t.alignment : kUnknown64);
}

void put_ownership(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  json.key("flags");
  put_flags(json, t.read_only, t.is_copied, t.subbyte_padded);
  json.key("deleter");
  if (t.deleter == kNone32) {
    json.null();
  } else {
    const DeleterRecord& deleter = s.deleters[t.deleter];
    json.begin_object();
    json.key("symbol");
    put_text(json, s, deleter.symbol);
    json.key("library");
    put_text(json, s, deleter.library);
    json.key("offset");
    put_address(json, deleter.library.length != 0, deleter.library_offset);
    json.field("address", hex(deleter.address));
    json.end_object();
  }
  json.key("manager");
  put_address(json, t.manager != 0, t.manager);
}

void put_memory(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  json.key("device_by_driver");
  if (const DriverDeviceRecord* const told = s.driver_device_of(t)) {
    json.begin_object();
    put_device(json, told->device);
    json.field("name", device_name(told->device));
    json.end_object();
  } else {
    json.null();
  }
  json.key("allocation");
  if (const auto allocation = s.allocation_of(t)) {
    json.begin_object();
    json.field("begin", hex(allocation->range.begin));
    json.field("end", hex(allocation->range.end));
    json.field("source", allocation_source_name(allocation->source));
    json.end_object();
  } else {
    json.null();
  }
}

void put_scope(JsonWriter& json, const Snapshot& s, const TensorRecord& t) {
  const FrameRecord* const frame = t.frame != kNone16 ? &s.frames[t.frame] : nullptr;
  json.field("scope", frame != nullptr ? "local" : "module");
  json.key("frame");
  if (frame == nullptr) return json.null();
  json.begin_object();
  json.key("function");
  put_text(json, s, frame->function);
  json.key("file");
  put_text(json, s, frame->file);
  json.field("line", frame->line);
  json.field("depth", frame->depth);
  json.end_object();
}

void put_witness(JsonWriter& json, const Snapshot& s, const PairRecord& pair) {
  if (pair.shared_bytes == 0 || pair.shared_bytes == kUnknown64) return json.null();
  const std::optional<WitnessElements> elements = witness_elements(s, pair);
  const auto put_index = [&](const char* key, const TensorRecord& t, std::uint64_t WitnessElements::* flat) {
    json.key(key);
    if (!elements) return json.null();
    std::array<std::int64_t, kMaxRank> index{};
    const std::span<std::int64_t> used(index.data(), t.rank);
    unravel(s.layout(t), *elements.*flat, used);
    put_numbers(json, used);
  };
  json.begin_object();
  json.field("address", hex(pair.witness));
  if (const Address in_b = witness_in(s, pair, pair.b); in_b != pair.witness) json.field("b_address", hex(in_b));
  put_index("a_index", s.tensors[pair.a], &WitnessElements::a);
  put_index("b_index", s.tensors[pair.b], &WitnessElements::b);
  json.end_object();
}

}  // namespace

void put_size(JsonWriter& json, std::uint64_t size_or_unknown) {
  if (size_or_unknown == kUnknown64) return json.null();
  json.value(size_or_unknown);
}

void put_reason(JsonWriter& json, UnknownWhy why) {
  if (why == UnknownWhy::none) return json.null();
  json.value(unknown_why_name(why));
}

void put_text(JsonWriter& json, const Snapshot& s, TextRef text) {
  if (text.length == 0) return json.null();
  json.value(s.str(text));
}

void put_range(JsonWriter& json, const std::optional<ByteRange>& range) {
  if (!range) return json.null();
  json.begin_object();
  json.field("begin", hex(range->begin));
  json.field("end", hex(range->end));
  json.end_object();
}

void put_flags(JsonWriter& json, Tri read_only, Tri is_copied, Tri subbyte_padded) {
  json.begin_object();
  json.key("read_only");
  put_tri(json, read_only);
  json.key("is_copied");
  put_tri(json, is_copied);
  json.key("subbyte_padded");
  put_tri(json, subbyte_padded);
  json.end_object();
}

// Of a DLPack struct; 0, 0: it says none.
void put_version(JsonWriter& json, std::uint16_t major, std::uint16_t minor) {
  if (major == 0 && minor == 0) return json.null();
  const std::array<std::int64_t, 2> version{major, minor};
  put_numbers(json, version);
}

void put_device(JsonWriter& json, DeviceId device) {
  json.field("type", device.type);
  json.field("id", device.id);
}

void put_tensor(JsonWriter& json, const Snapshot& s, const TensorRecord& t, bool held) {
  json.begin_object();
  put_origin(json, s, t);
  put_hand_over(json, s, t);
  put_layout(json, s, t);
  put_place(json, t);
  put_measures(json, t);
  put_ownership(json, s, t);
  put_memory(json, s, t);
  put_scope(json, s, t);
  json.key("group");
  put_size(json, t.group != kNone32 ? t.group : kUnknown64);
  json.field("held_by_dlscope", held);
  json.field("readable", t.readable);
  json.key("problems");
  put_remarks(json, s, t, RemarkKind::problem);
  json.key("notes");
  put_remarks(json, s, t, RemarkKind::note);
  json.key("stats");
  if (const ValueSummary* const summary = s.statistics_of(t)) {
    put_summary(json, *summary, s.layout(t));
  } else {
    json.null();
  }
  json.end_object();
}

void put_group(JsonWriter& json, const Snapshot& s, const GroupRecord& group) {
  json.begin_object();
  json.field("id", static_cast<std::uint64_t>(&group - s.groups.data()));
  json.key("space");
  put_text(json, s, s.spaces[group.space].name);
  json.key("device");
  json.begin_object();
  put_device(json, group.device);
  json.field("name", device_name(group.device));
  json.end_object();
  json.field("begin", hex(group.range.begin));
  json.field("end", hex(group.range.end));
  json.key("tensors");
  json.begin_array();
  for (const std::uint32_t id : Snapshot::slice(s.group_members, group.members)) json.value(id);
  json.end_array();
  json.key("distinct_bytes");
  put_size(json, group.distinct_bytes);
  json.key("libraries");
  json.begin_array();
  for (const TextRef library : Snapshot::slice(s.group_libraries, group.libraries)) json.value(s.str(library));
  json.end_array();
  json.end_object();
}

void put_pair(JsonWriter& json, const Snapshot& s, const PairRecord& pair, std::string_view probe) {
  json.begin_object();
  json.field("a", pair.a);
  json.field("b", pair.b);
  json.field("relation", relation_name(pair.relation));
  json.key("shared_bytes");
  put_size(json, pair.shared_bytes);
  json.key("method");
  if (pair.relation == Relation::unknown) {
    json.null();
  } else {
    json.value(overlap_method_name(pair.method));
  }
  json.key("reason");
  put_reason(json, pair.why);
  json.key("witness");
  put_witness(json, s, pair);
  json.key("proof");
  if (probe.empty()) {
    json.null();
  } else {
    json.begin_object();
    json.field("probe", probe);
    json.end_object();
  }
  json.end_object();
}

}  // namespace dlscope::core
