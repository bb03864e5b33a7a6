// Answers of the host whose numbers the window goes by: copies that wait to be fetched, and completions (JSON).
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/models/history/remembered_copies.h"
#include "app/models/script/console_completion.h"
#include "core/wire/remembered_answer.h"
#include "tests/fuzz/fuzz_target.h"

namespace dlscope::fuzz {
namespace {

using core::wire::WaitingCopy;

// ---- copies of remembered tensors ----

// By snapshot and tensor: the number of its last copy.
using LastCopies = std::map<std::pair<std::uint64_t, std::string>, std::uint64_t>;

// By hand, from the definition.
LastCopies last_copies(const std::vector<WaitingCopy>& announced, const std::map<std::string, app::Remember>& wanted,
                       std::uint64_t fetched) {
  LastCopies last;
  for (const WaitingCopy& copy : announced) {
    if (copy.id <= fetched || !wanted.contains(copy.name)) continue;
    std::uint64_t& number = last[{copy.revision, copy.name}];
    number = std::max(number, copy.id);
  }
  return last;
}

// Numbers that a host repeats are its own fault: of those any one may be fetched, and only that nothing else is holds.
bool has_own_numbers(const std::vector<WaitingCopy>& announced) {
  std::vector<std::uint64_t> numbers;
  for (const WaitingCopy& copy : announced) numbers.push_back(copy.id);
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

void check_fetch(const app::CopiesToFetch& fetch, const std::map<std::string, app::Remember>& wanted, std::uint64_t fetched) {
  std::uint64_t before = fetched, bytes = 0;
  for (const WaitingCopy& copy : fetch.copies) {
    hold(copy.id > before && wanted.contains(copy.name), "copies are new, wanted, and in order");
    before = copy.id;
    bytes += std::min(copy.size, app::kMaxFetchedBytes);
  }
  hold(bytes <= app::kMaxFetchedBytes, "one fetch has a bound");
  hold(fetch.through >= before, "what is fetched may be freed");
}

bool run_remembered_copies(std::span<const std::byte> input) {
  const std::vector<WaitingCopy> announced = app::announced_copies(text_of(input));
  std::map<std::string, app::Remember> wanted{{"x", app::Remember::bytes}};
  for (std::size_t i = 0; i < announced.size(); i += 2) wanted[announced[i].name] = app::Remember::hashes;
  hold(nlohmann::json::accept(app::remember_question(wanted, announced.size())), "the question is JSON");
  const LastCopies expected = last_copies(announced, wanted, 1);
  LastCopies fetched_copies;
  std::uint64_t fetched = 1;
  for (std::size_t round = 0;; ++round) {
    hold(round <= announced.size(), "every fetch goes on");
    const app::CopiesToFetch fetch = app::copies_to_fetch(announced, wanted, fetched);
    check_fetch(fetch, wanted, fetched);
    for (const WaitingCopy& copy : fetch.copies)
      hold(fetched_copies.emplace(std::pair(copy.revision, copy.name), copy.id).second || !has_own_numbers(announced),
           "of a tensor at a moment one copy is fetched");
    if (fetch.through == fetched) break;
    fetched = fetch.through;
  }
  if (has_own_numbers(announced))
    hold(fetched_copies == expected, "the last copy of every wanted tensor at every moment is fetched");
  return !announced.empty();
}

std::vector<Bytes> remembered_copies_seeds() {
  const auto seed = [](const std::vector<WaitingCopy>& copies) { return bytes_of(encode(copies)); };
  return {seed({{.id = 2, .revision = 7, .name = "x", .begin = 4096, .at = 8192, .size = 64, .check = 99, .why_not = ""},
                {.id = 3, .revision = 7, .name = "x", .hashed = true, .begin = 4096, .why_not = "no room"}}),
          seed({{.id = 9, .revision = 1, .name = "x", .size = app::kMaxFetchedBytes, .why_not = ""},
                {.id = 4, .revision = 1, .name = "y", .size = 200'000'000, .why_not = ""},
                {.id = 5, .revision = 2, .name = "x", .size = 100'000'000, .why_not = ""},
                {.id = 6, .revision = 2, .name = "w", .size = ~std::uint64_t{0}, .why_not = ""}}),
          seed({})};
}

// ---- completions at the console's cursor ----

void check_edit(const app::ConsoleEdit& edit) { hold(edit.cursor <= edit.text.size(), "the cursor is in the text"); }

// The list opens on a line, and the person types, deletes and chooses.
void complete(const app::Completion& completion, const std::string& line) {
  for (std::size_t cursor = 0; cursor <= line.size(); ++cursor) {
    app::CompletionList list;
    if (const auto edit = list.show(completion, line, cursor)) check_edit(*edit);
    hold(!list.open() || list.size() > 1, "an open list has a choice");
    for (const std::size_t then : {cursor, std::min(cursor + 1, line.size()), cursor / 2}) {
      list.follow(line, then);
      list.move(-1);
      if (!list.open()) break;
      hold(list.selected() < list.size() && !list.shown(list.selected()).text.empty(), "what is chosen is shown");
      app::CompletionList other = list;
      check_edit(other.take(line, then));
    }
  }
}

bool run_completion(std::span<const std::byte> input) {
  const std::string_view text = text_of(input);
  const bool judged = app::completeness_from_json(text).has_value();
  const auto completion = app::completion_from_json(text);
  if (!completion) return judged;
  hold(completion->matches.size() <= 2000, "matches have a bound");
  for (const app::Completion::Match& match : completion->matches) {
    hold(!match.text.empty() && match.text.size() <= 512, "a match has a bound");
    hold(std::ranges::none_of(match.text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }), "a match is printable");
  }
  complete(*completion, "x.sha = np.\xc3\xbc");
  return true;
}

std::vector<Bytes> completion_seeds() {
  return {bytes_of(R"({"from": 2, "matches": [{"text": "shape", "kind": "property"}, {"text": "share_memory_",)"
                   R"( "kind": "function"}]})"),
          bytes_of(R"({"from": 0, "cut": true, "matches": [{"text": "x", "kind": ""}, {"text": "x.sha", "kind": "keyword"}]})"),
          bytes_of("{\"from\": 11, \"matches\": [{\"text\": \"\xc3\xbc\"}, "
                   "{\"text\": \"\xc3\xbcn\"}, {\"text\": \"\xc3\xbd\"}]}"),
          bytes_of(R"({"state": "incomplete"})"), bytes_of(R"({"state": "invalid"})")};
}

}  // namespace

std::vector<Target> answer_targets() {
  return {{"remembered_copies", remembered_copies_seeds, run_remembered_copies, {}, true},
          {"completion",
           completion_seeds,
           run_completion,
           {"{\"text\": \"", "\"},", "\"from\": ", "\"matches\": [", "x.sha", "\\u0000", "\\ud800", "\xc3\xbc", "\xc3", "null",
            "-1",
            "18446744073709551615", "1e30", "\"state\": \"", "[[[["}}};
}

}  // namespace dlscope::fuzz
