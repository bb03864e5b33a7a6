#include "app/models/struct_card.h"

#include <fmt/format.h>

#include "app/models/format.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;
using core::Tri;

Field value(std::string label, std::string text, std::string meaning, Tone tone = Tone::plain) {
  return {.label = std::move(label),
          .value = std::move(text),
          .meaning = std::move(meaning),
          .evidence = {},
          .copy = {},
          .tone = tone,
          .tensor = core::kNone32,
          .code = true};
}

Field address(std::string label, core::Address at, std::string meaning) {
  Field field = value(std::move(label), at == 0 ? "NULL" : grouped_address(at), std::move(meaning));
  field.copy = plain_address(at);
  return field;
}

const char* title_of(const TensorRecord& tensor) {
  switch (tensor.protocol) {
    case core::Protocol::dlpack:
      return tensor.capsule == core::CapsuleKind::dltensor_versioned ? "DLManagedTensorVersioned" : "DLManagedTensor";
    case core::Protocol::buffer:
      return "Python buffer";
    case core::Protocol::array_interface:
      return "__array_interface__";
    case core::Protocol::cuda_array_interface:
      return "__cuda_array_interface__";
    case core::Protocol::none:
      break;
  }
  return "";
}

std::string note_of(const TensorRecord& tensor) {
  if (tensor.protocol != core::Protocol::dlpack)
    return "DLPack was not offered or refused; the older protocol says the same in other words.";
  const char* reading = tensor.read_by == core::ReadBy::mapped ? "plain loads, inside memory known to be mapped"
                                                               : "a checked copy that cannot fault";
  return fmt::format("From a capsule named \"{}\", read by {}, released at once.", core::capsule_kind_name(tensor.capsule),
                     reading);
}

void add_version_and_flags(const TensorRecord& tensor, Section& card) {
  if (tensor.protocol == core::Protocol::dlpack && tensor.capsule == core::CapsuleKind::dltensor) {
    card.fields.push_back(value("version", "none", "A legacy capsule: from before DLPack 1.0, or asked for as such."));
    card.fields.push_back(
        value("flags", "unknown", "A legacy capsule cannot say whether it is read-only or a copy.", Tone::unknown));
    return;
  }
  if (tensor.protocol == core::Protocol::dlpack) {
    card.fields.push_back(
        value("version", fmt::format("{}.{}", tensor.version_major, tensor.version_minor), "DLPack version of the struct."));
  }
  std::string flags;
  const auto add = [&flags](Tri flag, const char* name) {
    if (flag != Tri::yes) return;
    if (!flags.empty()) flags += " | ";
    flags += name;
  };
  add(tensor.read_only, "READ_ONLY");
  add(tensor.is_copied, "IS_COPIED");
  add(tensor.subbyte_padded, "IS_SUBBYTE_TYPE_PADDED");
  std::string meaning;
  if (tensor.read_only == Tri::yes)
    meaning = "Writing is forbidden. ";
  else if (tensor.read_only == Tri::no)
    meaning = "Writing is allowed. ";
  if (tensor.is_copied == Tri::yes) meaning += "The library copied the data for this export. ";
  if (tensor.subbyte_padded == Tri::yes) meaning += "Each small element has whole bytes of its own. ";
  const bool all_unknown = tensor.read_only == Tri::unknown && tensor.is_copied == Tri::unknown;
  if (!meaning.empty()) meaning.pop_back();
  if (all_unknown)
    card.fields.push_back(value("flags", "unknown", "The exporter did not say.", Tone::unknown));
  else
    card.fields.push_back(value("flags", flags.empty() ? "none" : flags, meaning));
}

void add_deleter(const Snapshot& snapshot, const TensorRecord& tensor, Section& card) {
  if (tensor.protocol != core::Protocol::dlpack) return;
  if (tensor.deleter == core::kNone32) {
    card.fields.push_back(value("deleter", "NULL", "Nothing has to be called when the consumer is done."));
    return;
  }
  const core::DeleterRecord& deleter = snapshot.deleters[tensor.deleter];
  const std::string_view path = snapshot.str(deleter.library);
  const std::size_t slash = path.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  std::string where = file.empty() ? grouped_address(deleter.address) : fmt::format("{} +0x{:x}", file, deleter.library_offset);
  if (deleter.symbol.length > 0) where = fmt::format("{} in {}", shortened(snapshot.str(deleter.symbol), 60), file);
  Field field = value("deleter", std::move(where), "The function that gives the tensor back to its library.");
  if (file.empty()) field.meaning += " It lies in no known library.";
  field.copy = plain_address(deleter.address);
  card.fields.push_back(std::move(field));
}

void add_device(const TensorRecord& tensor, Section& card) {
  const std::string device = core::device_name(tensor.device);
  card.fields.push_back(
      value("device", device, fmt::format("DLPack device type {}, number {}.", tensor.device.type, tensor.device.id)));
  if (!tensor.has_claimed_device) return;
  const bool same = tensor.claimed_device == tensor.device;
  card.fields.push_back(value("__dlpack_device__", core::device_name(tensor.claimed_device),
                              same ? "The object's word and the capsule's word agree."
                                   : "The object claims another device than its capsule: nothing behind the pointer is touched.",
                              same ? Tone::plain : Tone::bad));
}

void add_dimensions(const Snapshot& snapshot, const TensorRecord& tensor, Section& card) {
  card.fields.push_back(value("ndim", fmt::format("{}", tensor.rank), {}));
  card.fields.push_back(value(
      "dtype", core::dtype_name(tensor.dtype),
      fmt::format("code {}, {} bits, {}.", tensor.dtype.code, tensor.dtype.bits, counted(tensor.dtype.lanes, "lane", "lanes"))));
  Field shape = value("shape", tuple_text(snapshot.shape(tensor)), {});
  card.fields.push_back(std::move(shape));
  if (!tensor.has_layout) {
    card.fields.push_back(value("strides", "unknown", "Shape or strides are impossible; a remark says how.", Tone::unknown));
    return;
  }
  const core::LayoutView layout = snapshot.layout(tensor);
  card.fields.push_back(
      value("strides", "(" + strides_text(layout, 64) + (tensor.rank == 1 ? ",)" : ")"),
            tensor.strides_implied ? "In elements. The producer gave NULL: C order is implied." : "In elements."));
  card.fields.back().meaning += tensor.rank == 0 ? "" : fmt::format(" In bytes: {}.", strides_bytes_text(layout, 64));
}

}  // namespace

Section struct_card(const Snapshot& snapshot, const TensorRecord& tensor) {
  Section card;
  if (tensor.protocol == core::Protocol::none) return card;
  card.title = title_of(tensor);
  card.note = note_of(tensor);
  add_version_and_flags(tensor, card);
  if (tensor.has_metadata) {
    card.fields.push_back(address("data", tensor.data,
                                  tensor.byte_offset == 0
                                      ? "Where element [0, ..., 0] lies."
                                      : "Start of the allocation; element [0, ..., 0] lies byte_offset behind it."));
    card.fields.push_back(
        value("byte_offset", fmt::format("{}", tensor.byte_offset),
              tensor.byte_offset == 0 ? "" : fmt::format("First element at {}.", grouped_address(tensor.address))));
    add_device(tensor, card);
    add_dimensions(snapshot, tensor, card);
  }
  if (tensor.protocol == core::Protocol::dlpack) {
    card.fields.push_back(address("manager_ctx", tensor.manager, "The library's own handle; only its deleter knows what it is."));
  }
  add_deleter(snapshot, tensor, card);
  return card;
}

}  // namespace dlscope::app
