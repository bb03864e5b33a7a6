// The exchange view: hands the selected tensor to another library, copies or converts it; proves a chain of hand-overs; shows the
// ledger of copies. It shows calls before they are made, and afterwards the verdict with its evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/exchange/capsule_life.h"
#include "app/models/exchange/capsule_prediction.h"
#include "app/models/exchange/exchange_choice.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/hand_over_steps.h"
#include "app/models/exchange/life_rows.h"
#include "app/models/exchange/referrers.h"
#include "app/models/exchange/stream_picture.h"
#include "app/models/host/lost_hand_over.h"
#include "app/models/jobs/cached_value.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/exchange/proof_figure.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

enum class ExchangeTab : std::uint8_t { hand_over, copy, prove, life, capsules, ledger, streams };

struct CapsulesState {
  std::vector<CapsuleLife> all;  // oldest first
  CapsulesAlive alive;
  std::string problem;
  std::string filter;           // of the log
  std::vector<CapsuleLogRow> log;
  std::uint64_t asked_for = 0;  // the snapshot generation they were last asked for
  std::uint64_t ticket = 0;     // of the open question; 0: none
  std::optional<CapsulePrediction> prediction;  // for the last step with a question
  std::uint64_t predicted_at = 0;               // asked_for when it was made: its outcome is in a later answer
  std::string withdrawn;                        // why there is no outcome for the last question; "": there is
  bool show_question = false;                   // it has just come: the next frame scrolls to it
};

// The score of predictions in the Teach layout.
struct PredictionScore {
  bool asks = true;  // ask before each step
  int made = 0, right = 0;
};

// The rows of the ledger.
struct LedgerState {
  std::uint64_t generation = 0;  // of the snapshot they are from
  std::vector<LedgerRow> rows;
  std::uint64_t last_known_bytes = 0, most_last_known = 0;  // kept by Values and Hex, and the bound; set each frame
  CachedValue<std::uint64_t, LedgerRow> last_known;                // by those bytes
};

// A tensor of a snapshot.
struct LifeQuestion {
  std::uint64_t generation = 0;
  std::uint32_t tensor = core::kNone32;
  friend bool operator==(const LifeQuestion&, const LifeQuestion&) = default;
};

// Who refers to the owner of the selected tensor's memory.
struct ReferrersState {
  std::optional<LifeQuestion> of;  // the tensor that it is about
  std::optional<Referrers> found = {};
  std::string problem = {};
  std::uint64_t ticket = 0;  // of the open question; 0: none
};

// What came of the last act of a tab, and what that was about: under another subject it is not shown, and where code has run since
// not as if it were of now.
template <class Done, class Subject = std::string>
struct ActResult {
  Subject subject = {};           // as the tab names it: "x", "x[1:3]"
  std::uint64_t code_began = 0;   // Timeline::code_began() when it was asked for
  std::optional<Done> done = {};  // nullopt: nothing was asked, it is under way, or `problem` says why not
  std::string problem = {};
  [[nodiscard]] bool over() const { return done || !problem.empty(); }
};

// Handing over.
struct HandOverState {
  std::vector<ExchangeLibrary> libraries;
  std::uint64_t libraries_of = 0;  // the snapshot generation they were asked for; 0: never
  std::string no_libraries;        // why there are none; "": there are
  ExchangeChoice choice;
  bool types_stream = false;  // choice.stream is typed: the address of a stream's handle
  std::string name;           // for the result, as typed
  std::string planned;        // the question about the calls that was asked last, without the rehearsal
  bool rehearse = false;      // the user asks for the calls of this plan
  std::optional<ExchangePlan> plan;
  std::string plan_of, plan_problem;  // the question that both answer
  std::uint64_t ticket = 0;           // of the open question; 0: none
  ActResult<core::wire::HandedOver> result;
  ExchangeChoice made_with;          // what `result` was asked for with
  bool show_result = false;          // it has just come: the next frame scrolls to it
  std::optional<LostHandOver> lost;  // the last one that ended Python; stays until the next one, or until it is dismissed
  StepsState steps;
};

struct CopyState {
  core::wire::CopyTensor choice;
  ActResult<core::wire::Copied> result;
};

struct ProveState {
  std::vector<std::string> chain;           // names
  const TensorTableModel* table = nullptr;  // for what it shows; set each frame
  bool probe = false;
  ActResult<core::Proof, std::vector<std::string>> result;  // of a chain that may have been changed since
  std::string caption;                                      // of its figure: the script, when it was proved, by which versions
  ProofFigure figure;

  // The proof of the chain as it is now; null: there is none.
  [[nodiscard]] const core::Proof* proof() const { return result.done && result.subject == chain ? &*result.done : nullptr; }
};

// What keeps the selected tensor's memory alive.
struct LifeState {
  std::optional<LifeAnswer> answer;
  CachedValue<LifeQuestion, std::vector<LifeRow>> rows;  // of `answer`
  std::string problem;
  std::optional<LifeQuestion> asked;  // the question that `answer` answers, or the open one
  std::uint64_t ticket = 0;
  ReferrersState referrers;
};

// A recorded trace of streams.
struct StreamsState {
  std::string path;          // as typed: to open, or to write to
  std::uint64_t ticket = 0;  // of the question for the recording of Python's process; 0: none
  std::optional<StreamView> view;
  std::string problem;
  std::string file;              // that `view` or `problem` is of; "": of Python's process
  std::uint64_t code_began = 0;  // of Python's process: Timeline::code_began() when it was asked
};

struct ExchangeState {
  ExchangeTab tab = ExchangeTab::hand_over;
  std::optional<ExchangeTab> bring_up;  // to the front, with the next frame
  std::optional<ExchangeTab> awaited;   // shown, but the bar of tabs still has another one in front
  bool tabs_as_list = false;            // in the last frame, in a narrow panel

  CachedValue<std::uint64_t, std::string> loading;  // by snapshot generation: the line that loads the file that is shown

  HandOverState hand;
  CopyState copying;
  ProveState proving;
  LifeState life;
  LedgerState ledger;
  CapsulesState capsules;
  PredictionScore predictions;
  StreamsState streams;

  std::uint64_t last_ticket = 0;  // the last one of all questions of this view
  std::optional<std::uint64_t> process;  // that results and answers are from
  int frames_shown = 0;                  // since it came to the front
  bool busy = false;                     // an act of this view is under way
};

void draw_exchange_panel(const FrameContext& context, ExchangeState& state, Commands& commands);

// The proof as a figure, over everything: in a frame that it was wanted for before that frame began.
void draw_wanted_figure(const FrameContext& context, ExchangeState& state);

// Handles requests by menus, keys and the palette, also while the view is hidden, and shows it then.
void open_exchange_where_asked(const FrameContext& context, ExchangeState& state, bool& shown, Commands& commands);

}  // namespace dlscope::app
