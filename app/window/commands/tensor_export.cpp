#include "app/window/commands/tensor_export.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "app/files/output_file.h"
#include "app/models/tensors/size_text.h"
#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/format.h"
#include "app/models/text/time_stamp.h"
#include "app/models/values/value_grid.h"
#include "app/window/commands/code_since.h"
#include "app/window/commands/exchange_work.h"
#include "core/files/tensor_export.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxName = 60;
constexpr const char* kCodeRan = " Code ran while it was written: it may hold values from before and after, or other data.";

// The tensor's name as a file name: only letters, digits and a few signs are kept.
std::string file_stem(std::string_view name) {
  std::string stem;
  for (const char c : name.substr(0, kMaxName)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (plain)
      stem += c;
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  while (stem.ends_with('-')) stem.pop_back();
  return stem.empty() ? "tensor" : stem;
}

// What is exported: a tensor, or the slice that a view shows. Axes keep the tensor's order, whichever the view draws as rows.
struct Part {
  core::SnapshotPtr snapshot;
  std::uint32_t tensor = core::kNone32;
  std::string name;  // "x", "x[0, :, :]"
  core::Layout layout;
  core::Address address = 0;
  unsigned first_bit = 0;
  std::optional<core::ItemType> item = {};  // of elements without a DLPack dtype

  [[nodiscard]] core::ExportedTensor exported(core::ElementSource source) const {
    const core::TensorRecord& record = snapshot->tensors[tensor];
    return {name, record.dtype, layout, address, source, first_bit, sign_bits_of(*snapshot, record), item ? &*item : nullptr};
  }
};

std::optional<core::ItemType> item_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.item_type == core::kNone16) return std::nullopt;
  const core::ItemTypeRecord& type = snapshot.item_types[tensor.item_type];
  core::ItemType item{std::string(snapshot.str(type.name)), type.bytes, {}};
  for (const core::ItemFieldRecord& field : snapshot.slice(snapshot.item_fields, type.fields))
    item.fields.push_back({std::string(snapshot.str(field.name)), field.layout});
  return item;
}

// A slice as it was typed, whatever of it a view shows.
Part sliced(Part part, core::LayoutView all, std::span<const core::AxisSlice> slice) {
  auto view = core::slice_layout(all, slice);
  if (!view) return part;  // the caller has checked it
  part.name = core::slice_expression(part.name, all.shape, slice);
  part.layout.shape = std::move(view->shape);
  part.layout.stride_bits = std::move(view->stride_bits);
  part.address += static_cast<std::uint64_t>(view->offset_bits >> 3);
  part.first_bit = static_cast<unsigned>(view->offset_bits & 7);
  return part;
}

Part part_of(core::SnapshotPtr snapshot, std::uint32_t id, const std::optional<AxisMapping>& slice) {
  const core::TensorRecord& tensor = snapshot->tensors[id];
  Part part{snapshot, id, std::string(snapshot->name(tensor)), {}, tensor.address};
  part.item = item_of(*snapshot, tensor);
  const core::LayoutView all = snapshot->layout(tensor);
  part.layout.item_bits = all.item_bits;
  if (slice && !slice->slice.empty()) return sliced(std::move(part), all, slice->slice);
  std::int64_t bit = 0;
  for (std::size_t axis = 0; axis < all.shape.size(); ++axis) {
    const bool whole = !slice || static_cast<int>(axis) == slice->row || static_cast<int>(axis) == slice->column;
    if (!whole) {
      bit += slice->fixed.at(axis) * all.stride_bits[axis];
      continue;
    }
    part.layout.shape.push_back(all.shape[axis]);
    part.layout.stride_bits.push_back(all.stride_bits[axis]);
  }
  if (part.layout.shape.size() < all.shape.size()) part.name += slice_text(*slice);
  part.address += static_cast<std::uint64_t>(bit >> 3);
  part.first_bit = static_cast<unsigned>(bit & 7);
  return part;
}

core::Result<std::string> write(const Part& part, const core::MemoryReader& memory, core::TensorFileFormat format,
                                const std::string& path, TaskProgress& progress) {
  const core::ExportedTensor exported = part.exported(core::ElementSource::checked(memory));
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  core::Result<void> made;
  const auto written = file->write([&](const OutputFile::Sink& sink) {
    made = core::export_tensor(exported, format, sink,
                               [&](std::uint64_t done, std::uint64_t total) { return progress.report(done, total); });
    return made.has_value();
  });
  if (!made && (progress.cancelled() || made.error().kind != core::ErrorKind::cancelled))
    return core::fail(made.error().kind, fmt::format("{} was not exported: {}.", part.name, made.error().message));
  if (!written) return std::unexpected(written.error());
  const std::string dtype = part.snapshot->dtype_name(part.snapshot->tensors[part.tensor]);
  const std::string instead = core::written_instead(exported, format);
  const std::vector<std::int64_t> shape = core::shape_in_file(exported, format);
  const std::string longer = shape != part.layout.shape ? ", number by number: " + shape_in_words(shape) : "";
  return fmt::format("{} ({}, {}) was exported as {}{}{}{}.", part.name, dtype, shape_in_words(part.layout.shape), path, longer,
                     instead.empty() ? "" : ", ", instead);
}

// Why the bytes are not exported now, as a sentence; "" when they are. tensor: it, or its field; id: its number in the index.
std::string why_not_now(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint32_t id,
                        const ApplicationParts& parts) {
  if (const std::string why = tensor.elements == 0 ? std::string() : why_no_values(snapshot, tensor); !why.empty())
    return why;
  const Moment moment = moment_of(parts);
  const TensorState state = state_of(moment, parts.tensors.views.held().contains(id));
  if (bytes_are_its_own(state)) return {};
  return fmt::format("It is {}: other data may be there by now. Run the script again, or hold it.", state_text(moment, state));
}

}  // namespace

void export_tensor(const command::ExportTensor& request, ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  const std::uint32_t id = parts.tensors.views.selection().selected();
  if (!index || id >= index->size()) return;
  const core::TensorPart shown = parts.tensors.values().part;  // the tensor, or the field of it that is shown
  const std::string tensor_name(shown.snapshot->name(shown.record()));
  const auto refuse = [&](const std::string& why) {
    parts.notices.add(Tone::warn, fmt::format("{} is not exported. {}", tensor_name, why));
  };
  if (const std::string why = why_not_now(*shown.snapshot, shown.record(), id, parts); !why.empty()) return refuse(why);
  std::shared_ptr<core::MemoryReader> memory = shown_memory(parts).for_workers();
  if (!memory) return refuse("There is no process to read it from.");
  // While its text is wrong the last good slice is shown: exporting that is not what was typed.
  const ChosenSlice chosen = slice_of_selected(parts);
  if (!chosen.problem.empty()) return refuse(chosen.problem);
  const core::TensorRecord& tensor = shown.record();
  std::optional<AxisMapping> slice = request.slice;
  if (!slice && chosen.any()) slice = AxisMapping{.fixed = {}, .slice = chosen.axes};
  const bool fits = slice && tensor.elements > 0 && (!slice->slice.empty() || slice->fixed.size() == tensor.rank);
  if (slice && !core::slice_layout(shown.layout(), slice->slice)) return refuse("The slice does not fit it any more.");
  const auto part = std::make_shared<const Part>(part_of(shown.snapshot, shown.tensor, fits ? slice : std::nullopt));
  if (const std::string why = core::why_not_exportable(part->exported({}), request.format); !why.empty())
    return refuse("The format does not fit: " + why + ".");
  const std::string path = time_stamped(file_stem(part->name) + "-", std::string(".") + core::file_extension(request.format));
  parts.tasks.start(
      fmt::format("Exporting {} as {}", part->name, path), TaskUnit::bytes,
      [part, memory = std::move(memory), format = request.format, path](TaskProgress& progress) {
        return write(*part, *memory, format, path, progress);
      },
      [&notices = parts.notices, code = CodeSince(parts)](const TaskEntry& task) {
        if (task.state == TaskState::cancelled) return notices.log(Tone::plain, "Cancelled: " + task.title + ".");
        if (task.state != TaskState::done) return notices.add(Tone::bad, task.message);
        if (!code.ran()) return notices.add(Tone::good, task.message);
        notices.add(Tone::warn, task.message + kCodeRan);
      },
      Lane::disk_tasks);
}

}  // namespace dlscope::app
