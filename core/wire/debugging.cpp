#include "core/wire/debugging.h"

#include <algorithm>
#include <span>

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxWordsBytes = 16 << 10;

void put(PayloadWriter& out, const Breakpoint& m) {
  out.number(m.id);
  out.text(m.path);
  out.number(m.line);
  out.text(m.condition);
  out.number(m.hit);
  out.text(m.log_text);
  out.flag(m.enabled);
}
void get(PayloadReader& in, Breakpoint& m) {
  m.id = in.number<std::uint64_t>();
  m.path = get_bounded(in, kMaxPathBytes);
  m.line = in.number<std::uint32_t>();
  m.condition = get_bounded(in, kMaxExpressionBytes);
  m.hit = in.number<std::uint64_t>();
  m.log_text = get_bounded(in, kMaxExpressionBytes);
  m.enabled = in.flag();
}

void put(PayloadWriter& out, const BreakpointState& m) {
  out.number(m.id);
  out.number(m.line);
  out.number(m.hits);
  put_capped(out, m.message, kMaxWordsBytes / 16);
}
void get(PayloadReader& in, BreakpointState& m) {
  m.id = in.number<std::uint64_t>();
  m.line = in.number<std::uint32_t>();
  m.hits = in.number<std::uint64_t>();
  m.message = get_bounded(in, kMaxWordsBytes);
}

void put(PayloadWriter& out, const StackFrame& m) {
  put_capped(out, m.function, kMaxPathBytes / 2);
  put_capped(out, m.path, kMaxPathBytes);
  out.number(m.line);
  out.flag(m.user);
  put_capped(out, m.heading, kMaxWordsBytes / 16);
}
void get(PayloadReader& in, StackFrame& m) {
  m.function = get_bounded(in, kMaxPathBytes);
  m.path = get_bounded(in, 2 * kMaxPathBytes);
  m.line = in.number<std::uint32_t>();
  m.user = in.flag();
  m.heading = get_bounded(in, kMaxWordsBytes);
}

template <class T>
void put_list(PayloadWriter& out, const std::vector<T>& list, std::size_t most) {
  const std::size_t count = std::min(list.size(), most);
  out.number(static_cast<std::uint32_t>(count));
  for (const T& entry : std::span(list).first(count)) put(out, entry);
}

// No reserve(count): the count is untrusted, so memory is allocated only for entries that are really there.
template <class T>
void get_list(PayloadReader& in, std::vector<T>& list, std::size_t most) {
  const auto count = in.number<std::uint32_t>();
  if (count > most) return in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) get(in, list.emplace_back());
}

}  // namespace

void put(PayloadWriter& out, const SetBreakpoints& m) {
  put_list(out, m.all, m.all.size());
  out.flag(m.on_raise);
  out.flag(m.user_code_only);
  out.flag(m.stop_others);
  out.flag(m.on_uncaught);
}
void get(PayloadReader& in, SetBreakpoints& m) {
  get_list(in, m.all, kMaxBreakpoints);
  m.on_raise = in.flag();
  m.user_code_only = in.flag();
  m.stop_others = in.flag();
  m.on_uncaught = in.flag();
}

void put(PayloadWriter&, const Pause&) {}
void get(PayloadReader&, Pause&) {}

void put(PayloadWriter& out, const Resume& m) {
  out.number(m.stop);
  out.number(static_cast<std::uint8_t>(m.kind));
  out.text(m.path);
  out.number(m.line);
}
void get(PayloadReader& in, Resume& m) {
  m.stop = in.number<std::uint64_t>();
  m.kind = in.choice(ResumeKind::end_script);
  m.path = get_bounded(in, kMaxPathBytes);
  m.line = in.number<std::uint32_t>();
}

void put(PayloadWriter& out, const BreakpointsChanged& m) { put_list(out, m.all, kMaxBreakpoints); }
void get(PayloadReader& in, BreakpointsChanged& m) { get_list(in, m.all, kMaxBreakpoints); }

void put(PayloadWriter& out, const Stopped& m) {
  out.number(m.stop);
  out.number(static_cast<std::uint8_t>(m.reason));
  put_capped(out, m.thread, kMaxPathBytes / 2);
  put_capped(out, m.message, kMaxWordsBytes / 2);
  out.number(m.breakpoint);
  put_list(out, m.frames, kMaxStackFrames);
}
void get(PayloadReader& in, Stopped& m) {
  m.stop = in.number<std::uint64_t>();
  m.reason = in.choice(StopReason::ended);
  m.thread = get_bounded(in, kMaxPathBytes);
  m.message = get_bounded(in, kMaxWordsBytes);
  m.breakpoint = in.number<std::uint64_t>();
  get_list(in, m.frames, kMaxStackFrames);
}

void put(PayloadWriter& out, const Resumed& m) { out.number(m.stop); }
void get(PayloadReader& in, Resumed& m) { m.stop = in.number<std::uint64_t>(); }

}  // namespace dlscope::core::wire
