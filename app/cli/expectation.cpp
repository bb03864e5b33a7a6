#include "app/cli/expectation.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/inventory/relation.h"
#include "core/report/report.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Relation;
using core::Result;
using core::Snapshot;
using core::TensorRecord;

namespace {

constexpr const char* kForms =
    R"(expected "x shares y", "x identical y", "x disjoint y" or "dlscope copies nothing"; a name with a blank goes into quotes)";

struct Word {
  std::size_t begin, end;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The end of the quoted word that begins at `begin`; nullopt: the quote is part of a name, not around one.
std::optional<std::size_t> end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  if (quote != '\'' && quote != '"') return std::nullopt;
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1 == text.size() || is_blank(text[i + 1]) ? std::optional(i + 1) : std::nullopt;
    }
  }
  return std::nullopt;
}

// The name a word stands for: of a quoted one, what is inside the quotes.
std::string name_in(std::string_view word) {
  if (word.empty() || end_of_quoted(word, 0) != word.size()) return std::string{word};
  std::string name;
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    const bool escapes = word[i] == '\\' && (word[i + 1] == '\\' || word[i + 1] == word[0]);
    name += word[escapes ? ++i : i];
  }
  return name;
}

// Words separated by blanks; blanks inside brackets and quotes separate nothing.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  int depth = 0;
  char quote = '\0';
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = is_blank(c) && depth == 0 && quote == '\0';
    if (!blank && !inside) {
      if (const auto end = end_of_quoted(text, i)) {
        words.push_back({i, *end});
        i = *end - 1;
        continue;
      }
      words.push_back({i, i});
    }
    inside = !blank;
    if (inside) words.back().end = i + 1;
    if (quote != '\0') {
      if (c == '\\') {
        if (++i < text.size()) words.back().end = i + 1;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (depth > 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '[' || c == '<' || c == '(') {
      ++depth;
    } else if ((c == ']' || c == '>' || c == ')') && depth > 0) {
      --depth;
    }
  }
  return words;
}

std::optional<Expectation::Kind> kind_of(std::string_view word) {
  if (word == "shares") return Expectation::Kind::shares;
  if (word == "identical") return Expectation::Kind::identical;
  if (word == "disjoint") return Expectation::Kind::disjoint;
  return std::nullopt;
}

// Names are spelt with Python's own quotes: d['a'].
const TensorRecord* find_tensor(const Snapshot& snapshot, std::string_view name) {
  const TensorRecord* const found = snapshot.find(name);
  return found != nullptr ? found : snapshot.find(with_pythons_quotes(name));
}

std::string place(const TensorRecord& tensor, const std::string& name) {
  if (tensor.extent.empty() || core::is_copy_for_export(tensor)) return name;
  return fmt::format("{} [{}, {})", name, core::hex(tensor.extent.begin), core::hex(tensor.extent.end));
}

bool holds(Expectation::Kind kind, Relation relation, bool shares) {
  switch (kind) {
    case Expectation::Kind::shares:
      return shares;
    case Expectation::Kind::identical:
      return relation == Relation::identical;
    case Expectation::Kind::disjoint:
      return !shares;
    case Expectation::Kind::copies_nothing:
      break;
  }
  return false;
}

// One object under two names shares its bytes with itself, if it has any, even where they cannot be read or counted.
Verdict judge_one_object(const Expectation& expectation, const Snapshot& snapshot, const TensorRecord& tensor,
                         std::string evidence) {
  evidence += "one object under two names";
  const core::UnknownWhy why = core::why_bytes_unknown(snapshot, tensor);
  if (!tensor.has_layout || why == core::UnknownWhy::null_data)
    return {false, evidence + "; unknown because " + core::unknown_text(why, expectation.a)};
  if (tensor.elements == 0) {
    evidence += "; an empty tensor has no bytes";
    return {holds(expectation.kind, Relation::disjoint, false), std::move(evidence)};
  }
  evidence += tensor.distinct_bytes == core::kUnknown64 ? ", identical; how many bytes that are was not counted"
                                                        : fmt::format(", identical, {} shared bytes", tensor.distinct_bytes);
  return {holds(expectation.kind, Relation::identical, true), std::move(evidence)};
}

Verdict judge_two_objects(const Expectation& expectation, const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b,
                          std::string evidence) {
  const auto id = [&](const TensorRecord& tensor) { return static_cast<std::uint32_t>(&tensor - snapshot.tensors.data()); };
  const core::PairRecord pair = core::relation_between(snapshot, id(a), id(b));
  if (pair.relation == Relation::unknown) {
    const std::string& subject = core::subject_of(snapshot, pair) == id(a) ? expectation.a : expectation.b;
    return {false, evidence + "unknown because " + core::unknown_text(pair.why, subject)};
  }
  const Relation relation = pair.a == id(a) ? pair.relation : core::mirrored(pair.relation);
  evidence += fmt::format("{}, {} shared bytes (by {})", core::relation_name(relation), pair.shared_bytes,
                          core::overlap_method_name(pair.method));
  if (a.elements == 0 || b.elements == 0)
    evidence += "; an empty tensor has no bytes";
  else if (a.space != b.space)
    evidence += "; they are in different memories";
  return {holds(expectation.kind, relation, pair.shared_bytes > 0), std::move(evidence)};
}

Verdict judge_pair(const Expectation& expectation, const Snapshot& snapshot) {
  const TensorRecord* a = find_tensor(snapshot, expectation.a);
  const TensorRecord* b = find_tensor(snapshot, expectation.b);
  if (a == nullptr) return {false, "no tensor is named " + expectation.a};
  if (b == nullptr) return {false, "no tensor is named " + expectation.b};
  std::string evidence = place(*a, expectation.a) + " and " + place(*b, expectation.b) + ": ";
  if (a == b) return judge_one_object(expectation, snapshot, *a, std::move(evidence));
  return judge_two_objects(expectation, snapshot, *a, *b, std::move(evidence));
}

Verdict judge_copies(const Snapshot& snapshot) {
  if (!snapshot.copies.empty()) {
    const core::CopyRecord& first = snapshot.copies.front();
    return {false, fmt::format("dlscope made {} {}, the first of {} bytes from {} to {}: {}", snapshot.copies.size(),
                               snapshot.copies.size() == 1 ? "copy" : "copies", first.bytes, snapshot.str(first.from),
                               snapshot.str(first.to), snapshot.str(first.why))};
  }
  return {true, "the ledger of copies that dlscope made is empty"};
}

}  // namespace

Result<Expectation> parse_expectation(std::string_view text) {
  const auto words = words_of(text);
  const auto word = [&](std::size_t i) { return text.substr(words[i].begin, words[i].end - words[i].begin); };
  if (words.size() == 3 && word(0) == "dlscope" && word(1) == "copies" && word(2) == "nothing") {
    return Expectation{Expectation::Kind::copies_nothing, {}, {}, std::string{text}};
  }
  if (words.size() == 3) {
    if (const auto kind = kind_of(word(1))) return Expectation{*kind, name_in(word(0)), name_in(word(2)), std::string{text}};
  }
  return fail(ErrorKind::invalid, fmt::format("\"{}\" is not understood: {}", text, kForms));
}

std::string with_pythons_quotes(std::string_view name) {
  std::string out(name);
  for (std::size_t at = out.find("[\""); at != std::string::npos; at = out.find("[\"", at + 1)) {
    const std::size_t end = out.find("\"]", at + 2);
    if (end == std::string::npos || out.find_first_of("'\"\\", at + 2) != end) continue;
    out[at + 1] = out[end] = '\'';
  }
  return out;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (const Word word : words_of(text)) names.push_back(name_in(text.substr(word.begin, word.end - word.begin)));
  return names;
}

Verdict judge(const Expectation& expectation, const Snapshot* snapshot) {
  if (snapshot == nullptr) return {false, "nothing was scanned"};
  return expectation.kind == Expectation::Kind::copies_nothing ? judge_copies(*snapshot) : judge_pair(expectation, *snapshot);
}

}  // namespace dlscope::app
