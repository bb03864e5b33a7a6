#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

constexpr HelpTerm kTerms[] = {
    {"moment",
     "The place of one snapshot of the tensors on the time line: after a run, at a stop, or on request. A snapshot holds the "
     "descriptions, and the bytes of tensors that are remembered."},
    {"then",
     "What a moment of the past shows. Nothing is asked about it, and only remembered bytes are read; Escape goes back to now."},
    {"●",
     "Bytes of this moment were remembered: its values are shown as they were then. Remember a tensor in its row menu or the "
     "inspector."},
    {"≠", "The moment that the shown one is compared with: the one before it, or the one you chose by Ctrl+click."},
    {"renamed", "A tensor with new names only, at the place of a tensor that is gone: the same one, or its memory reused."},
    {"since", "Found by going back over the kept moments one by one; what happened between two of them is not seen."},
};

constexpr FixedKey kFixedKeys[] = {
    {"Click a moment", "Look back at it; the newest one: back to now"},
    {"Ctrl+click or right click a moment", "Compare the shown moment with it"},
};

}  // namespace

constinit const PanelFacts kHistoryPanel = {
    .context = ActionContext::history,
    .title = "History",
    .where = "In the history",
    .action = "view.history",
    .home = PanelHome::console,
    .what =
        "The snapshots of the script's tensors, oldest left. Going back shows table, map, sharing and inspector as they were "
        "then; below, what is different between two moments, and since when the selected tensor has been as it is.",
    .terms = kTerms,
    .fixed_keys = kFixedKeys,
};

}  // namespace dlscope::app
