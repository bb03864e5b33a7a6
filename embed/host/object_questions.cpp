#include "embed/host/object_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/wire/struct_answer.h"
#include "embed/objects/offers.h"
#include "embed/plain_repr.h"
#include "embed/protocols/array_interface.h"
#include "embed/protocols/raw_copy.h"
#include "embed/runtime.h"
#include "embed/scan/name_lookup.h"

namespace dlscope::embed {
namespace {

using namespace core::wire;

constexpr Py_ssize_t kLongestText = 4096, kMaxItems = 64;  // of one value of an __array_interface__

StructBlock block_of(std::string title, const RawBlock& block, std::span<const RawField> fields) {
  StructBlock out{std::move(title), block.address, block.size, {}};
  for (const RawField& field : fields) {
    const std::size_t got = std::min(block.bytes.size(), field.offset + field.size);
    StructField& to = out.fields.emplace_back(field.name, field.type, field.offset, field.size, std::vector<std::byte>());
    if (field.offset < got) to.bytes.assign(block.bytes.data() + field.offset, block.bytes.data() + got);
  }
  return out;
}

// shape or strides: one field per axis. Left out where there is nothing to point at.
void add_array(StructAnswer& answer, const char* title, const char* type, const RawBlock& block) {
  if (block.size == 0 || block.address == 0) return;
  std::vector<std::string> names(block.size / 8);
  std::vector<RawField> fields;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    names[axis] = fmt::format("{}[{}]", title, axis);
    fields.push_back({names[axis].c_str(), axis * 8, 8, type});
  }
  answer.blocks.push_back(block_of(title, block, fields));
}

const char* title_of(const RawCopy& raw) {
  if (raw.protocol == core::Protocol::buffer) return "Py_buffer";
  return raw.capsule == core::CapsuleKind::dltensor_versioned ? "DLManagedTensorVersioned" : "DLManagedTensor";
}

// The dictionary as the producer gave it, in Python's spelling; a value whose repr would be the user's code is named by its type.
void add_interface(StructAnswer& answer, PyObject* object, const char* attribute) {
  const OnlyLooking looking(object);
  const PyRef dict = PyRef::steal(PyObject_GetAttrString(object, attribute));
  if (!dict) clear_unless_interrupt();
  const PyRef items = PyRef::steal(dict && PyDict_CheckExact(dict.get()) ? PyDict_Items(dict.get()) : nullptr);
  for (Py_ssize_t i = 0; items && i < PyList_Size(items.get()); ++i) {
    PyObject* const item = PyList_GetItem(items.get(), i);
    PyObject* const value = PyTuple_GetItem(item, 1);
    auto wording = plain_repr(value, {.longest_text = kLongestText, .most_items = kMaxItems});
    if (!wording) wording = fmt::format("<{}>", qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(value))));
    answer.interface.emplace_back(text_of(PyTuple_GetItem(item, 0)), std::move(*wording));
  }
}

void fill_struct(StructAnswer& answer, PyObject* object, const Description& description, const RawCopy& raw) {
  answer.protocol = description.desc.protocol;
  if (raw.protocol == core::Protocol::dlpack) {
    answer.capsule = raw.capsule_name;
    answer.held = raw.held;
    answer.taken = raw.taken;
  }
  if (raw.protocol == core::Protocol::buffer) answer.format = raw.format;
  if (raw.protocol != core::Protocol::none && raw.head.address != 0) {
    const char* const type = raw.protocol == core::Protocol::buffer ? "Py_ssize_t" : "int64_t";
    answer.blocks.push_back(block_of(title_of(raw), raw.head, raw.fields()));
    add_array(answer, "shape", type, raw.shape);
    add_array(answer, "strides", type, raw.strides);
  }
  if (description.desc.protocol == core::Protocol::array_interface) add_interface(answer, object, "__array_interface__");
  if (description.desc.protocol == core::Protocol::cuda_array_interface) add_interface(answer, object, "__cuda_array_interface__");
}

// The reason why a scan may not ask this object; "" when it may.
std::string why_not_called(const Description& description) {
  const auto told = std::ranges::find(description.refusals, kNotCalled, &Refusal::type);
  return told == description.refusals.end() ? std::string() : told->message;
}

// One answer: finds the object and lets `fill` complete it. nullopt: an error is set.
template <class Answer, class Fill>
std::optional<std::string> answer_about(const ScanPlace& place, const std::string& name, Fill fill) {
  core::SnapshotBuilder unused;
  TypeTable types(unused);
  Answer answer;
  const auto [object, why_not] = object_named(place, name, types);
  if (!why_not.empty()) PyErr_SetString(PyExc_LookupError, why_not.c_str());
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  answer.found = static_cast<bool>(object);
  if (object) {
    TypeFacts& facts = types.facts_of(object.get());
    types.name_library(facts);
    if (PyErr_Occurred() != nullptr) return std::nullopt;
    Describer describer(Runtime::get().reader(), true);
    fill(answer, object.get(), facts, describer);
    if (PyErr_Occurred() != nullptr) return std::nullopt;
  }
  return encode(answer);
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
  return answer_about<StructAnswer>(
      place, name, [&](StructAnswer& answer, PyObject* object, TypeFacts& facts, Describer& describer) {
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
        answer.not_called = why_not_called(description);
        fill_struct(answer, object, description, raw);
      });
}

std::optional<std::string> protocols_of(const ScanPlace& place, const std::string& name, bool anyway) {
  return answer_about<ProtocolsAnswer>(
      place, name, [&](ProtocolsAnswer& answer, PyObject* object, TypeFacts& facts, Describer& describer) {
        const CautionWords wording = facts.session != nullptr ? facts.session->before(object) : CautionWords{};
        if (PyErr_Occurred() != nullptr) return;
        const bool may_ask = wording.caution == Caution::call || (anyway && wording.caution != Caution::never);
        if (!may_ask) answer.not_called = wording.reason;
        answer.is_capsule = facts.role == Role::capsule;
        if (!may_ask || answer.is_capsule) return;
        const auto told = ask_every_protocol(object, facts, anyway ? AskedBy::consent : AskedBy::request, describer);
        if (!told) return;
        for (const ProtocolAnswer& one : *told) {
          ProtocolLine& line = answer.lines.emplace_back();
          line.name = one.name;
          line.offered = one.offered;
          line.accepted = one.accepted;
          if (one.refusal) line.type = one.refusal->type, line.message = one.refusal->message;
        }
      });
}

}  // namespace dlscope::embed
