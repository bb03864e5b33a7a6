// The tabs of the exchange view: hand over and copy (exchange_tabs.cpp), prove, life, ledger.
#pragma once

#include <optional>
#include <string>

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

// The selected tensor, or the slice that is chosen of it, and how the host identifies it.
struct ExchangeSubject {
  std::string name;        // of the tensor
  std::string sliced;      // "x[1:3]"; without a slice `name`
  std::string expression;  // the first of its names that is a Python expression; "": none is
  std::string library;
  core::DeviceId device;
  core::wire::TensorRef ref;
};
[[nodiscard]] std::optional<ExchangeSubject> subject_of(const FrameContext& context);
// What Python is asked about handing the selected tensor over with that choice; "": there is nothing to ask.
[[nodiscard]] std::string question_about_calls(const FrameContext& context, const ExchangeChoice& choice, bool rehearse);

// Above all else in the tab, also where Python is gone: nothing else says which hand-over ended it.
void draw_lost_hand_over(const FrameContext& context, std::optional<LostHandOver>& lost);
void draw_hand_over_tab(const FrameContext& context, ExchangeState& state, Commands& commands);
void draw_copy_tab(const FrameContext& context, ExchangeState& state, Commands& commands);
// Has the next frame draw the proof as a figure, or says in the tab why there is none.
void want_proof_figure(ProveState& state);
void draw_prove_tab(const FrameContext& context, ExchangeState& state, Commands& commands);
void draw_life_tab(const FrameContext& context, ExchangeState& state, Commands& commands);
void draw_ledger_tab(const FrameContext& context, LedgerState& ledger);

}  // namespace dlscope::app
