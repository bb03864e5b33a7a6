#include "app/models/actions/palette_model.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/tensors/memory_place.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/address_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/models/text/fuzzy.h"

namespace dlscope::app {
namespace {

constexpr int kRecentBonus = 30;
constexpr std::size_t kNameLength = 60;
constexpr std::uint32_t kStopEvery = 4096;

// Other words that people search an action by, among them what stands on the tabs, buttons and columns of a panel.
constexpr struct {
  ActionId id;
  const char* message;
} kSynonyms[] = {
    {show_panel(ActionContext::script), "editor code text python file"},
    {show_panel(ActionContext::output), "console terminal print stdout input traceback"},
    {show_panel(ActionContext::tensors), "table list tree groups columns names badges fold unfold"},
    {show_panel(ActionContext::sharing), "all pairs selected tensor who shares overlap views partners"},
    {show_panel(ActionContext::values), "numbers elements cells slice grid"},
    {show_panel(ActionContext::layout), "strides grid tape order axes contiguous"},
    {show_panel(ActionContext::statistics), "histogram mean deviation distribution percentiles"},
    {show_panel(ActionContext::heatmap), "heatmap picture image colours plot"},
    {show_panel(ActionContext::hex), "raw bytes look at any address find pattern arm writes"},
    {show_panel(ActionContext::inspector), "details struct capsule fields plain words protocols device"},
    {show_panel(ActionContext::memory), "memory map lanes allocations addresses true scale"},
    {show_panel(ActionContext::log), "messages events"},
    {show_panel(ActionContext::tasks), "background jobs progress cancel"},
    {show_panel(ActionContext::stack), "watch watches frames call stack locals threads just my code debugger"},
    {show_panel(ActionContext::exchange), "hand over copy prove life capsules ledger streams"},
    {show_panel(ActionContext::compare), "differences of values side by side"},
    {show_panel(ActionContext::history), "since when moments snapshots past differences what changed"},
    {ActionId::theme_dark, "theme colours appearance"},
    {ActionId::theme_light, "theme colours appearance"},
    {ActionId::scale_larger, "zoom in font size text bigger"},
    {ActionId::scale_smaller, "zoom out font size text"},
    {ActionId::scale_normal, "zoom reset font size"},
    {ActionId::picture_save, "export screenshot image png"},
    {ActionId::report_save, "export json"},
    {ActionId::settings_sheet, "preferences options theme font keys shortcuts reduced motion"},
    {ActionId::keys_sheet, "shortcuts keyboard"},
    {ActionId::quit, "exit close"},
    {ActionId::run_stop, "interrupt cancel"},
    {ActionId::rescan, "rescan refresh update"},
    {ActionId::debug_continue, "resume go"},
    {ActionId::stop_on_raise, "break on exceptions errors"},
    {ActionId::stop_on_uncaught, "break on uncaught unhandled exceptions errors"},
    {ActionId::memory_hold, "keep alive lease lock"},
    {ActionId::memory_pin, "keep alive while running"},
    {ActionId::memory_release, "let go free unhold"},
    {ActionId::memory_remember, "history keep values"},
    {ActionId::exchange_selected, "hand over transfer dlpack from_dlpack exchange"},
    {ActionId::copy_selected, "duplicate clone contiguous copy"},
    {ActionId::convert_selected, "convert cast astype"},
    {ActionId::prove_add, "prove zero copy chain proof"},
    {ActionId::export_proof, "save picture image figure of the proof"},
    {ActionId::life_selected, "holders owner keeps alive who frees freed referrers lifetime memory leak leaks"},
    {ActionId::breakpoint_toggle, "condition conditional hit count logpoint log point print message"},
    {ActionId::exchange_capsules, "capsule lifetime dltensor deleter"},
    {ActionId::exchange_ledger, "copies made"},
    {ActionId::python_choose, "interpreter environment venv"},
    {ActionId::tensors_filter, "search find"},
    {ActionId::compare_values, "diff differences"},
    {ActionId::map_fit, "zoom all"}};
constexpr int kSynonymCost = 20;  // an action's title counts more
constexpr std::string_view kPanelWords = " show panel";  // besides, of every action that shows a panel
// An action that loses something never comes before one that does not, however well it matches.
constexpr int kDrasticCost = 100'000;

bool is_drastic(ActionId id) {
  return id == ActionId::python_kill || id == ActionId::python_restart || id == ActionId::breakpoints_remove_all;
}

struct ActionMatch {
  int score;
  bool has_words;  // every word that was typed stands there as it is; else at least one is an abbreviation
};

std::optional<ActionMatch> match_action(std::string_view query, const Action& row) {
  const std::string title = palette_title(row);
  const bool of_panel = row.shows_panel != ActionContext::global;
  std::optional<ActionMatch> best;
  if (const std::string shows = std::string("Show ") + row.title; of_panel && contains_words(query, shows))
    return ActionMatch{std::max(fuzzy_score(query, shows).value_or(0), fuzzy_score(query, row.title).value_or(0)), true};
  if (const auto score = fuzzy_score(query, title)) {
    // Without its menu, so that "layout" finds the panel before the entries of the menu of that name.
    const int alone = fuzzy_score(query, row.title).value_or(*score);
    best = ActionMatch{std::max(*score, alone), contains_words(query, title)};
  }
  const auto other = std::ranges::find(kSynonyms, row.id, [](const auto& synonym) { return synonym.id; });
  if (other == std::end(kSynonyms) || (best && best->has_words)) return best;
  const std::string words = other->message + std::string(of_panel ? kPanelWords : "");
  const std::string both = title + ' ' + words;  // one word may be of the title, the next one not
  for (const std::string_view text : {std::string_view(words), std::string_view(both)}) {
    const auto score = fuzzy_score(query, text);
    if (!score || (best && !contains_words(query, text))) continue;
    return ActionMatch{*score - kSynonymCost, contains_words(query, text)};
  }
  return best;
}

// "1, -2, 3" as a C-order element number; a negative index counts from the end, as in Python.
std::optional<std::uint64_t> element_number(std::string_view indices, std::span<const std::int64_t> shape) {
  std::uint64_t element = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::size_t cut = std::min(indices.find(','), indices.size());
    const std::string_view word = trimmed(indices.substr(0, cut));
    std::int64_t index = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (failed != std::errc() || end != word.data() + word.size()) return std::nullopt;
    if (index < 0) index += shape[axis];
    if (index < 0 || index >= shape[axis]) return std::nullopt;
    element = element * static_cast<std::uint64_t>(shape[axis]) + static_cast<std::uint64_t>(index);
    indices.remove_prefix(std::min(cut + 1, indices.size()));
  }
  return trimmed(indices).empty() ? std::optional(element) : std::nullopt;
}

std::string place_text(const SnapshotIndex& index, const Focus& focus) {
  const core::TensorRecord& tensor = index.tensor(focus.tensor);
  std::string text = shortened_name(index.snapshot->name(tensor), kNameLength);
  if (focus.element) return text + index_text(index.snapshot->layout(tensor), *focus.element);
  if (tensor.has_layout)
    text += "   " + index.snapshot->dtype_name(tensor) + ", " + shape_in_words(index.snapshot->shape(tensor));
  return text;
}

Focus whole(const SnapshotIndex& index, std::uint32_t id) {
  Focus focus;
  focus.tensor = id;
  focus.space = index.tensor(id).space;
  return focus;
}

FoundPlace place_on(const SnapshotIndex& index, const Focus& focus) { return {focus.tensor, focus, place_text(index, focus)}; }

// "x[1, 2]" and "[1, 2]".
std::optional<FoundPlace> element_place(const SnapshotIndex& index, std::string_view query, std::uint32_t selected) {
  const std::size_t open = query.rfind('[');
  if (open == std::string_view::npos || query.back() != ']') return std::nullopt;
  std::uint32_t tensor = selected;
  if (open > 0) tensor = index.find(trimmed(query.substr(0, open))).value_or(core::kNone32);
  if (tensor >= index.size() || !index.tensor(tensor).has_layout) return std::nullopt;
  const auto element =
      element_number(query.substr(open + 1, query.size() - open - 2), index.snapshot->shape(index.tensor(tensor)));
  if (!element) return std::nullopt;
  const Focus focus = focus_on(index, tensor, *element);
  return focus.element ? std::optional(place_on(index, focus)) : std::nullopt;
}

void find_address(FoundPlaces& out, core::Address address, const std::stop_token& stop) {
  const SnapshotIndex& index = *out.index;
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return;
    if (!has_place(index.tensor(id)) || !index.tensor(id).extent.contains(address)) continue;
    out.more = out.places.size() == kMaxPlaces;
    if (out.more) return;
    out.places.push_back(place_on(index, focus_at(index, id, address)));
  }
}

void find_names(FoundPlaces& out, std::string_view query, const std::stop_token& stop) {
  const SnapshotIndex& index = *out.index;
  struct Hit {
    int score;
    std::uint32_t id;
  };
  // With this order the heap keeps the worst hit on top.
  const auto better = [](const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.id < b.id; };
  std::vector<Hit> best;
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    if (id % kStopEvery == 0 && stop.stop_requested()) return;
    const auto score = fuzzy_score(query, index.snapshot->name(index.tensor(id)));
    if (!score) continue;
    const Hit hit{*score, id};
    if (best.size() == kMaxPlaces) {
      out.more = true;
      if (!better(hit, best.front())) continue;
      std::ranges::pop_heap(best, better);
      best.pop_back();
    }
    best.push_back(hit);
    std::ranges::push_heap(best, better);
  }
  std::ranges::sort_heap(best, better);
  const bool named = !out.places.empty() && !out.places.front().focus.element;
  for (const Hit& hit : best) {
    if (!named || out.places.front().tensor != hit.id) out.places.push_back(place_on(index, whole(index, hit.id)));
  }
}

}  // namespace

std::string palette_title(const Action& action) {
  const std::string place = action.menu != ActionMenu::none
                                ? menu_title(action.menu)
                                : (action.context != ActionContext::global ? context_title(action.context) : "");
  return place.empty() ? action.title : place + ": " + action.title;
}

void RecentActions::used(ActionId id) {
  std::erase(ids_, id);
  ids_.push_front(id);
  if (ids_.size() > kMax) ids_.pop_back();
}

std::vector<ActionId> palette_actions(std::string_view query, const RecentActions& recent) {
  struct Ranked {
    ActionId id;
    int score;
    bool has_words;
  };
  const bool nothing_asked = trimmed(query).empty();
  std::vector<Ranked> ranked;
  for (const Action& row : actions()) {
    const auto match = match_action(query, row);
    if (!match) continue;
    const auto used = std::ranges::find(recent.all(), row.id);
    const auto age = static_cast<int>(used - recent.all().begin());
    const bool was_used = used != recent.all().end();
    const int bonus = !was_used ? 0 : nothing_asked ? 1000 - age : kRecentBonus - age;
    const int cost = is_drastic(row.id) && !nothing_asked ? kDrasticCost : 0;
    ranked.push_back({row.id, match->score + bonus - cost, match->has_words});
  }
  // Beside the words themselves an abbreviation would only put something else first.
  if (std::ranges::any_of(ranked, &Ranked::has_words)) std::erase_if(ranked, std::not_fn(&Ranked::has_words));
  std::ranges::stable_sort(ranked, std::greater(), &Ranked::score);
  std::vector<ActionId> out;
  out.reserve(ranked.size());
  for (const Ranked& each : ranked) out.push_back(each.id);
  return out;
}

std::vector<std::string> palette_files(std::string_view query, std::span<const std::string> recent) {
  std::vector<std::string> out;
  if (trimmed(query).empty()) return out;
  for (const std::string& path : recent) {
    if (contains_words(query, std::string(kOpenRecent) + ' ' + path)) out.push_back(path);
  }
  return out;
}

std::shared_ptr<const FoundPlaces> find_places(const IndexPtr& index, std::string query, std::uint32_t selected,
                                               const std::stop_token& stop) {
  auto out = std::make_shared<FoundPlaces>();
  out->query = std::move(query);
  out->index = index;
  const std::string_view asked = trimmed(out->query);
  if (!index || asked.empty()) return out;
  if (const auto address = parse_address(asked)) {
    find_address(*out, *address, stop);
  } else {
    if (const auto exact = index->find(asked))
      out->places.push_back(place_on(*index, whole(*index, *exact)));
    else if (auto element = element_place(*index, asked, selected))
      out->places.push_back(std::move(*element));
    find_names(*out, asked, stop);
  }
  return stop.stop_requested() ? nullptr : out;
}

}  // namespace dlscope::app
