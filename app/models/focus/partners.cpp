#include "app/models/focus/partners.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/focus/focus_text.h"
#include "app/models/jobs/budgets.h"
#include "app/models/tensors/device_doubt.h"
#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;

std::string name_of(const SnapshotIndex& index, std::uint32_t id) {
  const auto name = index.snapshot->name(index.tensor(id));
  return name.empty() ? fmt::format("tensor {}", id) : shortened_name(name, kNameLength);
}

Tone tone_of(const core::PairRecord& pair) {
  if (shares_bytes(pair)) return Tone::accent;
  return pair.relation == core::Relation::unknown ? Tone::unknown : Tone::dim;
}

std::string evidence_of(const SnapshotIndex& index, const core::PairRecord& pair, std::uint32_t self,
                        const std::optional<core::WitnessElements>& elements) {
  if (!shares_bytes(pair)) return {};
  std::string byte = "Lowest common byte " + grouped_address(pair.witness);
  if (const core::Address in_b = core::witness_in(*index.snapshot, pair, pair.b); in_b != pair.witness)
    byte += fmt::format(", which {} has at {}: the page is mapped at both addresses", name_of(index, pair.b), grouped_address(in_b));
  if (!elements) return byte + ".";
  const std::uint32_t other = partner_of(pair, self);
  const auto element = [&](std::uint32_t id) {
    return name_of(index, id) + index_text(index.snapshot->layout(index.tensor(id)), id == pair.a ? elements->a : elements->b);
  };
  return fmt::format("{}: {} and {}.", byte, element(self), element(other));
}

Partner describe_partner(const SnapshotIndex& index, const core::PairRecord& pair, std::uint32_t self) {
  Partner out;
  out.tensor = partner_of(pair, self);
  out.name = name_of(index, out.tensor);
  out.sentence = relation_sentence(*index.snapshot, pair, self);
  out.consequence = consequence_sentence(*index.snapshot, pair, self);
  if (pair.shared_bytes == core::kUnknown64)
    out.bytes = "unknown";
  else if (pair.shared_bytes > 0)
    out.bytes = human_bytes(pair.shared_bytes);
  const auto elements = core::witness_elements(*index.snapshot, pair, budget_per_frame());
  out.evidence = evidence_of(index, pair, self, elements);
  out.method = method_sentence(*index.snapshot, pair);
  if (elements) {
    out.witness = focus_on(index, self, self == pair.a ? elements->a : elements->b);
  } else if (shares_bytes(pair)) {
    const core::Address byte = core::witness_in(*index.snapshot, pair, self);
    out.witness = {.tensor = self, .element = {}, .space = index.tensor(self).space, .bytes = {byte, byte + 1}};
  }
  out.tone = tone_of(pair);
  return out;
}

std::string title_of(const SnapshotIndex& index, std::uint32_t id, std::uint64_t partners) {
  const std::string who = fmt::format("“{}”", name_of(index, id));
  std::string title = partners == 0 ? unpaired_sentence(index, id, who)
                                    : fmt::format("{} meets {} in memory.", who, counted(partners, "tensor", "tensors"));
  if (partners > 0 && index.missing_pairs_of(id) != core::UnknownWhy::none)
    title += " " + cut_short_sentence(*index.snapshot) + " There may be more.";
  if (const std::string elsewhere = meets_elsewhere_sentence(index, id, who); !elsewhere.empty()) title += " " + elsewhere;
  return title;
}

std::string lie_apart(const core::TensorRecord& a, const core::TensorRecord& b) {
  const bool a_first = a.extent.begin < b.extent.begin;
  const std::uint64_t gap = a_first ? b.extent.begin - a.extent.end : a.extent.begin - b.extent.end;
  return gap == 0 ? "one begins where the other ends" : fmt::format("there are {} between them", human_bytes(gap));
}

// Why two tensors whose extents do not meet share nothing.
std::string apart_text(const SnapshotIndex& index, std::uint32_t a, std::uint32_t b) {
  const core::TensorRecord& x = index.tensor(a);
  const core::TensorRecord& y = index.tensor(b);
  if (x.elements == 0 || y.elements == 0) return fmt::format("“{}” has no elements", name_of(index, x.elements == 0 ? a : b));
  if (x.space != y.space)
    return fmt::format("one lies on {}, the other on {}", core::device_name(x.device), core::device_name(y.device));
  return lie_apart(x, y);
}

}  // namespace

Partners partners_of_tensor(const SnapshotIndex& index, std::uint32_t tensor, std::size_t most) {
  Partners out;
  const auto pairs = index.pairs_of(tensor);
  for (const std::uint32_t id : pairs.first(std::min(most, pairs.size())))
    out.list.push_back(describe_partner(index, index.pair(id), tensor));
  out.not_listed = pairs.size() - out.list.size();
  out.title = title_of(index, tensor, pairs.size());
  return out;
}

Comparison compare_tensors(const SnapshotIndex& index, std::uint32_t a, std::uint32_t b) {
  const core::PairRecord pair = core::relation_between(*index.snapshot, a, b, budget_per_click());
  if (pair.relation == core::Relation::disjoint) {
    return {fmt::format("“{}” and “{}” share nothing: {}.", name_of(index, a), name_of(index, b), apart_text(index, a, b)),
            {},
            Tone::dim};
  }
  const Partner partner = describe_partner(index, pair, a);
  std::string detail = partner.consequence;
  for (const std::string* more : {&partner.evidence, &partner.method}) {
    if (!more->empty()) detail += (detail.empty() ? "" : " ") + *more;
  }
  return {partner.sentence, detail, partner.tone};
}

}  // namespace dlscope::app
