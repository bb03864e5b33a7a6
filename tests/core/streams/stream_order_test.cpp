#include "core/streams/stream_order.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>
#include <utility>

namespace {

using namespace dlscope::core;

// Every way a device may carry the trace out, tried one by one: the host issues in order, a stream takes the head of its queue whenever it
// may. Remembers each pair of steps of which the later was ever done before the earlier. Knows nothing of edges or reachability.
class EveryExecution {
 public:
  explicit EveryExecution(const StreamTrace& trace) : trace_(trace), recorded_(trace.steps.size(), kNotGiven) {
    std::vector<std::uint32_t> newest(trace.steps.size() + 1, kNotGiven);
    for (std::uint32_t i = 0; i < trace.steps.size(); ++i) {
      const TraceStep& step = trace.steps[i];
      if (step.kind == StepKind::wait) recorded_[i] = newest[step.event];
      if (step.kind == StepKind::record) newest[step.event] = i;
    }
    go(0, 0);
  }
  [[nodiscard]] bool may_come_first(std::uint32_t later, std::uint32_t earlier) const {
    return first_.contains({later, earlier});
  }

 private:
  [[nodiscard]] StreamKind kind(std::uint32_t i) const { return trace_.streams[trace_.steps[i].stream].kind; }
  [[nodiscard]] bool by_host(std::uint32_t i) const {
    const StepKind step = trace_.steps[i].kind;
    return step == StepKind::synchronize || step == StepKind::hand_over || kind(i) == StreamKind::host;
  }
  static bool wait_for_each_other(StreamKind a, StreamKind b) {
    return (a == StreamKind::default_ && b == StreamKind::blocking) || (a == StreamKind::blocking && b == StreamKind::default_);
  }
  [[nodiscard]] bool done(std::uint32_t done, std::uint32_t i) const { return (done >> i & 1) != 0; }

  // Whether a step that the host has issued may run now.
  [[nodiscard]] bool may_run(std::uint32_t mask, std::uint32_t i) const {
    for (std::uint32_t k = 0; k < i; ++k) {
      if (done(mask, k) || by_host(k)) continue;
      if (trace_.steps[k].stream == trace_.steps[i].stream) return false;  // its stream's queue
      if (wait_for_each_other(kind(k), kind(i))) return false;
    }
    return recorded_[i] == kNotGiven || done(mask, recorded_[i]);
  }
  // Whether the host gets past the step it stands at.
  [[nodiscard]] bool host_may_pass(std::uint32_t mask, std::uint32_t i) const {
    if (trace_.steps[i].kind != StepKind::synchronize) return true;
    for (std::uint32_t k = 0; k < i; ++k) {
      if (done(mask, k) || by_host(k)) continue;
      if (trace_.steps[k].stream == trace_.steps[i].stream) return false;
      if (kind(i) == StreamKind::default_ && kind(k) == StreamKind::blocking) return false;
    }
    return true;
  }
  std::uint32_t carry_out(std::uint32_t mask, std::uint32_t i) {
    for (std::uint32_t k = 0; k < i; ++k) {
      if (!done(mask, k)) first_.insert({i, k});
    }
    return mask | 1u << i;
  }
  void go(std::uint32_t mask, std::uint32_t issued) {
    if (!seen_.insert({mask, issued}).second) return;
    for (std::uint32_t i = 0; i < issued; ++i) {
      if (!done(mask, i) && !by_host(i) && may_run(mask, i)) go(carry_out(mask, i), issued);
    }
    if (issued == trace_.steps.size()) return;
    if (!by_host(issued)) return go(mask, issued + 1);
    if (host_may_pass(mask, issued)) go(carry_out(mask, issued), issued + 1);
  }

  const StreamTrace& trace_;
  std::vector<std::uint32_t> recorded_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> first_, seen_;
};

const std::vector<TraceStream>& all_streams() {
  static const std::vector<TraceStream> streams{{"host", "", StreamKind::host},
                                                {"default", "1", StreamKind::default_},
                                                {"blocking", "0x1000", StreamKind::blocking},
                                                {"side", "0x2000", StreamKind::non_blocking},
                                                {"other side", "0x3000", StreamKind::non_blocking}};
  return streams;
}

enum At : std::uint32_t { host, standard, blocking, side, other };

TraceStep access(StepKind kind, std::uint32_t stream, std::string what, std::uint32_t buffer = 0) {
  TraceStep step;
  step.kind = kind;
  step.stream = stream;
  step.buffer = buffer;
  step.what = std::move(what);
  return step;
}
TraceStep event(StepKind kind, std::uint32_t stream, std::uint32_t event) {
  TraceStep step;
  step.kind = kind;
  step.stream = stream;
  step.event = event;
  return step;
}
TraceStep synchronize(std::uint32_t stream) { return event(StepKind::synchronize, stream, kNotGiven); }
TraceStep hand_over(std::string asked) {
  TraceStep step = access(StepKind::hand_over, side, "y = cupy.from_dlpack(x)");
  step.producer = "torch";
  step.consumer = "cupy";
  step.asked = std::move(asked);
  return step;
}
TraceStep write(std::uint32_t stream) { return access(StepKind::write, stream, "x.fill_(1)"); }
TraceStep read(std::uint32_t stream) { return access(StepKind::read, stream, "y.sum()"); }

StreamTrace trace_of(std::vector<TraceStep> steps) {
  return {.title = {},
          .recorded_on = {},
          .recorded_at = {},
          .streams = all_streams(),
          .buffers = {{"x", 64}, {"z", 8}},
          .steps = std::move(steps)};
}

std::string words_of(std::vector<TraceStep> steps) {
  const StreamTrace trace = trace_of(std::move(steps));
  const StreamVerdict verdict = judge_streams(trace);
  return verdict.deciding == kNotGiven ? "" : order_text(trace, verdict.pairs[verdict.deciding]);
}

}  // namespace

TEST_CASE("a write and a read on streams that nothing orders race", "[core][streams]") {
  const std::vector<TraceStep> steps{write(side), hand_over("-1"), read(standard)};
  CHECK(words_of(steps) == "y.sum() may read x before x.fill_(1) is done: nothing orders them");
  const StreamTrace trace = trace_of(steps);
  const StreamVerdict verdict = judge_streams(trace);
  CHECK(verdict.race);
  REQUIRE(verdict.pairs.size() == 1);
  CHECK(verdict.pairs[0].ordering == Ordering::reads_unfinished);
  CHECK(race_advice(trace, verdict.pairs[0]) ==
        "The hand-over carried stream=-1, which says: do not synchronize. So nothing made default wait for side. Ask with "
        "stream=1: the producer then makes that stream wait for its work; or synchronize side first.");
}

TEST_CASE("what orders a read after a write is said", "[core][streams]") {
  CHECK(words_of({write(side), event(StepKind::record, side, 0), event(StepKind::wait, standard, 0), hand_over("1"),
                  read(standard)}) ==
        "y.sum() comes after x.fill_(1): ordered because side does its steps one after the other; default waits for the event "
        "that was recorded on side; default does its steps one after the other");
  CHECK(words_of({write(side), synchronize(side), read(other)}) ==
        "y.sum() comes after x.fill_(1): ordered because the host waits until side has done its work; the host issues it only "
        "after that");
  CHECK(words_of({write(blocking), read(standard)}) ==
        "y.sum() comes after x.fill_(1): ordered because the legacy default stream and blocking wait for each other");
  CHECK(words_of({write(side), read(side)}) ==
        "y.sum() comes after x.fill_(1): ordered because side does its steps one after the other");
  CHECK(words_of({write(host), read(side)}) ==
        "y.sum() comes after x.fill_(1): ordered because the host issues it only after that");
}

TEST_CASE("what looks like order and is none", "[core][streams]") {
  const char* const kRace = "y.sum() may read x before x.fill_(1) is done: nothing orders them";
  CHECK(words_of({write(side), read(host)}) == kRace);  // the host never waited
  CHECK(words_of({event(StepKind::record, side, 0), write(side), event(StepKind::wait, standard, 0), read(standard)}) ==
        kRace);  // recorded too early
  CHECK(words_of({write(side), event(StepKind::record, side, 0), read(standard), event(StepKind::wait, standard, 0)}) ==
        kRace);                                                                                 // waits too late
  CHECK(words_of({write(side), event(StepKind::wait, standard, 0), read(standard)}) == kRace);  // never recorded
  CHECK(words_of({write(side), event(StepKind::record, side, 0), event(StepKind::wait, other, 0), read(standard)}) ==
        kRace);  // another stream waits
  CHECK(words_of({write(side), synchronize(other), read(standard)}) == kRace);
  CHECK(words_of({write(side), hand_over("1"), read(standard)}) == kRace);  // asked for, and nobody was seen to wait
}

TEST_CASE("writes over what is read, and over each other", "[core][streams]") {
  CHECK(words_of({read(standard), write(side)}) ==
        "x.fill_(1) may overwrite x while y.sum() still reads it: nothing orders them");
  CHECK(words_of({write(standard), write(side)}) == "x.fill_(1) and x.fill_(1) both write x, in any order: nothing orders them");
  CHECK(words_of({read(standard), read(side)}).empty());
  CHECK(words_of({access(StepKind::write, side, "z", 1), read(standard)}).empty());  // other memory
}

TEST_CASE("order is what holds in every execution there may be", "[core][streams]") {
  std::mt19937 random(20261122);
  const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  std::size_t races = 0, ordered = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<TraceStep> steps;
    const std::size_t count = 3 + any(7);
    while (steps.size() < count) {
      const std::uint32_t on = any(5);
      switch (any(on == host ? 3 : 6)) {
        case 0:
          steps.push_back(access(StepKind::write, on, "w", any(2)));
          break;
        case 1:
          steps.push_back(access(StepKind::read, on, "r", any(2)));
          break;
        case 2:
          steps.push_back(any(4) == 0 ? hand_over("1") : synchronize(1 + any(4)));
          break;
        case 3:
          steps.push_back(event(StepKind::record, on, any(2)));
          break;
        default:
          steps.push_back(event(StepKind::wait, on, any(2)));
      }
    }
    const StreamTrace trace = trace_of(std::move(steps));
    const EveryExecution every(trace);
    const StreamVerdict verdict = judge_streams(trace);
    bool any_race = false;
    for (std::uint32_t b = 0; b < trace.steps.size(); ++b) {
      for (std::uint32_t a = 0; a < b; ++a) {
        const TraceStep &first = trace.steps[a], &last = trace.steps[b];
        const auto accesses = [](const TraceStep& step) { return step.kind == StepKind::write || step.kind == StepKind::read; };
        const bool matters = accesses(first) && accesses(last) && first.buffer == last.buffer &&
                             (first.kind == StepKind::write || last.kind == StepKind::write);
        const auto listed =
            std::ranges::find_if(verdict.pairs, [&](const OrderPair& pair) { return pair.earlier == a && pair.later == b; });
        const bool told = listed != verdict.pairs.end() && listed->ordering != Ordering::ordered;
        INFO("round " << round << ", steps " << a << " and " << b);
        REQUIRE(told == (matters && every.may_come_first(b, a)));
        any_race |= told;
        if (listed == verdict.pairs.end() || told) continue;
        ++ordered;  // every step of the reason given holds by itself
        REQUIRE(listed->path.front() == a);
        REQUIRE(listed->path.back() == b);
        REQUIRE(listed->reasons.size() + 1 == listed->path.size());
        for (std::size_t k = 0; k + 1 < listed->path.size(); ++k)
          REQUIRE_FALSE(every.may_come_first(listed->path[k + 1], listed->path[k]));
      }
    }
    REQUIRE(verdict.race == any_race);
    races += any_race;
    if (verdict.deciding != kNotGiven) REQUIRE((verdict.pairs[verdict.deciding].ordering != Ordering::ordered) == any_race);
  }
  CHECK(races > 500);
  CHECK(ordered > 500);
}
