#include "embed/protocols/dlpack.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/tensor/dlpack_import.h"
#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::CapsuleKind;
using core::DeviceId;
using core::Protocol;
using core::RemarkCode;

constexpr std::size_t kLongestName = sizeof("used_dltensor_versioned");

bool wants_stream(DeviceId device) { return device.type == kDLCUDA || device.type == kDLROCM || device.type == kDLCUDAManaged; }

// An int, an IntEnum, None (Paddle's and pandas' CPU id): a number where there is one.
std::optional<std::int32_t> lenient_int(PyObject* value) {
  if (value == nullptr) return std::nullopt;
  if (value == Py_None) return 0;
  const PyRef number = PyRef::steal(PyNumber_Index(value));
  if (!number) return std::nullopt;
  const long long wide = PyLong_AsLongLong(number.get());
  if (PyErr_Occurred() != nullptr || wide < INT32_MIN || wide > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(wide);
}

void note_refusal(Look& look) {
  if (interrupt_pending()) return;
  PyErrorText error = take_error();
  look.refuse(Protocol::dlpack, std::move(error.type), std::move(error.message));
}

std::string type_name(PyObject* object) { return qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(object))); }

bool has_problem(const core::TensorDesc& desc, RemarkCode code) {
  return std::ranges::any_of(desc.remarks, [=](const core::Remark& remark) { return remark.code == code; });
}

void run_deleter(Address deleter, Address managed) {
  using Deleter = void (*)(void*);
  try {
    reinterpret_cast<Deleter>(deleter)(reinterpret_cast<void*>(managed));
  } catch (...) {  // a C interface, but nothing keeps a C++ library from throwing through it
    Runtime::get().note(core::EventKind::deleter, "a DLPack deleter threw a C++ exception");
  }
}

}  // namespace

DlpackProtocol::DlpackProtocol(KnownMemory& memory, const core::MemoryReader& reader, bool checked_only)
    : memory_(memory),
      reader_(reader),
      checked_only_(checked_only),
      dlpack_name_(PyRef::steal(PyUnicode_InternFromString("__dlpack__"))),
      device_name_(PyRef::steal(PyUnicode_InternFromString("__dlpack_device__"))),
      version_(PyRef::steal(Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION))),
      no_sync_(PyRef::steal(PyLong_FromLong(-1))),
      version_keyword_(PyRef::steal(Py_BuildValue("(s)", "max_version"))),
      version_stream_keywords_(PyRef::steal(Py_BuildValue("(ss)", "max_version", "stream"))),
      stream_keyword_(PyRef::steal(Py_BuildValue("(s)", "stream"))) {}

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
  if (!interrupt_pending()) PyErr_Clear();
  return understood;
}

PyRef DlpackProtocol::request(PyObject* object, DlpackManners& manners, bool with_stream, Look& look) {
  const std::array<PyObject*, 3> with_version{object, version_.get(), no_sync_.get()};
  const std::array<PyObject*, 2> without_version{object, no_sync_.get()};
  if (!manners.takes_no_version) {
    PyObject* const keywords = with_stream ? version_stream_keywords_.get() : version_keyword_.get();
    PyRef capsule = PyRef::steal(dlscope_call_method(dlpack_name_.get(), with_version.data(), 1, keywords));
    if (capsule) return capsule;
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
      note_refusal(look);
      return {};
    }
    PyErr_Clear();  // perhaps it only does not know the keyword: its answer without it counts
  }
  PyObject* const keywords = with_stream ? stream_keyword_.get() : nullptr;
  PyRef capsule = PyRef::steal(dlscope_call_method(dlpack_name_.get(), without_version.data(), 1, keywords));
  if (capsule) {
    manners.takes_no_version = true;
  } else {
    note_refusal(look);
  }
  return capsule;
}

// The name is a foreign pointer, and capsules made through ctypes often outlive theirs: it is read before it is compared.
bool DlpackProtocol::name_of(PyObject* capsule, Named& out) {
  out.text = PyCapsule_GetName(capsule);
  if (out.text != nullptr && out.text == last_name_.text) {
    out.kind = last_name_.kind;
    out.used = last_name_.used;
    if (out.used) out.shown = last_name_.shown;
    return true;
  }
  if (out.text == nullptr) {
    PyErr_Clear();
    out.shown = "(no name)";
    return false;
  }
  std::array<char, kLongestName> copy{};
  const auto address = reinterpret_cast<Address>(out.text);
  std::size_t got = copy.size();
  if (memory_.contains_already(address, got)) {
    std::memcpy(copy.data(), out.text, got);
  } else {
    got = reader_.read(address, std::as_writable_bytes(std::span(copy)));
  }
  const std::string_view name(copy.data(), strnlen(copy.data(), got));
  if (name.size() == got) {  // nothing read, or no end within the longest name there is
    out.shown = got == 0 ? "(unreadable name)" : fmt::format("\"{}...\"", name);
    return false;
  }
  out.shown = fmt::format("\"{}\"", name);
  out.used = name.starts_with("used_");
  const std::string_view plain = out.used ? name.substr(5) : name;
  if (plain == "dltensor") out.kind = CapsuleKind::dltensor;
  if (plain == "dltensor_versioned") out.kind = CapsuleKind::dltensor_versioned;
  if (out.kind == CapsuleKind::none) return false;
  if (memory_.is_constant(address)) last_name_ = out;
  return true;
}

bool DlpackProtocol::check_name(PyObject* capsule, Look& look, Named& out) {
  if (!name_of(capsule, out)) {
    look.remark(RemarkCode::not_a_capsule, fmt::format("a capsule named {}, which is not a DLPack name", out.shown));
    return false;
  }
  if (out.used) {
    look.remark(RemarkCode::capsule_used, fmt::format("the capsule is named {}: another consumer has taken it", out.shown));
    return false;
  }
  return true;
}

bool DlpackProtocol::read_mapped(Address managed, CapsuleKind kind, core::TensorDesc& desc) {
  const bool versioned = kind == CapsuleKind::dltensor_versioned;
  const std::size_t size = versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor);
  const std::size_t alignment = alignof(DLManagedTensorVersioned);
  if (managed % alignment != 0 || !memory_.contains(managed, size)) return false;
  const auto deleter = versioned ? reinterpret_cast<Address>(reinterpret_cast<DLManagedTensorVersioned*>(managed)->deleter)
                                 : reinterpret_cast<Address>(reinterpret_cast<DLManagedTensor*>(managed)->deleter);
  if (!memory_.is_library_code(deleter)) return false;
  const auto known = [](const void* context, Address address, std::size_t bytes) {
    return const_cast<KnownMemory*>(static_cast<const KnownMemory*>(context))->contains(address, bytes);
  };
  return core::describe_managed_mapped(managed, kind, known, &memory_, desc);
}

void DlpackProtocol::read_struct(Address managed, CapsuleKind kind, bool may_be_mapped, core::TensorDesc& desc) {
  if (may_be_mapped && !checked_only_ && read_mapped(managed, kind, desc)) return;
  core::describe_managed_checked(managed, kind, reader_, memory_.map(), desc);
  // A deleter may lie in code that was mapped after the scan began (ctypes makes callbacks as it goes).
  if (has_problem(desc, RemarkCode::deleter_not_code) && memory_.refresh()) {
    core::describe_managed_checked(managed, kind, reader_, memory_.map(), desc);
  }
}

// Taking = rename + clear the destructor + call the deleter, with no Python in between. Only a struct that was understood and
// whose deleter is code is taken, and only when nobody else holds the capsule. Everything else keeps its own destructor.
// No exception is pending on the way in: deleters and destructors may run Python code, which must not see one.
void DlpackProtocol::give_back(PyRef capsule, Address managed, const core::TensorDesc& desc) const {
  bool taken = false;
  const bool understood = desc.has_metadata && desc.deleter != 0 && !has_problem(desc, RemarkCode::deleter_not_code);
  if (understood && Py_REFCNT(capsule.get()) == 1) {
    const char* const used = desc.capsule == CapsuleKind::dltensor ? "used_dltensor" : "used_dltensor_versioned";
    if (PyCapsule_SetName(capsule.get(), used) == 0 && PyCapsule_SetDestructor(capsule.get(), nullptr) == 0) {
      taken = true;
      if (raw_ != nullptr) raw_->taken = true;
      run_deleter(desc.deleter, managed);
    }
  }
  capsule = {};
  if (PyErr_Occurred() != nullptr) {
    const PyErrorText error = take_error();
    Runtime::get().note(
        taken ? core::EventKind::deleter : core::EventKind::destructor,
        fmt::format("a {} left {} behind: {}", taken ? "DLPack deleter" : "capsule's destructor", error.type, error.message));
  }
}

void DlpackProtocol::copy_raw(Address managed, const Named& name, bool held) const {
  if (raw_ == nullptr) return;
  *raw_ = {};
  copy_managed(managed, name.kind, reader_, *raw_);
  raw_->capsule_name = std::string(name.used ? "used_" : "") + core::capsule_kind_name(name.kind);
  raw_->held = held;
}

bool DlpackProtocol::describe(PyObject* object, DlpackManners& manners, const DeviceId* claimed, Look& look) {
  const bool with_stream = manners.looking_stream != 0 && claimed != nullptr && wants_stream(*claimed);
  PyRef capsule = request(object, manners, with_stream, look);
  if (!capsule) return false;
  if (!PyCapsule_CheckExact(capsule.get())) {
    look.refuse(Protocol::dlpack, kMalformed, fmt::format("__dlpack__ returned '{}', not a capsule", type_name(capsule.get())));
    look.remark(RemarkCode::not_a_capsule, "__dlpack__ returned something else than a capsule");
    return false;
  }
  Named name;
  if (!check_name(capsule.get(), look, name)) {
    look.refuse(Protocol::dlpack, kMalformed, fmt::format("__dlpack__ returned a capsule named {}", name.shown));
    give_back(std::move(capsule), 0, {});
    return false;
  }
  const auto managed = reinterpret_cast<Address>(PyCapsule_GetPointer(capsule.get(), name.text));
  copy_raw(managed, name, false);
  read_struct(managed, name.kind, manners.may_be_mapped, look.desc);
  look.desc.protocol = Protocol::dlpack;
  give_back(std::move(capsule), managed, look.desc);
  return true;
}

bool DlpackProtocol::describe_held_capsule(PyObject* capsule, Look& look) {
  Named name;
  if (!check_name(capsule, look, name)) {
    look.desc.capsule = name.kind;
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
  copy_raw(managed, name, true);
  read_struct(managed, name.kind, false, look.desc);
  look.desc.protocol = Protocol::dlpack;
  return true;
}

}  // namespace dlscope::embed
