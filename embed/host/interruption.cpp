#include "embed/host/interruption.h"

#include <signal.h>

#include "embed/host/host_threads.h"

namespace dlscope::embed {
namespace {

constexpr int kRetries = 3;  // times that a system call is ended, one per tick

}  // namespace

void Interruption::forget() {
  retries_left_ = 0;
  possible_ = false;
  deferred_ = false;
  repeated_ = false;
  import_reported_ = false;
}

void Interruption::forget_deferred() {
  possible_ = false;
  deferred_ = false;
}

void Interruption::note_attempt(std::uint32_t attempt) {
  if (possible_ && attempt > 1) repeated_ = true;
}

void Interruption::send_to_main_thread() {
  retries_left_ = kRetries;
  pthread_kill(main_thread_, SIGINT);
}

void Interruption::send_to_stopped_thread() {
  deferred_ = possible_.load();  // until it has reached that thread
  void (*const interrupt_thread)() = interrupt_thread_;
  if (deferred_ && interrupt_thread != nullptr) interrupt_thread();
}

void Interruption::note_taken() {
  retries_left_ = 0;
  deferred_ = false;
}

void Interruption::end_system_call_again() {
  if (retries_left_ <= 0) return;
  --retries_left_;
  end_system_call(main_thread_);
}

}  // namespace dlscope::embed
