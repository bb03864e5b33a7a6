#include "embed/host/line_events.h"

#include <algorithm>
#include <new>
#include <utility>

#include "embed/host/superinstructions.h"
#include "embed/host/traced_frames.h"
#include "embed/scan/frame_locals.h"
#include "embed/stored.h"
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

constexpr std::size_t kMaxCodes = 1 << 16;  // remembered: code made by exec in a loop must not pile up

thread_local bool does_own_work = false;

PyObject* new_none() { return PyRef::share(Py_None).release(); }

std::vector<long> numbers_in(PyObject* tuple) {
  std::vector<long> numbers;
  for (Py_ssize_t i = 0; PyTuple_Check(tuple) && i < PyTuple_Size(tuple); ++i) {
    numbers.push_back(PyLong_AsLong(PyTuple_GetItem(tuple, i)));
  }
  return numbers;
}

PyObject* current_frame() { return reinterpret_cast<PyObject*>(PyEval_GetFrame()); }  // borrowed

// Of a line that is told. A step may end on a line of one code object where another one holds a breakpoint: `def f(x): return x`.
const char* reason_of(bool waited_for, bool step) {
  if (!waited_for) return "step";
  return step ? "line and step" : "line";
}

}  // namespace

LineEvents& LineEvents::get() {
  static auto* events = new LineEvents;  // never destroyed: threads of the user's may come here while the process ends
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
  ++rounds_;
  traced_frames::forget_answers();
  std::exchange(codes_, {}).clear();
}

void LineEvents::set_step(Step step) {
  std::swap(step_, step);  // the old one's frames go when step_ is whole again
  steps_ = true;
}

void LineEvents::clear_step() {
  steps_ = false;
  Step old;
  std::swap(step_, old);
}

bool LineEvents::is_standing_thread() const { return standing_ != 0 && standing_ == PyThread_get_thread_ident(); }

bool LineEvents::ignores_events() const { return does_own_work || is_standing_thread(); }

bool LineEvents::stands_in_another_thread() const { return standing_ != 0 && standing_ != main_thread_; }

void LineEvents::set_standing(bool stands) {
  standing_ = stands ? PyThread_get_thread_ident() : 0;
  standing_state_ = stands ? PyThreadState_Get() : nullptr;
}

PyRef LineEvents::standing_frame() const {
  if (standing_state_ == nullptr || dlscope_frame_of_thread == nullptr) return {};
  return PyRef::steal(dlscope_frame_of_thread(standing_state_));
}

bool LineEvents::interrupt_standing_thread(PyObject* frame) {
  if (standing_ == 0 || standing_frame().get() != frame) return false;
  interrupt_sent_ = true;
  PyThreadState_SetAsyncExc(standing_, PyExc_KeyboardInterrupt);
  return true;
}

void LineEvents::take_back_interrupt() {
  if (is_standing_thread() && std::exchange(interrupt_sent_, false)) PyThreadState_SetAsyncExc(standing_, nullptr);
}

void LineEvents::hold_others(bool hold) {
  const std::lock_guard lock(hold_mutex_);
  holds_ = hold;
  if (!hold) released_.notify_all();
}

LineEvents::OwnWork::OwnWork() : before_(std::exchange(does_own_work, true)) {}

LineEvents::OwnWork::~OwnWork() { does_own_work = before_; }

void LineEvents::stand_if_held() {
  if (!holds_ || standing_ == 0 || ignores_events()) return;
  const PendingError kept;
  const WithoutGil without_gil;
  std::unique_lock lock(hold_mutex_);
  released_.wait(lock, [this] { return !holds_; });
}

const LineEvents::Code* LineEvents::facts_of(PyObject* code) {
  if (const auto known = codes_.find(code); known != codes_.end()) return &known->second;
  if (!resolve_) return nullptr;
  const traced_frames::Paused ours;
  const std::uint64_t round = rounds_;
  const PyRef answer = PyRef::steal(PyObject_CallFunctionObjArgs(resolve_.get(), code, nullptr));
  Code facts;
  PyObject *lines = nullptr, *loops = nullptr;
  int is_users = 0, on_one_line = 0, returns = 0;
  if (!answer || !PyArg_ParseTuple(answer.get(), "OlpppO", &lines, &facts.start, &is_users, &on_one_line, &returns, &loops)) {
    clear_and_interrupt_later();  // near the end of the stack, without memory: nothing is waited for here
    return nullptr;
  }
  if (round != rounds_) return facts_of(code);  // another thread changed the breakpoints meanwhile
  facts.lines = numbers_in(lines);
  facts.loops = numbers_in(loops);
  facts.code = PyRef::share(code);
  facts.is_users = is_users != 0;
  facts.on_one_line = on_one_line != 0;
  facts.returns = returns != 0;
  if (codes_.size() >= kMaxCodes) forget_code();
  return &codes_.insert_or_assign(code, std::move(facts)).first->second;
}

bool LineEvents::step_reaches(PyObject* frame, long line, const Code& code) const {
  if (!steps_ || !code.is_users) return false;
  if (step_.thread != 0 && step_.thread != PyThread_get_thread_ident()) return false;
  if (frame == step_.start.get() && line == step_.start_line) return false;
  return step_.frames.empty() || std::ranges::any_of(step_.frames, [&](const PyRef& each) { return each.get() == frame; });
}

bool LineEvents::tell(PyObject* frame, long line, const char* why, PyObject* exception) {
  if (!reached_) return true;
  const PyRef kept = PyRef::share(frame);
  const traced_frames::Paused ours;
  const PyRef answer = PyRef::steal(PyObject_CallFunction(reached_.get(), "OlsO", frame, line, why, exception));
  if (!answer) clear_and_interrupt_later();  // ours, and nothing that the user's code should meet
  if (!answer || PyExceptionClass_Check(answer.get()) == 0) return true;
  PyErr_SetNone(answer.get());
  return false;
}

PyObject* LineEvents::on_call() {
  PyObject* const frame = current_frame();
  if (frame == nullptr || is_standing_thread()) return new_none();
  return tell(frame, dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame)), "call") ? new_none() : nullptr;
}

// ---- from 3.12 on ----

PyObject* LineEvents::on_start(PyObject* code) {
  stand_if_held();
  if (ignores_events()) return new_none();
  const Code* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr) return new_none();
  const bool waited_for = facts->start != 0;
  const bool stays = waited_for || (steps_ && facts->is_users && facts->on_one_line);
  if (!stays) return superinstructions::restore(code), PyRef::share(disable_.get()).release();
  const long line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  const bool step = facts->on_one_line && step_reaches(frame, line, *facts);
  if ((waited_for || step) && !tell(frame, waited_for ? facts->start : line, reason_of(waited_for, step))) return nullptr;
  return new_none();
}

PyObject* LineEvents::on_throw(PyObject* code) {
  stand_if_held();
  if (!ignores_events()) static_cast<void>(facts_of(code));
  return new_none();
}

PyObject* LineEvents::on_line(PyObject* code, long line) {
  stand_if_held();
  if (ignores_events()) return new_none();
  const Code* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr) return new_none();
  const bool waited_for = std::ranges::find(facts->lines, line) != facts->lines.end();
  const bool step = step_reaches(frame, line, *facts);
  const bool may_be_stepped_on = steps_ && facts->is_users;
  if ((waited_for || step) && !tell(frame, line, reason_of(waited_for, step))) return nullptr;
  return waited_for || may_be_stepped_on ? new_none() : PyRef::share(disable_.get()).release();
}

PyObject* LineEvents::on_jump(PyObject* code, long to) {
  stand_if_held();
  if (ignores_events()) return new_none();
  const Code* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr) return new_none();
  if (std::ranges::find(facts->loops, to) == facts->loops.end()) return PyRef::share(disable_.get()).release();
  const int line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  return tell(frame, line, "line") ? new_none() : nullptr;
}

PyObject* LineEvents::on_raise(PyObject* code, PyObject* exception) {
  if (ignores_events()) return new_none();
  const Code* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr || !facts->is_users) return new_none();
  const int line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  return tell(frame, line, "raise", exception) ? new_none() : nullptr;
}

PyObject* LineEvents::on_return(PyObject* code) {
  if (ignores_events()) return new_none();
  const Code* const facts = facts_of(code);
  PyObject* const frame = current_frame();
  if (facts == nullptr || frame == nullptr || !facts->returns) return new_none();
  const int line = dlscope_frame_line(reinterpret_cast<PyFrameObject*>(frame));
  return tell(frame, line, "return") ? new_none() : nullptr;
}

// ---- before 3.12 ----

void LineEvents::start_tracing(PyObject* tracer, const Tracing& wanted) {
  if (dlscope_set_trace == nullptr || dlscope_frame_code == nullptr || dlscope_frame_line == nullptr) return;
  tracer_ = PyRef::share(tracer);
  trace_functions_of_ours(tracer);
  if (std::exchange(raises_, wanted.raises) != wanted.raises) traced_frames::forget_answers();
  traced_ = traced_frames::is_possible() ? wanted.where : Where::everywhere;
  if (traced_ == Where::in_code_that_needs_it) {
    traced_frames::begin({trace, tracer, [](PyObject* code) { return get().needs_tracing(code); }, [] { get().refuse(); }},
                         wanted.are_frames_new);
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
  traced_ = Where::nowhere;
  if (tracer_) traced_frames::end(traced_frames::Stays::no);
}

void LineEvents::adopt_thread() {
  const bool on = traced_ != Where::nowhere;
  dlscope_set_trace(on ? trace : nullptr, on ? tracer_.get() : nullptr);
}

std::optional<bool> LineEvents::needs_tracing(PyObject* code) try {
  const Code* const facts = facts_of(code);
  if (facts == nullptr) return std::nullopt;
  return !facts->lines.empty() || facts->returns || (raises_ && facts->is_users);
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

void LineEvents::refuse() { static_cast<void>(tell(Py_None, 0, "refused")); }

int LineEvents::trace(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
  LineEvents& self = get();
  traced_frames::note_called();
  if (self.traced_ == Where::nowhere) return dlscope_set_trace(nullptr, nullptr), 0;
  self.stand_if_held();
  if (self.traced_ == Where::nowhere) return dlscope_set_trace(nullptr, nullptr), 0;
  try {
    return self.trace_event(reinterpret_cast<PyObject*>(frame), what, argument);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

int LineEvents::trace_event(PyObject* frame, int what, PyObject* argument) {
  const bool wanted = what == kLine || (what == kException && raises_) || (what == kReturn && argument != nullptr);
  if (!wanted || ignores_events()) return 0;
  auto* const real = reinterpret_cast<PyFrameObject*>(frame);
  const PyRef code = PyRef::steal(dlscope_frame_code(real));
  if (traced_ == Where::in_code_that_needs_it && !needs_tracing(code.get()).value_or(false))
    return traced_frames::leave_frame(frame), 0;
  const Code* const facts = facts_of(code.get());
  if (facts == nullptr || (facts->lines.empty() && !steps_ && what == kLine)) return 0;
  if (what == kReturn && !facts->returns) return 0;
  const long line = dlscope_frame_line(real);
  if (what == kReturn) return tell(frame, line, "return") ? 0 : -1;
  if (what == kException) {
    if (!facts->is_users || !PyTuple_Check(argument) || PyTuple_Size(argument) != 3) return 0;
    return tell(frame, line, "raise", argument) ? 0 : -1;
  }
  const bool waited_for = std::ranges::find(facts->lines, line) != facts->lines.end();
  const bool step = step_reaches(frame, line, *facts);
  if (!waited_for && !step) return 0;
  return tell(frame, line, reason_of(waited_for, step)) ? 0 : -1;
}

}  // namespace dlscope::embed
