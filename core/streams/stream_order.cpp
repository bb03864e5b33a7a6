#include "core/streams/stream_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace dlscope::core {
namespace {

// An edge of the order graph: one step is done before another begins.
struct Edge {
  std::uint32_t from = 0;
  enum class Rule : std::uint8_t { same_stream, event, host_waited, host_order, default_stream } rule{};
};

bool is_access(const TraceStep& step) { return step.kind == StepKind::write || step.kind == StepKind::read; }

class OrderGraph {
 public:
  explicit OrderGraph(const StreamTrace& trace) : trace_(trace), before_(trace.steps.size()) {
    last_on_.assign(trace.streams.size(), kNotGiven);
    for (std::uint32_t i = 0; i < trace.steps.size(); ++i) add(i);
  }

  // For every step that is done before `later` begins, the next step on a path to `later`; kNotGiven for the others.
  [[nodiscard]] std::vector<std::uint32_t> followers(std::uint32_t later) const {
    std::vector<std::uint32_t> next(before_.size(), kNotGiven), queue{later};
    for (std::size_t k = 0; k < queue.size(); ++k) {
      for (const Edge& edge : before_[queue[k]]) {
        if (next[edge.from] != kNotGiven) continue;
        next[edge.from] = queue[k];
        queue.push_back(edge.from);
      }
    }
    return next;
  }

  [[nodiscard]] std::string reason(std::uint32_t from, std::uint32_t to) const {
    const auto edge = std::ranges::find(before_[to], from, &Edge::from);
    const auto name = [&](std::uint32_t step) { return trace_.streams[trace_.steps[step].stream].name; };
    switch (edge->rule) {
      case Edge::Rule::same_stream:
        return fmt::format("{} does its steps one after the other", name(to));
      case Edge::Rule::event:
        return fmt::format("{} waits for the event that was recorded on {}", name(to), name(from));
      case Edge::Rule::host_waited:
        return fmt::format("the host waits until {} has done its work", name(from));
      case Edge::Rule::host_order:
        return "the host issues it only after that";
      case Edge::Rule::default_stream:
        return fmt::format("the legacy default stream and {} wait for each other", name(is_default(to) ? from : to));
    }
    return {};
  }

 private:
  [[nodiscard]] StreamKind kind_on(std::uint32_t step) const { return trace_.streams[trace_.steps[step].stream].kind; }
  [[nodiscard]] bool is_default(std::uint32_t step) const { return kind_on(step) == StreamKind::default_; }

  void after(std::uint32_t step, std::uint32_t from, Edge::Rule rule) {
    if (from != kNotGiven && std::ranges::find(before_[step], from, &Edge::from) == before_[step].end())
      before_[step].push_back({from, rule});
  }
  void after_work_of(std::uint32_t step, std::uint32_t stream, Edge::Rule rule) { after(step, last_on_[stream], rule); }

  // Adds the implicit waits between the legacy default stream and blocking streams.
  void add_default_stream_rule(std::uint32_t step, std::uint32_t on, Edge::Rule rule) {
    const StreamKind kind = trace_.streams[on].kind;
    if (kind != StreamKind::default_ && kind != StreamKind::blocking) return;
    const StreamKind other = kind == StreamKind::default_ ? StreamKind::blocking : StreamKind::default_;
    for (std::uint32_t stream = 0; stream < trace_.streams.size(); ++stream) {
      if (trace_.streams[stream].kind == other) after_work_of(step, stream, rule);
    }
  }

  void add(std::uint32_t i) {
    const TraceStep& step = trace_.steps[i];
    const bool by_host = step.kind == StepKind::synchronize || step.kind == StepKind::hand_over || kind_on(i) == StreamKind::host;
    if (!by_host) after_work_of(i, step.stream, Edge::Rule::same_stream);
    if (step.kind == StepKind::synchronize) {
      after_work_of(i, step.stream, Edge::Rule::host_waited);
      if (is_default(i)) add_default_stream_rule(i, step.stream, Edge::Rule::host_waited);
    }
    if (step.kind == StepKind::wait && step.event < recorded_.size()) after(i, recorded_[step.event], Edge::Rule::event);
    if (!by_host) add_default_stream_rule(i, step.stream, Edge::Rule::default_stream);
    after(i, host_, Edge::Rule::host_order);
    if (step.kind == StepKind::record) {
      if (step.event >= recorded_.size()) recorded_.resize(step.event + std::size_t{1}, kNotGiven);
      recorded_[step.event] = i;
    }
    (by_host ? host_ : last_on_[step.stream]) = i;
  }

  const StreamTrace& trace_;
  std::vector<std::vector<Edge>> before_;
  std::vector<std::uint32_t> last_on_, recorded_;  // by stream: its last step; by event: its last record
  std::uint32_t host_ = kNotGiven;                  // the last step that the host executed or waited for
};

Ordering race_between(const TraceStep& earlier, const TraceStep& later) {
  if (later.kind == StepKind::read) return Ordering::reads_unfinished;
  return earlier.kind == StepKind::read ? Ordering::overwrites_unread : Ordering::writes_over_write;
}

// Whether no write to the same memory comes between the two steps.
bool follows_directly(const StreamTrace& trace, std::uint32_t earlier, std::uint32_t later) {
  const TraceStep& last = trace.steps[later];
  for (std::uint32_t i = earlier + 1; i < later; ++i) {
    const TraceStep& between = trace.steps[i];
    if (between.buffer == last.buffer && between.kind == StepKind::write) return false;
  }
  return true;
}

OrderPair pair_of(const StreamTrace& trace, const OrderGraph& graph, const std::vector<std::uint32_t>& followers,
                  std::uint32_t earlier, std::uint32_t later) {
  OrderPair pair{.earlier = earlier, .later = later, .ordering = Ordering::ordered, .path = {}, .reasons = {}};
  if (followers[earlier] == kNotGiven) {
    pair.ordering = race_between(trace.steps[earlier], trace.steps[later]);
    return pair;
  }
  pair.path.push_back(earlier);
  for (std::uint32_t at = earlier; at != later;) {
    const std::uint32_t next = followers[at];
    pair.reasons.push_back(graph.reason(at, next));
    pair.path.push_back(next);
    at = next;
  }
  return pair;
}

std::string name_of(const StreamTrace& trace, std::uint32_t step) {
  const TraceStep& given = trace.steps[step];
  return given.what.empty() ? fmt::format("the {} on {}", step_kind_name(given.kind), trace.streams[given.stream].name)
                            : given.what;
}

// The last hand-over of the buffer between the two steps; nullptr: there is none.
const TraceStep* hand_over_between(const StreamTrace& trace, const OrderPair& pair) {
  for (std::uint32_t i = pair.later; i-- > pair.earlier;) {
    const TraceStep& step = trace.steps[i];
    if (step.kind == StepKind::hand_over && step.buffer == trace.steps[pair.later].buffer) return &step;
  }
  return nullptr;
}

// "the default stream", "stream 0x7f00", "side"
std::string with_article(const std::string& stream) { return (stream.ends_with("default stream") ? "the " : "") + stream; }

}  // namespace

StreamVerdict judge_streams(const StreamTrace& trace) {
  const OrderGraph graph(trace);
  StreamVerdict verdict;
  for (std::uint32_t later = 0; later < trace.steps.size(); ++later) {
    const TraceStep& last = trace.steps[later];
    if (!is_access(last)) continue;
    const std::vector<std::uint32_t> followers = graph.followers(later);
    for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
      const TraceStep& first = trace.steps[earlier];
      if (!is_access(first) || first.buffer != last.buffer) continue;
      if (first.kind == StepKind::read && last.kind == StepKind::read) continue;
      const bool race = followers[earlier] == kNotGiven;
      if (!race && !follows_directly(trace, earlier, later)) continue;
      verdict.pairs.push_back(pair_of(trace, graph, followers, earlier, later));
      if (!verdict.race) verdict.deciding = static_cast<std::uint32_t>(verdict.pairs.size() - 1);
      verdict.race |= race;
    }
  }
  return verdict;
}

std::string order_text(const StreamTrace& trace, const OrderPair& pair) {
  const std::string earlier = name_of(trace, pair.earlier), later = name_of(trace, pair.later);
  const std::string& buffer = trace.buffers[trace.steps[pair.later].buffer].name;
  switch (pair.ordering) {
    case Ordering::reads_unfinished:
      return fmt::format("{} may read {} before {} is done: nothing orders them", later, buffer, earlier);
    case Ordering::overwrites_unread:
      return fmt::format("{} may overwrite {} while {} still reads it: nothing orders them", later, buffer, earlier);
    case Ordering::writes_over_write:
      return fmt::format("{} and {} both write {}, in any order: nothing orders them", earlier, later, buffer);
    case Ordering::ordered:
      break;
  }
  std::string because;
  for (std::size_t i = 0; i < pair.reasons.size(); ++i) {
    if (i > 0 && pair.reasons[i] == pair.reasons[i - 1]) continue;
    because += (because.empty() ? "" : "; ") + pair.reasons[i];
  }
  return fmt::format("{} comes after {}: ordered because {}", later, earlier, because);
}

std::string race_advice(const StreamTrace& trace, const OrderPair& pair) {
  if (pair.ordering == Ordering::ordered) return {};
  const TraceStep& earlier = trace.steps[pair.earlier];
  const TraceStep& later = trace.steps[pair.later];
  const TraceStream& reads_on = trace.streams[later.stream];
  const std::string writes_on = with_article(trace.streams[earlier.stream].name), waiting = with_article(reads_on.name);
  const std::string value = reads_on.value.empty() ? fmt::format("the value of {}", waiting) : reads_on.value;
  const TraceStep* const handed = hand_over_between(trace, pair);
  if (handed == nullptr)
    return fmt::format("Have {} wait for an event that is recorded on {} after {}, or synchronize {} before.", waiting,
                       writes_on, name_of(trace, pair.earlier), writes_on);
  const std::string asked = handed->asked.empty() ? "no stream" : fmt::format("stream={}", handed->asked);
  const std::string cause =
      handed->asked == "-1"
          ? fmt::format("The hand-over carried {}, which says: do not synchronize. So nothing made {} wait for {}.", asked,
                        waiting, writes_on)
          : fmt::format("The hand-over carried {}, and {} is not ordered after {} by that.", asked, waiting, writes_on);
  return fmt::format("{} Ask with stream={}: the producer then makes that stream wait for its work; or synchronize {} first.",
                     cause, value, writes_on);
}

}  // namespace dlscope::core
