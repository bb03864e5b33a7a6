#include "core/wire/message_sender.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlscope::core::wire {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

struct Channel {
  explicit Channel(std::size_t ring_bytes, MessageSenderOptions options = {})
      : data(ring_bytes), sender(RingWriter(&state, data), std::move(options)), reader(&state, data) {}
  // All that the viewer can read now; what was kept comes as there is room for it.
  std::vector<ToViewer> read_all() {
    std::vector<ToViewer> all;
    RawMessage raw;
    for (bool any = true; any; sender.write_kept()) {
      any = false;
      while (reader.read(raw).value()) {
        all.push_back(decode_to_viewer(raw).value());
        any = true;
      }
    }
    return all;
  }

  RingState state{};
  std::vector<std::byte> data;
  MessageSender sender;
  RingReader reader;
};

template <class Message>
std::vector<Message> of_kind(const std::vector<ToViewer>& all) {
  std::vector<Message> found;
  for (const ToViewer& message : all) {
    if (const auto* one = std::get_if<Message>(&message)) found.push_back(*one);
  }
  return found;
}

WorkEnded end_with_bytes(std::uint64_t id, std::size_t bytes) {
  DeviceBytes found;
  found.bytes.resize(bytes);
  found.complete = {1};
  return {id, WorkOutcome::done, "copied", std::move(found)};
}

RunFinished raised(std::uint64_t run, std::size_t traceback_bytes) {
  RunFinished end{run, {}};
  end.outcome.outcome = Outcome::raised;
  end.outcome.script_path = "train.py";
  end.outcome.exit_code = 1;
  end.outcome.error = ScriptError{"ValueError", "shapes differ", 12, std::string(traceback_bytes, 't')};
  return end;
}

TEST_CASE("an end too large for a message is sent in a few words; a part that is too large is not", "[core][wire]") {
  Channel channel(kRingBytes);
  CHECK(channel.sender.send(end_with_bytes(7, kMaxMessageBytes + 1)));
  Texels texels;
  texels.resize({0, 0, 400, 500});
  CHECK_FALSE(channel.sender.send(Part{8, texels}));
  const auto all = channel.read_all();
  REQUIRE(all.size() == 1);
  const auto& end = std::get<WorkEnded>(all.front());
  CHECK(end.id == 7);
  CHECK(end.outcome == WorkOutcome::failed);
  CHECK_THAT(end.message, ContainsSubstring("too large") && ContainsSubstring("4194"));
}

TEST_CASE("a viewer that does not read for long gets every end, once, in order, and what was kept before it", "[core][wire]") {
  Channel channel(std::size_t{64} << 10, {.room_in_ring = 0ms, .max_unwritten_bytes = 100'000});
  std::size_t notices = 0, refused = 0;
  for (; refused < 3; ++notices) {
    if (!channel.sender.send(Notice{std::string(10'000, 'n')})) ++refused;
  }
  notices -= refused;
  REQUIRE(notices > 10);  // in the ring and kept
  CHECK_FALSE(channel.sender.send(Progress{1, 1, 2, ProgressUnit::bytes}, WhenFull::drop));
  CHECK(channel.sender.send(end_with_bytes(1, 50'000)));
  CHECK(channel.sender.send(WorkEnded{2, WorkOutcome::cancelled, {}, {}}));
  CHECK(channel.sender.send(WorkEnded{3, WorkOutcome::failed, "no such page", {}}));
  CHECK(channel.sender.send(raised(4, 200'000)));
  CHECK(channel.sender.send(ScanFinished{5, ScanResult::failed, std::string(100'000, 's')}));
  CHECK(channel.sender.send(Answer{6, "complete", std::string(100'000, 'a'), {}}));
  CHECK(channel.sender.send(Answer{7, "complete", {}, kAnswerBusy}));
  Stopped stop{8, StopReason::breakpoint, "MainThread", "", 3, std::vector<StackFrame>(150, {"main", std::string(500, 'p'), 1})};
  CHECK(channel.sender.send(stop));
  CHECK(channel.sender.send(Resumed{8}));

  const auto all = channel.read_all();
  CHECK(of_kind<Notice>(all).size() == notices);
  const auto works = of_kind<WorkEnded>(all);
  REQUIRE(works.size() == 3);
  CHECK(works[0].outcome == WorkOutcome::failed);
  CHECK_THAT(works[0].message, ContainsSubstring("did not take messages"));
  CHECK(std::holds_alternative<NoResult>(works[0].result));
  CHECK(works[1].outcome == WorkOutcome::cancelled);
  CHECK(works[2].message == "no such page");
  const auto runs = of_kind<RunFinished>(all);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].outcome.outcome == Outcome::raised);
  CHECK(runs[0].outcome.exit_code == 1);
  CHECK(runs[0].outcome.error->type == "ValueError");
  CHECK(runs[0].outcome.error->line == 12);
  REQUIRE(of_kind<ScanFinished>(all).size() == 1);
  CHECK(of_kind<ScanFinished>(all)[0].result == ScanResult::failed);
  const auto answers = of_kind<Answer>(all);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].text.empty());
  CHECK_THAT(answers[0].error, ContainsSubstring("did not take messages"));
  CHECK(answers[1].error == kAnswerBusy);
  CHECK(of_kind<Stopped>(all).size() == 1);
  REQUIRE(std::holds_alternative<Resumed>(all.back()));
  CHECK(channel.sender.send(end_with_bytes(9, 50'000)));  // there is room again
  CHECK(std::get<WorkEnded>(channel.read_all().front()).outcome == WorkOutcome::done);
}

TEST_CASE("an end that waited for room still has its time to find memory afterwards", "[core][wire]") {
  constexpr auto kOutOfMemory = 50ms;
  bool is_first = true;
  const auto look = [&] {  // at every look for room: the first takes its time, and then there is no memory for once
    if (!std::exchange(is_first, false)) return false;
    std::this_thread::sleep_for(2 * kOutOfMemory);
    throw std::bad_alloc();
  };
  Channel channel(kRingBytes, {.out_of_memory = kOutOfMemory, .is_over = look});
  CHECK(channel.sender.send(end_with_bytes(7, 100)));
  const auto ends = of_kind<WorkEnded>(channel.read_all());
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].outcome == WorkOutcome::failed);
  CHECK_THAT(ends[0].message, ContainsSubstring("not enough memory"));
}

TEST_CASE("a process that is over keeps nobody waiting for room", "[core][wire]") {
  bool over = false;
  Channel channel(1024, {.room_in_ring = 1h, .is_over = [&] { return over; }});
  while (channel.sender.send(Progress{1, 1, 2, ProgressUnit::bytes}, WhenFull::drop)) {
  }
  over = true;
  CHECK_FALSE(channel.sender.send(Resumed{1}));
}

}  // namespace
}  // namespace dlscope::core::wire
