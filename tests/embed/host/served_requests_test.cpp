// What is served, interrupted, and stopped in between, without a host: RequestIntake, RequestServing and ServedStops over one state.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "embed/host/request_intake.h"
#include "embed/host/request_serving.h"
#include "embed/host/served_state.h"
#include "embed/host/served_stops.h"

namespace dlscope::embed {
namespace {

using namespace core::wire;
using namespace std::chrono_literals;

std::atomic<int> signals{0};

// The parts as HostService has them; this thread is Python's main thread and the wire's in one.
class Served {
 public:
  Served() {
    signals = 0;
    struct sigaction ours {};
    ours.sa_handler = [](int) { ++signals; };
    sigaction(SIGINT, &ours, &before_);
  }
  ~Served() { sigaction(SIGINT, &before_, nullptr); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  std::unique_ptr<RegionHeader> header = std::make_unique<RegionHeader>();
  ServedState state{*header, pthread_self()};
  std::vector<ToViewer> sent;
  SendToViewer send = [this](const ToViewer& message, WhenFull) { return note(message); };
  RequestIntake intake{state, send};
  RequestServing serving{state, send};
  ServedStops stops{state, send};

  bool note(const ToViewer& message) {
    const std::unique_lock free(state.mutex, std::try_to_lock);
    CHECK(free.owns_lock());  // sending may take seconds
    sent.push_back(message);
    return true;
  }
  // The next request of that kind.
  template <class Kind>
  Kind next() {
    std::optional<Request> request;
    for (int wakeups = 0; wakeups < 4 && !request; ++wakeups) request = serving.next(0ms);  // some of requests that are gone
    REQUIRE(request);
    REQUIRE(std::holds_alternative<Kind>(*request));
    return std::get<Kind>(*request);
  }
  void expect_nothing() { CHECK_FALSE(serving.next(0ms)); }
  template <class Message>
  Message last_sent() {
    REQUIRE_FALSE(sent.empty());
    REQUIRE(std::holds_alternative<Message>(sent.back()));
    return std::get<Message>(sent.back());
  }

 private:
  struct sigaction before_ {};
};

Run run(std::uint64_t number, std::uint64_t stop = 0) {
  Run run;
  run.run = number;
  run.stop = stop;
  return run;
}

Interrupt interrupt_of_run(std::uint64_t number, std::uint32_t attempt = 1) {
  Interrupt interrupt;
  interrupt.run = number;
  interrupt.attempt = attempt;
  return interrupt;
}

Stopped stopped(std::uint64_t number) {
  Stopped stop;
  stop.stop = number;
  return stop;
}

TEST_CASE("while nothing is asked the host is idle, and the phase is that of what is served", "[host][served]") {
  Served served;
  served.expect_nothing();
  CHECK(served.state.phase() == HostPhase::idle);
  served.intake.put_before_questions(run(4));
  CHECK(served.next<Run>().run == 4);
  CHECK(served.state.phase() == HostPhase::running);
  CHECK(served.header->run == 4);
  CHECK(served.last_sent<RunStarted>().run == 4);
  served.serving.nothing_to_interrupt();
  served.intake.put(Scan{2});
  served.next<Scan>();
  CHECK(served.state.phase() == HostPhase::scanning);
  served.expect_nothing();
  CHECK(served.state.phase() == HostPhase::idle);
}

TEST_CASE("an interruption reaches the run that it names, and nothing once it is over", "[host][served]") {
  Served served;
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  const std::stop_token stop = served.serving.stop_token();
  served.intake.interrupt(interrupt_of_run(3));
  CHECK(signals == 0);
  served.intake.interrupt(interrupt_of_run(4));
  CHECK(signals == 1);
  CHECK(stop.stop_requested());
  CHECK_FALSE(served.state.interruption.is_repeated());
  served.intake.interrupt(interrupt_of_run(4, 2));
  CHECK(signals == 2);
  CHECK(served.state.interruption.is_repeated());
  served.serving.nothing_to_interrupt();
  CHECK_FALSE(served.state.interruption.is_possible());
  CHECK_FALSE(served.state.interruption.is_repeated());
}

TEST_CASE("an interruption that was put off is sent again, unless what it was meant for is over", "[host][served]") {
  Served served;
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  served.state.interruption.defer();
  SECTION("at the next tick") {
    served.intake.interrupt_again();
    CHECK(signals == 1);
    served.intake.interrupt_again();
    CHECK(signals == 1);  // once, until it is put off again
  }
  SECTION("not after the run") {
    served.serving.nothing_to_interrupt();
    served.intake.interrupt_again();
    CHECK(signals == 0);
  }
}

TEST_CASE("a run that waits is ended where it waits, with its scan", "[host][served]") {
  Served served;
  Run waiting = run(5);
  waiting.scan_after = true;
  served.intake.put_before_questions(std::move(waiting));
  served.intake.interrupt(interrupt_of_run(5));
  REQUIRE(served.sent.size() == 2);
  CHECK(std::get<RunFinished>(served.sent[0]).run == 5);
  CHECK(std::holds_alternative<ScanFinished>(served.sent[1]));
  CHECK(signals == 0);
  served.expect_nothing();
}

TEST_CASE("a question is refused while code runs, and when a run comes", "[host][served]") {
  Served served;
  served.intake.put_question({1, "complete", "a"});
  served.intake.put_before_questions(run(4));
  CHECK(served.last_sent<Answer>().id == 1);
  CHECK(served.last_sent<Answer>().error == kAnswerBusy);
  served.next<Run>();
  served.intake.put_question({2, "complete", "b"});
  CHECK(served.last_sent<Answer>().id == 2);
}

TEST_CASE("an interruption after the answer means nothing", "[host][served]") {
  Served served;
  served.intake.put_question({7, "complete", "a"});
  served.next<Ask>();
  CHECK(served.state.phase() == HostPhase::answering);
  served.serving.end_answering();
  CHECK(served.state.phase() == HostPhase::idle);
  Interrupt late;
  late.question = 7;
  served.intake.interrupt(late);
  CHECK(signals == 0);
}

TEST_CASE("an act says that it was cancelled only where the cancellation took effect", "[host][served]") {
  Served served;
  served.intake.put_act({3, {}});
  served.next<ActRequest>();
  CHECK(served.state.phase() == HostPhase::acting);
  served.intake.cancel_act(3);
  CHECK(signals == 1);
  const bool took_effect = GENERATE_COPY(true, false);
  served.serving.end_act({3, WorkOutcome::done, "held", {}}, took_effect);
  CHECK(served.last_sent<WorkEnded>().outcome == (took_effect ? WorkOutcome::cancelled : WorkOutcome::done));
  CHECK(served.state.phase() == HostPhase::idle);
  served.intake.cancel_act(3);  // it has ended
  CHECK(signals == 1);
}

TEST_CASE("acts that wait are cancelled, or fail together, each with its end", "[host][served]") {
  Served served;
  for (std::uint64_t id = 1; id <= 3; ++id) served.intake.put_act({id, {}});
  served.intake.cancel_act(2);
  CHECK(served.last_sent<WorkEnded>().id == 2);
  CHECK(served.last_sent<WorkEnded>().outcome == WorkOutcome::cancelled);
  served.intake.end_waiting_acts("Python is leaving", RequestIntake::ActsAre::taken_by_python);
  REQUIRE(served.sent.size() == 3);
  CHECK(std::get<WorkEnded>(served.sent[1]).id == 1);
  CHECK(std::get<WorkEnded>(served.sent[2]).message == "Python is leaving");
}

TEST_CASE("after a crash an act whose end cannot be sent waits for the next try, and so do those behind it", "[host][served]") {
  Served served;
  for (std::uint64_t id = 1; id <= 4; ++id) served.intake.put_act({id, {}});
  CHECK(served.next<ActRequest>().id == 1);  // it was running
  enum class Memory { there, none, none_to_encode } memory = Memory::there;
  RequestIntake intake(served.state, [&](const ToViewer& message, WhenFull) {
    if (memory == Memory::none) throw std::bad_alloc();
    if (memory == Memory::none_to_encode && std::get<WorkEnded>(message).id == 3) return false;
    return served.note(message);
  });
  const auto end_all = [&] { intake.end_waiting_acts("crashed", RequestIntake::ActsAre::left_by_crash); };
  memory = Memory::none;
  CHECK_THROWS_AS(end_all(), std::bad_alloc);
  CHECK(served.sent.empty());
  memory = Memory::none_to_encode;
  end_all();
  CHECK(served.sent.size() == 1);
  memory = Memory::there;
  end_all();
  end_all();  // once a tick: each has one end
  std::vector<std::uint64_t> ended;
  for (const ToViewer& end : served.sent) ended.push_back(std::get<WorkEnded>(end).id);
  CHECK(ended == std::vector<std::uint64_t>{2, 3, 4, 1});
}

TEST_CASE("a stop suspends the run: what is served there has its own phase, and then the run goes on", "[host][served]") {
  Served served;
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  const std::stop_token of_run = served.serving.stop_token();
  served.stops.enter(stopped(9));
  CHECK(served.last_sent<Stopped>().stop == 9);
  CHECK(served.stops.place().depth == 1);
  CHECK(served.stops.place().number == 9);
  CHECK(served.state.phase() == HostPhase::stopped);

  served.stops.leave();
  CHECK(served.last_sent<Resumed>().stop == 9);
  CHECK(served.state.phase() == HostPhase::running);
  CHECK(served.stops.place().depth == 0);
  served.intake.interrupt(interrupt_of_run(4));
  CHECK(of_run.stop_requested());
}

TEST_CASE("code in a stopped frame is served at the stop, the next script after it", "[host][served]") {
  Served served;
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  const std::stop_token of_run = served.serving.stop_token();
  served.intake.put_before_questions(run(5));
  served.stops.enter(stopped(9));
  served.expect_nothing();
  CHECK(served.state.phase() == HostPhase::stopped);
  served.intake.put_before_questions(run(6, 9));
  CHECK(served.next<Run>().run == 6);
  CHECK(served.header->run == 4);  // a part of the run that is stopped
  served.intake.interrupt(interrupt_of_run(6));
  CHECK(signals == 1);
  served.stops.end_request();
  CHECK(served.state.phase() == HostPhase::stopped);
  CHECK_FALSE(of_run.stop_requested());

  served.stops.leave();
  CHECK(served.last_sent<Resumed>().stop == 9);
  CHECK(served.state.phase() == HostPhase::running);
  CHECK(served.state.interruption.is_possible());
  CHECK(served.stops.place().depth == 0);
  served.intake.interrupt(interrupt_of_run(4));
  CHECK(of_run.stop_requested());
  served.serving.nothing_to_interrupt();
  CHECK(served.next<Run>().run == 5);
}

TEST_CASE("Stop at a stop resumes it to end the script", "[host][served]") {
  Served served;
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  served.stops.enter(stopped(9));
  served.expect_nothing();
  served.intake.interrupt(Interrupt{});
  const auto resume = served.next<Resume>();
  CHECK(resume.stop == 9);
  CHECK(resume.kind == ResumeKind::end_script);
  CHECK(signals == 0);
}

TEST_CASE("at the stop of another thread the main one gets no signal", "[host][served]") {
  static std::atomic<int> asked{0};
  asked = 0;
  Served served;
  served.state.interruption.on_interrupt_of_thread([] { ++asked; });
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  std::jthread([&] { served.stops.enter(stopped(9)); }).join();
  served.intake.put_before_questions(run(6, 9));
  served.next<Run>();
  served.intake.interrupt(interrupt_of_run(6));
  CHECK(asked == 1);
  CHECK(served.state.interruption.waits());
  served.intake.interrupt_again();  // until it has reached that thread
  CHECK(asked == 2);
  served.serving.note_interrupt_taken();
  served.intake.interrupt_again();
  CHECK(asked == 2);
  CHECK(signals == 0);
}

TEST_CASE("changes of breakpoints wake Python while code runs, and come before any request otherwise", "[host][served]") {
  static std::atomic<int> woken{0};
  woken = 0;
  Served served;
  served.intake.on_change([] { ++woken; });
  served.intake.put(Scan{1});
  served.intake.put_change(SetBreakpoints{});
  CHECK(woken == 0);
  served.next<ChangesWait>();
  CHECK(served.serving.take_changes().size() == 1);
  served.next<Scan>();
  served.intake.put_before_questions(run(4));
  served.next<Run>();
  served.intake.put_change(Pause{});
  CHECK(woken == 1);
  served.intake.wake_python_for_changes();  // until they are taken
  CHECK(woken == 2);
  CHECK(served.serving.take_changes().size() == 1);
  served.intake.wake_python_for_changes();
  CHECK(woken == 2);
}

TEST_CASE("callbacks of windows run only while no request waits, and Stop reaches them", "[host][served]") {
  Served served;
  served.expect_nothing();
  REQUIRE(served.serving.begin_window_callbacks());
  CHECK(served.state.phase() == HostPhase::windows);
  served.intake.put_before_questions(run(4));
  served.intake.interrupt(interrupt_of_run(4));  // it waits for the callback, which is what hangs
  CHECK(signals == 1);
  served.serving.end_window_callbacks(true);
  CHECK(served.header->window_turns == 1);
  CHECK_FALSE(served.serving.begin_window_callbacks());
  CHECK(served.next<Run>().run == 4);
}

}  // namespace
}  // namespace dlscope::embed
