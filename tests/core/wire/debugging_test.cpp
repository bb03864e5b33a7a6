#include "core/wire/debugging.h"

#include <catch2/catch_test_macros.hpp>

#include "core/wire/messages.h"

namespace dlscope::core::wire {
namespace {

template <class T>
T back_from_viewer(const T& message) {
  return std::get<T>(decode_to_host(encode(ToHost{message})).value());
}
template <class T>
T back_from_host(const T& message) {
  return std::get<T>(decode_to_viewer(encode(ToViewer{message})).value());
}

TEST_CASE("breakpoints and what they became come back with every field", "[core][wire]") {
  const SetBreakpoints none = back_from_viewer(SetBreakpoints{});
  CHECK(none.all.empty());
  CHECK_FALSE(none.on_raise);
  CHECK_FALSE(none.on_uncaught);
  CHECK(none.user_code_only);
  CHECK_FALSE(none.stop_others);

  const std::vector<Breakpoint> all{{7, "/tmp/\xff é.py", 12, "x > 3", 37, "x is {x}", false}, {}};
  const SetBreakpoints some = back_from_viewer(SetBreakpoints{all, true, false, true, true});
  CHECK(some.all == all);
  CHECK(some.on_raise);
  CHECK(some.on_uncaught);
  CHECK_FALSE(some.user_code_only);
  CHECK(some.stop_others);

  const std::vector<BreakpointState> states{{7, 13, 4, "SyntaxError"}, {8, 0, 0, ""}};
  CHECK(back_from_host(BreakpointsChanged{states}).all == states);
}

TEST_CASE("a stop and its end come back with every field", "[core][wire]") {
  const std::vector<StackFrame> frames{{"Job.two", "/tmp/é.py", 4, true}, {"run", "lib.py", 9, false}};
  const Stopped stop = back_from_host(Stopped{3, StopReason::raised, "Thread-1", "ValueError: no", 7, frames});
  CHECK(stop.stop == 3);
  CHECK(stop.reason == StopReason::raised);
  CHECK(stop.thread == "Thread-1");
  CHECK(stop.message == "ValueError: no");
  CHECK(stop.breakpoint == 7);
  CHECK(stop.frames == frames);
  CHECK(back_from_host(Resumed{3}).stop == 3);

  const Resume resume = back_from_viewer(Resume{3, ResumeKind::run_to, "/tmp/é.py", 14});
  CHECK(resume.stop == 3);
  CHECK(resume.kind == ResumeKind::run_to);
  CHECK(resume.path == "/tmp/é.py");
  CHECK(resume.line == 14);
  CHECK(std::holds_alternative<Pause>(decode_to_host(encode(ToHost{Pause{}})).value()));
}

TEST_CASE("breakpoints beyond their bounds are refused", "[core][wire]") {
  SetBreakpoints many;
  many.all.resize(kMaxBreakpoints);
  CHECK(decode_to_host(encode(ToHost{many})));
  many.all.emplace_back();
  CHECK_FALSE(decode_to_host(encode(ToHost{many})));

  const auto accepted = [](const Breakpoint& breakpoint) {
    return decode_to_host(encode(ToHost{SetBreakpoints{{breakpoint}}})).has_value();
  };
  Breakpoint one;
  one.condition = std::string(kMaxExpressionBytes, 'x');
  CHECK(accepted(one));
  one.condition += 'x';
  CHECK_FALSE(accepted(one));
  one = {};
  one.log_text = std::string(kMaxExpressionBytes + 1, 'x');
  CHECK_FALSE(accepted(one));
  one = {};
  one.path = std::string(kMaxPathBytes + 1, 'x');
  CHECK_FALSE(accepted(one));
  CHECK_FALSE(decode_to_host(encode(ToHost{Resume{1, static_cast<ResumeKind>(6), "", 0}})));
}

TEST_CASE("what a host says of a stop is cut to its bounds", "[core][wire]") {
  Stopped deep;
  deep.thread = std::string(100'000, 't');
  deep.message = std::string(100'000, 'w');
  for (std::size_t i = 0; i < 2 * kMaxStackFrames; ++i) {
    deep.frames.push_back({std::string(50'000, 'f'), std::string(50'000, 'p'), static_cast<std::uint32_t>(i), true});
  }
  const auto decoded = decode_to_viewer(encode(ToViewer{deep}));
  REQUIRE(decoded);
  const Stopped& stop = std::get<Stopped>(*decoded);
  REQUIRE(stop.frames.size() == kMaxStackFrames);
  CHECK(stop.frames.back().line == kMaxStackFrames - 1);
  CHECK(stop.message.size() < deep.message.size());
  CHECK(encode(ToViewer{deep}).payload.size() < kMaxMessageBytes);

  BreakpointsChanged changed;
  changed.all.resize(kMaxBreakpoints + 1);
  CHECK(back_from_host(changed).all.size() == kMaxBreakpoints);
}

}  // namespace
}  // namespace dlscope::core::wire
