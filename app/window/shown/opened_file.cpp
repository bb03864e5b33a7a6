#include "app/window/shown/opened_file.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>

#include "app/models/inspector/file_section.h"
#include "app/window/application_parts.h"
#include "core/inventory/snapshot_builder.h"
#include "core/memory/process_pages.h"

namespace dlscope::app {
namespace {

// Reads this process, where the file is mapped, and keeps it mapped.
class FileMemory final : public core::MemoryReader {
 public:
  FileMemory(std::shared_ptr<const core::TensorFile> file, std::unique_ptr<core::MemoryReader> own)
      : file_(std::move(file)), own_(std::move(own)) {}

  std::size_t read(core::Address from, std::span<std::byte> out) const override { return own_->read(from, out); }
  void probe(std::span<const core::Address> addresses, std::span<std::uint8_t> readable) const override {
    own_->probe(addresses, readable);
  }
  void gather(std::span<const core::Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    own_->gather(addresses, each, out, complete);
  }

 private:
  std::shared_ptr<const core::TensorFile> file_;
  std::unique_ptr<core::MemoryReader> own_;
};

// thread: the task's own.
core::Result<ReadTensorFile> open(const std::string& path, TaskProgress& progress) {
  auto file = core::TensorFile::open(path, progress.stop_token(), core::most_unpacked_bytes(),
                                     [&](std::uint64_t done, std::uint64_t total) { progress.report(done, total); });
  if (!file) return std::unexpected(file.error());
  auto own = core::process_reader(0);
  if (!own) return std::unexpected(own.error());
  const auto kept = std::make_shared<const core::TensorFile>(std::move(*file));
  core::SnapshotPtr snapshot = core::snapshot_of(*kept, core::StatisticsMethod::none, progress.stop_token());
  if (progress.cancelled()) return core::fail(core::ErrorKind::cancelled, {});
  return ReadTensorFile{kept, std::move(snapshot), std::make_shared<FileMemory>(kept, std::move(*own))};
}

// The first number of a file; those of processes count from 0 (Timeline), so the two never meet.
constexpr std::uint64_t kFirstFile = std::uint64_t{1} << 63;

}  // namespace

std::uint64_t read_tensor_file(const std::string& path, ApplicationParts& parts, TensorFileRead ended) {
  const auto read = std::make_shared<std::unique_ptr<ReadTensorFile>>();
  auto work = [path, read](TaskProgress& progress) -> core::Result<std::string> {
    auto result = open(path, progress);
    if (!result) return std::unexpected(result.error());
    *read = std::make_unique<ReadTensorFile>(std::move(*result));
    return std::string();
  };
  auto finish = [&parts, read, ended = std::move(ended)](const TaskEntry& task) {
    if (task.state == TaskState::cancelled) parts.notices.log(Tone::plain, "Cancelled: " + task.title + ".");
    if (task.state == TaskState::failed) parts.notices.add(Tone::bad, task.message);
    ended(task.id, task.state == TaskState::done ? std::move(*read) : nullptr);
    if (task.state == TaskState::done) parts.tasks.list().forget(task.id);
  };
  return parts.tasks.start("Opening " + path, TaskUnit::bytes, std::move(work), std::move(finish), Lane::disk_tasks);
}

MemoryReaders readers_of_file(std::shared_ptr<core::MemoryReader> memory, const ApplicationParts& parts) {
  MemoryReaders readers;
  readers.read(std::move(memory), std::make_shared<core::ProcessPages>(0), parts.options.wake);
  return readers;
}

void open_tensor_file(const std::string& path, ApplicationParts& parts) {
  parts.tasks.cancel(std::exchange(parts.tensors.opening_file, 0));
  parts.tensors.opening_file = read_tensor_file(path, parts, [&parts, path](std::uint64_t, std::unique_ptr<ReadTensorFile> read) {
    if (!read) return;
    MemoryReaders memory = readers_of_file(std::move(read->memory), parts);
    show_tensor_file(path, std::move(read->snapshot), std::move(memory), parts, read->file->metadata());
  });
}

void show_tensor_file(const std::string& path, core::SnapshotPtr snapshot, MemoryReaders memory, ApplicationParts& parts,
                      const core::FileMetadata& metadata) {
  const FileTensors tensors = count_file_tensors(*snapshot);
  parts.tensors.views.show(std::move(snapshot),
                   {kFirstFile + parts.tensors.files_opened++,
                    std::make_shared<const OpenedFile>(path, std::move(memory), tensors, file_section(metadata))});
  parts.notices.log(Tone::plain, fmt::format("{} was opened: {}. Nothing in it was run.", path, file_tensors_text(tensors)));
}

void leave_tensor_file(ApplicationParts& parts) {
  if (parts.tensors.views.source().file == nullptr) return;
  const ScriptScan& scan = parts.tensors.script_scan;
  if (parts.tensors.views.back_to_script(scan.snapshot)) return;
  // Nothing was looked at, or the file came before the newest snapshot was prepared.
  const core::SnapshotPtr shown = scan.snapshot ? scan.snapshot : core::SnapshotBuilder().finish();
  parts.tensors.views.show(shown, scan.source, parts.host.comparable_from());
}

}  // namespace dlscope::app
