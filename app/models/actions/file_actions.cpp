// The actions of the menu File.
#include "app/models/actions/action_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;
using Menu = ActionMenu;

constexpr Action kActions[] = {
    {.id = script_new, .name = "script.new", .title = "New script", .menu = Menu::file, .command = make<command::NewScript>},
    {.id = script_open, .name = "script.open", .title = "Open a script …", .menu = Menu::file, .keys = "Ctrl+O"},
    {.id = tensors_open,
     .name = "tensors.open",
     .title = "Open tensors …",
     .menu = Menu::file,
     .meaning =
         "The tensors of a .npy, .npz or .safetensors file, mapped and not copied; what is compressed is unpacked into memory. "
         "Nothing in the file is run. A file dropped on the window does the same."},
    {.id = tensors_leave,
     .name = "tensors.leave",
     .title = "Back to the script's tensors",
     .menu = Menu::file,
     .meaning = "Closes the file and shows the script's tensors again. So does the next run.",
     .refusal = [](const ActionState& s) { return s.of_file ? nullptr : "The tensors shown are the script's."; },
     .command = make<command::LeaveFile>},
    {.id = tour_open, .name = "tour.open", .title = "Open the tour", .menu = Menu::file, .command = make<command::OpenTour>},
    {.id = script_save,
     .name = "script.save",
     .title = "Save the script",
     .menu = Menu::file,
     .separated = true,
     .keys = "Ctrl+S",
     .command = make<command::SaveScript>},
    {.id = script_save_as, .name = "script.save_as", .title = "Save the script as …", .menu = Menu::file, .keys = "Ctrl+Shift+S"},
    {.id = picture_save,
     .name = "picture.save",
     .title = "Save a picture of the window",
     .menu = Menu::file,
     .separated = true,
     .meaning = "As it is now, at its own size, as a PNG in the folder dlscope was started in.",
     .command = make<command::SavePicture>},
    {.id = report_save,
     .name = "report.save",
     .title = "Save a report",
     .menu = Menu::file,
     .meaning = "What the newest snapshot of the tensors holds, as --report writes it, into the folder dlscope was started "
                "in.",
     .refusal = [](const ActionState& s) { return s.moment.since == Since::looked_again ? kReportIsOfNow : no_tensors(s); },
     .command = make<command::SaveReport>},
    {.id = export_npy,
     .name = "export.npy",
     .title = "Export the tensor as .npy",
     .menu = Menu::file,
     .separated = true,
     .meaning = "The selected tensor, or the slice chosen of it, into the folder dlscope was started in: dtype and shape kept, "
                "in C order.",
     .refusal = needs_bytes,
     .command = [](const ActionState&) -> Command { return command::ExportTensor{core::TensorFileFormat::npy}; }},
    {.id = export_safetensors,
     .name = "export.safetensors",
     .title = "Export the tensor as .safetensors",
     .menu = Menu::file,
     .meaning = "The selected tensor, or the slice chosen of it, into the folder dlscope was started in: name, dtype and shape "
                "kept, in C order.",
     .refusal = needs_bytes,
     .command = [](const ActionState&) -> Command { return command::ExportTensor{core::TensorFileFormat::safetensors}; }},
    {.id = export_csv,
     .name = "export.csv",
     .title = "Export the tensor as CSV",
     .menu = Menu::file,
     .meaning = "The selected tensor, or the slice chosen of it, into the folder dlscope was started in as text: the last axis "
                "across, every number so that it reads back as the same one, and a comment in front that says what it is.",
     .refusal = needs_bytes,
     .command = [](const ActionState&) -> Command { return command::ExportTensor{core::TensorFileFormat::csv}; }},
    {.id = export_picture,
     .name = "export.picture",
     .title = "Export the heat map as PNG",
     .menu = Menu::file,
     .meaning = "As it is now in the heat map, into the folder dlscope was started in: a pixel for each of its points, and in "
                "the file's text what they are of.",
     .refusal = needs_bytes,
     .command = make<command::ExportHeatmap>},
    {.id = export_figure,
     .name = "export.figure",
     .title = "Export the heat map as a figure",
     .menu = Menu::file,
     .meaning = "As it is now in the heat map, into the folder dlscope was started in as a PNG: with name, dtype, shape and "
                "slice above it, the indices along its axes, and below it what the colours mean and what it was computed on.",
     .refusal = needs_bytes,
     .command = [](const ActionState&) -> Command { return command::ExportHeatmap{.figure = true}; }},
    {.id = export_proof,
     .name = "export.proof",
     .title = "Export the proof as PNG",
     .menu = Menu::file,
     .meaning = "The verdict and the evidence of each step, as they stand under Prove, into the folder dlscope was started in: "
                "with script and date below them, and all of it once more in the file's text."},
    {.id = settings_sheet,
     .name = "settings",
     .title = "Settings",
     .menu = Menu::file,
     .separated = true,
     .keys = "Ctrl+Comma",
     .meaning = "Theme, size, keys, which Python.",
     .shows = &ViewSwitches::settings},
    {.id = quit,
     .name = "quit",
     .title = "Quit",
     .menu = Menu::file,
     .separated = true,
     .keys = "Ctrl+Q",
     .command = make<command::Quit>},
};

}  // namespace

std::span<const Action> file_actions() { return kActions; }

}  // namespace dlscope::app
