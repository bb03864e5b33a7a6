#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

constexpr HelpTerm kTerms[] = {
    {"capsule", "What a producer hands out and a consumer takes, once: taking renames it `used_...`."},
    {"deleter",
     "The function of a capsule's struct that gives the producer its memory back; whoever took the struct calls it, once."},
    {"SHARED, COPIED", "Decided on the bytes each side really reaches, not on pointers or on what a library promises."},
    {"write probe", "Changes one byte through one tensor, looks for it in the other, puts it back and compares a hash."},
    {"ledger", "Every copy that dlscope made or had a library make. Viewing alone makes none."},
    {"stream",
     "A queue of work on a device. Work on two of them is in no order unless an event, a synchronization or a rule makes one."},
};

constexpr Action kActions[] = {
    {.id = ActionId::exchange_capsules, .name = "exchange.capsules", .title = "Capsules that are watched, and their lives"},
    {.id = ActionId::exchange_ledger, .name = "exchange.ledger", .title = "Ledger of copies"},
    {.id = ActionId::exchange_streams, .name = "exchange.streams", .title = "Streams: a recording of them"},
};

}  // namespace

constinit const PanelFacts kExchangePanel = {
    .context = ActionContext::exchange,
    .title = "Exchange",
    .where = "In the exchange view",
    .action = "view.exchange",
    .home = PanelHome::exchange,
    .what =
        "Hands the selected tensor to another library and shows each call and what happened to the memory; copies and converts "
        "it; proves a chain of hand-overs; says what keeps its memory alive; takes real capsules through their life; lists every "
        "copy that was made; says what hand-overs did about streams, and replays a recording of that (.streams.json). In Teach, "
        "a capsule's steps are asked about first.",
    .terms = kTerms,
    .actions = kActions,
};

}  // namespace dlscope::app
