// The ids of all actions; each is described in a row of its menu or its panel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/models/actions/action_context.h"

namespace dlscope::app {

// clang-format off
enum class ActionId : std::uint16_t {
  // file
  script_new, script_open, tensors_open, tensors_leave, tour_open, script_save, script_save_as, picture_save, report_save, export_npy, export_safetensors, export_csv, export_picture, export_figure, export_proof, settings_sheet, quit,
  // run
  run_script, run_selection, run_stop,
  // debug
  debug_continue, debug_pause, debug_step_over, debug_step_into, debug_step_out, debug_run_to_cursor,
  breakpoint_toggle, breakpoints_remove_all, stop_on_raise, stop_on_uncaught,
  // run, continued
  rescan, memory_hold, memory_pin, memory_release, memory_remember, memory_remember_hashes, exchange_selected, copy_selected, convert_selected, prove_add, life_selected, output_clear, python_kill, python_restart, python_choose,
  // view
  show_panel_first, show_panel_last = show_panel_first + static_cast<int>(kPanelCount) - 1,  // show_panel() names them
  theme_dark, theme_light, scale_larger, scale_smaller, scale_normal,
  // layout
  layout_debug, layout_teach, layout_verify, layout_reset,
  // help
  palette, go_to, help_here, keys_sheet,
  // focus
  deselect, tensors_filter, tensor_next, tensor_previous,
  // looking back
  history_earlier, history_later, history_now,
  // editor
  editor_find, editor_replace, editor_find_next, editor_find_previous, editor_go_to_line, editor_comment,
  editor_line_up, editor_line_down,
  // inspector
  inspector_copy, inspector_copy_c,
  // map
  map_fit,
  map_one_to_one,
  // layout view
  layout_view_fit, layout_view_natural, layout_view_colour, layout_view_others,
  // values
  values_go_to, values_search_special, values_search_nan, values_next_special, values_previous_special,
  values_next_subnormal, values_copy, values_select_all,
  values_copy_python, values_copy_numpy, values_copy_c, values_copy_csv, values_copy_text, values_export_csv, values_export_npy, values_export_safetensors,
  values_larger, values_smaller, values_normal,
  // hex
  hex_selected, hex_go_to, hex_find, hex_find_next, hex_find_previous, hex_copy, hex_select_all, hex_arm, hex_undo, hex_redo,
  // statistics
  statistics_compute, statistics_survey,
  // compare
  compare_values, compare_first, compare_next, compare_previous, compare_fit, compare_natural, compare_remembered, compare_file,
  // exchange
  exchange_capsules, exchange_ledger, exchange_streams,
  // heat map
  heatmap_fit, heatmap_natural, heatmap_read_all, heatmap_next_special, heatmap_previous_special, heatmap_as_image,
  count
};
// clang-format on
inline constexpr std::size_t kActionCount = static_cast<std::size_t>(ActionId::count);

// The action that shows and hides a panel; `panel` is not `global`.
[[nodiscard]] constexpr ActionId show_panel(ActionContext panel) {
  static_assert(static_cast<int>(ActionContext::global) == 0);
  return static_cast<ActionId>(static_cast<int>(ActionId::show_panel_first) + static_cast<int>(panel) - 1);
}

}  // namespace dlscope::app
