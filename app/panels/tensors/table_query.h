// A changed query of the tensor table, asked for by a click or a key; the rows come in a later frame.
#pragma once

#include <utility>

#include "app/models/actions/commands.h"
#include "app/models/table/tensor_table_model.h"

namespace dlscope::app {

// change(TableQuery&). Asks for nothing when it changes nothing.
void ask_rows(const TensorTableModel& model, Commands& commands, auto&& change) {
  TableQuery query = model.query();
  change(query);
  if (query != model.query()) commands.push(command::AskRows{std::move(query)});
}

}  // namespace dlscope::app
