#include "app/models/history/kept_moment.h"

#include <fmt/format.h>

#include <utility>

#include "app/models/text/format.h"
#include "core/wire/snapshot_codec.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kFileLength = 32, kFunctionLength = 32;

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 is 0

}  // namespace

KeptMoment::KeptMoment(std::uint64_t moment_number, core::SnapshotPtr snapshot, std::uint64_t of_process, std::string time_of_day)
    : number(moment_number),
      process(of_process),
      revision(snapshot->info.revision),
      time(std::move(time_of_day)),
      title(moment_title(*snapshot)),
      label(moment_label(*snapshot)),
      tensors(snapshot->tensors.size()),
      record_bytes(core::wire::encoded_size(*snapshot)),
      whole_(snapshot),
      in_use_(snapshot) {}

KeptMoment::Stored KeptMoment::stored() const {
  const std::scoped_lock lock(mutex_);
  if (whole_) return {whole_, nullptr};
  if (core::SnapshotPtr in_use = in_use_.lock()) return {std::move(in_use), nullptr};
  return {nullptr, packed_};
}

core::SnapshotPtr KeptMoment::snapshot() const {
  const auto [whole, packed] = stored();
  if (whole) return whole;
  auto unpacked = std::make_shared<core::Snapshot>();
  packed->unpack_into(*unpacked);
  const std::scoped_lock lock(mutex_);
  if (core::SnapshotPtr in_use = in_use_.lock()) return in_use;
  in_use_ = unpacked;
  return unpacked;
}

bool KeptMoment::is_of(const core::SnapshotPtr& snapshot) const {
  const std::scoped_lock lock(mutex_);
  return snapshot != nullptr && in_use_.lock() == snapshot;
}

void KeptMoment::note_look(MomentView look) const {
  const std::scoped_lock lock(mutex_);
  if (packed_ && packed_->has_numbers()) return;  // it is shown again: its first look was packed
  look_ = std::move(look);
  look_.shown = true;
}

MomentView KeptMoment::look() const {
  const std::scoped_lock lock(mutex_);
  MomentView look = look_;
  if (look.colours.empty() && packed_) look.colours = packed_->numbers();
  return look;
}

std::uint64_t KeptMoment::marked_against() const {
  const std::scoped_lock lock(mutex_);
  return look_.marked_against;
}

bool KeptMoment::is_whole() const {
  const std::scoped_lock lock(mutex_);
  return whole_ != nullptr;
}

std::size_t KeptMoment::own_bytes() const {
  const std::scoped_lock lock(mutex_);
  return sizeof *this + look_.colours.size() * sizeof(std::uint32_t) + (packed_ ? packed_->bytes() : record_bytes);
}

void KeptMoment::pack(const std::shared_ptr<ChunkStore>& store) const {
  core::SnapshotPtr whole;
  std::vector<std::uint32_t> colours;
  {
    const std::scoped_lock lock(mutex_);
    if (!whole_ || record_bytes < kPackedFrom) return;
    whole = whole_;
    colours = look_.colours;
  }
  auto packed = std::make_shared<const PackedSnapshot>(*whole, colours, store);
  const std::scoped_lock lock(mutex_);
  packed_ = std::move(packed);
  whole_ = nullptr;
  if (look_.colours.size() == colours.size()) look_.colours = {};
}

// --- titles -------------------------------------------------------------------------------------------------------------

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
      return run + ", scanned again";
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
