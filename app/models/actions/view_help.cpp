#include "app/models/actions/view_help.h"

#include "app/models/panels/panel_facts.h"

namespace dlscope::app {
namespace {

constexpr HelpTerm kWindowTerms[] = {
    {"tensor",
     "An array of one of your libraries that offers its memory to others: a NumPy array, a PyTorch tensor, a memoryview."},
    {"memory group", "Tensors whose bytes overlap, directly or through a third one. Each group has one colour, in every view."},
    {"the focus", "The element under the mouse. Every view lights the same bytes; a click pins it, Escape lets go."},
    {"copy", "dlscope reads memory where it lies. The status bar counts the copies it made: none, unless you asked for one."},
};
constexpr const char* kWindow =
    "dlscope runs your script in your own Python, finds its tensors and shows where their bytes are and who "
    "shares them. Nothing is copied, and whatever the script does, this window stays.";

}  // namespace

ViewHelp view_help(ActionContext context) {
  if (const PanelFacts* panel = panel_of(context)) return {context, panel->what, panel->terms};
  return {ActionContext::global, kWindow, kWindowTerms};
}

}  // namespace dlscope::app
