#include "app/cli/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/report/report.h"
#include "core/sharing/overlap.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Overlap;
using core::Relation;
using core::Result;
using core::Snapshot;
using core::TensorRecord;

namespace {

constexpr const char* kForms = R"(expected "x shares y", "x identical y", "x disjoint y" or "no copies")";

struct Word {
  std::size_t begin, end;
};

// Words separated by blanks; blanks inside brackets and quotes separate nothing.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  int depth = 0;
  char quote = '\0';
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = (c == ' ' || c == '\t') && depth == 0 && quote == '\0';
    if (!blank && !inside) words.push_back({i, i});
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

std::string place(const TensorRecord& tensor, const std::string& name) {
  return fmt::format("{} [{}, {})", name, core::hex(tensor.extent.begin), core::hex(tensor.extent.end));
}

bool pairs_cut_short(const Snapshot& snapshot) {
  return std::any_of(snapshot.limits.begin(), snapshot.limits.end(), [&](const core::LimitRecord& limit) {
    return limit.reached && snapshot.str(limit.what).find("pair") != std::string_view::npos;
  });
}

// A struct that lies about its size proves nothing about bytes.
bool extent_unreadable(const Snapshot& snapshot, const TensorRecord& tensor) {
  const auto remarks = Snapshot::slice(snapshot.remarks, tensor.remarks);
  return std::any_of(remarks.begin(), remarks.end(),
                     [](const core::RemarkRecord& remark) { return remark.code == core::RemarkCode::extent_unreadable; });
}

// What the snapshot says about two different tensors; only when its list of pairs was cut short is it worked out again.
Overlap relation_between(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  const auto key = std::minmax(a, b);
  const auto pair =
      std::lower_bound(snapshot.pairs.begin(), snapshot.pairs.end(), key, [](const core::PairRecord& record, const auto& wanted) {
        return std::pair{record.a, record.b} < std::pair{wanted.first, wanted.second};
      });
  if (pair != snapshot.pairs.end() && pair->a == key.first && pair->b == key.second) {
    Overlap overlap{.relation = pair->relation, .method = pair->method, .shared_bytes = std::nullopt, .witness = std::nullopt};
    if (pair->shared_bytes != core::kUnknown64) overlap.shared_bytes = pair->shared_bytes;
    return overlap;
  }
  const TensorRecord& first = snapshot.tensors[a];
  const TensorRecord& second = snapshot.tensors[b];
  if (!pairs_cut_short(snapshot) || first.space != second.space || !first.extent.meets(second.extent)) {
    return {.relation = Relation::disjoint, .method = core::OverlapMethod::extent, .shared_bytes = 0, .witness = std::nullopt};
  }
  if (extent_unreadable(snapshot, first) || extent_unreadable(snapshot, second)) {
    return {.relation = Relation::unknown,
            .method = core::OverlapMethod::extent,
            .shared_bytes = std::nullopt,
            .witness = std::nullopt};
  }
  return core::overlap(snapshot.memory_view(first), snapshot.memory_view(second));
}

// Why nothing can be said about where a tensor's bytes are; nullopt when something can.
std::optional<std::string> unknown_place(const TensorRecord& tensor, const std::string& name) {
  if (!tensor.has_metadata) return "nothing is known about " + name + ": every protocol refused it";
  if (!tensor.has_layout) return "the layout of " + name + " is unusable";
  if (tensor.elements == 0) return std::nullopt;
  if (tensor.space == core::kNoSpace) return name + " has no address: it lies behind a handle";
  if (tensor.extent.empty()) return name + " has elements but a NULL data pointer";
  return std::nullopt;
}

Verdict judge_pair(const Expectation& expectation, const Snapshot& snapshot) {
  const TensorRecord* a = snapshot.find(expectation.a);
  const TensorRecord* b = snapshot.find(expectation.b);
  if (a == nullptr) return {false, "no tensor is named " + expectation.a};
  if (b == nullptr) return {false, "no tensor is named " + expectation.b};
  for (const auto& [tensor, name] : {std::pair{a, &expectation.a}, std::pair{b, &expectation.b}}) {
    if (auto why = unknown_place(*tensor, *name)) return {false, "unknown: " + *why};
  }
  const std::string places = place(*a, expectation.a) + " and " + place(*b, expectation.b);
  Overlap overlap;
  if (a == b) {
    overlap = {.relation = a->extent.empty() ? Relation::disjoint : Relation::identical,
               .method = core::OverlapMethod::layout,
               .shared_bytes = a->distinct_bytes,
               .witness = std::nullopt};
  } else {
    overlap = relation_between(snapshot, static_cast<std::uint32_t>(a - snapshot.tensors.data()),
                               static_cast<std::uint32_t>(b - snapshot.tensors.data()));
  }
  if (!overlap.shared_bytes || overlap.relation == Relation::unknown) {
    const bool unreadable = extent_unreadable(snapshot, *a) || extent_unreadable(snapshot, *b);
    return {false, places + (unreadable ? ": unknown, not all of it is memory that can be read"
                                        : ": unknown, the comparison was over its budget")};
  }
  std::string evidence = fmt::format("{}: {}, {} shared bytes (by {})", places, core::relation_name(overlap.relation),
                                     *overlap.shared_bytes, core::overlap_method_name(overlap.method));
  if (a == b) evidence += "; one tensor by two names";
  if (a->extent.empty() || b->extent.empty()) evidence += "; an empty tensor has no bytes";
  if (a->space != b->space) evidence += "; they lie in different memories";
  switch (expectation.kind) {
    case Expectation::Kind::shares:
      return {*overlap.shared_bytes > 0, std::move(evidence)};
    case Expectation::Kind::identical:
      return {overlap.relation == Relation::identical, std::move(evidence)};
    case Expectation::Kind::disjoint:
      return {*overlap.shared_bytes == 0, std::move(evidence)};
    case Expectation::Kind::no_copies:
      break;
  }
  return {false, std::move(evidence)};
}

Verdict judge_copies(const Snapshot& snapshot) {
  if (!snapshot.copies.empty()) {
    const core::CopyRecord& first = snapshot.copies.front();
    return {false, fmt::format("{} copies, the first {} bytes from {} to {}: {}", snapshot.copies.size(), first.bytes,
                               snapshot.str(first.from), snapshot.str(first.to), snapshot.str(first.why))};
  }
  for (const TensorRecord& tensor : snapshot.tensors) {
    if (tensor.is_copied == core::Tri::yes)
      return {false, fmt::format("{} says that it was copied (IS_COPIED)", snapshot.name(tensor))};
  }
  return {true, fmt::format("dlscope copied nothing, and none of {} tensors is marked as copied", snapshot.tensors.size())};
}

}  // namespace

Result<Expectation> parse_expectation(std::string_view text) {
  const auto words = words_of(text);
  const auto word = [&](std::size_t i) { return text.substr(words[i].begin, words[i].end - words[i].begin); };
  if (words.size() == 2 && word(0) == "no" && word(1) == "copies") {
    return Expectation{Expectation::Kind::no_copies, {}, {}, std::string{text}};
  }
  if (words.size() == 3) {
    if (const auto kind = kind_of(word(1)))
      return Expectation{*kind, std::string{word(0)}, std::string{word(2)}, std::string{text}};
  }
  return fail(ErrorKind::invalid, fmt::format("\"{}\" is not understood: {}", text, kForms));
}

Verdict judge(const Expectation& expectation, const Snapshot* snapshot) {
  if (snapshot == nullptr) return {false, "nothing was scanned"};
  return expectation.kind == Expectation::Kind::no_copies ? judge_copies(*snapshot) : judge_pair(expectation, *snapshot);
}

}  // namespace dlscope::app
