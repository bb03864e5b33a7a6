#include "app/window/shown/compared_file.h"

#include <utility>

#include "app/models/values/file_counterpart.h"
#include "app/window/application_parts.h"

namespace dlscope::app {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(500);

}  // namespace

void ComparedFile::open(const std::string& path, ApplicationParts& parts) {
  close(parts);
  path_ = path;
  opening_ = read_tensor_file(path, parts, [this, &parts](std::uint64_t task, std::unique_ptr<ReadTensorFile> read) {
    if (task != opening_) return;  // another one was chosen meanwhile
    opening_ = 0;
    if (!read) return path_.clear();
    file_ = std::move(read->file);
    snapshot_ = std::move(read->snapshot);
    memory_ = readers_of_file(std::move(read->memory), parts);
    looked_at_ = std::chrono::steady_clock::now();
  });
}

void ComparedFile::close(ApplicationParts& parts) {
  parts.tasks.cancel(std::exchange(opening_, 0));
  // What was unpacked may be gigabytes: a job lets go of it.
  if (file_) {
    using Last = std::pair<MemoryReaders, core::SnapshotPtr>;
    auto last = std::make_shared<Last>(std::exchange(memory_, {}), std::exchange(snapshot_, nullptr));
    parts.jobs.post(
        Lane::files,
        [file = std::exchange(file_, nullptr), last = std::move(last)](const std::stop_token&) { return JobPool::Apply(); }, {},
        JobPriority::later);
  }
  path_.clear();
  chosen_for_.clear();
  tensor_ = core::kNone32;
  since_ = core::SinceOpened::unchanged;
}

void ComparedFile::follow(const std::string& selected_name, ApplicationParts& parts) {
  if (!file_) return;
  if (chosen_for_ != selected_name) {
    chosen_for_ = selected_name;
    tensor_ = counterpart_in_file(selected_name, *snapshot_);
  }
  look_for_changes(parts);
}

void ComparedFile::look_for_changes(ApplicationParts& parts) {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_at_ < kLookEvery) return;
  looked_at_ = now;
  parts.jobs.post(
      Lane::files,
      [this, file = file_](const std::stop_token&) -> JobPool::Apply {
        return [this, file, since = file->since_opened()] { note(file, since); };
      },
      {JobKind::compared_file});
}

void ComparedFile::note(const std::shared_ptr<const core::TensorFile>& file, core::SinceOpened since) {
  if (file == file_) since_ = since;
}

void ComparedFile::fill(ComparedSides& sides, core::SnapshotTensor& of_b) const {
  sides.file.path = path_;
  if (!snapshot_) return;
  sides.file.snapshot = snapshot_.get();
  if (tensor_ >= snapshot_->tensors.size()) return;
  sides.file.tensor = tensor_;
  sides.file.warning = since_opened_text(path_, since_, snapshot_->tensors[tensor_].is_copied == core::Tri::yes);
  sides.b.snapshot = snapshot_.get();
  sides.b.tensor = tensor_;
  sides.b.reader = memory_.for_frames();
  sides.b.when = "of the file " + path_.substr(path_.rfind('/') + 1);
  of_b = {snapshot_, tensor_, memory_.for_workers()};
}

}  // namespace dlscope::app
