#include "app/window/commands/proof_export.h"

#include <fmt/format.h>

#include <utility>

#include "app/models/exchange/exchange_text.h"
#include "app/models/text/time_stamp.h"
#include "app/window/application_parts.h"
#include "core/base/build_id.h"

namespace dlscope::app {

std::string proof_caption(const ApplicationParts& parts) {
  const HostSession& session = parts.host.session();
  std::string_view script = session.script_of_run().path;
  script = script.substr(script.rfind('/') + 1);
  std::string text = fmt::format("{} · {}", script.empty() ? "unsaved script" : script, date_and_time());
  if (!session.python().empty()) text += " · " + session.python();
  return text + " · dlscope " + core::version();
}

std::optional<ExportedPicture> crop_proof_figure(ApplicationParts& parts, int width, int height,
                                                 std::span<const std::byte> rgba) {
  ProveState& view = parts.panels.exchange.proving;
  const ProofFigure drawn = std::exchange(view.figure, {});
  const core::Proof* const proof = view.proof();
  ExportedPicture picture{time_stamped("dlscope-proof-", ".png"), 0, 0, {}, {}};
  const FrameArea area{drawn.from.x, drawn.from.y, drawn.to.x, drawn.to.y};
  if (proof == nullptr || !drawn.wanted || !cut_out(picture, area, width, height, rgba)) {
    parts.notices.add(Tone::warn, "The proof was not drawn in that frame: export it again.");
    return std::nullopt;
  }
  // Also where the picture has no room for every step.
  picture.text = {{"Title", "Proof: " + chain_text(*proof)},
                  {"Description", proof_text(*proof) + view.caption + "\n"},
                  {"Software", std::string("dlscope ") + core::version()}};
  return picture;
}

}  // namespace dlscope::app
