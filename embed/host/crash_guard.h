// What happens when user code takes the host down: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT. The first thread that meets
// one writes the region's CrashRecord (signal, address, Python stack, native stack), wakes the viewer and sleeps for ever with
// its memory in place, so that the tensors can still be looked at. No Python here; everything on the fatal path is
// async-signal-safe. One per process, because signal handlers are.
#pragma once

#include <cstddef>
#include <string>

#include "core/wire/region.h"

namespace dlscope::embed {

struct CrashGuardOptions {
  // Descriptor number faulthandler was told to write to; nothing is open there until a crash. -1: no Python stack.
  int dump_fd = -1;
  // Frames whose line starts with this text are ours and left out of the stack, as are the ones below them.
  std::string own_frames;
};

// thread: main. `header` must stay mapped for ever. Also gives the calling thread an alternate stack.
// Called twice: before faulthandler.enable (so that it hands on to us) and after it with dump_fd (so that we come first
// and know the fault's address).
void guard_crashes(core::wire::RegionHeader& header, const CrashGuardOptions& options);

// Descriptor to which the Python stack of a crash is written as well (the user's faulthandler file); -1: none. thread: any.
void copy_crash_stack_to(int fd);

// Puts our handlers back where a library known to take them did so (Paddle, tvm-ffi, Intel's OpenCL), or where they were
// reset to the default. Handlers of the user and of unknown libraries (a JVM needs its own) stay. thread: the wire's.
void reinstall_crash_guard();

// Whether a fatal signal was handled: Python runs no more, but the process's memory can still be read.
[[nodiscard]] bool crashed();

// Completes the CrashRecord and tells the viewer, without the stacks that the handler has not written yet: it may wait for ever,
// for a lock that the crashed code holds. Call it some time after crashed() is true. thread: the wire's.
void finish_crash_record();

// Ends the process by the fatal signal, so that waitpid() reports that signal.
[[noreturn]] void exit_by_crash_signal();

// Removes our own frames from a faulthandler text, in place; returns the new length. Allocates nothing.
[[nodiscard]] std::size_t remove_own_frames(char* text, std::size_t length, const char* own_frames);

}  // namespace dlscope::embed
