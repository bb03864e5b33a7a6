// Interruption: how far an interruption (Stop) of what is being served has come, and the signals that make it.
// thread: any, unless a function says otherwise. Each function is one step; ServedState::mutex orders them where that matters.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace dlscope::embed {

class Interruption {
 public:
  // main_thread: the one that SIGINT is sent to.
  explicit Interruption(pthread_t main_thread) : main_thread_(main_thread) {}

  // What is served may be interrupted: user code runs, or our own that can be broken off.
  void allow(bool possible = true) { possible_ = possible; }
  [[nodiscard]] bool is_possible() const { return possible_.load(); }
  void forget();  // what was to be interrupted is over
  void forget_deferred();  // nothing is served: one that still waits was meant for what is over

  void note_attempt(std::uint32_t attempt);  // of the user, from 1
  // The user asked twice: an import that runs is no reason to wait any more.
  [[nodiscard]] bool is_repeated() const { return repeated_.load(); }

  // Sends SIGINT. Python calls its handler between two instructions. One that comes just before a system call begins (a sleep, a
  // lock, a wait for a child) would be noticed when that call ends: end_system_call_again() ends it.
  void send_to_main_thread();
  // At a stop of another thread than the main one, which may stand, too, or be in C code that ends when the stop is over: calls
  // what on_interrupt_of_thread() was given, now and again while waits().
  void send_to_stopped_thread();
  // The function is called on the wire's thread and must not wait for the GIL. Set once.
  void on_interrupt_of_thread(void (*interrupt_thread)()) { interrupt_thread_ = interrupt_thread; }

  // It arrived where it must not act (an import, our own code): it is sent again until it does, or until it is forgotten.
  void defer() { deferred_ = true; }
  [[nodiscard]] bool waits() const { return possible_.load() && deferred_.load(); }
  [[nodiscard]] bool take_deferred() { return possible_ && deferred_.exchange(false); }  // true: send it again
  void note_taken();  // it has reached the code that is to be interrupted
  [[nodiscard]] bool is_first_report() { return !import_reported_.exchange(true); }  // that an import delays it

  void end_system_call_again();  // a few times after a SIGINT. thread: the wire's, once per tick

 private:
  pthread_t main_thread_;
  std::atomic<void (*)()> interrupt_thread_{nullptr};
  std::atomic<bool> possible_{false};
  std::atomic<bool> deferred_{false};  // it is to be sent, or sent again
  std::atomic<bool> repeated_{false};
  std::atomic<int> retries_left_{0};  // to end the system call that keeps Python from calling SIGINT's handler
  std::atomic<bool> import_reported_{false};
};

}  // namespace dlscope::embed
