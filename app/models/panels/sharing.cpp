#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

constexpr HelpTerm kTerms[] = {
    {"identical, contains, overlaps", "How the two sets of bytes relate: the same, one within the other, some in common."},
    {"interleaved", "The address ranges meet but no byte is common, as with every other element of one array."},
    {"lowest common byte", "The proof: an address both reach, and the index by which each does."},
    {"unknown", "Not decided, and the row says why: memory that cannot be read, more work than is allowed, or a stopped scan."},
};

}  // namespace

constinit const PanelFacts kSharingPanel = {
    .context = ActionContext::sharing,
    .title = "Sharing",
    .where = "In the sharing list",
    .action = "view.sharing",
    .home = PanelHome::sharing,
    .what =
        "Every pair of tensors whose addresses meet, and whether they really share bytes: decided on the exact set "
        "of bytes each one reaches.",
    .terms = kTerms,
};

}  // namespace dlscope::app
