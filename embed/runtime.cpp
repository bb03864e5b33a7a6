#include "embed/runtime.h"

#include <fmt/core.h>
#include <pthread.h>

#include <exception>
#include <mutex>
#include <new>

#include "core/base/clock.h"
#include "embed/libraries/library.h"
#include "embed/own_memory.h"
#include "embed/py_ref.h"

namespace dlscope::embed {
namespace {

std::mutex events_mutex;  // of the one Runtime; the holder calls no Python
thread_local int unrecorded = 0;  // how many CopiesUnrecorded of this thread exist
thread_local std::uint64_t entered = 0;

std::string sys_text(const char* name) { return text_of(PySys_GetObject(name)); }

}  // namespace

Runtime& Runtime::get() {
  static Runtime* const runtime = [] {
    // A forked child has none of the threads that may have held it.
    static_cast<void>(::pthread_atfork(nullptr, nullptr, [] { new (&events_mutex) std::mutex; }));
    return new Runtime;  // leaked on purpose: used until the very end of the process
  }();
  return *runtime;
}

const core::MemoryReader& Runtime::reader() { return own_memory(); }
const std::string& Runtime::reader_problem() { return own_readers().problem; }

CopiesUnrecorded::CopiesUnrecorded() { ++unrecorded; }
CopiesUnrecorded::~CopiesUnrecorded() { --unrecorded; }

void Runtime::note(core::EventKind kind, std::string text) {
  const std::lock_guard lock(events_mutex);
  try {
    // Of these there may be very many; what went wrong must still find its place.
    using enum core::EventKind;
    const bool may_be_many = kind == copy || kind == export_ || kind == consume || kind == destructor || kind == deleter;
    if (events_.size() < (may_be_many ? kMaxEvents / 2 : kMaxEvents)) {
      events_.push_back({core::monotonic_ns(), kind, std::move(text)});
      return;
    }
  } catch (const std::exception&) {  // no memory for it
  }
  ++dropped_events_;
}

void Runtime::note_copy(Copy copy) {
  if (unrecorded > 0) return;
  ++entered;
  if (copies_.size() < kMaxCopies) {
    note(core::EventKind::copy, fmt::format("{} bytes, {} to {}: {}", copy.bytes, copy.from, copy.to, copy.why));
    copies_.push_back(std::move(copy));
    return;
  }
  ++more_copies_count_;
  more_copies_.bytes += copy.bytes;
  more_copies_.ns += copy.ns;
}

std::uint64_t Runtime::copies_of_this_thread() { return entered; }

void Runtime::describe_copies(core::SnapshotBuilder& builder) const {
  const auto add = [&](const Copy& copy, std::string_view why) {
    builder.add_copy({.bytes = copy.bytes,
                      .ns = copy.ns,
                      .from = builder.intern(copy.from),
                      .to = builder.intern(copy.to),
                      .why = builder.intern(why),
                      .plain_ns = copy.plain_ns,
                      .path = builder.intern(copy.path)});
  };
  for (const Copy& copy : copies_) add(copy, copy.why);
  if (more_copies_count_ > 0) add(more_copies_, fmt::format("{} more copies, together", more_copies_count_));
}

void Runtime::clear_events() {
  const std::lock_guard lock(events_mutex);
  events_.clear();
  dropped_events_ = 0;
}

void Runtime::describe_process(core::SnapshotBuilder& builder, core::Scanned scanned) {
  auto& info = builder.info();
  info.revision = ++revision_;
  info.run = run;
  info.taken_ns = core::monotonic_ns();
  info.scanned = scanned;
  const std::string version = sys_text("version");
  info.python_version = builder.intern(version.substr(0, version.find(' ')));
  info.python_executable = builder.intern(sys_text("executable"));
  info.python_prefix = builder.intern(sys_text("prefix"));
  {
    const std::lock_guard lock(events_mutex);
    for (const Event& event : events_) {
      builder.add_event({event.t_ns, core::kNone32, event.kind, builder.add_text(event.text)});
    }
    if (dropped_events_ > 0) {
      builder.add_event({core::monotonic_ns(), core::kNone32, core::EventKind::script,
                         builder.add_text(fmt::format("{} more events were not kept", dropped_events_))});
    }
  }
  describe_copies(builder);
  add_imported_libraries(builder);
  if (survey_.devices.empty() || info.taken_ns - survey_ns_ > 1'000'000'000) {
    survey_ = core::survey_devices(core::CudaInit::only_if_initialised);
    survey_ns_ = info.taken_ns;
  }
  for (const core::SurveyedDevice& device : survey_.devices) {
    builder.add_device({device.device, builder.intern(device.name), device.total_bytes.value_or(core::kUnknown64),
                        device.free_bytes.value_or(core::kUnknown64)});
  }
}

}  // namespace dlscope::embed
