#include "app/models/history/remembered_changes.h"
#include "app/models/history/snapshot_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "app/models/tensors/badges.h"
#include "app/models/tensors/run_marks.h"
#include "app/models/tensors/same_tensor.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/base/utf8_text.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

using core::kNone32;
using core::PairRecord;
using core::Snapshot;
using core::TensorRecord;

constexpr std::uint32_t kStopEvery = 4096;
constexpr std::size_t kMaxPartners = 3, kNameLength = 40;

enum class Shares : std::uint8_t { no, yes, unknown };

// Without comparing anything: there may be very many pairs.
Shares shares(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  const auto known = core::known_relation(snapshot, a, b);
  if (!known) return snapshot.info.missing_pairs == core::UnknownWhy::none ? Shares::no : Shares::unknown;
  if (known->shared_bytes == core::kUnknown64) return Shares::unknown;
  return known->shared_bytes > 0 ? Shares::yes : Shares::no;
}

// Whether exactly one of the two is dense (contiguous in some order). Other changes of the contiguity flags mean nothing when the
// number of axes differs.
bool other_density(const TensorRecord& was, const TensorRecord& is) {
  return core::is_dense(was.contiguity) != core::is_dense(is.contiguity);
}

class Finder {
 public:
  Finder(SnapshotDifferences& out, const RememberedMoments& remembered, const std::stop_token& stop)
      : out_(out), remembered_(remembered), before_(*out.before_snapshot), now_(*out.now_snapshot), stop_(stop) {}

  bool find() {
    matches_ = match_tensors(before_, now_, out_.same_process, stop_);
    changes_.resize(now_.tensors.size());
    for (std::uint32_t id = 0; id < now_.tensors.size(); ++id) {
      if (id % kStopEvery == 0 && stop_.stop_requested()) return false;
      changes_[id] = changes_of(id);
    }
    count_values();
    compare_remembered();
    find_begun();
    find_ended();
    if (stop_.stop_requested()) return false;
    keep_sharing();
    list();
    return true;
  }

 private:
  [[nodiscard]] ChangeSet changes_of(std::uint32_t id) const {
    ChangeSet set;
    const auto note = [&set](Change change, bool is_so) { set.set(static_cast<std::size_t>(change), is_so); };
    const std::uint32_t old = matches_.was[id];
    if (old == kNone32) {
      note(Change::fresh, true);
      return set;
    }
    note(Change::renamed, matches_.only_by_memory[id]);
    const TensorRecord &was = before_.tensors[old], &is = now_.tensors[id];
    note(Change::access, was.has_metadata != is.has_metadata || was.readable != is.readable || was.protocol != is.protocol ||
                             was.read_only != is.read_only);
    if (!was.has_metadata || !is.has_metadata) return set;
    const bool grown = was.nbytes < is.nbytes && is.nbytes != core::kUnknown64;
    const bool shrunk = is.nbytes < was.nbytes && was.nbytes != core::kUnknown64;
    const bool same_shape = std::ranges::equal(before_.shape(was), now_.shape(is));
    const bool other_strides = was.has_layout && is.has_layout && same_shape &&
                               !std::ranges::equal(before_.stride_bits(was), now_.stride_bits(is)) && is.elements > 1;
    const bool dtype = !same_dtype(before_, was, now_, is);
    note(Change::device, was.device != is.device);
    note(Change::dtype, dtype);
    note(Change::grown, grown);
    note(Change::shrunk, shrunk);
    note(Change::layout, (other_strides && !dtype) || (!same_shape && !grown && !shrunk) || other_density(was, is));
    const bool is_copied = core::is_copy_for_export(was) || core::is_copy_for_export(is);  // each look gives another address
    note(Change::moved, out_.same_process && !is_copied && was.address != is.address && was.device == is.device &&
                            (was.elements != 0 || is.elements != 0));
    return set;
  }

  // All that have values at both moments; compare_remembered() takes off those that it compares.
  void count_values() {
    for (std::uint32_t id = 0; id < now_.tensors.size(); ++id) out_.values_not_compared += has_values(id) ? 1 : 0;
  }
  [[nodiscard]] bool has_values(std::uint32_t id) const {
    const std::uint32_t old = matches_.was[id];
    return old != kNone32 && now_.tensors[id].elements != 0 && before_.tensors[old].elements != 0;
  }

  // Few tensors are remembered, so their values are compared here.
  void compare_remembered() {
    const auto was = remembered_.find(out_.before->number), is = remembered_.find(out_.now->number);
    if (was == remembered_.end() || is == remembered_.end()) return;
    for (const RememberedTensor& tensor : is->second->tensors) {
      const std::uint32_t old = tensor.tensor < matches_.was.size() ? matches_.was[tensor.tensor] : kNone32;
      if (old == kNone32 || stop_.stop_requested()) continue;
      BytesCompared found =
          compare_bytes(out_.before_snapshot, was->second, old, out_.now_snapshot, is->second, tensor.tensor);
      if (found.result != BytesCompared::Result::unknown && has_values(tensor.tensor)) --out_.values_not_compared;
      if (found.result == BytesCompared::Result::same) ++out_.same_bytes;
      if (found.result != BytesCompared::Result::changed) continue;
      changes_[tensor.tensor].set(static_cast<std::size_t>(Change::bytes));
      if (tensor.ran != RanMeanwhile::no) found.message += fmt::format(" ({})", ran_text(tensor.ran));
      out_.bytes.push_back({tensor.tensor, std::move(found.message)});
    }
  }

  void note_pair(std::uint32_t a, std::uint32_t b, bool begun) {
    out_.sharing.push_back({a, b, begun});
    out_.sharing.push_back({b, a, begun});
  }

  // Pairs that share now, but existed before as two tensors that shared nothing.
  void find_begun() {
    std::uint32_t number = 0;
    for (const PairRecord& pair : now_.pairs) {
      if (number++ % kStopEvery == 0 && stop_.stop_requested()) return;
      if (pair.shared_bytes == 0 || pair.shared_bytes == core::kUnknown64) continue;
      const std::uint32_t a = matches_.was[pair.a], b = matches_.was[pair.b];
      if (a == kNone32 || b == kNone32 || a == b) continue;
      const Shares then = shares(before_, a, b);
      if (then == Shares::no) note_pair(pair.a, pair.b, true);
      if (then == Shares::unknown) ++out_.sharing_unknown;
    }
  }

  // Pairs that shared before and do not now, including two names of one object.
  void find_ended() {
    std::uint32_t number = 0;
    for (const PairRecord& pair : before_.pairs) {
      if (number++ % kStopEvery == 0 && stop_.stop_requested()) return;
      if (pair.shared_bytes == 0 || pair.shared_bytes == core::kUnknown64) continue;
      end_of(matches_.became[pair.a], matches_.became[pair.b]);
    }
    std::vector<std::uint32_t> first(before_.tensors.size(), kNone32);
    for (std::uint32_t id = 0; id < now_.tensors.size(); ++id) {
      const std::uint32_t old = matches_.was[id];
      if (old == kNone32) continue;
      if (first[old] == kNone32)
        first[old] = id;
      else
        end_of(first[old], id);
    }
  }

  void end_of(std::uint32_t a, std::uint32_t b) {
    if (a == kNone32 || b == kNone32 || a == b) return;
    const Shares is = shares(now_, a, b);
    if (is == Shares::no) note_pair(a, b, false);
    if (is == Shares::unknown) ++out_.sharing_unknown;
  }

  void keep_sharing() {
    const auto key = [](const SharingDifference& d) { return std::tuple(d.tensor, d.other, d.begun); };
    std::ranges::sort(out_.sharing, {}, key);
    const auto twice = std::ranges::unique(out_.sharing, {}, key);
    out_.sharing.erase(twice.begin(), twice.end());
    for (const SharingDifference& pair : out_.sharing) {
      const auto change = static_cast<std::size_t>(pair.begun ? Change::sharing_begun : Change::sharing_ended);
      changes_[pair.tensor].set(change);
    }
  }

  void list() {
    ChangeSet gone;
    gone.set(static_cast<std::size_t>(Change::gone));
    for (std::uint32_t id = 0; id < now_.tensors.size(); ++id) {
      if (changes_[id].any()) out_.tensors.push_back({matches_.was[id], id, changes_[id]});
    }
    for (std::uint32_t id = 0; id < before_.tensors.size(); ++id) {
      if (matches_.became[id] == kNone32) out_.tensors.push_back({id, kNone32, gone});
    }
    for (const TensorDifference& one : out_.tensors) {
      for (std::size_t change = 0; change < kChanges; ++change) out_.counts[change] += one.changes[change] ? 1 : 0;
    }
  }

  SnapshotDifferences& out_;
  const RememberedMoments& remembered_;
  const Snapshot &before_, &now_;
  const std::stop_token& stop_;
  TensorMatches matches_;
  std::vector<ChangeSet> changes_;  // by tensor of `now`
};

struct ChangeWords {
  const char *word, *meaning;
};
constexpr ChangeWords kWords[kChanges] = {
    {"new", "None of its names was there at the earlier moment."},
    {"gone", "No name reaches it at the later moment. Whether its memory still existed is not known."},
    {"renamed",
     "It has new names only, at the address and with the layout of a tensor whose names are gone: the same one under another "
     "name, or memory that was freed and reused. Which of the two is not known."},
    {"moved", "The same name, at another address: the tensor was made again, or its memory was allocated again."},
    {"grown", "It has more bytes of values."},
    {"shrunk", "It has fewer bytes of values."},
    {"layout", "Other strides, another shape of as many bytes, or no longer contiguous in the same way."},
    {"dtype", "Its elements are of another type."},
    {"device", "It is on another device."},
    {"bytes", "It was remembered at both moments, and holds other bytes."},
    {"access", "Whether it is read-only, or how it was described, differs."},
    {"sharing begun", "It shares bytes with a tensor that was already there and that it shared none with before."},
    {"sharing ended", "It shared bytes with a tensor that is still there, and shares none with it now."},
};

// The other tensors in the sharing that this one began or ended.
std::string partners_of(const SnapshotDifferences& all, std::uint32_t tensor, bool begun) {
  std::vector<std::string> names;
  std::size_t more = 0;
  const Snapshot& now = *all.now_snapshot;
  for (const SharingDifference& pair : std::ranges::equal_range(all.sharing, tensor, {}, &SharingDifference::tensor)) {
    if (pair.begun != begun) continue;
    if (names.size() < kMaxPartners)
      names.push_back(shortened_name(now.name(now.tensors[pair.other]), kNameLength));
    else
      ++more;
  }
  std::string out = fmt::format("{}", fmt::join(names, ", "));
  if (more > 0) out += fmt::format(" and {} more", grouped(more));
  return out;
}

bool contains_text(std::string_view name, std::string_view text) {
  const auto same = [](char a, char b) { return core::lower(a) == core::lower(b); };
  return text.empty() || !std::ranges::search(name, text, same).empty();
}

const char* tri_word(core::Tri tri) { return tri == core::Tri::yes ? "yes" : tri == core::Tri::no ? "no" : "unknown"; }

std::string kind_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (!tensor.has_metadata) return "not described";
  return snapshot.dtype_name(tensor) + ", " + shape_in_words(snapshot.shape(tensor));
}

}  // namespace

const char* change_word(Change change) { return kWords[static_cast<std::size_t>(change)].word; }
const char* change_meaning(Change change) { return kWords[static_cast<std::size_t>(change)].meaning; }

DifferencesPtr find_differences(KeptMomentPtr before, KeptMomentPtr now, const std::stop_token& stop,
                                const RememberedMoments& remembered) {
  auto out = std::make_shared<SnapshotDifferences>();
  out->same_process = before->process == now->process;
  out->before_snapshot = before->snapshot();
  out->now_snapshot = now->snapshot();
  out->before = std::move(before);
  out->now = std::move(now);
  return Finder(*out, remembered, stop).find() ? out : nullptr;
}

std::string_view name_of(const SnapshotDifferences& all, const TensorDifference& one) {
  const Snapshot& snapshot = one.now != kNone32 ? *all.now_snapshot : *all.before_snapshot;
  return snapshot.name(snapshot.tensors[one.now != kNone32 ? one.now : one.before]);
}

std::string difference_text(const SnapshotDifferences& all, const TensorDifference& one) {
  const Snapshot &before = *all.before_snapshot, &now = *all.now_snapshot;
  const auto has = [&](Change change) { return one.changes[static_cast<std::size_t>(change)]; };
  if (has(Change::gone)) return "was " + kind_of(before, before.tensors[one.before]);
  if (has(Change::fresh)) return kind_of(now, now.tensors[one.now]);
  const TensorRecord &was = before.tensors[one.before], &is = now.tensors[one.now];
  std::vector<std::string> out;
  if (has(Change::renamed)) out.push_back("lies where " + shortened_name(before.name(was), kNameLength) + " lay");
  for (std::string& phrase : change_phrases(before, was, now, is, all.same_process)) out.push_back(std::move(phrase));
  if (was.has_metadata && is.has_metadata && other_density(was, is))
    out.push_back(fmt::format("{}, was {}", contiguity_text(is.contiguity), contiguity_text(was.contiguity)));
  if (was.read_only != is.read_only)
    out.push_back(fmt::format("read-only: {}, was {}", tri_word(is.read_only), tri_word(was.read_only)));
  if (has(Change::bytes)) out.push_back(std::ranges::lower_bound(all.bytes, one.now, {}, &BytesDifference::tensor)->message);
  if (has(Change::sharing_begun)) out.push_back("shares bytes with " + partners_of(all, one.now, true));
  if (has(Change::sharing_ended)) out.push_back("no longer shares bytes with " + partners_of(all, one.now, false));
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string differences_sentence(const SnapshotDifferences& all) {
  std::vector<std::string> parts;
  for (std::size_t change = 0; change < kChanges; ++change) {
    if (all.counts[change] > 0) parts.push_back(grouped(all.counts[change]) + " " + kWords[change].word);
  }
  const char* const nothing = all.values_not_compared > 0 ? "Nothing that was compared is different" : "Nothing is different";
  std::string text = parts.empty() ? nothing : fmt::format("{}", fmt::join(parts, ", "));
  if (all.same_bytes > 0)
    text += fmt::format("; {} the same bytes", all.same_bytes == 1 ? std::string("1 remembered tensor holds")
                                                                   : grouped(all.same_bytes) + " remembered tensors hold");
  if (all.sharing_unknown > 0)
    text += fmt::format("; of {} it is not known whether they share", counted(all.sharing_unknown, "pair", "pairs"));
  if (!all.same_process) text += "; of different Python processes, so addresses are not compared";
  return text + ".";
}

std::string compared_sentence(const SnapshotDifferences& all) {
  std::string text = fmt::format("Compared: names, {}layouts and sharing", all.same_process ? "addresses, " : "");
  const std::uint64_t compared = all.same_bytes + all.count(Change::bytes);
  if (compared > 0) text += fmt::format(", and the values of {}", counted(compared, "remembered tensor", "remembered tensors"));
  if (all.values_not_compared == 0) return text + ".";
  return text + fmt::format("; not compared: the values of {}, which may have changed in place. \"Remember\" a tensor, and its "
                            "values are kept and compared from then on.",
                            counted(all.values_not_compared, "tensor", "tensors"));
}

DifferenceRows filter_differences(const SnapshotDifferences& all, ChangeSet wanted, std::string_view text,
                                  const std::stop_token& stop) {
  auto out = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint32_t row = 0; row < all.tensors.size(); ++row) {
    if (row % kStopEvery == 0 && stop.stop_requested()) return nullptr;
    const TensorDifference& one = all.tensors[row];
    if ((wanted.none() || (one.changes & wanted).any()) && contains_text(name_of(all, one), text)) out->push_back(row);
  }
  return out;
}

}  // namespace dlscope::app
