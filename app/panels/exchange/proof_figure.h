// The proof of a chain as a figure: the verdict and the whole evidence of each step, drawn over the window in the one frame that
// it is cut out of.
#pragma once

#include <string>

#include "app/panels/frame_context.h"
#include "core/inventory/proof.h"

namespace dlscope::app {

struct ProofFigure {
  bool wanted = false;        // the next frame draws it
  std::string problem;        // why there is none; "": there is, or nobody asked
  ImVec2 from = {}, to = {};  // where it was drawn in the last frame, in pixels of the screen; empty: it was not
};

// What a figure is made of, besides the proof.
struct ProofFigureText {
  std::string caption;   // "tour.py · 2026-11-28 13:40:05 · dlscope 0.1"
  std::string outdated;  // what has happened since; "": nothing
};

// On top of everything else. Where not every step has room, the figure says how many it shows.
void draw_proof_figure(const FrameContext& context, const core::Proof& proof, const ProofFigureText& text, ProofFigure& figure);

}  // namespace dlscope::app
