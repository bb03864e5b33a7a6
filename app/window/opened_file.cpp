#include "app/window/opened_file.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "app/window/application_parts.h"
#include "core/inventory/snapshot_builder.h"

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

struct Opened {
  core::SnapshotPtr snapshot;
  std::shared_ptr<core::MemoryReader> memory;
};

core::Result<Opened> open(const std::string& path) {
  auto file = core::TensorFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto own = core::process_reader(0);
  if (!own) return std::unexpected(own.error());
  const auto kept = std::make_shared<const core::TensorFile>(std::move(*file));
  return Opened{core::snapshot_of(*kept), std::make_shared<FileMemory>(kept, std::move(*own))};
}

// The first number of a file; those of processes count from 0 (Timeline), so the two never meet.
constexpr std::uint64_t kFirstFile = std::uint64_t{1} << 63;

}  // namespace

void open_tensor_file(const std::string& path, ApplicationParts& parts) {
  parts.jobs.post(
      Lane::files,
      [&parts, path](const std::stop_token&) -> JobPool::Apply {
        auto opened = std::make_shared<core::Result<Opened>>(open(path));
        return [&parts, path, opened] {
          if (!*opened) return static_cast<void>(parts.notices.add(Tone::bad, opened->error().message));
          MemoryReaders memory;
          memory.read(std::move((*opened)->memory), parts.options.wake);
          show_tensor_file(path, std::move((*opened)->snapshot), std::move(memory), parts);
        };
      },
      {JobKind::tensor_file});
}

void show_tensor_file(const std::string& path, core::SnapshotPtr snapshot, MemoryReaders memory, ApplicationParts& parts) {
  const FileTensors tensors = count_file_tensors(*snapshot);
  parts.views.show(std::move(snapshot),
                   {kFirstFile + parts.files_opened++, std::make_shared<const OpenedFile>(path, std::move(memory), tensors)});
  parts.notices.log(Tone::plain, fmt::format("{} was opened: {}. Nothing in it was run.", path, file_tensors_text(tensors)));
}

void leave_tensor_file(ApplicationParts& parts) {
  if (parts.views.source().file == nullptr) return;
  const ScriptLook& look = parts.script_look;
  if (parts.views.back_to_script(look.snapshot)) return;
  // Nothing was looked at, or the file came before the newest snapshot was prepared.
  parts.views.show(look.snapshot ? look.snapshot : core::SnapshotBuilder().finish(), look.source, parts.host.comparable_from());
}

}  // namespace dlscope::app
