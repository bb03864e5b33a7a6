#include "app/panels/history/compare_link.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr const char* kLink = "Compare";

}  // namespace

bool can_compare(const FrameContext& context, std::uint32_t tensor, std::uint64_t moment) {
  if (context.index == nullptr || tensor >= context.index->size() || moment == context.history.shown) return false;
  const RememberedMomentPtr kept = context.history.remembered->find(moment);
  return kept && kept->bytes_by_name(*context.index->snapshot, context.index->tensor(tensor)) != nullptr;
}

float compare_link_width() { return ImGui::CalcTextSize(kLink).x; }

void draw_compare_link(const FrameContext& context, std::uint32_t tensor, std::uint64_t moment, Commands& commands) {
  if (ImGui::TextLink(kLink)) {
    commands.push(command::SelectTensor{tensor});
    commands.push(command::CompareWithMoment{moment});
  }
  explain([&] {
    const KeptMomentPtr then = context.history.kept->find(moment);
    return fmt::format("Its values as they were at {} beside those that are shown, with what is different.",
                       then ? then->title : std::string("that moment"));
  });
}

}  // namespace dlscope::app
