#include "app/window/remembering.h"

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
#include "app/window/application_parts.h"
#include "core/inventory/kept_bytes.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "remember";
// The first number for what is shown of the past; those of processes count from 0, those of files from 2^63.
constexpr std::uint64_t kFirstPast = std::uint64_t{1} << 62;

// A copy that the host announced, with the moment it belongs to; null: that is no longer kept.
struct Announced {
  core::wire::WaitingCopy copy;
  RememberedTensor tensor;
  KeptMomentPtr moment;
  core::SnapshotPtr snapshot;  // the moment's, unpacked once while its copies are fetched

  [[nodiscard]] bool is_kept() const { return moment && copy.tensor < moment->tensors; }
};

void ask(ApplicationParts& parts) {
  RememberedFetch& fetch = parts.remembered_fetch;
  const KeptMomentPtr newest = parts.history.newest();
  fetch.asked_after = newest ? newest->number : 0;
  parts.host.want({.asker = kAsker,
                   .ticket = ++fetch.ticket,
                   .kind = "remember",
                   .text = remember_question(parts.remembered.wanted(), fetch.through),
                   .patient = true});
}

// The moment of this process with that revision; null: it is no longer kept.
KeptMomentPtr moment_of_revision(std::uint64_t revision, const ApplicationParts& parts) {
  const KeptMoments& moments = parts.history.moments();
  for (std::size_t i = moments.size(); i-- > 0;) {
    if (moments[i]->process == parts.remembered_fetch.process && moments[i]->revision == revision) return moments[i];
  }
  return nullptr;
}

std::vector<Announced> with_moments(std::vector<core::wire::WaitingCopy> copies, const ApplicationParts& parts) {
  std::vector<Announced> out;
  for (core::wire::WaitingCopy& copy : copies) {
    Announced one{.copy = std::move(copy), .tensor = {}, .moment = {}, .snapshot = {}};
    one.tensor.tensor = one.copy.tensor;
    one.tensor.name = one.copy.name;
    one.tensor.ran = one.copy.ran;
    one.tensor.why_not = one.copy.why_not;
    one.moment = moment_of_revision(one.copy.revision, parts);
    out.push_back(std::move(one));
  }
  return out;
}

// The host is not trusted: sizes are checked, and the bytes must have the announced hash.
void fetch_one(Announced& one, core::MemoryReader& memory) {
  RememberedTensor& tensor = one.tensor;
  if (!tensor.why_not.empty()) return;
  const core::TensorRecord& record = one.snapshot->tensors[tensor.tensor];
  const std::uint64_t extent = record.extent.size();
  const std::uint64_t expected =
      one.copy.hashed ? (extent + core::kHashedBlock - 1) / core::kHashedBlock * sizeof(std::uint64_t) : extent;
  if (record.extent.begin != one.copy.begin || one.copy.size != expected ||
      extent > (one.copy.hashed ? core::kMaxHashedBytes : core::kMaxKeptBytes)) {
    tensor.why_not = "its copy does not match the one that was announced";
    return;
  }
  tensor.extent = record.extent;
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(one.copy.size));
  std::size_t done = 0;
  while (done < bytes->size()) {
    const std::span<std::byte> piece =
        std::span(*bytes).subspan(done, std::min<std::size_t>(bytes->size() - done, core::kHashedBlock));
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

void fetch(CopiesToFetch next, ApplicationParts& parts) {
  RememberedFetch& state = parts.remembered_fetch;
  const auto memory = parts.host.memory().for_workers();
  if (next.through <= state.through || !memory) return;
  state.fetching = true;
  parts.jobs.post(
      Lane::memory,
      [&parts, copies = with_moments(std::move(next.copies), parts), through = next.through, memory, process = state.process,
       kept = parts.remembered.moments()](const std::stop_token&) mutable -> JobPool::Apply {
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
        return [&parts, moments = std::move(moments), through, process] {
          RememberedFetch& now = parts.remembered_fetch;
          if (now.process == process) {
            now.fetching = false;
            now.through = through;
            ask(parts);  // tells the host which copies it may free
          }
          const bool first = parts.remembered.dropped() == 0;
          say_what_is_missing(moments, parts.remembered.moments(), parts.notices);
          std::vector<RememberedMomentPtr> dropped;
          for (const RememberedMoment& moment : moments)
            std::ranges::move(parts.remembered.keep(moment), std::back_inserter(dropped));
          if (!dropped.empty() && first)
            parts.notices.add(Tone::warn,
                              fmt::format("Remembered bytes take more than {}: those of the oldest moments are dropped.",
                                          human_bytes(parts.remembered.most_bytes())));
          if (dropped.empty()) return;
          parts.jobs.post(Lane::memory, [dropped = std::move(dropped)](const std::stop_token&) { return JobPool::Apply(); });
        };
      });
}

void follow_answers(ApplicationParts& parts) {
  RememberedFetch& state = parts.remembered_fetch;
  const Reply* const reply = parts.host.session().questions().reply(kAsker);
  if (reply == nullptr || reply->ticket != state.ticket || state.answered == state.ticket || state.fetching) return;
  state.answered = state.ticket;
  if (!reply->error.empty()) return;
  fetch(copies_to_fetch(announced_copies(reply->text), parts.remembered.wanted(), state.through), parts);
}

void follow_past(ApplicationParts& parts) {
  RememberedPast& past = parts.remembered_past;
  if (!parts.views.looks_back()) return;
  if (past.generation == parts.views.generation() && past.revision == parts.remembered.revision()) return;
  past.generation = parts.views.generation();
  past.revision = parts.remembered.revision();
  const std::uint64_t moment = parts.views.source().moment;
  const RememberedMomentPtr kept = parts.remembered.find(moment);
  const std::shared_ptr<core::MemoryReader> reader = kept ? remembered_reader(kept) : nullptr;
  past.memory.read_with(reader);
  parts.views.show_held(kept ? HeldTensors(kept->with_bytes()) : HeldTensors());
  parts.past_statistics.show(parts.views.index(), kFirstPast + moment, reader);
  parts.past_heatmap.show(parts.views.index(), kFirstPast + moment, reader);
}

}  // namespace

void remember_tensor(const command::RememberTensor& remember, ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  const std::uint32_t id = remember.tensor != core::kNone32 ? remember.tensor : parts.views.selection().selected();
  if (!index || id >= index->size()) return;
  if (const char* const why_not = why_not_asked(moment_of(parts))) return parts.notices.add(Tone::warn, why_not);
  const std::string name = shortened_name(index->snapshot->name(index->tensor(id)), 60);
  if (!parts.remembered.want(*index->snapshot, index->tensor(id), remember.how))
    return parts.notices.add(Tone::warn, fmt::format("{} is not remembered: {} tensors are already, which is the most.", name,
                                                     RememberedTensors::kMaxTensors));
  parts.notices.log(Tone::plain, remember.how == Remember::no ? name + " is no longer remembered. What was kept of it stays."
                                 : remember.how == Remember::bytes
                                     ? name + " is remembered: its bytes are copied into every snapshot from here on."
                                     : name + " is remembered by a hash of each MiB in every snapshot from here on.");
  ask(parts);
}

void follow_remembered(ApplicationParts& parts) {
  RememberedFetch& state = parts.remembered_fetch;
  const std::uint64_t process = parts.host.session().timeline().process();
  const bool is_new = std::exchange(state.process, process) != process;
  if (is_new) {
    state.through = 0;
    state.fetching = false;
  }
  const KeptMomentPtr newest = parts.history.newest();
  const bool looked = newest && newest->number != state.asked_after;
  if (!parts.remembered.wanted().empty() && (is_new || looked) && parts.host.session().is_up()) ask(parts);
  follow_answers(parts);
  if (!parts.history.moments().empty()) parts.remembered.forget_before(parts.history.moments().front()->number);
  follow_past(parts);
}

const core::MemoryReader* reader_of_shown(const ApplicationParts& parts) {
  if (parts.views.looks_back() && !parts.views.held().contains(parts.views.selection().selected())) return nullptr;
  return parts.seen->through(shown_memory(parts).for_frames());
}

}  // namespace dlscope::app
