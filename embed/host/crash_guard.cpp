#include "embed/host/crash_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "core/memory/address_map.h"

namespace dlscope::embed {
namespace {

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kAlternateStackBytes = 512 * 1024;  // faulthandler walks frames on it

// Libraries that replace the handlers by crash reporters of their own when they are imported or first used.
constexpr std::array<std::string_view, 5> kHandlerReplacers{"libpaddle", "tvm_ffi", "libintelocl", "libOpenCL", "libtensorflow"};

// All data of the signal handlers. Written before they are installed.
struct Guard {
  core::wire::RegionHeader* header = nullptr;
  pid_t pid = 0;
  int dump_fd = -1;
  char own_frames[4200] = {};
  std::array<struct sigaction, kFatalSignals.size()> dumpers{};  // faulthandler's
  std::atomic<pid_t> owner{0};                                   // number of the thread that got the first fatal signal
  std::atomic<int> signal{0};
  std::atomic<bool> dump_file_open{false};  // dump_fd is our memory file, not a file of the user's
  std::atomic<int> echo_fd{-1};
  std::atomic<bool> native_stack_walked{false};
  std::atomic<bool> finished{false};
};
Guard guard;

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void set_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
}

void raise_by_default(int signal) {
  set_default(signal);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

[[noreturn]] void park() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;) ppoll(nullptr, 0, nullptr, &all);
}

std::uint64_t program_counter(const void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine->uc_mcontext.pc;
#else
  (void)machine;
  return 0;
#endif
}

// Whether the page fault was a write: bit 1 of the processor's error code.
core::wire::CrashRecord::Access access_of(const void* context) {
  using core::wire::CrashRecord;
#if defined(__x86_64__)
  constexpr long long kPageFault = 14;
  const auto* machine = static_cast<const ucontext_t*>(context);
  if (machine->uc_mcontext.gregs[REG_TRAPNO] != kPageFault) return CrashRecord::unknown;
  return (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? CrashRecord::write : CrashRecord::read;
#else
  (void)context;
  return CrashRecord::unknown;
#endif
}

void record(int signal, const siginfo_t* info, const void* context) {
  core::wire::CrashRecord& crash = guard.header->crash;
  crash.state.store(1, std::memory_order_relaxed);
  crash.signal = signal;
  crash.program_counter = program_counter(context);
  // A signal that was sent (abort, kill) has a sender where a fault has its address. An address that no pointer can have is not
  // told: then the instruction is all that is known.
  const std::uint64_t told = info->si_code == SI_KERNEL ? crash.program_counter : reinterpret_cast<std::uint64_t>(info->si_addr);
  crash.fault_address = info->si_code > 0 ? told : 0;
  const bool touches_memory = signal == SIGSEGV || signal == SIGBUS;
  crash.has_address = touches_memory && info->si_code > 0 && info->si_code != SI_KERNEL ? 1 : 0;
  crash.access = crash.has_address == 1 ? access_of(context) : core::wire::CrashRecord::unknown;
  crash.native_stack[0] = crash.program_counter;
  crash.native_frames.store(1, std::memory_order_release);
  crash.stack_bytes = 0;
  crash.stack_on_stderr = 0;
  guard.header->phase.store(static_cast<std::uint32_t>(core::wire::HostPhase::crashed), std::memory_order_release);
}

// Lets faulthandler write the Python stack into a memory file at the number it was told. When it is done it raises the
// signal again, which leads back into on_fatal. The number is only taken now: nothing of ours stands open while the
// user's program runs, and a program that closes every descriptor loses nothing.
void dump_python_stack(int signal) {
  if (guard.dump_fd < 0) return;
  const int file = static_cast<int>(syscall(SYS_memfd_create, "dlscope-stack", 1U));  // MFD_CLOEXEC
  if (file < 0) return;
  const int placed = fcntl(file, F_DUPFD_CLOEXEC, guard.dump_fd);  // never over what is there
  close(file);
  if (placed != guard.dump_fd) {  // the user's file stands there by now
    if (placed >= 0) close(placed);
    return;
  }
  guard.dump_file_open.store(true);
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    const auto dumper = guard.dumpers[i].sa_handler;
    if (kFatalSignals[i] == signal && dumper != SIG_DFL && dumper != SIG_IGN) dumper(signal);
  }
}

void write_all(int fd, const char* text, std::size_t length) {
  while (length > 0) {
    const ssize_t done = write(fd, text, length);
    if (done <= 0) return;
    text += done;
    length -= static_cast<std::size_t>(done);
  }
}

struct Walk {
  core::wire::CrashRecord& crash;
  // The walk has passed the frame that got the signal: before it come the handler's frames, after it the callers.
  bool fault_frame_seen = false;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  int interrupted = 0;  // by a signal: the address is that of the instruction, not the one behind a call
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIPInfo(context, &interrupted));
  if (!walk.fault_frame_seen) {
    walk.fault_frame_seen = interrupted != 0 && address == walk.crash.program_counter;
    return _URC_NO_REASON;
  }
  const std::uint32_t at = walk.crash.native_frames.load(std::memory_order_relaxed);
  if (at >= core::wire::CrashRecord::kMaxNativeFrames || address == 0) return _URC_END_OF_STACK;
  walk.crash.native_stack[at] = interrupted != 0 ? address : address - 1;
  walk.crash.native_frames.store(at + 1, std::memory_order_release);
  return _URC_NO_REASON;
}

// From inside the handlers through the frame that the signal interrupted. A broken stack may make it fall: then it is not tried
// again.
void walk_native_stack() {
  if (guard.native_stack_walked.exchange(true)) return;
  Walk walk{guard.header->crash};
  _Unwind_Backtrace(note_frame, &walk);
}

_Unwind_Reason_Code stop_at_once(_Unwind_Context*, void*) { return _URC_END_OF_STACK; }

void finish() {
  if (guard.finished.exchange(true)) return;
  core::wire::CrashRecord& crash = guard.header->crash;
  if (guard.dump_file_open.load()) {
    const ssize_t got = pread(guard.dump_fd, crash.python_stack, sizeof crash.python_stack, 0);
    if (got > 0) {
      const int echo_fd = guard.echo_fd.load();
      if (echo_fd >= 0) write_all(echo_fd, crash.python_stack, static_cast<std::size_t>(got));
      crash.stack_on_stderr = echo_fd == STDERR_FILENO ? 1 : 0;
      crash.stack_bytes =
          static_cast<std::uint32_t>(remove_own_frames(crash.python_stack, static_cast<std::size_t>(got), guard.own_frames));
    }
  }
  crash.state.store(2, std::memory_order_release);
  core::wire::signal_ring(guard.header->to_viewer);
}

void on_fatal(int signal, siginfo_t* info, void* context) {
  if (getpid() != guard.pid) {  // a forked child: dies of it as it would without us
    raise_by_default(signal);
    return;
  }
  const pid_t self = this_thread();
  pid_t owner = 0;
  if (guard.owner.compare_exchange_strong(owner, self)) {
    guard.signal.store(signal);
    record(signal, info, context);
    dump_python_stack(signal);
    walk_native_stack();
    finish();
  } else if (owner == self) {  // faulthandler has written and handed on, or it or the walk fell over broken frames
    walk_native_stack();
    finish();
  }
  park();
}

void install(int signal) {
  struct sigaction action {};
  action.sa_sigaction = on_fatal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

// The thread's stack may be what overflowed. Never freed: a handler may run on it until the end of the process.
void give_alternate_stack() {
  static void* memory =
      mmap(nullptr, kAlternateStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = kAlternateStackBytes;
  sigaltstack(&stack, nullptr);
}

bool is_replaced_by_known_library(const void* handler) {
  const auto map = core::AddressMap::load(0);  // not dladdr: it waits for a dlopen in progress
  if (!map) return false;
  const core::Mapping* mapping = map->find(reinterpret_cast<std::uint64_t>(handler));
  if (mapping == nullptr) return false;
  for (const std::string_view name : kHandlerReplacers) {
    if (mapping->path.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void guard_crashes(core::wire::RegionHeader& header, const CrashGuardOptions& options) {
  guard.header = &header;
  guard.pid = getpid();
  const std::size_t length = std::min(options.own_frames.size(), sizeof guard.own_frames - 1);
  std::memcpy(guard.own_frames, options.own_frames.data(), length);
  guard.own_frames[length] = '\0';
  if (options.dump_fd >= 0) {
    for (std::size_t i = 0; i < kFatalSignals.size(); ++i) sigaction(kFatalSignals[i], nullptr, &guard.dumpers[i]);
    guard.dump_fd = options.dump_fd;
  }
  give_alternate_stack();
  _Unwind_Backtrace(stop_at_once, nullptr);  // what it loads and looks up when it is first used is not for a signal handler
  for (const int signal : kFatalSignals) install(signal);
}

void copy_crash_stack_to(int fd) { guard.echo_fd.store(fd); }

void reinstall_crash_guard() {
  static std::array<const void*, kFatalSignals.size()> left_alone{};  // one answer per handler is enough; wire thread only
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    struct sigaction now {};
    sigaction(kFatalSignals[i], nullptr, &now);
    const void* handler = (now.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<const void*>(now.sa_sigaction)
                                                           : reinterpret_cast<const void*>(now.sa_handler);
    if (handler == reinterpret_cast<const void*>(&on_fatal) || handler == reinterpret_cast<const void*>(SIG_IGN)) continue;
    const bool back_to_default = handler == reinterpret_cast<const void*>(SIG_DFL);
    if (!back_to_default && handler == left_alone[i]) continue;
    if (back_to_default || is_replaced_by_known_library(handler)) {
      if (!crashed()) install(kFatalSignals[i]);
    } else {
      left_alone[i] = handler;
    }
  }
}

bool crashed() { return guard.signal.load() != 0; }

void finish_crash_record() {
  if (crashed() && !guard.finished.load()) finish();
}

void exit_by_crash_signal() {
  raise_by_default(guard.signal.load());
  _exit(128 + guard.signal.load());
}

std::size_t remove_own_frames(char* text, std::size_t length, const char* own_frames) {
  const std::string_view own = own_frames;
  constexpr std::string_view kFrame = "  File ";
  std::size_t out = 0;
  bool below_ours = false;
  for (std::size_t begin = 0; begin < length;) {
    const void* newline = std::memchr(text + begin, '\n', length - begin);
    const std::size_t end = newline == nullptr ? length : static_cast<std::size_t>(static_cast<const char*>(newline) - text) + 1;
    const std::string_view line(text + begin, end - begin);
    if (!line.starts_with(kFrame)) below_ours = false;
    if (!own.empty() && line.starts_with(own)) below_ours = true;
    if (!below_ours) {
      std::memmove(text + out, text + begin, end - begin);
      out += end - begin;
    }
    begin = end;
  }
  return out;
}

}  // namespace dlscope::embed
