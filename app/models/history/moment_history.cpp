#include "app/models/history/moment_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/text/format.h"
#include "core/wire/snapshot_codec.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kFileLength = 32, kFunctionLength = 32;

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 is 0

}  // namespace

std::uint64_t MomentHistory::keep(core::SnapshotPtr snapshot, std::uint64_t process, std::string time) {
  auto moment = std::make_shared<KeptMoment>();
  moment->number = ++last_number_;
  moment->bytes = core::wire::encoded_size(*snapshot);
  moment->snapshot = std::move(snapshot);
  moment->process = process;
  moment->time = std::move(time);
  bytes_ += moment->bytes;
  moments_.push_back(std::move(moment));
  looks_.emplace_back();
  std::size_t leave = 0;
  while (leave + 1 < moments_.size() && (bytes_ > most_bytes_ || moments_.size() - leave > most_moments_))
    bytes_ -= moments_[leave++]->bytes;
  moments_.erase(moments_.begin(), moments_.begin() + static_cast<std::ptrdiff_t>(leave));
  looks_.erase(looks_.begin(), looks_.begin() + static_cast<std::ptrdiff_t>(leave));
  given_up_ += leave;
  ++revision_;
  return last_number_;
}

void MomentHistory::note_look(const core::SnapshotPtr& snapshot, MomentLook look) {
  // The newest first: it is nearly always that one.
  for (std::size_t i = moments_.size(); i-- > 0;) {
    if (moments_[i]->snapshot != snapshot) continue;
    looks_[i] = std::move(look);
    looks_[i].shown = true;
    return;
  }
}

std::size_t MomentHistory::place_of(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(moments_, number, {}, [](const KeptMomentPtr& m) { return m->number; });
  return found != moments_.end() && (*found)->number == number ? static_cast<std::size_t>(found - moments_.begin())
                                                               : moments_.size();
}

KeptMomentPtr MomentHistory::find(std::uint64_t number) const {
  const std::size_t at = place_of(number);
  return at < moments_.size() ? moments_[at] : nullptr;
}

KeptMomentPtr MomentHistory::before(std::uint64_t number) const {
  const auto at = std::ranges::lower_bound(moments_, number, {}, [](const KeptMomentPtr& m) { return m->number; });
  return at == moments_.begin() ? nullptr : *std::prev(at);
}

KeptMomentPtr MomentHistory::after(std::uint64_t number) const {
  const auto at = std::ranges::upper_bound(moments_, number, {}, [](const KeptMomentPtr& m) { return m->number; });
  return at == moments_.end() ? nullptr : *at;
}

const MomentLook* MomentHistory::look_of(std::uint64_t number) const {
  const std::size_t at = place_of(number);
  return at < looks_.size() && looks_[at].shown ? &looks_[at] : nullptr;
}

// --- words --------------------------------------------------------------------------------------------------------------

std::string moment_title(const core::Snapshot& snapshot) {
  const core::SnapshotInfo& info = snapshot.info;
  const std::string run = info.run == 0 ? "before the first run" : fmt::format("run {}", info.run);
  switch (info.scanned) {
    case core::Scanned::stop: {
      if (info.stop.line == 0) return run + ", at a stop";
      const std::string_view function = snapshot.str(info.stop.function);
      return fmt::format("{}, stop at {}:{}{}{}", run, shortened(file_of(snapshot.str(info.stop.file)), kFileLength),
                         info.stop.line, function.empty() || function == "<module>" ? "" : " in ",
                         function == "<module>" ? std::string() : shortened(function, kFunctionLength));
    }
    case core::Scanned::raise:
      return run + ", where it raised";
    case core::Scanned::interrupt:
      return run + ", interrupted";
    case core::Scanned::earlier:
      return "middle of " + run;
    case core::Scanned::request:
      return run + ", looked again";
    case core::Scanned::none:
    case core::Scanned::end:
      break;
  }
  return run;
}

std::string moment_label(const core::Snapshot& snapshot) {
  const core::SnapshotInfo& info = snapshot.info;
  if (info.run == 0) return "start";
  if (info.scanned == core::Scanned::stop && info.stop.line != 0) return fmt::format("{} · line {}", info.run, info.stop.line);
  if (info.scanned == core::Scanned::stop) return fmt::format("{} · stop", info.run);
  if (info.scanned == core::Scanned::request) return fmt::format("{} · again", info.run);
  if (info.scanned == core::Scanned::earlier) return fmt::format("{} · middle", info.run);
  if (info.scanned == core::Scanned::raise) return fmt::format("{} · raised", info.run);
  if (info.scanned == core::Scanned::interrupt) return fmt::format("{} · stopped", info.run);
  return fmt::format("run {}", info.run);
}

}  // namespace dlscope::app
