#include "embed/module/open_calls.h"

#include <pthread.h>

#include <chrono>
#include <thread>

#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

using namespace std::chrono_literals;
constexpr auto kBetweenChecks = 1ms, kWaitForOthers = 1000ms;
// Not forever: another function registered with atexit may wait for that thread.
constexpr auto kDelayOfLateCall = 2000ms;

int open_calls = 0;              // of all threads
thread_local int own_calls = 0;  // of this thread, nested
bool interpreter_ends = false;
thread_local bool this_thread_ends_interpreter = false;

void without_gil_for(std::chrono::milliseconds time) {
  const WithoutGil released;
  std::this_thread::sleep_for(time);
}

// A forked child only has the calls of the thread that forked.
void recount_after_fork() { open_calls = own_calls; }

}  // namespace

OpenCall::OpenCall() {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, recount_after_fork);
  if (interpreter_ends && !this_thread_ends_interpreter) without_gil_for(kDelayOfLateCall);
  ++open_calls;
  ++own_calls;
}

OpenCall::~OpenCall() {
  --open_calls;
  --own_calls;
}

PyObject* wait_for_open_calls(PyObject*, PyObject*) {
  interpreter_ends = this_thread_ends_interpreter = true;
  for (auto waited = 0ms; open_calls > own_calls && waited < kWaitForOthers; waited += kBetweenChecks) without_gil_for(kBetweenChecks);
  Py_RETURN_NONE;
}

}  // namespace dlscope::embed
