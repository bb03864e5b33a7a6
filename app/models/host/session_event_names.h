// The names of a HostSession's events (session_event.h has what is in them). A header of its own, so that whoever only reads a
// HostSession need not include the wire's messages.
#pragma once

#include <cstdint>
#include <variant>

namespace dlscope::app {

enum class RunKind : std::uint8_t { script, part_of_script, console };

namespace session_event {

struct StartAsked;
struct RunAsked;
struct ScanAsked;
struct InterruptAsked;
struct KillAsked;
struct LeaveAsked;
struct RequestNotTaken;
struct PythonFound;
struct LibrariesFound;
struct StartFailed;
struct Ready;
struct Crashed;
struct Ended;
struct RunStarted;
struct RunFinished;
struct ScanFinished;
struct InputWatched;
struct SuspensionWatched;
struct ResumeAsked;
struct PauseAsked;
struct FrameChosen;
struct ReleaseFramesAsked;
struct ResumeNotTaken;
struct Stopped;
struct Resumed;
struct SnapshotCame;
struct OtherCodeRan;
struct ActSent;
struct ActEnded;

}  // namespace session_event

using SessionEvent =
    std::variant<session_event::StartAsked, session_event::RunAsked, session_event::ScanAsked, session_event::InterruptAsked,
                 session_event::KillAsked, session_event::LeaveAsked, session_event::RequestNotTaken, session_event::PythonFound,
                 session_event::LibrariesFound, session_event::StartFailed, session_event::Ready, session_event::Crashed,
                 session_event::Ended, session_event::RunStarted, session_event::RunFinished, session_event::ScanFinished,
                 session_event::InputWatched, session_event::ResumeAsked, session_event::PauseAsked, session_event::FrameChosen,
                 session_event::ReleaseFramesAsked, session_event::ResumeNotTaken, session_event::Stopped, session_event::Resumed,
                 session_event::SnapshotCame, session_event::OtherCodeRan, session_event::ActSent, session_event::ActEnded,
                 session_event::SuspensionWatched>;

}  // namespace dlscope::app
