#include "embed/host/line_events.h"

#include <algorithm>
#include <new>
#include <utility>

#include "embed/host/script_handlers.h"
#include "embed/host/superinstructions.h"
#include "embed/host/traced_frames.h"
#include "embed/scan/frame_locals.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

extern "C" {
// Exported by every CPython from 3.9 to 3.11, which is where they are used; not in the stable ABI.
using TraceFunction = int (*)(PyObject*, PyFrameObject*, int, PyObject*);
__attribute__((weak)) void dlscope_set_trace(TraceFunction function, PyObject* argument) __asm__("PyEval_SetTrace");
__attribute__((weak)) int dlscope_set_trace_of(PyThreadState* thread, TraceFunction function,
                                               PyObject* argument) __asm__("_PyEval_SetTrace");
__attribute__((weak)) PyThreadState* dlscope_first_thread(PyInterpreterState* interpreter) __asm__(
    "PyInterpreterState_ThreadHead");
__attribute__((weak)) PyThreadState* dlscope_next_thread(PyThreadState* thread) __asm__("PyThreadState_Next");
__attribute__((weak)) PyObject* dlscope_frame_of_thread(PyThreadState* thread) __asm__("PyThreadState_GetFrame");  // all versions
__attribute__((weak)) PyObject* dlscope_frame_code(PyFrameObject* frame) __asm__("PyFrame_GetCode");
__attribute__((weak)) int dlscope_frame_line(PyFrameObject* frame) __asm__("PyFrame_GetLineNumber");
}

namespace {

// Of Python.h, outside of the limited API.
constexpr int kException = 1, kLine = 2, kReturn = 3;

constexpr std::size_t kMaxCodes = 1 << 16;  // in codes_: a loop that calls exec() makes new code objects for ever

thread_local bool events_ignored = false;

PyObject* new_none() { return PyRef::share(Py_None).release(); }

std::vector<long> numbers_in(PyObject* tuple) {
  std::vector<long> numbers;
  for (Py_ssize_t i = 0; PyTuple_Check(tuple) && i < PyTuple_Size(tuple); ++i) {
    numbers.push_back(PyLong_AsLong(PyTuple_GetItem(tuple, i)));
  }
  return numbers;
}

PyObject* current_frame() { return reinterpret_cast<PyObject*>(PyEval_GetFrame()); }  // borrowed

// Where a frame stands in its code; -1: not known.
long offset_in(PyObject* frame) {
  const PyRef offset = PyRef::steal(PyObject_GetAttrString(frame, "f_lasti"));
  const long value = offset ? PyLong_AsLong(offset.get()) : -1;
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  return value;
}

// The reason that reached() gets. A line may belong to two code objects, of which one has the breakpoint and the step ends in the
// other: `def f(x): return x`.
const char* reason_of(bool has_breakpoint, bool step) {
  if (!has_breakpoint) return "step";
  return step ? "line and step" : "line";
}

}  // namespace

LineEvents& LineEvents::get() {
  static auto* events = new LineEvents;  // never destroyed: other Python threads may call this while the process ends
  return *events;
}

void LineEvents::begin(PyRef resolve, PyRef reached) {
  resolve_ = std::move(resolve);
  reached_ = std::move(reached);
  main_thread_ = PyThread_get_thread_ident();
  PyObject* const monitoring = PySys_GetObject("monitoring");  // borrowed
  if (monitoring == nullptr) return;
  disable_ = PyRef::steal(PyObject_GetAttrString(monitoring, "DISABLE"));
  if (!disable_) PyErr_Clear();
}

void LineEvents::end() {
  stop_tracing();
  clear_step();
  forget_code();
}

void LineEvents::forget_code() {
  ++generation_;
  traced_frames::forget_answers();
  std::exchange(codes_, {}).clear();
}

void LineEvents::set_step(Step step) {
  std::swap(step_, step);  // releasing the old frames may run Python code, which must find step_ complete
  has_step_ = true;
}

void LineEvents::clear_step() {
  has_step_ = false;
  Step old;
  std::swap(step_, old);
}

bool LineEvents::is_stopped_thread() const { return stopped_thread_ != 0 && stopped_thread_ == PyThread_get_thread_ident(); }

bool LineEvents::ignores_events() const { return events_ignored || is_stopped_thread(); }

bool LineEvents::is_stopped_outside_main_thread() const { return stopped_thread_ != 0 && stopped_thread_ != main_thread_; }

void LineEvents::set_thread_stopped(bool stopped) {
  stopped_thread_ = stopped ? PyThread_get_thread_ident() : 0;
  stopped_thread_state_ = stopped ? PyThreadState_Get() : nullptr;
}

PyRef LineEvents::frame_of_stopped_thread() const {
  if (stopped_thread_state_ == nullptr || dlscope_frame_of_thread == nullptr) return {};
  return PyRef::steal(dlscope_frame_of_thread(stopped_thread_state_));
}

bool LineEvents::interrupt_stopped_thread(PyObject* frame) {
  if (stopped_thread_ == 0 || frame_of_stopped_thread().get() != frame) return false;
  interrupt_sent_ = true;
  PyThreadState_SetAsyncExc(stopped_thread_, PyExc_KeyboardInterrupt);
  return true;
}

void LineEvents::take_back_interrupt() {
  if (is_stopped_thread() && std::exchange(interrupt_sent_, false)) PyThreadState_SetAsyncExc(stopped_thread_, nullptr);
}

void LineEvents::suspend_other_threads(bool suspend) {
  const std::lock_guard lock(suspend_mutex_);
  others_suspended_ = suspend;
  if (!suspend) resumed_.notify_all();
}

LineEvents::EventsIgnored::EventsIgnored() : before_(std::exchange(events_ignored, true)) {}

LineEvents::EventsIgnored::~EventsIgnored() { events_ignored = before_; }

void LineEvents::wait_while_suspended() {
  if (!others_suspended_ || stopped_thread_ == 0 || ignores_events()) return;
  const PendingError kept;
  const WithoutGil without_gil;
  std::unique_lock lock(suspend_mutex_);
  resumed_.wait(lock, [this] { return !others_suspended_; });
}

const LineEvents::CodeFacts* LineEvents::facts_of(PyObject* code) {
  if (const auto known = codes_.find(code); known != codes_.end()) return &known->second;
  if (!resolve_) return nullptr;
  const traced_frames::Paused ours;
  const std::uint64_t generation = generation_;
  const PyRef answer = PyRef::steal(PyObject_CallFunctionObjArgs(resolve_.get(), code, nullptr));
  CodeFacts facts;
  PyObject *lines = nullptr, *loops = nullptr;
  int is_steppable = 0, on_one_line = 0, return_awaited = 0;
  if (!answer || !PyArg_ParseTuple(answer.get(), "OlpppO", &lines, &facts.start_line, &is_steppable, &on_one_line,
                                   &return_awaited, &loops)) {
    clear_and_interrupt_later();  // stack overflow or no memory: treated as code without breakpoints
    return nullptr;
  }
  if (generation != generation_) return facts_of(code);  // another thread changed the breakpoints meanwhile
  facts.lines = numbers_in(lines);
  facts.loops = numbers_in(loops);
  facts.code = PyRef::share(code);
  facts.is_steppable = is_steppable != 0;
  facts.on_one_line = on_one_line != 0;
  facts.return_awaited = return_awaited != 0;
  if (codes_.size() >= kMaxCodes) forget_code();
  return &codes_.insert_or_assign(code, std::move(facts)).first->second;
}

bool LineEvents::step_reaches(PyObject* frame, long line, const CodeFacts& code) const {
  return !(frame == step_.start.get() && line == step_.start_line) && step_may_end_in(frame, code);
}

bool LineEvents::is_loop_of_step(PyObject* code, long offset) const {
  return has_step_ && std::ranges::any_of(step_.loops, [&](const Loop& each) {
           return each.code.get() == code && each.offset == offset;
         });
}

bool LineEvents::step_may_end_in(PyObject* frame, const CodeFacts& code) const {
  if (!has_step_ || !code.is_steppable) return false;
  if (step_.thread != 0 && step_.thread != PyThread_get_thread_ident()) return false;
  return step_.frames.empty() || std::ranges::any_of(step_.frames, [&](const PyRef& each) { return each.get() == frame; });
}

bool LineEvents::call_reached(PyObject* frame, long line, const char* why, PyObject* exception) {
  if (!reached_) return true;
  const PyRef kept = PyRef::share(frame);
  const traced_frames::Paused ours;
  const bool handlers_aside = ScriptHandlers::get().are_aside();
  const PyRef answer = PyRef::steal(PyObject_CallFunction(reached_.get(), "OlsO", frame, line, why, exception));
  if (!answer) clear_and_interrupt_later();  // a failure of dlscope's, which the user's code must not see
  const bool raised = !handlers_aside && !ScriptHandlers::get().put_back();  // a stop has set them aside
  if (!answer || PyExceptionClass_Check(answer.get()) == 0) return !raised;
  PyErr_SetNone(answer.get());
  return false;
}

PyObject* LineEvents::on_call() {
  PyObject* const frame = current_frame();
  if (frame == nullptr || is_stopped_thread()) return new_none();
  return call_reached(frame, dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame)), "call") ? new_none() : nullptr;
}

// ---- from 3.12 on ----

PyObject* LineEvents::on_start(PyObject* code) {
  wait_while_suspended();
  if (ignores_events()) return new_none();
  const CodeFacts* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr) return new_none();
  const bool has_breakpoint = facts->start_line != 0;
  const bool stays = has_breakpoint || (has_step_ && facts->is_steppable && facts->on_one_line);
  if (!stays) return superinstructions::restore(code), PyRef::share(disable_.get()).release();
  const long line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  const bool step = facts->on_one_line && step_reaches(frame, line, *facts);
  const long reached_line = has_breakpoint ? facts->start_line : line;
  if ((has_breakpoint || step) && !call_reached(frame, reached_line, reason_of(has_breakpoint, step))) return nullptr;
  return new_none();
}

PyObject* LineEvents::on_throw(PyObject* code) {
  wait_while_suspended();
  if (!ignores_events()) static_cast<void>(facts_of(code));
  return new_none();
}

PyObject* LineEvents::on_line(PyObject* code, long line) {
  wait_while_suspended();
  if (ignores_events()) return new_none();
  const CodeFacts* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr) return new_none();
  const bool has_breakpoint = std::ranges::find(facts->lines, line) != facts->lines.end();
  const bool step = step_reaches(frame, line, *facts);
  const bool may_be_stepped_on = has_step_ && facts->is_steppable;
  if ((has_breakpoint || step) && !call_reached(frame, line, reason_of(has_breakpoint, step))) return nullptr;
  return has_breakpoint || may_be_stepped_on ? new_none() : PyRef::share(disable_.get()).release();
}

PyObject* LineEvents::on_jump(PyObject* code, long to) {
  wait_while_suspended();
  if (ignores_events()) return new_none();
  const CodeFacts* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr) return new_none();
  const bool has_breakpoint = std::ranges::find(facts->loops, to) != facts->loops.end(), is_of_step = is_loop_of_step(code, to);
  if (!has_breakpoint && !is_of_step) return PyRef::share(disable_.get()).release();
  const bool step = is_of_step && step_may_end_in(frame, *facts);
  const int line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  if ((has_breakpoint || step) && !call_reached(frame, line, reason_of(has_breakpoint, step))) return nullptr;
  return new_none();
}

PyObject* LineEvents::on_raise(PyObject* code, PyObject* exception) {
  if (ignores_events()) return new_none();
  const CodeFacts* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr || !facts->is_steppable) return new_none();
  const int line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  return call_reached(frame, line, "raise", exception) ? new_none() : nullptr;
}

PyObject* LineEvents::on_return(PyObject* code) {
  if (ignores_events()) return new_none();
  const CodeFacts* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr || !facts->return_awaited) return new_none();
  const int line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  return call_reached(frame, line, "return") ? new_none() : nullptr;
}

// ---- before 3.12 ----

void LineEvents::start_tracing(PyObject* tracer, const Tracing& wanted) {
  if (dlscope_set_trace == nullptr || dlscope_frame_code == nullptr || dlscope_frame_line == nullptr) return;
  tracer_ = PyRef::share(tracer);
  set_own_tracer(tracer);
  if (std::exchange(wants_exceptions_, wanted.exceptions) != wanted.exceptions) traced_frames::forget_answers();
  traced_where_ = traced_frames::is_possible() ? wanted.where : Where::everywhere;
  if (traced_where_ == Where::needing_code) {
    const traced_frames::Settings settings{trace, tracer, [](PyObject* code) { return get().needs_tracing(code); },
                                           [] { get().report_refused(); }};
    traced_frames::begin(settings, wanted.no_user_frame_yet);
  } else {
    traced_frames::end(traced_frames::Stays::yes);
  }
  if (wanted.threads != Threads::none) dlscope_set_trace(trace, tracer);
  if (wanted.threads != Threads::all || dlscope_set_trace_of == nullptr || dlscope_first_thread == nullptr) return;
  PyThreadState* const own = PyThreadState_Get();
  for (PyThreadState* each = dlscope_first_thread(PyInterpreterState_Get()); each != nullptr; each = dlscope_next_thread(each)) {
    if (each != own && dlscope_set_trace_of(each, trace, tracer) != 0) PyErr_Clear();
  }
}

void LineEvents::stop_tracing() {
  traced_where_ = Where::nowhere;
  if (tracer_) traced_frames::end(traced_frames::Stays::no);
}

void LineEvents::trace_this_thread() {
  const bool on = traced_where_ != Where::nowhere;
  dlscope_set_trace(on ? trace : nullptr, on ? tracer_.get() : nullptr);
}

std::optional<bool> LineEvents::needs_tracing(PyObject* code) try {
  const CodeFacts* const facts = facts_of(code);
  if (facts == nullptr) return std::nullopt;
  return !facts->lines.empty() || facts->return_awaited || (wants_exceptions_ && facts->is_steppable);
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

void LineEvents::report_refused() { static_cast<void>(call_reached(Py_None, 0, "refused")); }

int LineEvents::trace(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
  LineEvents& self = get();
  traced_frames::note_called();
  if (self.traced_where_ == Where::nowhere) return dlscope_set_trace(nullptr, nullptr), 0;
  self.wait_while_suspended();
  if (self.traced_where_ == Where::nowhere) return dlscope_set_trace(nullptr, nullptr), 0;
  try {
    return self.trace_event(reinterpret_cast<PyObject*>(frame), what, argument);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

int LineEvents::trace_event(PyObject* frame, int what, PyObject* argument) {
  const bool wanted = what == kLine || (what == kException && wants_exceptions_) || (what == kReturn && argument != nullptr);
  if (!wanted || ignores_events()) return 0;
  auto* const real = reinterpret_cast<PyFrameObject*>(frame);
  const PyRef code = PyRef::steal(dlscope_frame_code(real));
  if (traced_where_ == Where::needing_code && !needs_tracing(code.get()).value_or(false))
    return traced_frames::leave_frame(frame), 0;
  const CodeFacts* const facts = facts_of(code.get());
  if (facts == nullptr || (facts->lines.empty() && !has_step_ && what == kLine)) return 0;
  if (what == kReturn && !facts->return_awaited) return 0;
  const long line = dlscope_frame_line(real);
  if (what == kReturn) return call_reached(frame, line, "return") ? 0 : -1;
  if (what == kException) {
    if (!facts->is_steppable || !PyTuple_Check(argument) || PyTuple_Size(argument) != 3) return 0;
    return call_reached(frame, line, "raise", argument) ? 0 : -1;
  }
  const bool has_breakpoint = std::ranges::find(facts->lines, line) != facts->lines.end();
  const bool step = step_reaches(frame, line, *facts) ||
                    (step_may_end_in(frame, *facts) && is_loop_of_step(code.get(), offset_in(frame)));
  if (!has_breakpoint && !step) return 0;
  return call_reached(frame, line, reason_of(has_breakpoint, step)) ? 0 : -1;
}

}  // namespace dlscope::embed
