#include "embed/protocols/stream_watch.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "embed/runtime.h"

namespace dlscope::embed {
namespace {

using core::DeviceId;
using core::RecordedMemory;
using core::RecordedStep;
using core::RecordedStream;
using core::StepKind;
using core::StreamState;
using Kind = RecordedStream::Kind;

constexpr std::int32_t kCuda = 2;  // DLDeviceType
constexpr std::int64_t kDoNotSynchronise = -1;
constexpr std::uint64_t kLegacyDefault = 1, kPerThreadDefault = 2;

thread_local int unrecorded = 0;  // how many StreamsUnrecorded this thread is inside of

RecordedStream numbered(DeviceId device, std::uint64_t number, bool blocking = false) {
  return {Kind::numbered, device, number == 0 ? kLegacyDefault : number, blocking};
}

RecordedStep step(StepKind kind, RecordedStream stream, RecordedMemory memory = {}, std::uint64_t event = 0,
                  std::string what = {}) {
  return {.kind = kind,
          .stream = stream,
          .memory = memory,
          .event = event,
          .what = std::move(what),
          .producer = {},
          .consumer = {},
          .asked = {}};
}

core::CudaStream handle_of(const RecordedStream& stream) {
  return reinterpret_cast<core::CudaStream>(static_cast<std::uintptr_t>(stream.number));
}

// An attribute or dict value as a whole number; nullopt without an error set, except KeyboardInterrupt.
std::optional<std::uint64_t> number_of(PyObject* value) {
  if (value == nullptr || !PyLong_Check(value)) {
    static_cast<void>(clear_unless_interrupt());
    return std::nullopt;
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(value);
  if (PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  return std::nullopt;
}

PyRef attribute(const PyRef& object, const char* name) {
  if (!object || PyErr_Occurred() != nullptr) return {};
  PyRef found = PyRef::steal(PyObject_GetAttrString(object.get(), name));
  if (!found) static_cast<void>(clear_unless_interrupt());
  return found;
}

// torch.cuda.current_stream(ordinal).cuda_stream: the stream that PyTorch uses now. 0: the legacy default stream.
std::optional<std::uint64_t> torch_stream(std::int32_t ordinal) {
  PyObject* const modules = PySys_GetObject("modules");
  const PyRef torch =
      PyRef::share(modules != nullptr && PyDict_Check(modules) ? PyDict_GetItemString(modules, "torch") : nullptr);
  const PyRef function = attribute(attribute(torch, "cuda"), "current_stream");
  if (!function) return std::nullopt;
  const PyRef stream = PyRef::steal(PyObject_CallFunction(function.get(), "i", ordinal));
  if (!stream && clear_unless_interrupt()) return std::nullopt;
  const auto number = number_of(attribute(stream, "cuda_stream").get());
  return number == 0 ? kLegacyDefault : number;
}

// The stream that the exporter of an array interface (version 3) asks consumers to order after.
std::optional<std::uint64_t> interface_stream(PyObject* object) {
  const PyRef interface = attribute(PyRef::share(object), "__cuda_array_interface__");
  if (!interface || !PyDict_Check(interface.get())) return std::nullopt;
  const auto number = number_of(PyDict_GetItemString(interface.get(), "stream"));
  return number == 0 ? std::nullopt : number;  // 0 is not allowed there
}

// The producer's stream, as far as it can be asked without waiting (JAX's interface waits for the array).
std::optional<std::uint64_t> producers_stream(PyObject* object, std::int32_t ordinal) {
  const std::string type = qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const std::string_view library = std::string_view(type).substr(0, type.find('.'));
  if (library == "dlscope") return kLegacyDefault;
  if (library == "torch") return torch_stream(ordinal);
  constexpr std::array<std::string_view, 6> kNotAsked{"jax", "jaxlib", "tensorflow", "paddle", "dpnp", "tvm_ffi"};
  for (const std::string_view name : kNotAsked) {
    if (library == name) return std::nullopt;
  }
  return interface_stream(object);
}

std::string name_of(const RecordedStream& stream) {
  if (stream.number == kLegacyDefault) return "the default stream";
  return stream.number == kPerThreadDefault ? std::string("the per-thread default stream")
                                            : fmt::format("stream {:#x}", stream.number);
}

}  // namespace

core::StreamRecording& stream_recording() {
  static core::StreamRecording* const recording = new core::StreamRecording();  // never destroyed: threads may copy until the end
  return *recording;
}

bool looks_itself() { return unrecorded > 0; }

StreamsUnrecorded::StreamsUnrecorded() { ++unrecorded; }
StreamsUnrecorded::~StreamsUnrecorded() { --unrecorded; }

AskedStream asked_stream(PyObject* value) {
  AskedStream asked;
  if (value == nullptr) return asked;
  if (PyLong_Check(value)) {
    asked.value = PyLong_AsLongLong(value);
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      asked.value.reset();
    }
  }
  asked.text = asked.value ? *asked.value > 0xffff ? fmt::format("{:#x}", *asked.value) : fmt::format("{}", *asked.value)
               : value == Py_None ? std::string("None")
                                  : qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(value)));
  return asked;
}

StreamWatch::StreamWatch(PyObject* producer, const std::optional<DeviceId>& device, AskedStream asked)
    : device_(device.value_or(core::kCpuDevice)), asked_(std::move(asked)) {
  if (device_.type == kCuda && unrecorded == 0) look_at_streams(producer);
}

void StreamWatch::look_at_streams(PyObject* producer) {
  const auto number = producers_stream(producer, device_.id);
  if (PyErr_Occurred() != nullptr) return;
  auto driver = core::CudaDriver::open(core::CudaInit::only_if_initialised);
  if (driver) driver_.emplace(std::move(*driver));
  const auto known = [&](std::uint64_t stream) {
    RecordedStream made = numbered(device_, stream);
    if (driver_ && made.number > kPerThreadDefault)
      made.blocking = core::is_blocking_stream(*driver_, device_.id, handle_of(made)).value_or(false);
    return made;
  };
  if (asked_.value != kDoNotSynchronise) named_ = known(static_cast<std::uint64_t>(asked_.value.value_or(1)));
  if (!number) return;
  producer_ = known(*number);
  producer_before_ = state_of(*producer_);
  if (named_ && !ordered_by_rule()) named_before_ = state_of(*named_);
}

StreamState StreamWatch::state_of(const RecordedStream& stream) const {
  return driver_ ? core::stream_state(*driver_, device_.id, handle_of(stream)) : StreamState::unknown;
}

bool StreamWatch::ordered_by_rule() const {
  if (*producer_ == *named_) return true;
  const auto is_default = [](const RecordedStream& stream) { return stream.number == kLegacyDefault; };
  const auto is_blocking = [](const RecordedStream& stream) { return stream.blocking || stream.number == kPerThreadDefault; };
  return (is_default(*producer_) && is_blocking(*named_)) || (is_default(*named_) && is_blocking(*producer_));
}

// The named stream is queried first: if it has no work while the producer's stream still has some afterwards, it does not wait
// for it.
std::string StreamWatch::add_what_was_seen(const RecordedMemory& memory, std::vector<RecordedStep>& before,
                                           std::vector<RecordedStep>& after) {
  if (!producer_) return "which stream its producer writes on is not known";
  if (producer_before_ == StreamState::unknown) return "what is under way on the producer's stream is not known";
  if (producer_before_ == StreamState::done) return "nothing was under way on the producer's stream";
  const auto note_work = [&] { before.push_back(step(StepKind::write, *producer_, memory, 0, "the producer's work")); };
  if (named_ && ordered_by_rule()) {
    note_work();
    return "the streams are ordered without it";
  }
  const StreamState named_after = named_ ? state_of(*named_) : StreamState::done;
  const StreamState producer_after = state_of(*producer_);
  if (named_ && named_before_ == StreamState::done && named_after == StreamState::busy) {
    note_work();
    const std::uint64_t event = stream_recording().new_event();
    after.push_back(step(StepKind::record, *producer_, {}, event, "by the producer"));
    after.push_back(step(StepKind::wait, *named_, {}, event, "seen: it had nothing to do before the hand-over, and has since"));
    return "the producer had " + name_of(*named_) + " wait";
  }
  if (producer_after == StreamState::done) {
    note_work();
    after.push_back(step(StepKind::synchronize, *producer_, {}, 0, "seen: its work was done when the hand-over returned"));
    return "the producer's work was done when it returned";
  }
  const bool nobody_waits = producer_after == StreamState::busy &&
                            (!named_ || (named_before_ == StreamState::done && named_after == StreamState::done));
  if (!nobody_waits)
    return "whether a stream was made to wait is not known: " + name_of(named_ ? *named_ : *producer_) + " was at work before";
  note_work();
  return named_ ? fmt::format("seen: the producer is still at work, and {} does not wait for it", name_of(*named_))
                : std::string("seen: the producer is still at work, and nothing was asked to wait");
}

void StreamWatch::note(HandOverParties parties, RecordedMemory memory) {
  if (unrecorded > 0) return;
  if (device_.type != kCuda) return note_hand_over_without_stream(std::move(parties), device_, memory, asked_, "");
  std::vector<RecordedStep> steps, after;
  std::string what = add_what_was_seen(memory, steps, after);
  RecordedStep handed =
      step(StepKind::hand_over, producer_.value_or(RecordedStream{Kind::unknown, device_, 0, false}), memory, 0, std::move(what));
  handed.producer = std::move(parties.producer);
  handed.consumer = std::move(parties.consumer);
  handed.asked = asked_.text;
  steps.push_back(std::move(handed));
  for (RecordedStep& each : after) steps.push_back(std::move(each));
  stream_recording().add(std::move(steps));
}

void note_hand_over_without_stream(HandOverParties parties, DeviceId device, RecordedMemory memory, const AskedStream& asked,
                                   std::string_view what) {
  if (unrecorded > 0) return;
  if (memory.id == 0) memory.id = stream_recording().new_memory();
  const bool has_streams = core::device_memory(device) != core::DeviceMemory::host;
  const RecordedStream stream = has_streams ? RecordedStream{Kind::unknown, device, 0, false} : RecordedStream{};
  RecordedStep handed = step(StepKind::hand_over, stream, memory);
  handed.what = what;
  handed.producer = std::move(parties.producer);
  handed.consumer = std::move(parties.consumer);
  handed.asked = asked.text;
  stream_recording().add(std::move(handed));
}

void note_own_hand_over(std::string producer, DeviceId device, RecordedMemory memory, const AskedStream& asked,
                        std::optional<std::uint64_t> waits) {
  if (unrecorded > 0) return;
  HandOverParties parties{std::move(producer), "a consumer of dlscope's"};
  if (device.type != kCuda) return note_hand_over_without_stream(std::move(parties), device, memory, asked, "");
  const RecordedStream ready_on = numbered(device, kLegacyDefault);
  std::vector<RecordedStep> steps{step(StepKind::hand_over, ready_on, memory)};
  steps[0].producer = std::move(parties.producer);
  steps[0].consumer = std::move(parties.consumer);
  steps[0].asked = asked.text;
  if (waits) {
    const std::uint64_t event = stream_recording().new_event();
    steps.push_back(step(StepKind::record, ready_on, {}, event, "by dlscope"));
    steps.push_back(step(StepKind::wait, numbered(device, *waits), {}, event, "by dlscope"));
  }
  stream_recording().add(std::move(steps));
}

void note_default_stream_waits(DeviceId device, std::uint64_t stream) {
  if (unrecorded > 0) return;
  const std::uint64_t event = stream_recording().new_event();
  stream_recording().add({step(StepKind::record, numbered(device, stream), {}, event, "by dlscope"),
                          step(StepKind::wait, numbered(device, kLegacyDefault), {}, event, "by dlscope")});
}

void note_driver_copy(const DriverCopy& copy) {
  const RecordedStream own{Kind::own, copy.device, 0, false}, default_stream = numbered(copy.device, kLegacyDefault);
  std::vector<RecordedStep> steps;
  if (copy.from.id != 0 && copy.after_default_stream) {
    const std::uint64_t event = stream_recording().new_event();
    steps.push_back(step(StepKind::record, default_stream, {}, event, "by dlscope"));
    steps.push_back(step(StepKind::wait, own, {}, event, "by dlscope"));
  } else if (copy.from.id != 0) {
    for (const RecordedStream& stream : stream_recording().streams_of(copy.device))
      steps.push_back(step(StepKind::synchronize, stream, {}, 0, "dlscope waits for every stream of the device"));
  }
  if (copy.from.id != 0) steps.push_back(step(StepKind::read, own, copy.from, 0, "dlscope's copy"));
  if (copy.to.id != 0) steps.push_back(step(StepKind::write, own, copy.to, 0, "dlscope's copy"));
  steps.push_back(step(StepKind::synchronize, own, {}, 0, "dlscope waits until its copy is done"));
  stream_recording().add(std::move(steps));
}

}  // namespace dlscope::embed
