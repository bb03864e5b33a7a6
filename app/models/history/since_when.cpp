#include "app/models/history/since_when.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/models/history/remembered_changes.h"
#include "app/models/history/tensor_trail.h"
#include "app/models/tensors/badges.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

using core::kNone32;
using core::Snapshot;
using core::TensorRecord;

constexpr std::size_t kNameLength = 40;

// A tensor in the excerpt of one moment.
struct Seen {
  std::uint32_t id = kNone32;  // its id there
  bool only_by_memory = false;
};

struct Fact {
  std::string message;  // its state there
  bool known = true;
  friend bool operator==(const Fact& a, const Fact& b) { return a.known == b.known && a.message == b.message; }
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
      return {"at " + grouped_address(tensor.address), core::has_known_address(tensor) && !core::is_copy_for_export(tensor)};
    case TensorFact::contiguity:
      return {contiguity_text(tensor.contiguity), tensor.has_layout && tensor.contiguity != core::Contiguity::unknown};
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

std::string title_and_time(const KeptMoment& moment) { return fmt::format("{} ({})", moment.title, moment.time); }

// The tensors in question, in one moment.
struct Place {
  KeptMomentPtr moment;
  TrackedIds ids;              // in that moment
  core::SnapshotPtr snapshot;  // an excerpt, as is `kept`
  RememberedMomentPtr kept;
  Seen seen, other;  // id kNone32: not listed there

  [[nodiscard]] const TensorRecord& tensor() const { return snapshot->tensors[seen.id]; }
};

// A fact that has been the same from the starting place back to the last one visited.
struct Following {
  Fact now;
  SinceWhen since;
  bool is_open = true;
};

// Goes back from moment to moment and follows all facts at the same time.
class Search {
 public:
  Search(const KeptMoments& moments, const RememberedMoments& remembered, const SinceWhenRequest& asked, TensorTrail& trail)
      : moments_(moments), remembered_(remembered), element_(asked.element), trail_(trail) {}

  // Empty when stopped. at: index of the starting moment.
  std::vector<SinceWhen> run(std::size_t at, const SinceWhenRequest& asked, const std::stop_token& stop) {
    const bool of_two = asked.other < moments_[at]->tensors && asked.other != asked.tensor;
    Place place = place_of(at, {.ids = {asked.tensor, of_two ? asked.other : kNone32}});
    const std::span<const std::int64_t> shape = place.snapshot->shape(place.tensor());
    shape_.assign(shape.begin(), shape.end());
    begin(place, of_two);
    while (at > 0 && std::ranges::any_of(facts_, &Following::is_open)) {
      const TensorTrail::Step step = trail_.back(*place.moment, place.ids, *moments_[at - 1], stop);
      if (stop.stop_requested()) return {};
      --at;
      if (step.ids.tensor == kNone32) break;
      Place before = place_of(at, step);
      for (Following& fact : facts_) {
        if (fact.is_open) this->step(fact, place, before);
      }
      place = std::move(before);
    }
    const bool is_first = at == 0 && place.moment == moments_.front();
    for (Following& fact : facts_) {
      if (!fact.is_open) continue;
      if (!is_first) fact.since.end = SinceWhen::End::not_listed;
      end(fact, place, is_first ? nullptr : moments_[at]);
    }
    std::vector<SinceWhen> out;
    for (Following& fact : facts_) out.push_back(std::move(fact.since));
    return out;
  }

 private:
  Place place_of(std::size_t at, const TensorTrail::Step& step) {
    const KeptMomentPtr& moment = moments_[at];
    const TensorExcerpt& excerpt = trail_.excerpt(*moment, step.ids);
    const auto kept = remembered_.find(moment->number);
    return {.moment = moment,
            .ids = step.ids,
            .snapshot = excerpt.snapshot,
            .kept = kept == remembered_.end() ? nullptr : remembered_excerpt(kept->second, step.ids.tensor, excerpt.tensor),
            .seen = {excerpt.tensor, step.tensor_only_by_memory},
            .other = {excerpt.other, step.other_only_by_memory}};
  }

  void begin(const Place& place, bool of_two) {
    constexpr TensorFact kFacts[] = {TensorFact::value,  TensorFact::nan,    TensorFact::bytes,      TensorFact::shares,
                                     TensorFact::listed, TensorFact::place,  TensorFact::contiguity, TensorFact::shape,
                                     TensorFact::dtype,  TensorFact::device, TensorFact::read_only};
    for (const TensorFact which : kFacts) {
      if (which == TensorFact::shares && !of_two) continue;
      if (which == TensorFact::value && !element_) continue;
      const auto now = fact_at(which, place);
      if (!now || !now->known) continue;
      Following following{.now = *now, .since = {}};
      following.since.fact = which;
      following.since.end = SinceWhen::End::first_kept;
      following.since.is = now->message;
      facts_.push_back(std::move(following));
    }
  }

  // Compares the fact with that in the previous place; if it differs, its series ends here.
  void step(Following& fact, const Place& place, const Place& before) const {
    SinceWhen& since = fact.since;
    const auto then = fact_at(since.fact, before);
    if (then && since.fact == TensorFact::place && before.moment->process != place.moment->process) {
      since.end = SinceWhen::End::other_process;
    } else if (then && since.fact == TensorFact::bytes && then->known) {
      const BytesCompared compared =
          compare_bytes(before.snapshot, before.kept, before.seen.id, place.snapshot, place.kept, place.seen.id);
      if (compared.result == BytesCompared::Result::same) return note_other_name(fact, before);
      since.end = compared.result == BytesCompared::Result::changed ? SinceWhen::End::different : SinceWhen::End::not_kept;
      since.was = compared.message;
      since.element = compared.first;
    } else if (then == fact.now) {
      return note_other_name(fact, before);
    } else if (then && is_of_bytes(since.fact) && !then->known) {
      since.end = SinceWhen::End::not_kept;
    } else {
      since.end = !then ? SinceWhen::End::not_listed : then->known ? SinceWhen::End::different : SinceWhen::End::unknown;
      if (then) since.was = then->message;
    }
    end(fact, place, before.moment);
  }

  void note_other_name(Following& fact, const Place& at) const {
    if (at.seen.only_by_memory || (fact.since.fact == TensorFact::shares && at.other.only_by_memory))
      fact.since.other_name = shortened_name(at.snapshot->name(at.tensor()), kNameLength);
  }

  // first: the oldest place of the series. before: the moment before that, or null.
  void end(Following& fact, const Place& first, const KeptMomentPtr& before) const {
    SinceWhen& since = fact.since;
    fact.is_open = false;
    since.first = first.moment->number;
    since.first_text = title_and_time(*first.moment);
    if (before) {
      since.before = before->number;
      since.before_text = title_and_time(*before);
    }
    if (is_of_bytes(since.fact)) say_where(since, first);
  }

  static bool is_of_bytes(TensorFact fact) {
    return fact == TensorFact::bytes || fact == TensorFact::nan || fact == TensorFact::value;
  }

  // Adds the element that shows the fact in the first moment, and how its bytes became known.
  void say_where(SinceWhen& out, const Place& first) const {
    const RememberedTensor* const tensor = first.kept ? first.kept->find(first.seen.id) : nullptr;
    const core::LayoutView layout = first.snapshot->layout(first.tensor());
    if (out.fact == TensorFact::nan && tensor != nullptr && tensor->values.nan > 0) {
      out.element = first_nan(first.snapshot, first.kept, first.seen.id);
      out.detail = specials_text(tensor->values) + " there";
      if (out.element) out.detail += ", the first NaN at " + index_text(layout, *out.element);
    }
    if (out.fact == TensorFact::value) {
      out.element = element_;
      out.is = fmt::format("{} is {}", index_text(layout, *element_), out.is);
    }
    if (tensor != nullptr && tensor->ran != RanMeanwhile::no)
      out.detail += (out.detail.empty() ? "" : "; ") + std::string(ran_text(tensor->ran));
  }

  // An element number means the same in tensors of one shape.
  [[nodiscard]] Fact remembered_fact(TensorFact fact, const Place& at) const {
    const RememberedTensor* const tensor = at.kept ? at.kept->find(at.seen.id) : nullptr;
    if (tensor == nullptr || (!tensor->bytes && !tensor->hashes)) return {"", false};
    if (fact == TensorFact::bytes) return {"its bytes are these", true};
    if (!tensor->bytes) return {"", false};
    if (fact == TensorFact::nan)
      return {tensor->values.nan > 0 ? "holds NaN" : "holds no NaN", tensor->values.method == core::StatisticsMethod::exact};
    if (!element_ || !std::ranges::equal(at.snapshot->shape(at.tensor()), shape_)) return {"", false};
    std::string value = value_text(*at.snapshot, at.kept, at.seen.id, *element_);
    const bool known = !value.empty();
    return {std::move(value), known};
  }

  // nullopt: the other tensor is not listed there.
  [[nodiscard]] std::optional<Fact> fact_at(TensorFact fact, const Place& at) const {
    if (is_of_bytes(fact)) return remembered_fact(fact, at);
    if (fact == TensorFact::shares && at.other.id == kNone32) return std::nullopt;
    return fact_of(fact, *at.snapshot, at.seen.id, at.other.id);
  }

  const KeptMoments& moments_;
  const RememberedMoments& remembered_;
  std::optional<std::uint64_t> element_;
  std::vector<std::int64_t> shape_;  // in the starting moment
  std::vector<Following> facts_;
  TensorTrail& trail_;
};

}  // namespace

TensorHistoryPtr find_since_when(const KeptMoments& moments, const SinceWhenRequest& asked,
                                     const RememberedMoments& remembered, const std::stop_token& stop, TensorTrail* trail) {
  auto out = std::make_shared<TensorHistory>();
  out->moment = asked.at;
  out->tensor = asked.tensor;
  out->other = asked.other;
  out->older_given_up = asked.older_given_up;
  const auto found = std::ranges::find(moments, asked.at, [](const KeptMomentPtr& m) { return m->number; });
  if (found == moments.end() || asked.tensor >= (*found)->tensors) return out;
  const auto place = static_cast<std::size_t>(found - moments.begin());
  out->moments = place + 1;
  TensorTrail fresh;
  TensorTrail& known = trail != nullptr ? *trail : fresh;
  const auto lock = known.lock();
  known.forget_before(moments.front()->number);
  out->facts = Search(moments, remembered, asked, known).run(place, asked, stop);
  return stop.stop_requested() ? nullptr : out;
}

std::string since_text(const TensorHistory& history, const SinceWhen& since) {
  std::string out;
  switch (since.end) {
    case SinceWhen::End::first_kept:
      out = history.older_given_up
                ? fmt::format("{} since before {}, the first moment that is still kept", since.is, since.first_text)
                : fmt::format("{} since {}, the first snapshot taken", since.is, since.first_text);
      break;
    case SinceWhen::End::different:
      out = since.fact == TensorFact::bytes
                ? fmt::format("{} since {}; against {} {}", since.is, since.first_text, since.before_text, since.was)
                : fmt::format("{} since {}; {} in {}", since.is, since.first_text, since.was, since.before_text);
      break;
    case SinceWhen::End::not_kept:
      out = fmt::format("{} since {}; what it held in {} was not remembered, or cannot be compared", since.is, since.first_text,
                        since.before_text);
      break;
    case SinceWhen::End::not_listed:
      out = fmt::format("{} since {}; not listed in {}", since.is, since.first_text, since.before_text);
      break;
    case SinceWhen::End::other_process:
      out = fmt::format("{} since {}; {} is of another Python, where an address says nothing", since.is, since.first_text,
                        since.before_text);
      break;
    case SinceWhen::End::unknown:
      out = fmt::format("{} since {}; in {} it is not known", since.is, since.first_text, since.before_text);
      break;
  }
  if (!since.detail.empty()) out += "; " + since.detail;
  if (!since.other_name.empty()) out += fmt::format("; listed as {} then, at the same address", since.other_name);
  return out;
}

}  // namespace dlscope::app
