#include "app/models/exchange/capsule_life.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/models/text/characters.h"
#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxNames = 8;

struct StateRow {
  std::string_view state;
  int at;
  std::array<bool, kCapsulePlaces> reached;  // waiting, consumed, dropped, given_back
  Tone tone;
  std::string_view meaning;
};
constexpr std::array kStates{
    StateRow{"waiting",
             0,
             {true, false, false, false},
             Tone::plain,
             "No consumer has taken it: it keeps the tensor's memory until one does, or until it is dropped."},
    StateRow{
        "consumed",
        1,
        {true, true, false, false},
        Tone::good,
        "A consumer took the struct and renamed the capsule: it cannot be taken again. The consumer keeps the memory now."},
    StateRow{"returned",
             3,
             {true, true, false, true},
             Tone::plain,
             "Its consumer has let go and called the deleter: the producer has its memory back."},
    StateRow{"dropped",
             3,
             {true, false, true, true},
             Tone::plain,
             "No consumer took it: its destructor called the deleter, and the producer has its memory back."},
    StateRow{"undeleted",
             2,
             {true, false, true, false},
             Tone::warn,
             "No consumer took it, and it was freed without a call of the deleter: its producer gave the memory back in a way of "
             "its own, or never does."},
    StateRow{"unseen",
             -1,
             {true, false, false, false},
             Tone::unknown,
             "No name leads to it, and neither its destructor nor its deleter was called: something else holds it, or a consumer "
             "took it without a trace."},
};

const StateRow* row_of(std::string_view state) {
  const auto* const found = std::ranges::find(kStates, state, &StateRow::state);
  return found == kStates.end() ? nullptr : found;
}

CapsuleLife read_one(const JsonMembers& given) {
  CapsuleLife capsule;
  capsule.id = given.number("id");
  capsule.versioned = given.text("kind") == "dltensor_versioned";
  capsule.state = given.text("state");
  capsule.name = given.text("name");
  capsule.tensor = given.text("tensor");
  given.each_text("held_by", kMaxNames, [&](std::string name) { capsule.held_by.push_back(std::move(name)); });
  given.each("events", kMaxCapsuleEvents, [&](const JsonMembers& event) {
    capsule.events.push_back(
        {event.text("step"), static_cast<std::int64_t>(event.number("t_ns")),
         event.truth("main_thread") ? std::string("main thread") : fmt::format("thread {}", event.number("thread")),
         event.truth("noticed"), event.text("detail")});
  });
  if (const StateRow* const row = row_of(capsule.state)) {
    capsule.at = row->at;
    capsule.reached = row->reached;
  }
  return capsule;
}

}  // namespace

core::Result<std::vector<CapsuleLife>> read_capsules(std::string_view text) {
  const nlohmann::json value = json_of(text);
  const JsonMembers given(value);
  if (value.is_discarded() || !given.has_list("capsules"))
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected list of capsules");
  std::vector<CapsuleLife> out;
  std::vector<std::uint64_t> begins;  // on the clock of the process
  given.each("capsules", kMaxCapsules, [&](const JsonMembers& one) {
    out.push_back(read_one(one));
    begins.push_back(one.number("watched_ns"));
  });
  const std::uint64_t first = begins.empty() ? 0 : *std::ranges::min_element(begins);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (CapsuleLifeEvent& event : out[i].events) event.t_ns += static_cast<std::int64_t>(begins[i] - first);
  }
  return out;
}

CapsulesAlive read_capsules_alive(std::string_view text) {
  const nlohmann::json value = json_of(text);
  if (value.is_discarded() || !value.is_object()) return {};
  const JsonMembers given(value);
  const std::uint64_t alive = given.number("alive"), waiting = std::min(given.number("waiting"), alive);
  return {.waiting = waiting,
          .consumed = alive - waiting,
          .bytes = given.number("alive_bytes"),
          .at_most = given.truth("alive_bytes_at_most"),
          .not_listed = given.number("not_listed")};
}

std::string capsules_alive_text(const CapsulesAlive& alive) {
  const std::string more =
      alive.not_listed == 0
          ? ""
          : fmt::format(" {} of dlscope's own tensors {} not listed: too many were in use at once.",
                        counted(alive.not_listed, "other export", "other exports"), alive.not_listed == 1 ? "was" : "were");
  if (alive.waiting + alive.consumed == 0) return "No watched capsule keeps memory: all have given theirs back." + more;
  std::string holders;
  if (alive.waiting > 0) holders = counted(alive.waiting, "waiting capsule", "waiting capsules");
  if (alive.consumed > 0)
    holders += (holders.empty() ? "" : " and ") + counted(alive.consumed, "consumer of a capsule", "consumers of capsules");
  return fmt::format("{} {} {}{} alive{}{}", holders, alive.waiting + alive.consumed == 1 ? "keeps" : "keep",
                     alive.at_most ? "at most " : "", human_bytes(alive.bytes), more.empty() ? "" : ".", more);
}

std::string capsule_title(const CapsuleLife& capsule) {
  return capsule.held_by.empty() ? fmt::format("#{}, no name holds it", capsule.id)
                                 : fmt::format("{}", fmt::join(capsule.held_by, ", "));
}

std::string capsule_state_text(const CapsuleLife& capsule) {
  const StateRow* const row = row_of(capsule.state);
  if (row == nullptr) return "Its state is not known.";
  std::string text(row->meaning);
  if (capsule.state != "consumed") return text;
  const bool is_freed = std::ranges::find(capsule.events, "destroyed", &CapsuleLifeEvent::step) != capsule.events.end();
  return text + (is_freed ? " The capsule itself is gone." : " The capsule itself is an empty shell.");
}

std::string capsule_refusal_text(const CapsuleLife& capsule) {
  for (auto event = capsule.events.rbegin(); event != capsule.events.rend(); ++event) {
    if (event->step == "refused") return event->detail.empty() ? "A consumer refused it." : "A consumer refused it: " + event->detail;
  }
  return {};
}

bool taken_after_refusal(const CapsuleLife& capsule) {
  const auto last = [&](std::string_view step) {
    return std::ranges::find(capsule.events.rbegin(), capsule.events.rend(), step, &CapsuleLifeEvent::step);
  };
  const auto refused = last("refused");
  return refused != capsule.events.rend() && last("consumed") < refused;  // both from the end: the later one comes first
}

Tone capsule_tone(const CapsuleLife& capsule) {
  const StateRow* const row = row_of(capsule.state);
  return row != nullptr ? row->tone : Tone::unknown;
}

std::string capsule_event_text(const CapsuleLife& capsule, const CapsuleLifeEvent& event) {
  const std::string_view kind = capsule.versioned ? "dltensor_versioned" : "dltensor";
  std::string out;
  if (event.step == "watched") out = fmt::format("watched from here on, named {}", kind);
  if (event.step == "consumed") out = fmt::format("consumed: renamed used_{}", kind);
  if (event.step == "refused") out = "a consumer was refused";
  if (event.step == "destroyed") out = "capsule freed (its destructor)";
  if (event.step == "deleted") out = "deleter called: the memory is given back";
  if (event.noticed) out += event.step == "consumed" ? ", seen now" : " before";
  if (!event.detail.empty()) out += " (" + event.detail + ")";
  return out;
}

const char* capsule_place_title(CapsulePlace place) {
  static constexpr std::array kTitles{"Waiting", "Consumed", "Dropped unused", "Given back"};
  return kTitles[static_cast<std::size_t>(place)];
}

std::vector<CapsuleLogRow> capsule_log(const std::vector<CapsuleLife>& capsules, std::string_view filter) {
  std::vector<std::pair<const CapsuleLife*, const CapsuleLifeEvent*>> all;
  for (const CapsuleLife& capsule : capsules) {
    for (const CapsuleLifeEvent& event : capsule.events) all.emplace_back(&capsule, &event);
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second->t_ns; });
  std::vector<CapsuleLogRow> out;
  const std::string wanted = lowered(filter);
  for (const auto& [capsule, event] : all) {
    CapsuleLogRow row{fmt::format("{:.3f} s", static_cast<double>(event->t_ns) / 1e9),
                      capsule->held_by.empty() ? fmt::format("#{}", capsule->id)
                                               : fmt::format("#{} {}", capsule->id, capsule->held_by.front()),
                      capsule_event_text(*capsule, *event), event->thread};
    if (wanted.empty() || lowered(row.line()).find(wanted) != std::string::npos) out.push_back(std::move(row));
  }
  return out;
}

std::string consumer_name(std::string_view capsule) {
  std::string name;
  for (const char c : capsule) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80) != 0;
    if (letter)
      name += c;
    else if (!name.ends_with('_'))
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  return name + "_tensor";
}

std::string make_capsule_line(std::string_view tensor, bool versioned, std::string_view name) {
  return fmt::format("import dlscope; {} = dlscope.watch_capsule({}.__dlpack__({}))", name, tensor,
                     versioned ? "max_version=(1, 3)" : "");
}
std::string consume_capsule_line(std::string_view name) {
  return fmt::format("import dlscope; {} = dlscope.from_dlpack({})", consumer_name(name), name);
}
std::string drop_capsule_line(std::string_view name) { return fmt::format("del {}", name); }
std::string drop_consumer_line(std::string_view name) { return fmt::format("del {}", consumer_name(name)); }

std::string next_capsule_name(const std::vector<CapsuleLife>& capsules) {
  std::uint64_t last = 0;
  for (const CapsuleLife& capsule : capsules) last = std::max(last, capsule.id);
  return fmt::format("capsule_{}", last + 1);
}

}  // namespace dlscope::app
