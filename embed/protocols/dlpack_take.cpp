#include "embed/protocols/dlpack_take.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/tensor/dlpack_import.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/protocols/stream_watch.h"

namespace dlscope::embed {
namespace {

using core::Address;
using core::CapsuleKind;
using core::RemarkCode;

// The remark that makes a description unusable as a tensor; null: none.
const core::Remark* fault_of(const core::TensorDesc& desc) {
  const auto fatal = [&](const core::Remark& remark) {
    if (remark.code == RemarkCode::deleter_not_code || remark.code == RemarkCode::data_null) return true;
    return (!desc.has_metadata || !desc.has_layout) && core::remark_kind(remark.code) == core::RemarkKind::problem;
  };
  const auto found = std::ranges::find_if(desc.remarks, fatal);
  return found == desc.remarks.end() ? nullptr : &*found;
}

std::string fault_text(const core::Remark& fault) {
  std::string meaning = core::remark_meaning(fault.code);
  if (!meaning.empty() && meaning.back() == '.') meaning.pop_back();
  return fmt::format("{} ({})", meaning, fault.message);
}

// True: the description is of a tensor; else a BufferError is set.
bool is_usable(const core::TensorDesc& desc) {
  const core::Remark* const fault = fault_of(desc);
  if (fault == nullptr && desc.has_layout) return true;
  const std::string wording = fault != nullptr ? fault_text(*fault) : "the struct does not describe a valid tensor";
  PyErr_SetString(PyExc_BufferError, fmt::format("this tensor cannot be taken: {}", wording).c_str());
  return false;
}

struct ReadPlainly final : core::MappedMemory {
  [[nodiscard]] bool look_up(Address, std::size_t) override {
    last_range_ = {0, ~Address{0}};
    return true;
  }
  [[nodiscard]] bool look_up_deleter(Address deleter) override {
    last_deleter_ = {deleter, true};
    return true;
  }
};

// The keywords of one call of __dlpack__.
class Keywords {
 public:
  void add(const char* name, PyRef value) {
    names_[count_] = PyRef::steal(PyUnicode_InternFromString(name));
    values_[count_++] = std::move(value);
  }
  [[nodiscard]] PyRef call(PyObject* method, PyObject* object) const {
    PyObject* arguments[1 + kMax] = {object};
    const PyRef names = PyRef::steal(PyTuple_New(static_cast<Py_ssize_t>(count_)));
    if (!names) return {};
    for (std::size_t i = 0; i < count_; ++i) {
      if (!names_[i] || !values_[i]) return {};
      arguments[1 + i] = values_[i].get();
      PyTuple_SetItem(names.get(), static_cast<Py_ssize_t>(i), PyRef(names_[i]).release());
    }
    return PyRef::steal(dlscope_call_method(method, arguments, 1, count_ == 0 ? nullptr : names.get()));
  }

 private:
  static constexpr std::size_t kMax = 4;
  PyRef names_[kMax], values_[kMax];
  std::size_t count_ = 0;
};

}  // namespace

std::shared_ptr<HeldTensor> hold_described(const core::TensorDesc& desc, HeldMemory memory, std::string source) {
  auto held = std::make_shared<HeldTensor>(desc, std::move(memory));
  held->source = std::move(source);
  held->is_copied = desc.is_copied == core::Tri::yes;
  held->writability = desc.read_only == core::Tri::yes  ? Writability::no
                      : desc.read_only == core::Tri::no ? Writability::yes
                                                        : Writability::unknown;
  return held;
}

std::shared_ptr<HeldTensor> read_managed(const DLManagedTensorVersioned* managed) {
  core::TensorDesc desc;
  ReadPlainly memory;
  (void)core::describe_managed_mapped(reinterpret_cast<Address>(managed), CapsuleKind::dltensor_versioned, memory, desc);
  return is_usable(desc) ? hold_described(desc, {}, "another library") : nullptr;
}

void hold_managed(HeldTensor& held, DLManagedTensorVersioned* managed) {
  held.hold(HeldMemory(ManagedHold{reinterpret_cast<Address>(managed), reinterpret_cast<Address>(managed->deleter)}));
}

// Passes all keywords at once. A producer that rejects them is asked without the version, then without any, unless the request
// needs a keyword.
PyRef DlpackProtocol::ask_to_take(PyObject* object, ProducerTraits& traits, const std::optional<core::DeviceId>& stream_device,
                                  const TakeRequest& wanted, TakeAsked& asked) {
  const auto ask = [&](bool with_version, bool with_rest) {
    Keywords keywords;
    asked = {};
    if (stream_device) {
      asked.stream = stream_device->type == kDLROCM ? 0 : 1;  // the default stream of each
      keywords.add("stream", PyRef::steal(PyLong_FromLong(*asked.stream)));
    }
    if (with_version) keywords.add("max_version", version_);
    asked.max_version = with_version;
    if (with_rest && wanted.device) {
      asked.device = wanted.device;
      keywords.add("dl_device", PyRef::steal(Py_BuildValue("(ii)", wanted.device->type, wanted.device->id)));
    }
    if (with_rest && wanted.copy) {
      asked.copy = wanted.copy;
      keywords.add("copy", PyRef::share(*wanted.copy ? Py_True : Py_False));
    }
    return keywords.call(dlpack_name_.get(), object);
  };
  const auto does_not_know_a_keyword = [] { return PyErr_Occurred() == PyExc_TypeError; };
  if (!traits.takes_no_version) {
    PyRef capsule = ask(true, true);
    if (capsule || !does_not_know_a_keyword()) return capsule;
    PyErr_Clear();
  }
  const bool needs_the_rest = wanted.device.has_value() || wanted.copy.value_or(false);
  PyRef capsule = ask(false, needs_the_rest);
  if (capsule && !needs_the_rest) traits.takes_no_version = true;
  return capsule;
}

std::shared_ptr<HeldTensor> DlpackProtocol::take(PyObject* object, ProducerTraits& traits,
                                                 const std::optional<core::DeviceId>& claimed, const TakeRequest& wanted,
                                                 TakeAsked& asked) {
  const bool with_stream = traits.looking_stream != 0 && claimed && wants_stream(*claimed);
  std::optional<StreamWatch> streams;
  if (claimed && claimed->type == kDLCUDA)
    streams.emplace(object, claimed, with_stream ? AskedStream{"1", 1} : AskedStream{});
  if (PyErr_Occurred() != nullptr) return nullptr;
  PyRef capsule = [&] {
    const StreamsUnrecorded by_us;  // recorded once, here, and not also by a Tensor of ours
    return ask_to_take(object, traits, with_stream ? claimed : std::nullopt, wanted, asked);
  }();
  if (!capsule) return nullptr;
  if (!PyCapsule_CheckExact(capsule.get())) {
    PyErr_Format(PyExc_TypeError, "__dlpack__ returned '%s', not a capsule",
                 qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(capsule.get()))).c_str());
    return nullptr;
  }
  auto held = take_capsule(capsule.get(), traits.may_be_mapped);
  if (held) held->given_by = core::GivenBy::dlpack_method;
  if (held && streams && held->device == *claimed)
    streams->note({qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(object))), "dlscope"}, held->recorded);
  const PendingError pending;  // destroys a capsule that was not taken: its destructor may run Python code
  capsule = {};
  return held;
}

std::shared_ptr<HeldTensor> DlpackProtocol::take_capsule(PyObject* capsule, bool known_producer,
                                                         const std::function<bool(HeldTensor&)>& may_take) {
  memory_.allow_refreshes();
  const char* const text = PyCapsule_GetName(capsule);
  PyErr_Clear();
  Named name;
  if (text != nullptr && text == last_name_.text) {
    name = {text, last_name_.kind, false, {}};
  } else if (!name_of(capsule, known_producer, name)) {
    PyErr_SetString(PyExc_ValueError, fmt::format("a capsule named {} is not a DLPack tensor: those are named \"dltensor\" or "
                                                  "\"dltensor_versioned\"",
                                                  name.shown)
                                          .c_str());
    return nullptr;
  }
  if (name.used) {
    const std::string why = fmt::format(
        "this capsule was consumed before (it is named {}): one can be taken once; ask its producer "
        "for another",
        name.shown);
    note_capsule_refused(capsule, why);
    PyErr_SetString(PyExc_ValueError, why.c_str());
    return nullptr;
  }
  const auto managed = reinterpret_cast<Address>(PyCapsule_GetPointer(capsule, name.text));
  core::TensorDesc& desc = take_desc_;
  read_struct(managed, name.kind, known_producer, desc);
  if (!is_usable(desc)) return nullptr;
  desc.given_by = core::GivenBy::held_capsule;
  auto held = hold_described(desc, {}, {});  // everything that can fail is done before the struct is taken
  if (may_take && !may_take(*held)) return nullptr;
  const char* const used = name.kind == CapsuleKind::dltensor ? "used_dltensor" : "used_dltensor_versioned";
  const bool watched = is_watched(capsule);
  if (PyCapsule_SetName(capsule, used) != 0 || PyCapsule_SetDestructor(capsule, nullptr) != 0) return nullptr;
  held->hold(HeldMemory(ManagedHold{managed, desc.deleter}));
  if (watched) note_capsule_taken(capsule);
  return held;
}

}  // namespace dlscope::embed
