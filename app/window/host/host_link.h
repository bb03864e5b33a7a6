// HostLink: the application's view of a host that may not exist yet. A Python is found and the host started on another thread;
// everything comes back as events. Tests implement it with a fake.
// thread: UI; nothing blocks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/host/host_client.h"

namespace dlscope::app {

// Before the host's own events.
struct PythonFound {
  PythonChoice python;
};
struct HostNotStarted {
  std::string why;
};  // no usable Python, or it could not be started; `why` says what to do
using LinkEvent = std::variant<PythonFound, HostNotStarted, HostEvent>;

inline constexpr char kAnswerGone[] = "gone";

class HostLink {
 public:
  virtual ~HostLink() = default;
  // Starts a new host in place of the current one, which is killed if code runs in it, else asked to exit. Returns at once.
  virtual void start() = 0;
  // Which Python every start() from now on takes.
  virtual void choose(const PythonChoice& python) = 0;
  virtual bool run(core::wire::Run request) = 0;  // false: no host can take it now
  virtual bool scan(std::uint64_t request) = 0;   // each one taken ends with one HostScanFinished of this number
  // A question about the user's objects (core/wire: Ask). Returns its number, or 0 when no host can take it now. Each gets
  // exactly one HostAnswer; error kAnswerGone where the Python that was asked crashed, ended or was restarted.
  virtual std::uint64_t ask(const std::string& kind, const std::string& text) = 0;
  // Starts a task or an act. Returns its id, or 0 when no host can take it now. Each gets exactly one HostWorkEnded;
  // outcome failed where the process ended or was restarted before (an act: also where it crashed).
  virtual std::uint64_t start_work(core::wire::Work work) = 0;
  virtual void cancel(std::uint64_t work) = 0;
  // Replaces the host's breakpoints. Does nothing without a host.
  virtual void set_breakpoints(core::wire::SetBreakpoints breakpoints) = 0;
  virtual bool resume(core::wire::Resume resume) = 0;  // false: no host can take it now
  virtual void pause() = 0;
  virtual void interrupt(const core::wire::Interrupt& interrupt) = 0;
  virtual void kill() = 0;
  virtual bool write_input(const std::string& text) = 0;               // false: only part of it, or nothing, was taken
  [[nodiscard]] virtual bool terminal_echoes() const { return true; }  // false: a password is being typed
  [[nodiscard]] virtual std::vector<LinkEvent> drain() = 0;
};

// The real one. wake: from any thread, when drain() has something.
[[nodiscard]] std::unique_ptr<HostLink> make_host_link(AskedPython python, std::string working_directory,
                                                       std::function<void()> wake);

}  // namespace dlscope::app
