#include "app/window/tensor_export.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "app/files/output_file.h"
#include "app/models/text/format.h"
#include "app/models/text/time_stamp.h"
#include "app/models/values/value_grid.h"
#include "core/files/tensor_export.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostName = 60;

// What a file may be called: letters, digits and a few signs of the tensor's name.
std::string file_stem(std::string_view name) {
  std::string stem;
  for (const char c : name.substr(0, kMostName)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (plain)
      stem += c;
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  while (stem.ends_with('-')) stem.pop_back();
  return stem.empty() ? "tensor" : stem;
}

core::Result<std::string> write(const core::SnapshotPtr& snapshot, std::uint32_t id, const core::MemoryReader& memory,
                                core::TensorFileFormat format, const std::string& path, TaskProgress& progress) {
  const core::TensorRecord& tensor = snapshot->tensors[id];
  const core::ExportedTensor exported{snapshot->name(tensor), tensor.dtype, snapshot->layout(tensor), tensor.address,
                                      core::ElementSource::checked(memory)};
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  core::Result<void> made;
  const auto written = file->write([&](const OutputFile::Sink& sink) {
    made = core::export_tensor(exported, format, sink, [&](std::uint64_t done, std::uint64_t total) { return progress.report(done, total); });
    return made.has_value();
  });
  const std::string name(snapshot->name(tensor));
  if (!made && (progress.cancelled() || made.error().kind != core::ErrorKind::cancelled))
    return core::fail(made.error().kind, fmt::format("{} was not exported: {}.", name, made.error().message));
  if (!written) return std::unexpected(written.error());
  return fmt::format("{} ({} {}) was exported as {}.", name, snapshot->dtype_name(tensor), shape_text(snapshot->shape(tensor)), path);
}

}  // namespace

void export_tensor(const command::ExportTensor& wish, ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  const std::uint32_t id = parts.views.selection().selected();
  if (!index || id >= index->size()) return;
  const core::SnapshotPtr snapshot = index->snapshot;
  const core::TensorRecord& tensor = index->tensor(id);
  const std::string name(snapshot->name(tensor));
  const auto refuse = [&](const std::string& why) { parts.notices.add(Tone::warn, fmt::format("{} is not exported. {}", name, why)); };
  const std::string why_not = tensor.elements == 0 ? std::string() : ValueGrid::why_not(*snapshot, tensor);
  if (!why_not.empty()) return refuse(why_not);
  const Moment moment = moment_of(parts);
  const TensorState state = state_of(moment, parts.views.held().contains(id));
  if (!bytes_are_its_own(state))
    return refuse(fmt::format("It is {}: what lies there may be other data by now. Run the script again, or hold it.",
                              state_words(moment, state)));
  std::shared_ptr<core::MemoryReader> memory = shown_memory(parts).for_workers();
  if (!memory) return refuse("There is no process to read it from.");
  const std::string format_refusal =
      core::why_not_exportable({name, tensor.dtype, snapshot->layout(tensor), tensor.address, {}}, wish.format);
  if (!format_refusal.empty()) return refuse("Its dtype does not fit: " + format_refusal + ".");
  const std::string path = time_stamped(file_stem(name) + "-", std::string(".") + core::file_extension(wish.format));
  parts.tasks.start(
      fmt::format("Exporting {} as {}", name, path), TaskUnit::bytes,
      [snapshot, id, memory = std::move(memory), format = wish.format, path](TaskProgress& progress) {
        return write(snapshot, id, *memory, format, path, progress);
      },
      [&notices = parts.notices](const TaskEntry& task) {
        if (task.state == TaskState::cancelled) return notices.log(Tone::plain, "Cancelled: " + task.title + ".");
        notices.add(task.state == TaskState::done ? Tone::good : Tone::bad, task.words);
      });
}

}  // namespace dlscope::app
