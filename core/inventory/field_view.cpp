#include "core/inventory/field_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dlscope::core {
namespace {

// Texts of a snapshot that is being made.
TextRef add_text(Snapshot& out, std::string_view text) {
  const TextRef ref{static_cast<std::uint32_t>(out.text.size()), static_cast<std::uint32_t>(text.size())};
  out.text.insert(out.text.end(), text.begin(), text.end());
  return ref;
}

// Python reads the fields of NumPy's arrays as x['pos']['lat'], of nothing else.
std::string name_of_field(const Snapshot& snapshot, const TensorRecord& tensor, const ItemFieldRecord& field,
                          std::string_view name) {
  const bool is_numpy = snapshot.str(tensor.type).starts_with("numpy.");
  if (!is_numpy || field.layout.no_path) return fmt::format("{}, field {}", name, field_label(snapshot, field));
  std::string out(name);
  out += "['";
  for (const char c : snapshot.str(field.name)) {
    if (c == '.') {
      out += "']['";
      continue;
    }
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "']";
}

// A number that DLPack has a dtype for, as it lies in memory; nullopt: only an item type says what it is.
std::optional<DType> plain_dtype(const FieldLayout& field) {
  if (field.kind != ItemKind::number || field.swapped) return std::nullopt;
  if (field.dtype.item_bits() != field.bytes * 8) return std::nullopt;
  return field.dtype;
}

void set_type(const FieldLayout& field, Snapshot& out, TensorRecord& t) {
  t.item_bits = field.bytes * 8;
  t.item_type = kNone16;
  if (const auto plain = plain_dtype(field)) {
    t.dtype = *plain;
    return;
  }
  const ItemType item = item_of_value(field);
  t.dtype = dtype_of_item(item.bytes);
  t.item_type = 0;
  out.item_types.push_back({add_text(out, item.name), {0, static_cast<std::uint32_t>(item.fields.size())}, item.bytes});
  for (const ItemField& one : item.fields) out.item_fields.push_back({add_text(out, one.name), one.layout});
}

Result<void> set_layout(const Snapshot& from, const TensorRecord& whole, const FieldLayout& field, Snapshot& out,
                        TensorRecord& t) {
  const auto shape = from.shape(whole), strides = from.stride_bits(whole);
  const std::size_t axes = field.axes, rank = shape.size() + axes;
  if (rank > static_cast<std::size_t>(kMaxRank)) return fail(ErrorKind::unsupported, "it has more axes than a tensor may have");
  if (field.bytes == 0) return fail(ErrorKind::unsupported, "its values have no bytes");
  out.dims.assign(shape.begin(), shape.end());
  out.dims.insert(out.dims.end(), field.shape.begin(), field.shape.begin() + static_cast<std::ptrdiff_t>(axes));
  out.dims.insert(out.dims.end(), strides.begin(), strides.end());
  std::vector<std::int64_t> inner(axes);
  const std::span<const std::int64_t> inner_shape(out.dims.data() + shape.size(), axes);
  if (!c_order_strides(inner_shape, t.item_bits, inner)) return fail(ErrorKind::invalid, "its strides do not fit 64 bits");
  out.dims.insert(out.dims.end(), inner.begin(), inner.end());
  t.dims = 0;
  t.rank = static_cast<std::uint8_t>(rank);
  const auto bounds = validate(out.layout(t));
  if (!bounds) return std::unexpected(bounds.error());
  t.elements = bounds->elements;
  t.nbytes = (t.elements * t.item_bits + 7) / 8;
  t.byte_offset = whole.byte_offset + field.offset;
  t.address = whole.address + field.offset;
  if (!find_extent(*bounds, t.address, t.extent)) return fail(ErrorKind::invalid, "its bytes would not fit the address space");
  return {};
}

// What says in whose memory the bytes are, and why they may not be read.
void copy_place(const Snapshot& from, const TensorRecord& whole, std::uint32_t id, Snapshot& out, TensorRecord& t) {
  const auto keep = [&](TextRef text) { return add_text(out, from.str(text)); };
  t.library = keep(whole.library);
  t.type = keep(whole.type);
  for (const SpaceRecord& space : from.spaces) out.spaces.push_back({space.device, keep(space.name)});
  for (DriverDeviceRecord known : from.driver_devices) {
    if (known.tensor != id) continue;
    known.tensor = 0;
    out.driver_devices.push_back(known);
  }
  t.remarks = {0, 0};
  for (const RemarkRecord& remark : Snapshot::slice(from.remarks, whole.remarks)) {
    out.remarks.push_back({remark.code, keep(remark.message)});
    ++t.remarks.count;
  }
}

}  // namespace

std::span<const ItemFieldRecord> fields_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (tensor.item_type == kNone16) return {};
  const auto fields = Snapshot::slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields);
  if (fields.size() > kMaxItemFields) return {};
  const bool is_single = fields.size() == 1 && fields[0].name.length == 0;  // a date, a text: the whole of an element
  return is_single ? std::span<const ItemFieldRecord>() : fields;
}

std::string field_label(const Snapshot& snapshot, const ItemFieldRecord& field) {
  const std::string_view name = snapshot.str(field.name);
  return name.empty() ? fmt::format("unnamed, at byte {}", field.layout.offset) : std::string(name);
}

Result<std::uint16_t> field_with_name(const Snapshot& snapshot, const TensorRecord& tensor, std::string_view name) {
  const auto fields = fields_of(snapshot, tensor);
  if (fields.empty()) return fail(ErrorKind::not_found, "its elements have no fields");
  const auto has_name = [&](const ItemFieldRecord& field) { return snapshot.str(field.name) == name; };
  const auto found = std::ranges::find_if(fields, has_name);
  if (found == fields.end()) {
    std::string known;
    for (const ItemFieldRecord& field : fields.first(std::min<std::size_t>(fields.size(), 20)))
      known += (known.empty() ? "" : ", ") + field_label(snapshot, field);
    return fail(ErrorKind::not_found, fmt::format("it has no field {}; its fields are {}{}", name, known,
                                                  fields.size() > 20 ? ", …" : ""));
  }
  if (std::ranges::count_if(fields, has_name) > 1)
    return fail(ErrorKind::invalid, fmt::format("several of its fields are called {}", name));
  return static_cast<std::uint16_t>(found - fields.begin());
}

Result<TensorPart> part_view(const SnapshotPtr& snapshot, std::uint32_t tensor, std::uint16_t field) {
  if (field == kNone16) return TensorPart{snapshot, tensor};
  const TensorRecord& whole = snapshot->tensors[tensor];
  const auto fields = fields_of(*snapshot, whole);
  if (field >= fields.size()) return fail(ErrorKind::not_found, "it has no such field");
  if (!whole.has_layout) return fail(ErrorKind::unsupported, "where its elements lie is not known");
  const ItemFieldRecord& chosen = fields[field];
  auto out = std::make_shared<Snapshot>();
  out->info = snapshot->info;
  TensorRecord t = whole;
  t.distinct_bytes = kUnknown64;
  t.contiguity = Contiguity::unknown;
  t.group = t.allocation = t.deleter = kNone32;
  t.refusals = {};
  t.frame = kNone16;
  set_type(chosen.layout, *out, t);
  if (auto laid = set_layout(*snapshot, whole, chosen.layout, *out, t); !laid) return std::unexpected(laid.error());
  t.alignment = static_cast<std::uint16_t>(t.address == 0 ? 0 : std::min<Address>(t.address & (~t.address + 1), 4096));
  copy_place(*snapshot, whole, tensor, *out, t);
  t.names = {0, 0};
  for (const TextRef name : Snapshot::slice(snapshot->names, whole.names)) {
    out->names.push_back(add_text(*out, name_of_field(*snapshot, whole, chosen, snapshot->str(name))));
    ++t.names.count;
  }
  out->tensors.push_back(t);
  return TensorPart{std::move(out), 0};
}

}  // namespace dlscope::core
