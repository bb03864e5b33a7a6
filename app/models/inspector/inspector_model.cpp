#include "app/models/inspector/inspector_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/models/inspector/layout_section.h"
#include "app/models/inspector/live_answers.h"
#include "app/models/inspector/struct_card.h"
#include "app/models/inspector/touch_sentence.h"
#include "app/models/tensors/device_doubt.h"
#include "app/models/tensors/refusal_advice.h"
#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/size_text.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/format.h"
#include "core/inventory/python_name.h"
#include "core/inventory/readable.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

using core::Snapshot;
using core::TensorRecord;

constexpr std::size_t kMaxPartners = 40;
constexpr std::size_t kMaxNames = 100;

Field sentence(std::string text, Tone tone = Tone::plain) {
  Field field;
  field.value = std::move(text);
  field.tone = tone;
  return field;
}

Field number(std::string label, std::string value, std::string meaning = {}, std::string copy = {}) {
  return {.label = std::move(label),
          .value = std::move(value),
          .meaning = std::move(meaning),
          .evidence = {},
          .copy = std::move(copy),
          .tone = Tone::plain,
          .tensor = core::kNone32,
          .code = true};
}

Field unknown(std::string label, std::string reason) {
  return {.label = std::move(label),
          .value = "unknown",
          .meaning = std::move(reason),
          .evidence = {},
          .copy = {},
          .tone = Tone::unknown,
          .tensor = core::kNone32,
          .code = false};
}

std::string summary_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (!tensor.has_metadata) return "not described: see why below";
  std::string text = snapshot.dtype_name(tensor) + ", " + shape_in_words(snapshot.shape(tensor));
  if (const std::string size = size_text(tensor); !size.empty()) text += ", " + size;
  return text + " on " + core::device_name(tensor.device);
}

Field pair_field(const Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t id) {
  Field field = sentence(relation_sentence(snapshot, pair, id), shares_bytes(pair) ? Tone::accent : Tone::plain);
  field.meaning = consequence_sentence(snapshot, pair, id);
  field.evidence = method_sentence(snapshot, pair);
  field.tensor = partner_of(pair, id);
  if (pair.relation == core::Relation::unknown) field.tone = Tone::unknown;
  return field;
}

Section sharing_section(const SnapshotIndex& index, std::uint32_t id) {
  Section section{.title = "Sharing", .note = {}, .fields = {}};
  const Snapshot& snapshot = *index.snapshot;
  const auto pairs = index.pairs_of(id);
  const std::string elsewhere = meets_elsewhere_sentence(index, id, "it");
  if (!elsewhere.empty()) section.fields.push_back(sentence(elsewhere, Tone::unknown));
  if (pairs.empty()) {
    const Unpaired known = unpaired(index, id);
    const bool certain = (known == Unpaired::alone && elsewhere.empty()) || known == Unpaired::no_bytes;
    section.fields.push_back(sentence(unpaired_sentence(index, id, "It"), certain ? Tone::plain : Tone::unknown));
    return section;
  }
  for (const std::uint32_t pair_id : pairs.first(std::min(pairs.size(), kMaxPartners)))
    section.fields.push_back(pair_field(snapshot, index.pair(pair_id), id));
  if (pairs.size() > kMaxPartners) {
    section.fields.push_back(
        sentence(fmt::format("... and {} more.", counted(pairs.size() - kMaxPartners, "pair", "pairs")), Tone::dim));
  }
  if (index.missing_pairs_of(id) != core::UnknownWhy::none)
    section.fields.push_back(sentence(cut_short_sentence(snapshot) + " There may be more.", Tone::unknown));
  const std::uint32_t group = index.tensor(id).group;
  const std::uint64_t members = group == core::kNone32 ? 1 : snapshot.groups[group].members.count;
  if (members > 1) section.note = fmt::format("One piece of memory, {}.", counted(members, "tensor", "tensors"));
  return section;
}

std::string touches_of(const Snapshot& snapshot, const TensorRecord& tensor, const TouchAnswer* touches) {
  if (touches != nullptr) return touch_sentence(*touches);
  return tensor.has_layout ? touch_sentence(snapshot.memory_view(tensor)) : std::string();
}

void add_memory_sizes(const Snapshot& snapshot, const TensorRecord& tensor, const TouchAnswer* touched, Section& section) {
  if (tensor.nbytes == core::kUnknown64)
    section.fields.push_back(unknown("size", "The layout is not usable."));
  else {
    section.fields.push_back(number("size", human_bytes(tensor.nbytes),
                                    fmt::format("{} as a library counts them: {}.", exact_bytes(tensor.nbytes),
                                                counted(tensor.elements, "element", "elements"))));
  }
  if (tensor.distinct_bytes == core::kUnknown64) {
    section.fields.push_back(unknown("distinct", "The different bytes it touches were not counted; a remark says why."));
  } else if (tensor.distinct_bytes != tensor.nbytes) {
    std::string meaning = "Different bytes really touched.";
    if (tensor.distinct_bytes < tensor.nbytes) {
      const std::string touches = touches_of(snapshot, tensor, touched);
      meaning = touches.empty() ? "Different bytes really touched: some are reached more than once." : meaning + " " + touches;
    }
    section.fields.push_back(number("distinct", human_bytes(tensor.distinct_bytes), std::move(meaning)));
  }
}

// Who says what the allocation is.
const char* said_by(core::AllocationSource source) {
  switch (source) {
    case core::AllocationSource::storage:
      return "its storage";
    case core::AllocationSource::base:
      return "the object that it is a view of";
    case core::AllocationSource::exporter:
      return "the object itself, whose memory it is";
    case core::AllocationSource::mapping:
      return "the mmap object";
    case core::AllocationSource::driver:
      return "the CUDA driver";
  }
  return "";
}

void add_allocation(const Snapshot& snapshot, const TensorRecord& tensor, Section& section) {
  const auto whole = snapshot.allocation_of(tensor);
  if (!whole) return;
  if (whole->range == tensor.extent && whole->source == core::AllocationSource::exporter) {
    section.fields.push_back(number("allocation", "the extent", "The object owns its memory, and the tensor is all of it."));
    return;
  }
  section.fields.push_back(number("allocation", grouped_address(whole->range.begin) + " – " + grouped_address(whole->range.end),
                                  fmt::format("The whole piece of memory that it is a part of, {}, according to {}.",
                                              human_bytes(whole->range.size()), said_by(whole->source)),
                                  plain_address(whole->range.begin) + "-" + plain_address(whole->range.end)));
  if (whole->used_bytes == core::kUnknown64) return;
  const std::string in_use = human_bytes(whole->used_bytes) + " of " + human_bytes(whole->range.size());
  section.fields.push_back(number("of it in use", in_use,
                                  "Bytes of the allocation that the listed tensors touch. All of it stays alive."));
  if (snapshot.has_remark(tensor, core::RemarkCode::keeps_alive_unused)) section.fields.back().tone = Tone::warn;
}

// Whether dlscope itself keeps the memory: that of a file, and what it was asked to hold.
Field keeping_field(const TensorRecord& tensor, TensorState state) {
  Field field = sentence("no");
  field.label = "kept alive by dlscope";
  field.meaning = "Described and released at once; the bytes were there at the time of the scan.";
  const bool was_then = state == TensorState::past || state == TensorState::remembered;
  if (tensor.protocol == core::Protocol::file) {
    field.value = tensor.is_copied == core::Tri::yes ? "yes: it holds the unpacked copy" : "yes: it maps the file";
    field.meaning = "The memory is dlscope's own; no script has it.";
  } else if (state == TensorState::held) {
    field.value = "yes: you asked it to hold it";
    field.meaning =
        "Held between runs, it is let go of while code runs, which may free it; held also while code runs, its memory is not freed "
        "before you release it. The Log says which.";
  } else if (was_then && tensor.held) {
    field.value = "at that moment: yes";
    field.meaning = "You had asked dlscope to hold it.";
  }
  return field;
}

Section memory_section(const Snapshot& snapshot, const TensorRecord& tensor, TensorState state, const TouchAnswer* touches) {
  Section section{.title = "Memory", .note = {}, .fields = {}};
  add_memory_sizes(snapshot, tensor, touches, section);
  const bool is_freed = core::is_copy_for_export(tensor);  // what is at these addresses by now is not the tensor's
  if (tensor.has_layout && !tensor.extent.empty() && !is_freed) {
    section.fields.push_back(
        number("extent", grouped_address(tensor.extent.begin) + " – " + grouped_address(tensor.extent.end),
               fmt::format("{} from the lowest byte touched to one past the highest.", human_bytes(tensor.extent.size())),
               plain_address(tensor.extent.begin) + "-" + plain_address(tensor.extent.end)));
  }
  add_allocation(snapshot, tensor, section);
  if (tensor.alignment > 0 && !is_freed) {
    section.fields.push_back(number("aligned to",
                                    fmt::format("{}{} B", tensor.alignment >= 4096 ? "at least " : "", tensor.alignment),
                                    "Largest power of two that divides the first element's address."));
  }
  if (tensor.space != core::kNoSpace && tensor.space < snapshot.spaces.size() && !is_freed) {
    section.fields.push_back(number("address space", std::string(snapshot.str(snapshot.spaces[tensor.space].name)),
                                    "Addresses compare only inside one space."));
  }
  Field readable{.label = "readable",
                 .value = tensor.readable ? "yes" : "no",
                 .meaning = {},
                 .evidence = {},
                 .copy = {},
                 .tone = Tone::plain,
                 .tensor = core::kNone32,
                 .code = false};
  if (core::is_read_on_device(snapshot, tensor)) {
    readable.value = "by the driver";
    readable.meaning = "A scan reads none of it; values are fetched through the CUDA driver when they are shown.";
  } else if (is_freed)
    readable.meaning = "The copy that was described is freed by now; where its own bytes are is not known.";
  else if (tensor.readable)
    readable.meaning = tensor.extent.empty() ? "It has no bytes." : "The address map grants reading, and both ends were read.";
  else if (tensor.has_metadata && core::device_memory(tensor.device) != core::DeviceMemory::host) {
    readable.value = "unknown";
    readable.tone = Tone::unknown;
    readable.meaning = "A scan does not read device memory.";
  } else
    readable.meaning = tensor.has_layout && tensor.data == 0 && tensor.elements > 0
                           ? "Its data pointer is NULL, but its shape has elements."
                           : "Its bytes could not be confirmed to be readable memory.";
  section.fields.push_back(std::move(readable));
  section.fields.push_back(keeping_field(tensor, state));
  return section;
}

// What dlscope had the description from, where the tensor itself refused. A tensor whose refused protocol is the one that described
// it was described through another object over its memory.
std::string described_instead(const Snapshot& snapshot, const TensorRecord& tensor) {
  const auto refusals = Snapshot::slice(snapshot.refusals, tensor.refusals);
  const auto remarks = Snapshot::slice(snapshot.remarks, tensor.remarks);
  if (std::ranges::none_of(refusals, [&](const core::RefusalRecord& each) { return each.protocol == tensor.protocol; }))
    return fmt::format("Described through {} instead.", core::protocol_name(tensor.protocol));
  if (std::ranges::find(remarks, core::RemarkCode::requires_grad, &core::RemarkRecord::code) == remarks.end())
    return "Described through another object over the same memory instead.";
  const std::string_view name = core::expression_name(snapshot, tensor);
  return fmt::format("Described through {}.detach() instead, a view of the same memory.", name.empty() ? "the tensor's" : name);
}

Section refusal_section(const Snapshot& snapshot, const TensorRecord& tensor) {
  Section section{.title = "Refused by", .note = {}, .fields = {}};
  section.key = "refusals";
  const std::string_view library = tensor.library.length > 0 ? snapshot.str(tensor.library) : std::string_view("the library");
  for (const core::RefusalRecord& refusal : Snapshot::slice(snapshot.refusals, tensor.refusals)) {
    Field field;
    field.label = core::protocol_name(refusal.protocol);
    field.value = fmt::format("{}: \"{}\"", snapshot.str(refusal.type), snapshot.str(refusal.message));
    field.tone = tensor.protocol == core::Protocol::none ? Tone::bad : Tone::warn;
    const std::string_view name = core::expression_name(snapshot, tensor);
    const RefusalAdvice advice =
        advice_on(library, snapshot.str(refusal.type), snapshot.str(refusal.message), name.empty() ? "x" : name);
    const bool ours = snapshot.str(refusal.type).starts_with("dlscope.");
    field.meaning = ours ? "" : fmt::format("Message of {}. ", library);
    field.meaning += advice.reason;
    if (!advice.way_out.empty()) field.meaning += fmt::format("\nWhat helps: {}", advice.way_out);
    section.fields.push_back(std::move(field));
  }
  if (!section.fields.empty() && tensor.protocol != core::Protocol::none) section.note = described_instead(snapshot, tensor);
  return section;
}

// The meaning of each remark, and below it its numbers.
Section remark_section(const Snapshot& snapshot, const TensorRecord& tensor, core::RemarkKind kind) {
  const bool problem = kind == core::RemarkKind::problem;
  Section section{.title = problem ? "Problems" : "Notes", .note = {}, .fields = {}};
  section.key = problem ? "problems" : "notes";
  section.tone = problem ? Tone::bad : Tone::plain;
  for (const core::RemarkRecord& remark : Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    if (core::remark_kind(remark.code) != kind) continue;
    Field field = sentence(core::remark_meaning(remark.code), problem ? Tone::bad : Tone::plain);
    field.meaning = fmt::format("{} ({})", snapshot.str(remark.message), core::remark_code_name(remark.code));
    if (remark.code == core::RemarkCode::not_described) field.tone = Tone::unknown;
    section.fields.push_back(std::move(field));
  }
  return section;
}

std::string placement_text(const TensorRecord& tensor) {
  const core::DeviceMemory memory = core::device_memory(tensor.device);
  if (tensor.extent.empty())
    return core::has_known_extent(tensor) ? "It has no bytes, so there is no place to look up."
                                          : "It is not known where its bytes would be, so nothing could be looked up.";
  if (core::is_copy_for_export(tensor))
    return "What was described is a copy, freed by now: where its own bytes are could not be looked up.";
  if (tensor.readable)
    return tensor.device.type == core::kCpuDevice.type
               ? "The address map of the process has these bytes."
               : "The address map of the process has these bytes. Pinned and managed memory look like any other there: which "
                 "kind they are, only the capsule says.";
  if (memory == core::DeviceMemory::handle)
    return "The pointer is a handle, not an address: where the bytes lie cannot be looked up.";
  if (memory != core::DeviceMemory::host)
    return "Device memory is in no address map. The CUDA driver is asked where the program has initialised it; no other is.";
  return "The address could not be confirmed to be memory of this process.";
}

// Where the memory is according to the CUDA driver, when it was asked and knows.
void add_driver_fields(const Snapshot& snapshot, const TensorRecord& tensor, Section& section) {
  if (const core::DriverDeviceRecord* const told = snapshot.driver_device_of(tensor)) {
    const bool contradicts = told->device != tensor.device && core::contradiction_about_device(snapshot, tensor).has_value();
    section.fields.push_back(number("CUDA driver says", core::device_name(told->device),
                                    contradicts ? "The memory is not where its producer says, so none of it is read."
                                                : "Asked what this address is; the memory was not touched."));
    if (contradicts) section.fields.back().tone = Tone::bad;
  }
}

// What the capsule and the object say of the device.
void add_said_devices(const TensorRecord& tensor, Section& section) {
  const std::string device = core::device_name(tensor.device);
  section.fields.push_back(number(tensor.protocol == core::Protocol::dlpack ? "capsule says" : "said", device,
                                  fmt::format("DLPack device type {}, number {}.", tensor.device.type, tensor.device.id)));
  if (tensor.protocol == core::Protocol::attributes) return;  // that was the object, and there is no capsule to compare it with
  if (tensor.has_claimed_device) {
    const bool same = tensor.claimed_device == tensor.device;
    section.fields.push_back(number("object says", core::device_name(tensor.claimed_device),
                                    same ? "The object and the capsule agree."
                                         : "__dlpack_device__ names another device than the capsule. A consumer that asks it "
                                           "first would take the memory for something it is not."));
    if (!same) section.fields.back().tone = Tone::bad;
  } else {
    section.fields.push_back(unknown("object says", "__dlpack_device__ gave no answer, or was not asked."));
  }
}

// The device: claimed by the object, given in the capsule, and found.
Section device_section(const Snapshot& snapshot, const TensorRecord& tensor) {
  Section section{.title = "Device", .note = {}, .fields = {}};
  section.key = "device";
  if (tensor.protocol != core::Protocol::file) add_said_devices(tensor, section);  // else nobody says anything
  add_driver_fields(snapshot, tensor, section);
  const bool confirmed = tensor.readable && !tensor.extent.empty();
  // The address map tells whether memory belongs to this process, but not which kind of host memory it is.
  const char* const where = tensor.device.type == core::kCpuDevice.type ? "cpu" : "host memory";
  Field found = number("found", confirmed ? where : "unknown", placement_text(tensor));
  found.code = confirmed;
  found.tone = confirmed ? Tone::plain : Tone::unknown;
  section.fields.push_back(std::move(found));
  return section;
}

// The frame in whose locals a name begins. The first name's is recorded; others begin with their frame ("main().x", "f()#2.x"),
// except those of the innermost one, which look like global names. null: none, or not known.
const core::FrameRecord* frame_of_name(const Snapshot& snapshot, const TensorRecord& tensor, std::size_t number,
                                       std::string_view name) {
  if (number == 0) return tensor.frame < snapshot.frames.size() ? &snapshot.frames[tensor.frame] : nullptr;
  for (std::size_t i = 0; i < snapshot.frames.size(); ++i) {
    const std::string_view function = snapshot.str(snapshot.frames[i].function);
    if (!name.starts_with(function)) continue;
    std::size_t met = 1;
    for (std::size_t k = 0; k < i; ++k) met += snapshot.str(snapshot.frames[k].function) == function;
    if (name.substr(function.size()).starts_with(met == 1 ? std::string("().") : fmt::format("()#{}.", met)))
      return &snapshot.frames[i];
  }
  return nullptr;
}

std::string frame_words(const Snapshot& snapshot, const core::FrameRecord* frame) {
  if (frame == nullptr) return {};
  const std::string_view file = snapshot.str(frame->file);
  return fmt::format("local of {}, line {} of {}", snapshot.str(frame->function), frame->line, file.substr(file.rfind('/') + 1));
}

Section name_section(const Snapshot& snapshot, const TensorRecord& tensor) {
  const auto names = Snapshot::slice(snapshot.names, tensor.names);
  Section section{.title = "Reached by", .note = {}, .fields = {}};
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
    const std::string_view name = snapshot.str(names[i]);
    Field field = sentence(std::string(name));
    field.code = true;
    field.meaning = frame_words(snapshot, frame_of_name(snapshot, tensor, i, name));
    section.fields.push_back(std::move(field));
  }
  if (names.size() > kMaxNames)
    section.fields.push_back(sentence(fmt::format("... and {} more names.", grouped(names.size() - kMaxNames)), Tone::dim));
  if (names.size() > 1) section.note = fmt::format("One object, {} names.", grouped(names.size()));
  return section;
}

}  // namespace

Inspection inspect(const SnapshotIndex& index, std::uint32_t id, const LiveAnswer* live, TensorState state,
                   const TouchAnswer* touches) {
  const Snapshot& snapshot = *index.snapshot;
  const TensorRecord& tensor = index.tensor(id);
  Inspection out;
  out.tensor = id;
  out.name = snapshot.name(tensor);
  out.type = snapshot.str(tensor.type);
  out.summary = summary_of(snapshot, tensor);
  out.colour = index.colour_of(tensor);
  append_badges(index, id, out.badges);
  const auto add = [&](Section section) {
    if (section.key.empty()) section.key = section.title;
    if (!section.fields.empty()) out.sections.push_back(std::move(section));
  };
  const bool refused = tensor.protocol == core::Protocol::none;
  add(remark_section(snapshot, tensor, core::RemarkKind::problem));
  if (refused) add(refusal_section(snapshot, tensor));
  add(sharing_section(index, id));
  add(struct_card(index, id, live));
  if (live != nullptr) add(told_section(*live));
  if (tensor.has_metadata) {
    add(device_section(snapshot, tensor));
    add(layout_section(snapshot, tensor));
    add(memory_section(snapshot, tensor, state, touches));
  }
  if (live != nullptr) add(protocols_section(snapshot, tensor, *live));
  if (!refused) add(refusal_section(snapshot, tensor));
  add(remark_section(snapshot, tensor, core::RemarkKind::note));
  add(name_section(snapshot, tensor));
  return out;
}

}  // namespace dlscope::app
