// Whose names the table shows at a stop, and among the kept frames of a script that ended: those that a statement in the
// innermost frame of the user's code would use. The console, completion and watches use the chosen frame, where a name may mean
// another object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/models/host/stop_view.h"
#include "app/models/tensors/tensor_state.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// In a list of frames, the first frame of the thread or task that frame number `frame` belongs to. 0: the thread that stands at
// the stop. Not of kept frames, where a heading begins another exception.
[[nodiscard]] std::uint32_t first_of_stack(const core::wire::Stopped& stop, std::uint32_t frame);

struct NamesFrame {
  std::string names, chosen;  // "step()", "main()", "the script": of the names of the table, and the one that is chosen
};
// frames: HostSession::frames(). nullopt: the chosen frame is the one of the names, or the tensors are not of these frames.
[[nodiscard]] std::optional<NamesFrame> other_frame_chosen(const StopView* frames, const Moment& moment);

// "Names as in step(), the innermost frame; you are in main()."
[[nodiscard]] std::string names_frame_line(const NamesFrame& frames);
// Behind a tensor's name: "of step()", "global"; "": the name says itself which frame it is of, "main().x".
[[nodiscard]] std::string owner_of_name(const NamesFrame& frames, const core::Snapshot& snapshot,
                                        const core::TensorRecord& tensor);
// Before a line of Python with such names.
[[nodiscard]] std::string line_frame_text(const NamesFrame& frames);
// Why a line with such names is not run: the console would run it in the chosen frame.
[[nodiscard]] std::string why_not_run_here(const NamesFrame& frames);

}  // namespace dlscope::app
