#include "embed/objects/describer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "embed/protocols/array_interface.h"
#include "embed/protocols/buffer.h"

namespace dlscope::embed {
namespace {

using core::DeviceId;
using core::Protocol;
using core::RemarkCode;

struct Step {
  unsigned bit;
  Protocol protocol;
  const char* attribute;
};
// Ordered by the number of facts a protocol carries.
constexpr std::array<Step, 4> kOrder{{
    {kAskDlpack, Protocol::dlpack, "__dlpack__"},
    {kAskArrayInterface, Protocol::array_interface, "__array_interface__"},
    {kAskCudaArrayInterface, Protocol::cuda_array_interface, "__cuda_array_interface__"},
    {kAskBuffer, Protocol::buffer, nullptr},
}};

// For what is asked of a tensor besides the methods of the protocol. These it answers itself, with whatever code a subclass
// has, as it would any consumer.
Quiet quiet_for(const TypeFacts& facts) {
  return facts.session != nullptr ? facts.session->quiet(facts.of_user) : Quiet{};
}

bool has_attribute(PyObject* object, const char* name) {
  const PyRef found = PyRef::steal(dlscope_get_attribute(object, name));
  if (!found) clear_unless_interrupt();
  return static_cast<bool>(found);
}

// With the library's own message when it gave one.
void remark_no_dlpack(Description& description) {
  const auto refused = std::ranges::find(description.refusals, Protocol::dlpack, &Refusal::protocol);
  std::string text =
      refused != description.refusals.end()
          ? fmt::format("no consumer of DLPack can have it: {}: {}", refused->type, refused->message)
          : fmt::format("no consumer of DLPack can have it: DLPack has no dtype for {}", description.desc.item_type->name);
  description.remark(RemarkCode::not_dlpack, std::move(text));
}

void remark_copied(bool seen_by_asking_twice, Description& description) {
  const char* const how = seen_by_asking_twice ? "asked twice, it handed over two places, although no copy was asked for"
                          : description.desc.protocol == Protocol::dlpack
                              ? "its capsule says IS_COPIED, although no copy was asked for"
                              : "nothing but the answer to __array_interface__ keeps its 'data' alive";
  description.remark(RemarkCode::copied_for_export, how);
}

void remark_immutable(const Library& library, Description& description) {
  const core::TensorDesc& desc = description.desc;
  const bool cannot_say = desc.protocol == Protocol::dlpack && desc.capsule == core::CapsuleKind::dltensor;
  description.remark(RemarkCode::immutable_by_contract,
                     fmt::format("{} promises that its tensors never change{}", library.module,
                                 cannot_say ? ", which a legacy capsule cannot say" : ""));
}

}  // namespace

unsigned Describer::offered_on_request(PyObject* object, const TypeFacts& facts) {
  unsigned offers = facts.offers;
  if (PyType_Check(object) || facts.role == Role::capsule) return offers;
  for (const Step& step : kOrder) {
    if ((offers & step.bit) == 0 && step.attribute != nullptr && has_attribute(object, step.attribute)) offers |= step.bit;
    if (PyErr_Occurred() != nullptr) return offers;
  }
  if (dlscope_check_buffer(object) != 0) offers |= kAskBuffer;
  return offers;
}

bool Describer::allowed(PyObject* object, TypeFacts& facts, AskedBy asked_by, Description& description) {
  if (facts.session == nullptr) return true;
  CautionWords text = facts.session->before(object);
  if (PyErr_Occurred() != nullptr) return false;
  if (text.caution == Caution::call) return true;
  const bool for_a_request = text.caution == Caution::waits || text.caution == Caution::on_request;
  if (for_a_request && asked_by != AskedBy::scan) return true;
  if (text.caution == Caution::on_consent && asked_by == AskedBy::consent) return true;
  const bool only_interface = (facts.offers & (kAskDlpack | kAskArrayInterface)) == kAskArrayInterface;
  description.refuse(only_interface ? Protocol::array_interface : Protocol::dlpack, kNotCalled, std::move(text.reason));
  return false;
}

void Describer::ask_claim(PyObject* object, const TypeFacts& facts) {
  if (claim_asked_ || !facts.has_device_method) return;
  claim_asked_ = true;
  core::DeviceId claimed;
  if (dlpack_.ask_device(object, claimed)) claim_ = claimed;
}

// Where a CPU tensor's claim is certain, __dlpack_device__ is not called now: the capsule will say whether it is a CPU tensor.
inline bool Describer::ask_dlpack(PyObject* object, TypeFacts& facts, Description& description) {
  if (!cpu_claim_is_certain(facts)) {
    ask_claim(object, facts);
    if (PyErr_Occurred() != nullptr) return false;
  }
  if (facts.habits.table != TableUse::never && ask_table(object, facts, description)) return true;
  if (PyErr_Occurred() != nullptr) return false;
  return dlpack_.describe(object, facts.producer, claim_, description);
}

// The fast way, where its answer equals that of __dlpack__.
inline bool Describer::ask_table(PyObject* object, TypeFacts& facts, Description& description) {
  if (claim_ && *claim_ != core::kCpuDevice) return false;
  if (!dlpack_.describe_by_table(object, facts.producer, description)) return false;
  if (facts.habits.table == TableUse::always || facts.session->also_by_method(object, description.desc.dtype)) return true;
  description.desc.clear();
  return false;
}

// For a producer that nobody vouches for: it may hand over a new copy each time and not say so. A copy that was given back leaves its
// place to the next one, of this or another object, and the two would be taken for one. So an answer that lies where an earlier one was
// given back is held while its producer is asked again.
bool Describer::ask_unvouched_dlpack(PyObject* object, TypeFacts& facts, Description& description) {
  const Export wanted = std::exchange(description.export_after, Export::keep);
  const bool described = ask_dlpack(object, facts, description);
  description.export_after = wanted;
  if (description.keeps()) return described;
  if (described && PyErr_Occurred() == nullptr && lies_where_one_was_given_back(description.desc.extent))
    compare_with_next(object, facts, description);
  description.memory = {};
  return described && PyErr_Occurred() == nullptr;
}

// Enters `extent`, which is about to be given back, too.
bool Describer::lies_where_one_was_given_back(core::ByteRange extent) {
  if (extent.empty()) return false;
  const auto after = given_back_.lower_bound(extent.end);
  const bool found = after != given_back_.begin() && std::prev(after)->second > extent.begin;
  core::Address& end = given_back_[extent.begin];
  end = std::max(end, extent.end);
  return found;
}

// Where its next answer lies in another place than the first, which is held, both are copies. One that refuses to answer again has
// told nothing.
void Describer::compare_with_next(PyObject* object, TypeFacts& facts, Description& description) {
  core::TensorDesc& desc = description.desc;
  if (!desc.has_layout || desc.extent.empty() || desc.is_copied == core::Tri::yes) return;
  next_.clear();
  next_.export_after = Export::keep;
  dlpack_.keep_raw(nullptr);
  const bool answered = ask_dlpack(object, facts, next_);
  dlpack_.keep_raw(raw_);
  if (answered && next_.desc.has_layout && next_.desc.address() != desc.address()) {
    desc.is_copied = core::Tri::yes;
    copy_seen_by_asking_twice_ = true;
  }
  next_.memory = {};
}

bool Describer::ask(unsigned protocol, PyObject* object, TypeFacts& facts, Description& description) {
  switch (protocol) {
    case kAskDlpack:
      return ask_dlpack(object, facts, description);
    case kAskArrayInterface:
      return describe_array_interface(object, facts.session, Elements::any, description);
    case kAskCudaArrayInterface:
      return describe_cuda_array_interface(object, Elements::any, description);
    default:
      return describe_buffer(object, reader_, raw_, Elements::any, description);
  }
}

bool Describer::try_one(unsigned protocol, PyObject* object, TypeFacts& facts, AskedBy asked_by, Description& description) {
  description.clear();
  claim_.reset();
  claim_asked_ = false;
  return allowed(object, facts, asked_by, description) && ask(protocol, object, facts, description);
}

// The claim is always the object's own: __dlpack_device__ is called unless its answer could only be "cpu".
inline void Describer::settle_claim(PyObject* object, const TypeFacts& facts, Description& description) {
  core::TensorDesc& desc = description.desc;
  const bool is_cpu = desc.has_metadata && desc.device == core::kCpuDevice;
  if (!claim_asked_ && is_cpu && cpu_claim_is_certain(facts)) {
    desc.claimed_device = core::kCpuDevice;
    desc.has_claimed_device = true;
  } else {
    compare_claim(object, facts, description);
  }
}

void Describer::compare_claim(PyObject* object, const TypeFacts& facts, Description& description) {
  core::TensorDesc& desc = description.desc;
  ask_claim(object, facts);
  if (!claim_) {
    if (desc.has_metadata && desc.protocol == Protocol::cuda_array_interface && !description.driver_told_device)
      description.remark(RemarkCode::device_assumed, fmt::format("taken to be on {}", core::device_name(desc.device)));
    return;
  }
  desc.claimed_device = *claim_;
  desc.has_claimed_device = true;
  if (!desc.has_metadata || desc.claimed_device == desc.device) return;
  if (desc.protocol == Protocol::cuda_array_interface && desc.claimed_device.type == desc.device.type) {
    desc.device = desc.claimed_device;  // the interface has no device; the object's claim has one
    return;
  }
  description.remark(RemarkCode::device_mismatch, fmt::format("described as {}, but __dlpack_device__ says {}",
                                                       core::device_name(desc.device), core::device_name(desc.claimed_device)));
}

inline bool Describer::describe_by_first_answer(PyObject* object, TypeFacts& facts, unsigned offers, Description& description) {
  if ((offers & kAskDlpack) != 0) {
    const bool vouched_for = facts.producer.may_be_mapped;
    if (vouched_for ? ask_dlpack(object, facts, description) : ask_unvouched_dlpack(object, facts, description)) return true;
  }
  return describe_otherwise(object, facts, offers, description);
}

// After DLPack refused, or is not offered.
bool Describer::describe_otherwise(PyObject* object, TypeFacts& facts, unsigned offers, Description& description) {
  if (PyErr_Occurred() != nullptr) return false;
  if ((offers == 0 || (offers & kAskDlpack) != 0) && stand_in_answers(object, facts, description)) return true;
  for (const Step& step : kOrder) {
    if (PyErr_Occurred() != nullptr) return false;
    if (step.bit == kAskDlpack || (offers & step.bit) == 0) continue;
    if (ask(step.bit, object, facts, description)) return true;
  }
  return false;
}

bool Describer::stand_in_answers(PyObject* object, TypeFacts& facts, Description& description) {
  if (facts.session == nullptr) return false;
  const Quiet quiet = quiet_for(facts);
  if (PyErr_Occurred() != nullptr) return false;
  const std::size_t before = description.remarks.size();
  const PyRef stand_in = facts.session->stand_in(object, description);
  const std::size_t after = description.remarks.size();
  if (!stand_in) return false;
  const bool described = ask_dlpack(stand_in.get(), facts, description);
  if (!described) {  // what was remarked is of a description that there is not
    description.remarks.erase(description.remarks.begin() + static_cast<std::ptrdiff_t>(before),
                              description.remarks.begin() + static_cast<std::ptrdiff_t>(after));
  } else if (facts.habits.stand_in_may_be_copy && PyErr_Occurred() == nullptr) {
    const PyRef next = facts.session->stand_in(object, next_);  // while the first one lives
    if (next && PyErr_Occurred() == nullptr) compare_with_next(next.get(), facts, description);
  }
  return described && PyErr_Occurred() == nullptr;
}

// Where allowed() said no.
bool Describer::describe_by_attributes(PyObject* object, TypeFacts& facts, Description& description) {
  if (!facts.habits.attributes_describe) return false;
  ask_claim(object, facts);
  if (!claim_ || PyErr_Occurred() != nullptr) return false;
  const Quiet quiet = quiet_for(facts);
  if (PyErr_Occurred() != nullptr) return false;
  if (!facts.session->describe_by_attributes(object, *claim_, description)) return false;
  description.desc.claimed_device = *claim_;
  description.desc.has_claimed_device = true;
  facts.session->after(object, description);
  return true;
}

void Describer::describe(PyObject* object, TypeFacts& facts, AskedBy asked_by, Description& description) {
  description.clear_text();  // the description is cleared where it is written, or below
  if (description.keeps()) description.memory = {};
  claim_.reset();
  claim_asked_ = copy_seen_by_asking_twice_ = false;
  if (facts.habits.before_may_object && !allowed(object, facts, asked_by, description)) {
    description.desc.clear();
    if (PyErr_Occurred() != nullptr || describe_by_attributes(object, facts, description)) return;
    description.remark(RemarkCode::not_described, description.refusals.back().message);
    return;
  }
  const unsigned permitted = (facts.library != nullptr ? facts.library->protocols : kAskAll) & facts.habits.protocols;
  const bool described = describe_by_first_answer(object, facts, offered(object, facts, asked_by) & permitted, description);
  if (!described) {
    description.desc.clear();
    if (PyErr_Occurred() != nullptr) return;
  }
  settle_claim(object, facts, description);
  if (!described || (claim_asked_ && PyErr_Occurred() != nullptr)) return;
  if (description.desc.item_type) remark_no_dlpack(description);
  if (description.desc.is_copied == core::Tri::yes) remark_copied(copy_seen_by_asking_twice_, description);
  const bool is_tensor_itself = facts.offers != 0;  // false for a variable whose value was read
  if (facts.is_immutable() && is_tensor_itself) remark_immutable(*facts.library, description);
  const Quiet quiet = quiet_for(facts);
  if (PyErr_Occurred() != nullptr) return;
  if (facts.session != nullptr && facts.habits.after_may_add) {
    facts.session->after(object, description);
    if (PyErr_Occurred() != nullptr) return;
  }
  owners_.find(object, description.desc);
}

}  // namespace dlscope::embed
