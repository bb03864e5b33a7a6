// The events of a HostSession: what a person asked for, what the host reported, what the system reported about its process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/host/session_event_names.h"
#include "app/models/script/script_model.h"
#include "core/inventory/run_outcome.h"
#include "core/wire/debugging.h"
#include "core/wire/messages.h"

namespace dlscope::app {

namespace session_event {

// --- asked for by the viewer
struct StartAsked {
  bool search = false;  // no Python is chosen yet: search for one first
};
struct RunAsked {
  core::wire::Run request;  // the session sets its number
  RunKind kind = RunKind::script;
  bool saved = false;  // the file at request.path has the same text; a text too long for a message is run from there
  ScriptIdentity script = {};  // the one in the editor; without a window: none
};
struct ScanAsked {};
struct InterruptAsked {};
struct KillAsked {};
// Leaves a stop: the code goes on.
struct ResumeAsked {
  core::wire::ResumeKind kind = core::wire::ResumeKind::go;
  std::string path;  // with run_to: the line to stop at
  std::uint32_t line = 0;
};
struct PauseAsked {};
// At a stop: the console and the watches use this frame's names.
struct FrameChosen {
  std::uint32_t frame = 0;
};
// Release the frames that were kept after an exception.
struct ReleaseFramesAsked {};
struct LeaveAsked {};
// The host did not take the session's last request: it is gone, or does not read.
struct RequestNotTaken {};
struct ResumeNotTaken {};

// --- about the process
struct PythonFound {
  std::string python, executable;
};
struct LibrariesFound {
  std::string libraries;
};
struct StartFailed {
  std::string why;
};
struct Ready {
  std::string python_version;
  std::int32_t pid = 0;
};
struct Crashed {
  int signal = 0;
  std::string library;
  std::string python_stack = {};  // as faulthandler wrote it
  core::CrashFacts facts = {};
};
struct Ended {
  std::optional<int> exit_code, signal;
  std::string why;  // when it never became ready: the reason
};

// --- about its work
// An act was sent: our own code on Python's main thread, in the same queue as runs and scans.
struct ActSent {
  std::uint64_t id = 0;  // core::wire::Start::id, never used twice
  std::string title;     // "Copying x"
};
struct ActEnded {
  std::uint64_t id = 0;
};
struct RunStarted {
  std::uint64_t run = 0;
};
struct RunFinished {
  std::uint64_t run = 0;
  core::RunOutcome outcome;
};
struct ScanFinished {
  std::uint64_t request = 0;  // kScanOfRun: the scan that follows a run
};
struct SnapshotCame {
  std::uint64_t revision = 0;
};
// Code that nobody asked for now: other threads of the process, callbacks of windows.
struct OtherCodeRan {};
struct Stopped {
  core::wire::Stopped stop;
};
struct Resumed {
  std::uint64_t stop = 0;
};
struct InputWatched {
  bool waits_for_line = false, echoes = true;
};
// Somebody has stopped the process (SIGSTOP or the like), or let it go on.
struct SuspensionWatched {
  std::string suspension;  // HostSession::suspension()
};

}  // namespace session_event

inline constexpr std::uint64_t kScanOfRun = 0;

}  // namespace dlscope::app
