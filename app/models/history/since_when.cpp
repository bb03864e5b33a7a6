#include "app/models/history/since_when.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/models/history/remembered_changes.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/same_tensor.h"
#include "app/models/text/format.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

using core::kNone32;
using core::Snapshot;
using core::TensorRecord;

constexpr std::size_t kNameLength = 40;

// One tensor in one moment.
struct Seen {
  std::uint32_t id = kNone32;
  bool only_by_memory = false;
};

// The first of these names that is known there. Linear in the names of the snapshot, without an index of all of them: one tensor is
// looked for, in each of many moments.
std::uint32_t find_by_name(const Snapshot& snapshot, const Snapshot& from, const TensorRecord& tensor) {
  const auto names = Snapshot::slice(from.names, tensor.names);
  std::size_t best = names.size();
  std::uint32_t found = kNone32;
  for (std::uint32_t id = 0; id < snapshot.tensors.size() && best > 0; ++id) {
    for (const core::TextRef name : Snapshot::slice(snapshot.names, snapshot.tensors[id].names)) {
      const std::string_view text = snapshot.str(name);
      for (std::size_t i = 0; i < best; ++i) {
        if (names[i].length != text.size() || from.str(names[i]) != text) continue;
        best = i;
        found = id;
        break;
      }
    }
  }
  return found;
}

// Where it lay in the moment before, under names that the later moment does not know at all.
std::uint32_t find_by_memory(const Snapshot& before, const Snapshot& now, const TensorRecord& tensor) {
  for (std::uint32_t id = 0; id < before.tensors.size(); ++id) {
    const TensorRecord& candidate = before.tensors[id];
    if (candidate.address != tensor.address || !same_place(before, candidate, now, tensor)) continue;
    if (find_by_name(now, before, candidate) == kNone32) return id;
  }
  return kNone32;
}

// The tensor in every moment from `at` back to where it is not listed: [0] is `at`.
std::vector<Seen> follow_back(const KeptMoments& moments, std::size_t at, std::uint32_t tensor, const std::stop_token& stop) {
  std::vector<Seen> out{{tensor, false}};
  for (std::size_t i = at; i-- > 0 && !stop.stop_requested();) {
    const Snapshot &now = *moments[i + 1]->snapshot, &before = *moments[i]->snapshot;
    const TensorRecord& record = now.tensors[out.back().id];
    Seen seen{find_by_name(before, now, record), false};
    if (seen.id == kNone32 && moments[i]->process == moments[i + 1]->process) seen = {find_by_memory(before, now, record), true};
    if (seen.id == kNone32) break;
    out.push_back(seen);
  }
  return out;
}

struct Fact {
  std::string words;  // what it is there
  bool known = true;
  friend bool operator==(const Fact& a, const Fact& b) { return a.known == b.known && a.words == b.words; }
};

Fact sharing_fact(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  if (a == b) return {"is the same object", true};
  const core::PairRecord pair = core::relation_between(snapshot, a, b);
  if (pair.shared_bytes == core::kUnknown64) return {"", false};
  return {pair.shared_bytes == 0 ? "shares nothing" : "shares bytes", true};
}

const char* tri_word(core::Tri tri) { return tri == core::Tri::yes ? "read-only" : "writable"; }

Fact fact_of(TensorFact fact, const Snapshot& snapshot, std::uint32_t id, std::uint32_t other) {
  const TensorRecord& tensor = snapshot.tensors[id];
  if (fact == TensorFact::listed) return {"listed", true};
  if (fact == TensorFact::shares) return sharing_fact(snapshot, id, other);
  if (!tensor.has_metadata) return {"", false};
  switch (fact) {
    case TensorFact::place:
      return {"at " + grouped_address(tensor.address), core::has_known_address(tensor)};
    case TensorFact::contiguity:
      return {contiguity_words(tensor.contiguity), tensor.has_layout && tensor.contiguity != core::Contiguity::unknown};
    case TensorFact::shape:
      return {
          shape_text(snapshot.shape(tensor)) + (tensor.has_layout ? ", strides " + strides_text(snapshot.layout(tensor)) : ""),
          tensor.has_layout};
    case TensorFact::dtype:
      return {snapshot.dtype_name(tensor), true};
    case TensorFact::device:
      return {"on " + core::device_name(tensor.device), true};
    case TensorFact::read_only:
      return {tri_word(tensor.read_only), tensor.read_only != core::Tri::unknown};
    default:
      break;
  }
  return {"", false};
}

std::string words_of(const KeptMoment& moment) { return fmt::format("{} ({})", moment_title(*moment.snapshot), moment.time); }

class Search {
 public:
  Search(const KeptMoments& moments, const RememberedMoments& remembered, std::size_t at, std::vector<Seen> seen, std::vector<Seen> other,
         std::optional<std::uint64_t> element)
      : moments_(moments), remembered_(remembered), at_(at), seen_(std::move(seen)), other_(std::move(other)), element_(element) {}

  // nullopt: it is not known here.
  [[nodiscard]] std::optional<SinceWhen> since(TensorFact fact) const {
    const auto now = fact_at(fact, 0);
    if (!now || !now->known || (fact == TensorFact::value && !element_)) return std::nullopt;
    const bool of_bytes = fact == TensorFact::bytes || fact == TensorFact::nan || fact == TensorFact::value;
    SinceWhen out{.fact = fact,
                  .end = SinceWhen::End::first_kept,
                  .is = now->words,
                  .was = {},
                  .first_words = {},
                  .before_words = {},
                  .other_name = {},
                  .detail = {},
                  .element = {}};
    std::size_t back = 0;  // how many moments before `at`
    while (true) {
      if (seen_[back].only_by_memory || (fact == TensorFact::shares && other_[back].only_by_memory))
        out.other_name = name_at(back);
      if (back == at_) break;
      const auto then = fact_at(fact, back + 1);
      if (then && fact == TensorFact::place && moment(back + 1).process != moment(back).process) {
        out.end = SinceWhen::End::other_process;
        break;
      }
      if (fact == TensorFact::bytes && then && then->known) {
        const BytesCompared compared = bytes_changed_at(back);
        if (compared.result == BytesCompared::Result::same) {
          ++back;
          continue;
        }
        const bool changed = compared.result == BytesCompared::Result::changed;
        out.end = changed ? SinceWhen::End::different : SinceWhen::End::not_kept;
        out.was = compared.words;
        out.element = compared.first;
        break;
      }
      if (then == now) {
        ++back;
        continue;
      }
      if (of_bytes && then && !then->known) {
        out.end = SinceWhen::End::not_kept;
        break;
      }
      out.end = !then ? SinceWhen::End::not_listed : then->known ? SinceWhen::End::different : SinceWhen::End::unknown;
      if (then) out.was = then->words;
      break;
    }
    out.first = moment(back).number;
    out.first_words = words_of(moment(back));
    if (back < at_) {
      out.before = moment(back + 1).number;
      out.before_words = words_of(moment(back + 1));
    }
    if (of_bytes) say_where(out, back);
    return out;
  }

 private:
  [[nodiscard]] RememberedMomentPtr kept_at(std::size_t back) const {
    const auto found = remembered_.find(moment(back).number);
    return found == remembered_.end() ? nullptr : found->second;
  }
  // Between the moment before and this one.
  [[nodiscard]] BytesCompared bytes_changed_at(std::size_t back) const {
    return compare_bytes(moment(back + 1).snapshot, kept_at(back + 1), seen_[back + 1].id, moment(back).snapshot, kept_at(back), seen_[back].id);
  }
  // Where in the first moment it is to be seen, and how its bytes came to be known.
  void say_where(SinceWhen& out, std::size_t back) const {
    const Snapshot& snapshot = *moment(back).snapshot;
    const std::uint32_t id = seen_[back].id;
    const RememberedMomentPtr kept = kept_at(back);
    if (out.fact == TensorFact::nan && kept && kept->find(id)->values.nan > 0) {
      out.element = first_nan(moment(back).snapshot, kept, id);
      out.detail = specials_words(kept->find(id)->values) + " there";
      if (out.element) out.detail += ", the first NaN at " + index_text(snapshot.layout(snapshot.tensors[id]), *out.element);
    }
    if (out.fact == TensorFact::value) {
      out.element = element_;
      out.is = fmt::format("{} is {}", index_text(snapshot.layout(snapshot.tensors[id]), *element_), out.is);
    }
    const RememberedTensor* const tensor = kept ? kept->find(id) : nullptr;
    if (tensor != nullptr && tensor->ran != RanMeanwhile::no)
      out.detail += (out.detail.empty() ? "" : "; ") + std::string(ran_words(tensor->ran));
  }
  // The same element means the same in tensors of one shape.
  [[nodiscard]] Fact remembered_fact(TensorFact fact, std::size_t back) const {
    const RememberedMomentPtr kept = kept_at(back);
    const std::uint32_t id = seen_[back].id;
    const RememberedTensor* const tensor = kept ? kept->find(id) : nullptr;
    if (tensor == nullptr || (!tensor->bytes && !tensor->hashes)) return {"", false};
    if (fact == TensorFact::bytes) return {"its bytes are these", true};
    if (!tensor->bytes) return {"", false};
    if (fact == TensorFact::nan)
      return {tensor->values.nan > 0 ? "holds NaN" : "holds no NaN", tensor->values.method == core::StatisticsMethod::exact};
    const Snapshot &snapshot = *moment(back).snapshot, &now = *moment(0).snapshot;
    if (!element_ || !std::ranges::equal(snapshot.shape(snapshot.tensors[id]), now.shape(now.tensors[seen_[0].id]))) return {"", false};
    std::string value = value_words(snapshot, kept, id, *element_);
    const bool known = !value.empty();
    return {std::move(value), known};
  }
  [[nodiscard]] const KeptMoment& moment(std::size_t back) const { return *moments_[at_ - back]; }
  [[nodiscard]] std::string name_at(std::size_t back) const {
    const Snapshot& snapshot = *moment(back).snapshot;
    return shortened(snapshot.name(snapshot.tensors[seen_[back].id]), kNameLength);
  }
  // nullopt: it is not listed there.
  [[nodiscard]] std::optional<Fact> fact_at(TensorFact fact, std::size_t back) const {
    if (back >= seen_.size()) return std::nullopt;
    if (fact == TensorFact::bytes || fact == TensorFact::nan || fact == TensorFact::value) return remembered_fact(fact, back);
    const bool of_two = fact == TensorFact::shares;
    if (of_two && back >= other_.size()) return std::nullopt;
    return fact_of(fact, *moment(back).snapshot, seen_[back].id, of_two ? other_[back].id : kNone32);
  }

  const KeptMoments& moments_;
  const RememberedMoments& remembered_;
  std::size_t at_;
  std::vector<Seen> seen_, other_;
  std::optional<std::uint64_t> element_;
};

}  // namespace

TensorHistoryPtr look_for_since_when(const KeptMoments& moments, const SinceWhenRequest& asked, const RememberedMoments& remembered,
                                     const std::stop_token& stop) {
  const auto [at, tensor, other, element, older_given_up] = asked;
  auto out = std::make_shared<TensorHistory>();
  out->moment = at;
  out->tensor = tensor;
  out->other = other;
  out->older_given_up = older_given_up;
  const auto found = std::ranges::find(moments, at, [](const KeptMomentPtr& m) { return m->number; });
  if (found == moments.end() || tensor >= (*found)->snapshot->tensors.size()) return out;
  const auto place = static_cast<std::size_t>(found - moments.begin());
  out->moments = place + 1;
  const bool of_two = other != tensor && other < (*found)->snapshot->tensors.size();
  const Search search(moments, remembered, place, follow_back(moments, place, tensor, stop),
                      of_two ? follow_back(moments, place, other, stop) : std::vector<Seen>(), element);
  constexpr TensorFact kFacts[] = {TensorFact::value,  TensorFact::nan,    TensorFact::bytes,      TensorFact::shares,
                                   TensorFact::listed, TensorFact::place,  TensorFact::contiguity, TensorFact::shape,
                                   TensorFact::dtype,  TensorFact::device, TensorFact::read_only};
  for (const TensorFact fact : kFacts) {
    if (stop.stop_requested()) return nullptr;
    if (fact == TensorFact::shares && !of_two) continue;
    if (auto since = search.since(fact)) out->facts.push_back(std::move(*since));
  }
  return out;
}

std::string since_words(const TensorHistory& history, const SinceWhen& since) {
  std::string out;
  switch (since.end) {
    case SinceWhen::End::first_kept:
      out = history.older_given_up
                ? fmt::format("{} since before {}, the first moment that is still kept", since.is, since.first_words)
                : fmt::format("{} since {}, the first look that was taken", since.is, since.first_words);
      break;
    case SinceWhen::End::different:
      out = since.fact == TensorFact::bytes
                ? fmt::format("{} since {}; against {} {}", since.is, since.first_words, since.before_words, since.was)
                : fmt::format("{} since {}; {} in {}", since.is, since.first_words, since.was, since.before_words);
      break;
    case SinceWhen::End::not_kept:
      out = fmt::format("{} since {}; what it held in {} was not remembered, or cannot be compared", since.is, since.first_words,
                        since.before_words);
      break;
    case SinceWhen::End::not_listed:
      out = fmt::format("{} since {}; not listed in {}", since.is, since.first_words, since.before_words);
      break;
    case SinceWhen::End::other_process:
      out = fmt::format("{} since {}; {} is of another Python, where an address says nothing", since.is, since.first_words,
                        since.before_words);
      break;
    case SinceWhen::End::unknown:
      out = fmt::format("{} since {}; in {} it is not known", since.is, since.first_words, since.before_words);
      break;
  }
  if (!since.detail.empty()) out += "; " + since.detail;
  if (!since.other_name.empty()) out += fmt::format("; listed as {} then, at the same address", since.other_name);
  return out;
}

}  // namespace dlscope::app
