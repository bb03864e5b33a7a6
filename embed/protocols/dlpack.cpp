#include "embed/protocols/dlpack.h"

#include <dlpack/dlpack.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/tensor/dlpack_import.h"
#include "embed/protocols/deleter.h"
#include "embed/protocols/stream_watch.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::CapsuleKind;
using core::DeviceId;
using core::Protocol;
using core::RemarkCode;

constexpr std::size_t kLongestName = sizeof("used_dltensor_versioned");

// Accepts an int, an IntEnum, or None (the CPU id of Paddle and pandas, counts as 0).
std::optional<std::int32_t> lenient_int(PyObject* value) {
  if (value == nullptr) return std::nullopt;
  if (value == Py_None) return 0;
  const PyRef number = PyRef::steal(PyNumber_Index(value));
  if (!number) return std::nullopt;
  const long long wide = PyLong_AsLongLong(number.get());
  if (PyErr_Occurred() != nullptr || wide < INT32_MIN || wide > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(wide);
}

// Interned like the callee's names, so that it can compare pointers.
PyObject* interned(const char* name) { return PyUnicode_InternFromString(name); }

void note_refusal(Description& description) {
  if (interrupt_pending()) return;
  PyErrorText error = take_error();
  description.refuse(Protocol::dlpack, std::move(error.type), std::move(error.message));
}

std::string type_name(PyObject* object) { return qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(object))); }

std::string unreadable_name(const std::string& why) {
  return why.empty() ? "(unreadable name)" : fmt::format("(unreadable name: {})", why);
}

bool has_problem(const core::TensorDesc& desc, RemarkCode code) {
  return std::ranges::any_of(desc.remarks, [=](const core::Remark& remark) { return remark.code == code; });
}

}  // namespace

bool wants_stream(DeviceId device) { return device.type == kDLCUDA || device.type == kDLROCM || device.type == kDLCUDAManaged; }

DlpackProtocol::DlpackProtocol(KnownMemory& memory, const core::MemoryReader& reader, bool checked_only)
    : memory_(memory),
      reader_(reader),
      checked_only_(checked_only),
      dlpack_name_(PyRef::steal(interned("__dlpack__"))),
      device_name_(PyRef::steal(interned("__dlpack_device__"))),
      version_(PyRef::steal(Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION))),
      no_sync_(PyRef::steal(PyLong_FromLong(-1))),
      version_keyword_(PyRef::steal(Py_BuildValue("(N)", interned("max_version")))),
      version_stream_keywords_(PyRef::steal(Py_BuildValue("(NN)", interned("max_version"), interned("stream")))),
      stream_keyword_(PyRef::steal(Py_BuildValue("(N)", interned("stream")))) {}

bool DlpackProtocol::ask_device(PyObject* object, DeviceId& claimed) {
  const PyRef answer = PyRef::steal(dlscope_call_method(device_name_.get(), &object, 1, nullptr));
  bool understood = false;
  if (answer && PyTuple_Check(answer.get()) && PyTuple_Size(answer.get()) == 2) {
    const auto type = lenient_int(PyTuple_GetItem(answer.get(), 0));
    const auto id = type ? lenient_int(PyTuple_GetItem(answer.get(), 1)) : std::nullopt;
    if (id) {
      claimed = {*type, *id};
      understood = true;
    }
  }
  clear_unless_interrupt();
  return understood;
}

inline PyRef DlpackProtocol::request(PyObject* object, ProducerTraits& traits, bool with_stream, Description& description) {
  const StreamsUnrecorded looking;
  if (!traits.takes_no_version) {
    const std::array<PyObject*, 3> arguments{object, version_.get(), no_sync_.get()};
    PyObject* const keywords = with_stream ? version_stream_keywords_.get() : version_keyword_.get();
    PyRef capsule = PyRef::steal(dlscope_call_method(dlpack_name_.get(), arguments.data(), 1, keywords));
    if (capsule) return capsule;
    // A subclass of TypeError is the library's own answer (PyArrow's: an array with nulls).
    if (PyErr_Occurred() != PyExc_TypeError) {
      note_refusal(description);
      return {};
    }
    PyErr_Clear();  // perhaps it only does not know the keyword: ask again without it
  }
  return request_without_version(object, traits, with_stream, description);
}

PyRef DlpackProtocol::request_without_version(PyObject* object, ProducerTraits& traits, bool with_stream,
                                              Description& description) {
  const std::array<PyObject*, 2> arguments{object, no_sync_.get()};
  PyObject* const keywords = with_stream ? stream_keyword_.get() : nullptr;
  PyRef capsule = PyRef::steal(dlscope_call_method(dlpack_name_.get(), arguments.data(), 1, keywords));
  if (capsule) {
    traits.takes_no_version = true;
  } else {
    note_refusal(description);
  }
  return capsule;
}

// The name is a foreign pointer, and capsules made by ctypes often outlive their names: copy it safely before comparing.
bool DlpackProtocol::name_of(PyObject* capsule, bool plainly, Named& out) {
  out.text = PyCapsule_GetName(capsule);
  if (out.text == nullptr) {
    PyErr_Clear();
    out.shown = "(no name)";
    return false;
  }
  std::array<char, kLongestName> copy{};
  const auto address = reinterpret_cast<Address>(out.text);
  std::size_t got = copy.size();
  if (plainly && memory_.contains_already(address, got)) {
    std::memcpy(copy.data(), out.text, got);
  } else {
    got = reader_.read(address, std::as_writable_bytes(std::span(copy)));
  }
  const std::string_view name(copy.data(), strnlen(copy.data(), got));
  if (name.size() == got) {  // unreadable, or longer than any valid name
    out.shown = got == 0 ? unreadable_name(reader_.problem()) : fmt::format("\"{}...\"", name);
    return false;
  }
  out.shown = fmt::format("\"{}\"", name);
  out.used = name.starts_with("used_");
  const std::string_view plain = out.used ? name.substr(5) : name;
  if (plain == "dltensor") out.kind = CapsuleKind::dltensor;
  if (plain == "dltensor_versioned") out.kind = CapsuleKind::dltensor_versioned;
  if (out.kind == CapsuleKind::none) return false;
  if (!out.used && memory_.is_constant(address)) last_name_ = {out.text, out.kind};
  return true;
}

bool DlpackProtocol::check_name(PyObject* capsule, Description& description, Named& out) {
  if (!name_of(capsule, true, out)) {
    description.remark(RemarkCode::not_a_capsule, fmt::format("a capsule named {}, which is not a DLPack name", out.shown));
    return false;
  }
  if (out.used) {
    description.remark(RemarkCode::capsule_used, fmt::format("the capsule is named {}: another consumer has taken it", out.shown));
    return false;
  }
  return true;
}

CapsuleKind DlpackProtocol::kind_of_answer(PyObject* answer, Description& description) {
  if (!PyCapsule_CheckExact(answer)) {
    description.refuse(Protocol::dlpack, kMalformed, fmt::format("__dlpack__ returned '{}', not a capsule", type_name(answer)));
    description.remark(RemarkCode::not_a_capsule, "__dlpack__ returned something other than a capsule");
    return CapsuleKind::none;
  }
  Named name;
  if (check_name(answer, description, name)) return name.kind;
  description.refuse(Protocol::dlpack, kMalformed, fmt::format("__dlpack__ returned a capsule named {}", name.shown));
  return CapsuleKind::none;
}

void DlpackProtocol::read_checked(Address managed, CapsuleKind kind, core::TensorDesc& desc) {
  core::describe_managed_checked(managed, kind, reader_, memory_.map(), desc);
  // A deleter may be in code mapped after the scan began (ctypes creates callbacks at run time).
  if (has_problem(desc, RemarkCode::deleter_not_code) && memory_.refresh()) {
    core::describe_managed_checked(managed, kind, reader_, memory_.map(), desc);
  }
}

void DlpackProtocol::read_struct(Address managed, CapsuleKind kind, bool mapped, core::TensorDesc& desc) {
  if (!mapped || checked_only_ || !core::describe_managed_mapped(managed, kind, memory_, desc)) read_checked(managed, kind, desc);
}

// Taking means: rename, clear the destructor, call the deleter, with no Python in between. A struct is taken only if it was
// understood, its deleter is code, and nobody else holds the capsule. Everything else is left to its own destructor. No exception
// may be pending when called: deleters and destructors may run Python code, which must not see one.
inline void DlpackProtocol::take_over(PyRef capsule, Description& description) const {
  const core::TensorDesc& desc = description.desc;
  bool taken = false;
  const bool understood = desc.has_metadata && desc.deleter != 0 && !has_problem(desc, RemarkCode::deleter_not_code);
  if (understood && Py_REFCNT(capsule.get()) == 1) {
    const char* const used = desc.capsule == CapsuleKind::dltensor ? "used_dltensor" : "used_dltensor_versioned";
    if (PyCapsule_SetName(capsule.get(), used) == 0 && PyCapsule_SetDestructor(capsule.get(), nullptr) == 0) {
      taken = true;
      if (raw_ != nullptr) raw_->taken = true;
      if (description.keeps()) {
        description.memory = HeldMemory(ManagedHold{desc.struct_address, desc.deleter});
      } else {
        run_deleter(desc.deleter, desc.struct_address);
      }
    }
  }
  if (description.keeps() && !taken) description.memory = HeldMemory(ObjectHold{capsule.release()});
  release(std::move(capsule), taken);
}

inline void DlpackProtocol::release(PyRef capsule, bool taken) {
  capsule = {};
  if (PyErr_Occurred() != nullptr) note_pending_exception(taken ? ForeignCall::deleter : ForeignCall::destructor);
}

void DlpackProtocol::copy_raw(Address managed, CapsuleKind kind, bool held) const {
  *raw_ = {};
  copy_managed(managed, kind, reader_, *raw_);
  raw_->capsule_name = core::capsule_kind_name(kind);
  raw_->held = held;
}

bool DlpackProtocol::describe(PyObject* object, ProducerTraits& traits, const std::optional<DeviceId>& claimed,
                              Description& description) {
  const bool with_stream = traits.looking_stream != 0 && claimed && wants_stream(*claimed);
  PyRef capsule = request(object, traits, with_stream, description);
  if (!capsule) return false;
  const char* const name = PyCapsule_CheckExact(capsule.get()) ? PyCapsule_GetName(capsule.get()) : nullptr;
  const bool is_as_before = name != nullptr && name == last_name_.text;
  const CapsuleKind kind = is_as_before ? last_name_.kind : kind_of_answer(capsule.get(), description);
  if (kind == CapsuleKind::none) {
    release(std::move(capsule), false);
    return false;
  }
  const auto managed = reinterpret_cast<Address>(PyCapsule_GetPointer(capsule.get(), name));
  if (raw_ != nullptr) copy_raw(managed, kind, false);
  read_struct(managed, kind, traits.may_be_mapped, description.desc);
  description.desc.given_by = core::GivenBy::dlpack_method;
  take_over(std::move(capsule), description);
  return true;
}

bool DlpackProtocol::describe_held_capsule(PyObject* capsule, Description& description) {
  Named name;
  if (!check_name(capsule, description, name)) {
    description.desc.capsule = name.kind;
    if (name.kind != CapsuleKind::none && raw_ != nullptr) {
      *raw_ = {};
      raw_->protocol = Protocol::dlpack;
      raw_->capsule = name.kind;
      raw_->capsule_name = std::string(name.used ? "used_" : "") + core::capsule_kind_name(name.kind);
      raw_->held = true;
    }
    return name.kind != CapsuleKind::none;
  }
  const auto managed = reinterpret_cast<Address>(PyCapsule_GetPointer(capsule, name.text));
  if (raw_ != nullptr) copy_raw(managed, name.kind, true);
  read_checked(managed, name.kind, description.desc);
  description.desc.given_by = core::GivenBy::held_capsule;
  return true;
}

}  // namespace dlscope::embed
