#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

using enum ActionId;

constexpr HelpTerm kTerms[] = {
    {"DLPack",
     "The agreement by which libraries hand tensors to each other without copying: one C struct, described here field by "
     "field."},
    {"capsule", "The Python object that carries that struct. Whoever takes the tensor renames it, so that it is taken once."},
    {"byte_offset", "The first element is this many bytes after `data`."},
    {"deleter", "The function that tells the owner that the struct is no longer needed."},
    {"unknown", "The tensor does not say. An old capsule cannot say, for example, whether its bytes may be written."},
    {"refused", "The library would not hand the tensor over. Its own message is shown, with what helps where that is known."},
};

constexpr Action kActions[] = {
    {.id = inspector_copy,
     .name = "inspector.copy",
     .title = "Copy the value under the mouse, else the tensor's name",
     .keys = "Ctrl+C"},
    {.id = inspector_copy_c, .name = "inspector.copy_c", .title = "Copy the struct as C", .keys = "Ctrl+Shift+C"},
};

}  // namespace

constinit const PanelFacts kInspectorPanel = {
    .context = ActionContext::inspector,
    .title = "Inspector",
    .where = "In the inspector",
    .action = "view.inspector",
    .home = PanelHome::inspector,
    .what =
        "The selected tensor as its library hands it over: every field with its address, its raw bytes and what "
        "they mean, then which protocols it offers and which names reach it.",
    .terms = kTerms,
    .actions = kActions,
};

}  // namespace dlscope::app
