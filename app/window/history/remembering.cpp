#include "app/window/history/remembering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/models/history/remembered_changes.h"
#include "app/models/history/remembered_copies.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/compare/block_hashes.h"
#include "core/inventory/kept_bytes.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "remember";
// The first number for what is shown of the past; those of processes count from 0, those of files from 2^63.
constexpr std::uint64_t kFirstPast = std::uint64_t{1} << 62;
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes fetched at a time

// A copy that the host announced, with the moment it belongs to; null: that is no longer kept.
struct Announced {
  core::wire::WaitingCopy copy;
  RememberedTensor tensor;
  KeptMomentPtr moment;
  core::SnapshotPtr snapshot;  // the moment's, unpacked once while its copies are fetched

  [[nodiscard]] bool is_kept() const { return moment && copy.tensor < moment->tensors; }
};

void ask(const RememberingContext& with) {
  RememberedFetch& fetch = with.past.fetch;
  const KeptMomentPtr newest = with.past.history.newest();
  fetch.asked_after = newest ? newest->number : 0;
  with.host.want({.asker = kAsker,
                   .ticket = ++fetch.ticket,
                   .kind = "remember",
                   .text = remember_question(with.past.remembered.wanted(), fetch.through),
                   .patient = true});
}

// The moment of this process with that revision; null: it is no longer kept.
KeptMomentPtr moment_of_revision(std::uint64_t revision, const RememberingContext& with) {
  const KeptMoments& moments = with.past.history.moments();
  for (std::size_t i = moments.size(); i-- > 0;) {
    if (moments[i]->process == with.past.fetch.process && moments[i]->revision == revision) return moments[i];
  }
  return nullptr;
}

std::vector<Announced> with_moments(std::vector<core::wire::WaitingCopy> copies, const RememberingContext& with) {
  std::vector<Announced> out;
  for (core::wire::WaitingCopy& copy : copies) {
    Announced one{.copy = std::move(copy), .tensor = {}, .moment = {}, .snapshot = {}};
    one.tensor.tensor = one.copy.tensor;
    one.tensor.name = one.copy.name;
    one.tensor.ran = one.copy.ran;
    one.tensor.why_not = one.copy.why_not;
    one.moment = moment_of_revision(one.copy.revision, with);
    out.push_back(std::move(one));
  }
  return out;
}

// The host is not trusted: sizes are checked, and the bytes must have the announced hash.
void fetch_one(Announced& one, core::MemoryReader& memory) {
  RememberedTensor& tensor = one.tensor;
  if (!tensor.why_not.empty()) return;
  const core::TensorRecord& record = one.snapshot->tensors[tensor.tensor];
  const std::uint64_t blocks = one.copy.hashed && record.has_layout ? core::hashed_blocks(*one.snapshot, record) : 0;
  const bool too_much =
      one.copy.hashed ? blocks > core::kMaxHashedBytes / core::kHashedBlock : record.extent.size() > core::kMaxKeptBytes;
  const std::uint64_t expected = one.copy.hashed ? blocks * sizeof(std::uint64_t) : record.extent.size();
  if (record.extent.begin != one.copy.begin || one.copy.size != expected || too_much) {
    tensor.why_not = "its copy does not match the one that was announced";
    return;
  }
  tensor.extent = record.extent;
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(one.copy.size));
  std::size_t done = 0;
  while (done < bytes->size()) {
    const std::span<std::byte> piece =
        std::span(*bytes).subspan(done, std::min<std::size_t>(bytes->size() - done, kPiece));
    const std::size_t got = memory.read(one.copy.at + done, piece);
    if (got == 0) break;
    done += got;
  }
  if (done != bytes->size() || core::hash_of_bytes(*bytes) != one.copy.check) {
    tensor.why_not = "its copy could not be fetched from the process";
    return;
  }
  if (!one.copy.hashed) {
    tensor.bytes = std::move(bytes);
    return;
  }
  auto hashes = std::make_shared<std::vector<std::uint64_t>>(bytes->size() / sizeof(std::uint64_t));
  std::memcpy(hashes->data(), bytes->data(), bytes->size());
  tensor.hashes = std::move(hashes);
}

// The copies of kept moments, by moment, each with the count of its special values.
std::vector<RememberedMoment> moments_of(const std::vector<Announced>& copies) {
  std::vector<RememberedMoment> out;
  for (const Announced& one : copies) {
    if (!one.is_kept()) continue;
    const std::uint64_t number = one.moment->number;
    if (out.empty() || out.back().moment != number) out.push_back({number, {}});
    auto alone = std::make_shared<RememberedMoment>(RememberedMoment{number, {one.tensor}});
    alone->tensors[0].values = count_specials(one.snapshot, alone, one.tensor.tensor);
    out.back().tensors.push_back(std::move(alone->tensors[0]));
  }
  return out;
}

bool was_said(const RememberedMoments& before, const RememberedTensor& tensor) {
  return std::ranges::any_of(before, [&](const auto& moment) {
    return std::ranges::any_of(moment.second->tensors,
                               [&](const RememberedTensor& t) { return t.name == tensor.name && t.why_not == tensor.why_not; });
  });
}

// Warns once for each tensor and reason, not after every scan.
void say_what_is_missing(const std::vector<RememberedMoment>& moments, const RememberedMoments& before, Notices& notices) {
  for (const RememberedMoment& moment : moments) {
    for (const RememberedTensor& tensor : moment.tensors) {
      if (tensor.why_not.empty() || was_said(before, tensor)) continue;
      notices.add(
          Tone::warn,
          fmt::format(
              "{} was not remembered: {}. For large tensors, hashes of their blocks can be remembered instead (row menu).",
              shortened_name(tensor.name, 60), tensor.why_not));
    }
  }
}

void fetch(CopiesToFetch next, const RememberingContext& with) {
  RememberedFetch& state = with.past.fetch;
  const auto memory = with.host.memory().for_workers();
  if (next.through <= state.through || !memory) return;
  state.fetching = true;
  with.jobs.post(
      Lane::memory,
      [with, copies = with_moments(std::move(next.copies), with), through = next.through, memory, process = state.process,
       kept = with.past.remembered.moments()](const std::stop_token&) mutable -> JobPool::Apply {
        for (Announced& one : copies) {
          if (!one.is_kept()) continue;
          one.snapshot = one.moment->snapshot();
          fetch_one(one, *memory);
        }
        std::vector<RememberedMoment> moments = moments_of(copies);
        for (RememberedMoment& moment : moments) {
          share_equal_bytes(moment, kept);
          kept[moment.moment] = std::make_shared<const RememberedMoment>(moment);
        }
        return [with, moments = std::move(moments), through, process] {
          RememberedFetch& now = with.past.fetch;
          if (now.process == process) {
            now.fetching = false;
            now.through = through;
            ask(with);  // tells the host which copies it may free
          }
          const bool first = with.past.remembered.dropped() == 0;
          say_what_is_missing(moments, with.past.remembered.moments(), with.notices);
          std::vector<RememberedMomentPtr> dropped;
          for (const RememberedMoment& moment : moments)
            std::ranges::move(with.past.remembered.keep(moment), std::back_inserter(dropped));
          if (!dropped.empty() && first)
            with.notices.add(Tone::warn,
                              fmt::format("Remembered bytes take more than {}: those of the oldest moments are dropped.",
                                          human_bytes(with.past.remembered.most_bytes())));
          if (dropped.empty()) return;
          with.jobs.post(Lane::memory, [dropped = std::move(dropped)](const std::stop_token&) { return JobPool::Apply(); });
        };
      });
}

void follow_answers(const RememberingContext& with) {
  RememberedFetch& state = with.past.fetch;
  const Reply* const reply = with.host.session().questions().reply(kAsker);
  if (reply == nullptr || reply->ticket != state.ticket || state.answered == state.ticket || state.fetching) return;
  state.answered = state.ticket;
  if (!reply->error.empty()) return;
  fetch(copies_to_fetch(announced_copies(reply->text), with.past.remembered.wanted(), state.through), with);
}

void follow_past(const RememberingContext& with) {
  RememberedPast& past = with.past.shown;
  if (!with.views.looks_back()) return;
  if (past.generation == with.views.generation() && past.revision == with.past.remembered.revision()) return;
  past.generation = with.views.generation();
  past.revision = with.past.remembered.revision();
  const std::uint64_t moment = with.views.source().moment;
  const RememberedMomentPtr kept = with.past.remembered.find(moment);
  const std::shared_ptr<core::MemoryReader> reader = kept ? remembered_reader(kept) : nullptr;
  past.memory.read_with(reader);
  with.views.show_held(kept ? HeldTensors(kept->with_bytes()) : HeldTensors());
  with.past.statistics.show(with.views.index(), kFirstPast + moment, reader);
  with.past.heatmap.show(with.views.index(), kFirstPast + moment, reader);
}

}  // namespace

void remember_tensor(const command::RememberTensor& remember, const Moment& now, const RememberingContext& with) {
  const IndexPtr& index = with.views.index();
  const std::uint32_t id = remember.tensor != core::kNone32 ? remember.tensor : with.views.selection().selected();
  if (!index || id >= index->size()) return;
  if (const char* const why_not = why_not_asked(now)) return with.notices.add(Tone::warn, why_not);
  const std::string name = shortened_name(index->snapshot->name(index->tensor(id)), 60);
  if (!with.past.remembered.want(*index->snapshot, index->tensor(id), remember.how))
    return with.notices.add(Tone::warn, fmt::format("{} is not remembered: {} tensors are already, which is the most.", name,
                                                     RememberedTensors::kMaxTensors));
  with.notices.log(Tone::plain, remember.how == Remember::no ? name + " is no longer remembered. What was kept of it stays."
                                 : remember.how == Remember::bytes
                                     ? name + " is remembered: its bytes are copied into every snapshot from here on."
                                     : name + " is remembered by a hash of each MiB in every snapshot from here on.");
  ask(with);
}

void follow_remembered(const RememberingContext& with) {
  RememberedFetch& state = with.past.fetch;
  const std::uint64_t process = with.host.session().timeline().process();
  const bool is_new = std::exchange(state.process, process) != process;
  if (is_new) {
    state.through = 0;
    state.fetching = false;
  }
  const KeptMomentPtr newest = with.past.history.newest();
  const bool looked = newest && newest->number != state.asked_after;
  if (!with.past.remembered.wanted().empty() && (is_new || looked) && with.host.session().is_up()) ask(with);
  follow_answers(with);
  if (!with.past.history.moments().empty()) with.past.remembered.forget_before(with.past.history.moments().front()->number);
  follow_past(with);
}

}  // namespace dlscope::app
