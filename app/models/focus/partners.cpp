#include "app/models/focus/partners.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/models/focus/focus_words.h"
#include "app/models/jobs/budgets.h"
#include "app/models/tensors/sharing_words.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;

std::string name_of(const SnapshotIndex& index, std::uint32_t id) {
  const auto name = index.snapshot->name(index.tensor(id));
  return name.empty() ? fmt::format("tensor {}", id) : shortened(name, kNameLength);
}

Tone tone_of(const core::PairRecord& pair) {
  if (shares_bytes(pair)) return Tone::accent;
  return pair.relation == core::Relation::unknown ? Tone::unknown : Tone::dim;
}

std::string evidence_of(const SnapshotIndex& index, const core::PairRecord& pair, std::uint32_t self) {
  if (!shares_bytes(pair)) return {};
  const std::uint32_t other = partner_of(pair, self);
  const auto element = [&](std::uint32_t id) {
    return name_of(index, id) + index_text(index.snapshot->layout(index.tensor(id)), id == pair.a ? pair.a_flat : pair.b_flat);
  };
  return fmt::format("Lowest common byte {}: {} and {}.", grouped_address(pair.witness), element(self), element(other));
}

Partner words_of(const SnapshotIndex& index, const core::PairRecord& pair, std::uint32_t self) {
  Partner out;
  out.tensor = partner_of(pair, self);
  out.name = name_of(index, out.tensor);
  out.sentence = relation_sentence(*index.snapshot, pair, self);
  out.consequence = consequence_sentence(*index.snapshot, pair, self);
  if (pair.shared_bytes == core::kUnknown64)
    out.bytes = "unknown";
  else if (pair.shared_bytes > 0)
    out.bytes = human_bytes(pair.shared_bytes);
  out.evidence = evidence_of(index, pair, self);
  out.method = pair.relation == core::Relation::unknown ? std::string() : method_sentence(pair.method);
  if (shares_bytes(pair)) out.witness = focus_on(index, self, self == pair.a ? pair.a_flat : pair.b_flat);
  out.tone = tone_of(pair);
  return out;
}

const core::PairRecord* find_pair(const SnapshotIndex& index, std::uint32_t a, std::uint32_t b) {
  const auto& pairs = index.snapshot->pairs;
  const std::pair wanted(std::min(a, b), std::max(a, b));
  const auto found = std::ranges::lower_bound(pairs, wanted, {}, [](const core::PairRecord& p) { return std::pair(p.a, p.b); });
  return found != pairs.end() && std::pair(found->a, found->b) == wanted ? &*found : nullptr;
}

bool pairs_cut_short(const SnapshotIndex& index) {
  const auto cut = [&](const core::LimitRecord& l) { return l.reached && index.snapshot->str(l.what) == "pairs"; };
  return std::ranges::any_of(index.snapshot->limits, cut);
}

std::string lie_apart(const core::TensorRecord& a, const core::TensorRecord& b) {
  const bool a_first = a.extent.begin < b.extent.begin;
  const std::uint64_t gap = a_first ? b.extent.begin - a.extent.end : a.extent.begin - b.extent.end;
  return gap == 0 ? "one begins where the other ends" : fmt::format("{} lie between them", human_bytes(gap));
}

// A pair that is not listed, though both have bytes in one space whose extents meet: the list was cut short.
Comparison compare_bytes(const SnapshotIndex& index, std::uint32_t a, std::uint32_t b) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::Overlap overlap =
      core::overlap(snapshot.memory_view(index.tensor(a)), snapshot.memory_view(index.tensor(b)), budget_per_click());
  core::PairRecord pair;
  pair.a = a;
  pair.b = b;
  pair.relation = overlap.relation;
  pair.method = overlap.method;
  pair.shared_bytes = overlap.shared_bytes.value_or(core::kUnknown64);
  return {relation_sentence(snapshot, pair, a),
          overlap.relation == core::Relation::unknown
              ? std::string()
              : consequence_sentence(snapshot, pair, a) + " " + method_sentence(pair.method),
          tone_of(pair)};
}

}  // namespace

Partners partners_of_tensor(const SnapshotIndex& index, std::uint32_t tensor, std::size_t most) {
  Partners out;
  const auto pairs = index.pairs_of(tensor);
  for (const std::uint32_t id : pairs.first(std::min(most, pairs.size())))
    out.list.push_back(words_of(index, index.pair(id), tensor));
  out.not_listed = pairs.size() - out.list.size();
  out.cut_short = pairs_cut_short(index);
  return out;
}

Comparison compare_tensors(const SnapshotIndex& index, std::uint32_t a, std::uint32_t b) {
  if (const core::PairRecord* pair = find_pair(index, a, b)) {
    const Partner words = words_of(index, *pair, a);
    std::string detail = words.consequence;
    for (const std::string* more : {&words.evidence, &words.method}) {
      if (!more->empty()) detail += (detail.empty() ? "" : " ") + *more;
    }
    return {words.sentence, detail, words.tone};
  }
  const core::TensorRecord& x = index.tensor(a);
  const core::TensorRecord& y = index.tensor(b);
  const std::string both = fmt::format("“{}” and “{}”", name_of(index, a), name_of(index, b));
  if (!x.has_layout || !y.has_layout)
    return {fmt::format("Whether {} share bytes is unknown: “{}” was not described.", both, name_of(index, x.has_layout ? b : a)),
            {},
            Tone::unknown};
  if (x.elements == 0 || y.elements == 0)
    return {fmt::format("{} share nothing: “{}” has no elements.", both, name_of(index, x.elements == 0 ? a : b)), {}, Tone::dim};
  if (x.space == core::kNoSpace || y.space == core::kNoSpace)
    return {fmt::format("Whether {} share bytes is unknown: memory behind a handle has no address to compare.", both),
            {},
            Tone::unknown};
  if (x.space != y.space)
    return {fmt::format("{} share nothing: one lies on {}, the other on {}.", both, core::device_name(x.device),
                        core::device_name(y.device)),
            {},
            Tone::dim};
  if (x.extent.empty() || y.extent.empty())
    return {fmt::format("Whether {} share bytes is unknown: one of them has a NULL pointer.", both), {}, Tone::unknown};
  if (!x.extent.meets(y.extent)) return {fmt::format("{} share nothing: {}.", both, lie_apart(x, y)), {}, Tone::dim};
  if (!x.readable || !y.readable)
    return {fmt::format("Whether {} share bytes is unknown: not all of their memory can be read.", both), {}, Tone::unknown};
  return compare_bytes(index, a, b);
}

}  // namespace dlscope::app
