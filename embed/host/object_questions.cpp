#include "embed/host/object_questions.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/append_format.h"
#include "core/report/json_writer.h"
#include "embed/objects/offers.h"
#include "embed/plain_repr.h"
#include "embed/protocols/raw_copy.h"
#include "embed/runtime.h"
#include "embed/scan/name_lookup.h"

namespace dlscope::embed {
namespace {

using core::JsonWriter;

constexpr Py_ssize_t kLongestText = 4096, kMaxItems = 64;  // of one value of an __array_interface__

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) core::append_format(text, "{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

void write_field(JsonWriter& json, const RawBlock& block, const RawField& field) {
  const std::size_t got = std::min(block.bytes.size(), field.offset + field.size);
  json.begin_object();
  json.field("name", field.name);
  json.field("type", field.type);
  json.field("offset", field.offset);
  json.field("size", field.size);
  json.field("hex", field.offset < got ? hex(std::span(block.bytes).subspan(field.offset, got - field.offset)) : std::string());
  json.end_object();
}

void write_block(JsonWriter& json, std::string_view title, const RawBlock& block, std::span<const RawField> fields) {
  json.begin_object();
  json.field("title", title);
  json.field("address", block.address);
  json.field("size", block.size);
  json.key("fields");
  json.begin_array();
  for (const RawField& field : fields) write_field(json, block, field);
  json.end_array();
  json.end_object();
}

// shape or strides: one field per axis. Left out where there is nothing to point at.
void write_array(JsonWriter& json, const char* title, const char* type, const RawBlock& block) {
  if (block.size == 0 || block.address == 0) return;
  std::vector<std::string> names(block.size / 8);
  std::vector<RawField> fields;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    names[axis] = fmt::format("{}[{}]", title, axis);
    fields.push_back({names[axis].c_str(), axis * 8, 8, type});
  }
  write_block(json, title, block, fields);
}

const char* title_of(const RawCopy& raw) {
  if (raw.protocol == core::Protocol::buffer) return "Py_buffer";
  return raw.capsule == core::CapsuleKind::dltensor_versioned ? "DLManagedTensorVersioned" : "DLManagedTensor";
}

// The dictionary as the producer told it, in Python's words; a value whose repr would be the user's code is named by its type.
void write_interface(JsonWriter& json, PyObject* object, const char* attribute) {
  const PyRef dict = PyRef::steal(PyObject_GetAttrString(object, attribute));
  if (!dict) clear_unless_interrupt();
  const PyRef items = PyRef::steal(dict && PyDict_CheckExact(dict.get()) ? PyDict_Items(dict.get()) : nullptr);
  json.key("interface");
  json.begin_array();
  for (Py_ssize_t i = 0; items && i < PyList_Size(items.get()); ++i) {
    PyObject* const item = PyList_GetItem(items.get(), i);
    PyObject* const value = PyTuple_GetItem(item, 1);
    const auto wording = plain_repr(value, {.longest_text = kLongestText, .most_items = kMaxItems});
    json.begin_object();
    json.field("key", text_of(PyTuple_GetItem(item, 0)));
    json.field("value", wording ? *wording : fmt::format("<{}>", qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(value)))));
    json.end_object();
  }
  json.end_array();
}

void write_struct(JsonWriter& json, PyObject* object, const Description& description, const RawCopy& raw) {
  json.field("protocol", core::protocol_name(description.desc.protocol));
  if (raw.protocol == core::Protocol::dlpack) {
    json.field("capsule", raw.capsule_name);
    json.field("held", raw.held);
    json.field("taken", raw.taken);
  }
  if (raw.protocol == core::Protocol::buffer) json.field("format", raw.format);
  json.key("blocks");
  json.begin_array();
  if (raw.protocol != core::Protocol::none && raw.head.address != 0) {
    const char* const type = raw.protocol == core::Protocol::buffer ? "Py_ssize_t" : "int64_t";
    write_block(json, title_of(raw), raw.head, raw.fields());
    write_array(json, "shape", type, raw.shape);
    write_array(json, "strides", type, raw.strides);
  }
  json.end_array();
  if (description.desc.protocol == core::Protocol::array_interface) write_interface(json, object, "__array_interface__");
  if (description.desc.protocol == core::Protocol::cuda_array_interface) write_interface(json, object, "__cuda_array_interface__");
}

void write_refusals(JsonWriter& json, const Description& description) {
  json.key("refusals");
  json.begin_array();
  for (const Refusal& refusal : description.refusals) {
    json.begin_object();
    json.field("protocol", core::protocol_name(refusal.protocol));
    json.field("type", refusal.type);
    json.field("message", refusal.message);
    json.end_object();
  }
  json.end_array();
}

// The reason why a scan may not ask this object; "" when it may.
std::string why_not_called(const Description& description) {
  const auto told = std::ranges::find(description.refusals, kNotCalled, &Refusal::type);
  return told == description.refusals.end() ? std::string() : told->message;
}

// One answer: finds the object, lets `write` say what is asked, returns the JSON text.
template <class Write>
std::optional<std::string> answer_about(const ScanPlace& place, const std::string& name, Write write) {
  core::SnapshotBuilder unused;
  TypeTable types(unused);
  std::string text;
  const core::JsonSink sink = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  const PyRef object = object_named(place, name, types);
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  JsonWriter json(sink);
  json.begin_object();
  json.field("found", static_cast<bool>(object));
  if (object) {
    TypeFacts& facts = types.facts_of(object.get());
    types.name_library(facts);
    if (PyErr_Occurred() != nullptr) return std::nullopt;
    Describer describer(Runtime::get().reader(), true);
    write(json, object.get(), facts, describer);
    if (PyErr_Occurred() != nullptr) return std::nullopt;
  }
  json.end_object();
  static_cast<void>(json.finish());
  return text;
}

}  // namespace

core::Address capsule_manager(PyObject* capsule) {
  using core::CapsuleKind;
  static constexpr std::array kKept{std::pair{std::string_view("dltensor"), CapsuleKind::dltensor},
                                    std::pair{std::string_view("dltensor_versioned"), CapsuleKind::dltensor_versioned},
                                    std::pair{std::string_view("numpy_dltensor"), CapsuleKind::dltensor},
                                    std::pair{std::string_view("numpy_dltensor_versioned"), CapsuleKind::dltensor_versioned}};
  const char* const name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : nullptr;
  if (name == nullptr) {
    PyErr_Clear();
    return 0;
  }
  const core::MemoryReader& reader = Runtime::get().reader();
  std::array<char, 32> text{};  // a foreign pointer: copied safely before it is compared
  const std::size_t got = reader.read(reinterpret_cast<core::Address>(name), std::as_writable_bytes(std::span(text)));
  const auto* const known = std::ranges::find(kKept, std::string_view(text.data(), strnlen(text.data(), got)),
                                              &std::pair<std::string_view, CapsuleKind>::first);
  if (known == kKept.end()) return 0;
  RawCopy copy;
  copy_managed(reinterpret_cast<core::Address>(PyCapsule_GetPointer(capsule, name)), known->second, reader, copy);
  core::Address manager = 0;
  for (const RawField& field : copy.fields()) {
    const bool is_manager = std::string_view(field.name) == "manager_ctx" && field.size == sizeof manager;
    if (is_manager && field.offset + field.size <= copy.head.bytes.size())
      std::memcpy(&manager, copy.head.bytes.data() + field.offset, sizeof manager);
  }
  return manager;
}

std::optional<std::string> struct_of(const ScanPlace& place, const std::string& name, bool anyway) {
  return answer_about(place, name, [&](JsonWriter& json, PyObject* object, TypeFacts& facts, Describer& describer) {
    Description description;
    RawCopy raw;
    describer.keep_raw(&raw);
    if (facts.role == Role::capsule) {
      static_cast<void>(describer.dlpack().describe_held_capsule(object, description));
    } else {
      describer.describe(object, facts, anyway ? AskedBy::consent : AskedBy::scan, description);
    }
    describer.keep_raw(nullptr);
    if (PyErr_Occurred() != nullptr) return;
    json.field("not_called", why_not_called(description));
    write_struct(json, object, description, raw);
    write_refusals(json, description);
  });
}

std::optional<std::string> protocols_of(const ScanPlace& place, const std::string& name, bool anyway) {
  return answer_about(place, name, [&](JsonWriter& json, PyObject* object, TypeFacts& facts, Describer& describer) {
    const CautionWords wording = facts.session != nullptr ? facts.session->before(object) : CautionWords{};
    if (PyErr_Occurred() != nullptr) return;
    const bool may_ask = wording.caution == Caution::call || (anyway && wording.caution != Caution::never);
    json.field("not_called", may_ask ? std::string() : wording.reason);
    json.field("is_capsule", facts.role == Role::capsule);
    json.key("protocols");
    json.begin_array();
    if (may_ask && facts.role != Role::capsule) {
      const auto answers = ask_every_protocol(object, facts, anyway ? AskedBy::consent : AskedBy::request, describer);
      if (!answers) return;
      for (const ProtocolAnswer& answer : *answers) {
        json.begin_object();
        json.field("name", answer.name);
        json.field("offered", answer.offered);
        json.field("accepted", answer.accepted);
        json.field("type", answer.refusal ? answer.refusal->type : std::string());
        json.field("message", answer.refusal ? answer.refusal->message : std::string());
        json.end_object();
      }
    }
    json.end_array();
  });
}

}  // namespace dlscope::embed
