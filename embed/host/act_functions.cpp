// The function of `_dlscope` that carries out an act (core/wire/work.h): Hold and Release here, each other one in its own file.
// thread: Python's main thread; at a stop the stopped thread. GIL held.
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/base/in_words.h"
#include "embed/guarded.h"
#include "embed/host/acts.h"
#include "embed/host/binding.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_state.h"
#include "embed/host/leases.h"
#include "embed/host/line_events.h"
#include "embed/host/taken_requests.h"
#include "embed/interrupts.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using host_state::attached;
using host_state::leases;
using host_state::none;
using host_state::service;

namespace {

std::optional<ActRequest> act;  // the one that host_next has returned

core::Result<ActDone> done_with(core::Result<std::string> wording) {
  if (!wording) return std::unexpected(wording.error());
  return ActDone{std::move(*wording), {}};
}

core::Result<ActDone> carry_out(const core::wire::Hold& hold, const ActContext& context) {
  return done_with(leases->hold(context.id, hold.tensor, context.snapshot, hold.pinned, context.names));
}

// Whose snapshot the act needs.
template <class OnTensor>
std::optional<core::wire::TensorRef> tensor_of(const OnTensor& work) {
  return work.tensor;
}
std::optional<core::wire::TensorRef> tensor_of(const core::wire::Prove& prove) {
  if (prove.tensors.empty()) return std::nullopt;
  return core::wire::TensorRef{prove.revision, prove.tensors.front()};
}

// Carries out an act: one on a tensor by its overload of carry_out(), with the tensor's snapshot.
struct ActRunner {
  std::uint64_t id;
  const ProgramNames& names;
  PyObject* exchange;

  core::Result<ActDone> operator()(const core::wire::Release& release) const { return done_with(leases->release(release.lease)); }

  template <class OnTensor>
  core::Result<ActDone> operator()(const OnTensor& work) const {
    const auto tensor = tensor_of(work);
    if (!tensor) return core::fail(core::ErrorKind::unsupported, "no tensor is named");
    if (tensor->field != core::kNone16)
      return core::fail(core::ErrorKind::unsupported, "this is done to a whole tensor, not to one of its fields");
    const auto snapshot = service->tasks().snapshot_of(*tensor);
    if (!snapshot) return std::unexpected(snapshot.error());
    const std::stop_token stop = service->serving().stop_token();
    const auto progress = [act = id, stop](std::uint64_t done, std::uint64_t total) {
      service->send(core::wire::Progress{act, done, total, core::wire::ProgressUnit::bytes}, WhenFull::drop);
      return !stop.stop_requested();
    };
    return carry_out(work, ActContext{id, **snapshot, names, exchange, progress});
  }
};

// (namespace, frames: a traceback, a frame or None, the module _host_exchange): carries out the act that host_next has
// returned; from its end on nothing interrupts it any more.
PyObject* host_act(PyObject*, PyObject* args) {
  ProgramNames names;
  PyObject* exchange = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &names.script, &names.frames, &exchange) || attached() == nullptr) return nullptr;
  if (!act) return PyErr_SetString(PyExc_RuntimeError, "host_next() has returned no act"), nullptr;
  const ActRequest request = *std::exchange(act, std::nullopt);
  const InterruptScope scope(service->serving().stop_token());
  core::Result<ActDone> done = core::in_words([&] { return std::visit(ActRunner{request.id, names, exchange}, request.work); });
  // One that failed may not have come to the call that finishes the steps made before.
  if (!done && std::holds_alternative<core::wire::HandTo>(request.work)) end_steps(exchange);
  const bool interrupted = interrupt_pending();
  PyErr_Clear();
  core::wire::WorkEnded end{request.id, core::wire::WorkOutcome::done, {}, {}};
  if (!done) end.outcome = interrupted ? core::wire::WorkOutcome::cancelled : core::wire::WorkOutcome::failed;
  if (done) end.result = std::move(done->result);
  end.message = done ? std::move(done->message) : interrupted ? std::string() : done.error().message;
  TakenRequests::get().act_ended(request.id);
  {
    const WithoutGil released;
    service->serving().end_act(std::move(end), interrupted);
  }
  if (PyErr_CheckSignals() != 0) PyErr_Clear();  // a Stop that came too late for the act belongs to nothing else
  LineEvents::get().take_back_interrupt();
  return none();
}

PyRef numbers(const std::vector<core::Address>& addresses) {
  PyRef list = PyRef::steal(PyList_New(0));
  for (const core::Address address : addresses) {
    const PyRef number = PyRef::steal(list ? PyLong_FromUnsignedLongLong(address) : nullptr);
    if (!number || PyList_Append(list.get(), number.get()) != 0) return {};
  }
  return list;
}

// (ids of the objects whose memory the leases hold, ids of those that they refer to, one for each reference)
PyObject* host_kept_by_leases(PyObject*, PyObject*) {
  const Leases::Kept kept = leases != nullptr ? leases->kept() : Leases::Kept{};
  const PyRef held = numbers(kept.held), referred_to = held ? numbers(kept.referred_to) : PyRef{};
  return referred_to ? Py_BuildValue("OO", held.get(), referred_to.get()) : nullptr;
}

PyMethodDef methods[] = {
    {"host_act", guarded<host_act>, METH_VARARGS, nullptr},
    {"host_kept_by_leases", guarded<host_kept_by_leases>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void set_next_act(ActRequest next) { act = std::move(next); }

PyMethodDef* host_act_methods() { return methods; }

}  // namespace dlscope::embed
