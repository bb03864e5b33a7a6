#include "app/models/inspector/struct_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "app/models/focus/focus_text.h"
#include "app/models/inspector/live_answers.h"
#include "app/models/inspector/struct_as_c.h"
#include "app/models/tensors/refusal_advice.h"
#include "app/models/text/format.h"
#include "core/inventory/python_name.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;
using core::Tri;
using core::wire::StructAnswer;
using core::wire::StructBlock;
using core::wire::StructField;

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
    case core::Protocol::file:
      return "In the file's header";
    case core::Protocol::attributes:  // there is no struct
    case core::Protocol::none:
      break;
  }
  return "";
}

const char* reading_text(const TensorRecord& tensor) {
  return tensor.read_by == core::ReadBy::mapped ? "plain loads, inside memory known to be mapped"
                                                : "a checked copy that cannot fault";
}

std::string note_of(const TensorRecord& tensor, bool held) {
  if (tensor.protocol == core::Protocol::file)
    return "What the file says of its data. It was checked against the file's size.";
  if (tensor.protocol != core::Protocol::dlpack)
    return "DLPack was not offered or refused; the older protocol says the same in other words.";
  if (held)
    return fmt::format("The scan read it from your own capsule, by {}, and left the capsule as it is.", reading_text(tensor));
  if (tensor.given_by == core::GivenBy::exchange_table)
    return fmt::format(
        "The scan had it from the exchange table of its type, without a capsule, read it by {}, and called its deleter at once.",
        reading_text(tensor));
  return fmt::format("The scan read it from a capsule named “{}”, by {}, and gave the capsule back at once.",
                     core::capsule_kind_name(tensor.capsule), reading_text(tensor));
}

// The state of the question for the raw bytes.
std::string live_text(const LiveAnswer& live) {
  switch (live.state) {
    case LiveAnswer::State::no_python:
      return "Raw bytes: there is no Python here to ask for them.";
    case LiveAnswer::State::gone:
      return "These are the facts of the last scan; the Python they came from is gone, so there are no raw bytes.";
    case LiveAnswer::State::waits:
      return "Python is busy: the raw bytes are shown when it is idle.";
    case LiveAnswer::State::asking:
      return live.raw ? "" : "Asking Python for the raw bytes ...";
    case LiveAnswer::State::stopped:
      return "The request for the raw bytes was stopped.";
    case LiveAnswer::State::failed:
      return "The raw bytes could not be read: " + live.error;
    case LiveAnswer::State::done:
      break;
  }
  return "";
}

std::string capsule_text(const StructAnswer& raw) {
  if (raw.held && raw.capsule.starts_with("used_"))
    return "A consumer has taken this capsule: what it held belongs to that consumer.";
  if (raw.held) return "Your own capsule, not consumed yet: read and left as it is.";
  if (raw.taken)
    return "Asked for now, after the scan, to show the raw bytes: copied out, renamed “used_” and given back: its deleter was "
           "called "
           "once.";
  return "Asked for now, after the scan, to show the raw bytes: copied out and left to its own destructor.";
}

// The address of the struct and the state of its capsule.
void add_state(const StructAnswer& raw, Section& card) {
  if (!raw.capsule.empty())
    card.fields.push_back(value("capsule", raw.capsule, capsule_text(raw),
                                raw.held && raw.capsule.starts_with("used_") ? Tone::warn : Tone::plain));
  if (const StructBlock* head = raw.head()) {
    card.fields.push_back(value("struct at", grouped_address(head->address),
                                fmt::format(fmt::runtime(raw.held ? "{}, for as long as the capsule lives."
                                                                  : "{} when it was read; the next export may be elsewhere."),
                                            exact_bytes(head->size)),
                                Tone::plain));
    card.fields.back().copy = plain_address(head->address);
  }
}

// Gives the field with this label the bytes of the struct's fields `names`, which are adjacent.
void attach(Section& card, const StructBlock& block, std::string_view label, std::initializer_list<const char*> names) {
  const auto found = std::ranges::find(card.fields, label, &Field::label);
  if (found == card.fields.end()) return;
  for (const char* name : names) {
    const StructField* raw = block.field(name);
    if (raw == nullptr) continue;
    if (found->bytes.empty()) found->bytes = fmt::format("+{:<3} ", raw->offset);
    if (found->bytes_meaning.empty())
      found->bytes_meaning = fmt::format("Of the struct at {}.\n", plain_address(block.address));
    else {
      found->bytes += "  ";
      found->bytes_meaning += "\n\n";
    }
    found->bytes += raw->bytes.empty() ? "unreadable" : bytes_text(*raw);
    found->bytes_meaning += bytes_explained(block, *raw);
  }
}

// Adds the array that a pointer points to, on a line after the pointer's.
void add_array(Section& card, const StructAnswer& raw, const char* name) {
  const StructBlock* block = raw.block(name);
  const auto found = std::ranges::find(card.fields, std::string_view(name), &Field::label);
  if (block == nullptr || found == card.fields.end()) return;
  Field array = value(fmt::format("{}[]", name), grouped_address(block->address),
                      "The array this pointer leads to, one number for each axis.", Tone::plain);
  array.copy = plain_address(block->address);
  constexpr std::size_t kMaxLines = 16;
  for (std::size_t i = 0; i < std::min(block->fields.size(), kMaxLines); ++i) {
    const StructField& entry = block->fields[i];
    array.bytes += fmt::format("{}[{}] {}", i > 0 ? "\n" : "", i, entry.bytes.empty() ? "unreadable" : bytes_text(entry));
    if (i < 4) array.bytes_meaning += (i > 0 ? "\n\n" : "") + bytes_explained(*block, entry);
  }
  if (block->fields.size() > kMaxLines) array.bytes += fmt::format("\n... {} more", block->fields.size() - kMaxLines);
  if (block->fields.size() > 4) array.bytes_meaning += "\n...";
  card.fields.insert(found + 1, std::move(array));
}

void add_raw(const StructAnswer& raw, const TensorRecord& tensor, Section& card) {
  const StructBlock* head = raw.head();
  if (head == nullptr || raw.protocol != core::Protocol::dlpack) return;
  attach(card, *head, "version", {"version.major", "version.minor"});
  for (const char* same : {"flags", "data", "ndim", "shape", "strides", "byte_offset", "manager_ctx", "deleter"})
    attach(card, *head, same, {same});
  attach(card, *head, "device", {"device.device_type", "device.device_id"});
  attach(card, *head, "dtype", {"dtype.code", "dtype.bits", "dtype.lanes"});
  add_array(card, raw, "shape");
  add_array(card, raw, "strides");
  const StructField* data = head->field("data");
  const auto now = data != nullptr ? number_in(*data) : std::nullopt;
  const auto shown = std::ranges::find(card.fields, std::string_view("data"), &Field::label);
  if (!now || *now == tensor.data || shown == card.fields.end()) return;
  shown->tone = Tone::warn;
  shown->meaning =
      fmt::format("Asked again it gave {}: the object hands out other memory than it did at the scan.", grouped_address(*now));
}

void add_version_and_flags(const Snapshot& snapshot, const TensorRecord& tensor, Section& card) {
  if (tensor.protocol == core::Protocol::file) return;  // there is no struct
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
  add(struct_says_copied(snapshot, tensor), "IS_COPIED");
  add(tensor.subbyte_padded, "IS_SUBBYTE_TYPE_PADDED");
  std::string meaning;
  if (tensor.read_only == Tri::yes)
    meaning = "Writing is forbidden. ";
  else if (tensor.read_only == Tri::no)
    meaning = "Writing is allowed. ";
  if (tensor.is_copied == Tri::yes) meaning += "The data was copied for this export. ";
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
}

void add_dimensions(const SnapshotIndex& index, std::uint32_t id, Section& card) {
  const Snapshot& snapshot = *index.snapshot;
  const TensorRecord& tensor = index.tensor(id);
  const auto light_axes = [&] {
    card.fields.back().per_axis = true;
    card.fields.back().lights = Focus{.tensor = id, .element = {}, .space = {}, .bytes = {}};
  };
  card.fields.push_back(value("ndim", fmt::format("{}", tensor.rank), {}));
  card.fields.push_back(
      value("dtype", snapshot.dtype_name(tensor),
            tensor.item_type != core::kNone16
                ? fmt::format("DLPack has no dtype for it; one element is {}.", counted(tensor.item_bits / 8, "byte", "bytes"))
                : fmt::format("code {}, {} bits, {}.", tensor.dtype.code, tensor.dtype.bits,
                              counted(tensor.dtype.lanes, "lane", "lanes"))));
  card.fields.push_back(value("shape", tuple_text(snapshot.shape(tensor)), {}));
  if (tensor.has_layout) light_axes();
  if (!tensor.has_layout) {
    card.fields.push_back(value("strides", "unknown", "Shape or strides are impossible; a remark says how.", Tone::unknown));
    return;
  }
  const core::LayoutView layout = snapshot.layout(tensor);
  card.fields.push_back(
      value("strides", "(" + strides_text(layout, 64) + (tensor.rank == 1 ? ",)" : ")"),
            tensor.strides_implied ? "In elements. The producer gave NULL: C order is implied." : "In elements."));
  card.fields.back().meaning += tensor.rank == 0 ? "" : fmt::format(" In bytes: {}.", strides_bytes_text(layout, 64));
  light_axes();
}

void add_owner(const Snapshot& snapshot, const TensorRecord& tensor, Section& card) {
  if (tensor.protocol != core::Protocol::dlpack) return;
  card.fields.push_back(address("manager_ctx", tensor.manager, "The library's own handle; only its deleter knows what it is."));
  add_deleter(snapshot, tensor, card);
}

void add_place(const SnapshotIndex& index, std::uint32_t id, Section& card) {
  const TensorRecord& tensor = index.tensor(id);
  card.fields.push_back(address("data", tensor.data,
                                core::is_copy_for_export(tensor) ? "Of the copy that was described, which is freed by now."
                                : tensor.byte_offset == 0
                                    ? "Where element [0, ..., 0] lies."
                                    : "Start of the allocation; element [0, ..., 0] is byte_offset after it."));
  if (!tensor.has_layout) return;
  card.fields.back().lights = Focus{.tensor = id, .element = {}, .space = {}, .bytes = {}};
  card.fields.back().base = tensor.data;
}

void add_offset(const SnapshotIndex& index, std::uint32_t id, Section& card) {
  const TensorRecord& tensor = index.tensor(id);
  card.fields.push_back(
      value("byte_offset", fmt::format("{}", tensor.byte_offset),
            tensor.byte_offset == 0 ? "" : fmt::format("First element at {}.", grouped_address(tensor.address))));
  if (tensor.has_layout && tensor.elements > 0) card.fields.back().lights = focus_on(index, id, 0);
}

}  // namespace

Section struct_card(const SnapshotIndex& index, std::uint32_t id, const LiveAnswer* live) {
  const Snapshot& snapshot = *index.snapshot;
  const TensorRecord& tensor = index.tensor(id);
  Section card;
  if (tensor.protocol == core::Protocol::none || tensor.protocol == core::Protocol::attributes) return card;
  card.key = "struct";
  card.title = title_of(tensor);
  card.note = note_of(tensor, snapshot.str(tensor.type) == "PyCapsule");
  card.as_c = struct_as_c(snapshot, tensor);
  const bool answered = live != nullptr && live->raw && live->raw->found;
  if (answered) add_state(*live->raw, card);
  add_version_and_flags(snapshot, tensor, card);
  const bool versioned = tensor.capsule == core::CapsuleKind::dltensor_versioned;
  if (versioned) {  // in the order of the fields in memory
    const auto flags = std::ranges::find(card.fields, std::string_view("flags"), &Field::label);
    Field kept = flags != card.fields.end() ? *flags : Field{};
    if (flags != card.fields.end()) card.fields.erase(flags);
    add_owner(snapshot, tensor, card);
    card.fields.push_back(std::move(kept));
  }
  if (tensor.has_metadata) {
    add_place(index, id, card);
    add_device(tensor, card);
    add_dimensions(index, id, card);
    add_offset(index, id, card);
  }
  if (!versioned) add_owner(snapshot, tensor, card);
  if (live == nullptr) return card;
  if (answered) add_raw(*live->raw, tensor, card);
  std::string state = live_text(*live);
  if (live->raw && !live->raw->found) state = "Python has no object of that name any more: scan the tensors again.";
  if (!state.empty()) card.note += (card.note.empty() ? "" : "\n") + state;
  if (live->state == LiveAnswer::State::stopped || live->state == LiveAnswer::State::failed) card.action = SectionAction::ask_again;
  return card;
}

Section told_section(const LiveAnswer& live) {
  Section section;
  if (!live.raw) return section;
  const StructAnswer& raw = *live.raw;
  section.key = "told";
  if (!raw.interface.empty()) {
    section.title = "As the object told it";
    section.note = "The dictionary of the array interface, word for word.";
    for (const auto& [key, wording] : raw.interface) section.fields.push_back(value(key, wording, ""));
  }
  const StructBlock* head = raw.head();
  if (head == nullptr || raw.protocol != core::Protocol::buffer) return section;
  section.title = "Py_buffer";
  section.note = fmt::format("Asked for now and released at once. Format “{}”.", raw.format);
  for (const StructField& field : head->fields) {
    const auto number = number_in(field);
    const bool pointer = field.type.ends_with("*");
    std::string text = !number   ? "unreadable"
                       : pointer ? grouped_address(*number)
                                 : fmt::format("{}", static_cast<std::int64_t>(*number));
    if (number && pointer && *number == 0) text = "NULL";
    Field line = value(field.name, std::move(text), "");
    if (number && pointer) line.copy = plain_address(*number);
    line.bytes = fmt::format("+{:<3} {}", field.offset, bytes_text(field));
    line.bytes_meaning = bytes_explained(*head, field);
    section.fields.push_back(std::move(line));
  }
  add_array(section, raw, "shape");
  add_array(section, raw, "strides");
  return section;
}

Section protocols_section(const Snapshot& snapshot, const TensorRecord& tensor, const LiveAnswer& live) {
  Section section;
  section.key = "protocols";
  section.title = "Protocols";
  const std::string reason = live.protocols && !live.protocols->not_called.empty() ? live.protocols->not_called
                             : live.raw                                            ? live.raw->not_called
                                                                                   : std::string();
  if (!reason.empty()) {
    section.fields.push_back(
        {.label = "", .value = "Not asked: " + reason + ".", .meaning = {}, .evidence = {}, .copy = {}, .tone = Tone::unknown});
    section.action = SectionAction::describe_anyway;
    return section;
  }
  if (!live.protocols) return section;
  if (live.protocols->is_capsule) {
    section.fields.push_back({.label = "",
                              .value = "A capsule: what __dlpack__() of some object returned. It offers nothing itself.",
                              .meaning = {},
                              .evidence = {},
                              .copy = {},
                              .tone = Tone::plain});
    return section;
  }
  const std::string_view library = snapshot.str(tensor.library);
  for (const core::wire::ProtocolLine& line : live.protocols->lines) {
    if (!line.offered) {
      section.fields.push_back(value(line.name, "not offered", "", Tone::dim));
      section.fields.back().code = false;
      continue;
    }
    const bool used = line.name == core::protocol_name(tensor.protocol);
    if (line.accepted) {
      section.fields.push_back(
          value(line.name, used ? "answers; this page shows its answer" : "answers", "", used ? Tone::good : Tone::plain));
      section.fields.back().code = false;
      continue;
    }
    const std::string_view name = core::expression_name(snapshot, tensor);
    const RefusalAdvice advice = advice_on(library, line.type, line.message, name.empty() ? "x" : name);
    std::string meaning(advice.reason);
    if (!advice.way_out.empty()) meaning += fmt::format("{}What helps: {}", meaning.empty() ? "" : "\n", advice.way_out);
    section.fields.push_back(value(line.name, fmt::format("refused: {}: \"{}\"", line.type, line.message), meaning, Tone::warn));
    section.fields.back().code = false;
  }
  return section;
}

}  // namespace dlscope::app
