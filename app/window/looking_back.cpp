#include "app/window/looking_back.h"

#include <type_traits>
#include <utility>

#include "app/models/text/time_stamp.h"

namespace dlscope::app {
namespace {

template <class Asked, class... These>
constexpr bool kIsOneOf = (std::is_same_v<Asked, These> || ...);

// Commands that have Python act on the shown tensors, or that read all of them.
template <class Asked>
constexpr bool kActsOnTensors = kIsOneOf<Asked, command::HoldMemory, command::ReleaseMemory, command::SurveyTensors,
                                         command::HandTo, command::CopyTensor, command::Prove, command::WriteBytes>;
// Commands that read one tensor: they work on a past moment where its bytes are remembered. (Views find no reader: shown_memory.)
template <class Asked>
constexpr bool kReadsTensor =
    kIsOneOf<Asked, command::SearchValues, command::ComputeStatistics, command::DrawHeatmap, command::ExportTensor>;

std::uint32_t tensor_of(const command::ComputeStatistics& asked, const ApplicationParts&) { return asked.tensor; }
std::uint32_t tensor_of(const command::DrawHeatmap& asked, const ApplicationParts&) { return asked.request.tensor; }
std::uint32_t tensor_of(const auto&, const ApplicationParts& parts) { return parts.views.selection().selected(); }

// The moment that this one's marks compared with when it was the newest; null: none, or no longer kept.
KeptMomentPtr marks_then(const KeptMoment& moment, const ApplicationParts& parts) {
  return parts.history.find(moment.marked_against());
}

// The moment that the marks on the screen compare with because a person chose it; 0: none was chosen.
std::uint64_t marked_against(const ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  return index ? index->marks.against.moment : 0;
}

// In a job: packs moments that are no longer the newest, and destroys those that the history dropped.
void pack_older(MomentHistory& history, JobPool& jobs) {
  KeptMoments dropped = history.take_dropped(), whole = history.to_pack();
  if (dropped.empty() && whole.empty()) return;
  jobs.post(Lane::views,
            [&history, &jobs, dropped = std::move(dropped), whole = std::move(whole),
             store = history.store()](const std::stop_token&) mutable -> JobPool::Apply {
              dropped.clear();
              for (const KeptMomentPtr& moment : whole) moment->pack(store);
              whole.clear();
              return [&history, &jobs] {
                history.count_again();
                pack_older(history, jobs);
              };
            });
}

}  // namespace

std::uint64_t keep_moment(const core::SnapshotPtr& snapshot, std::uint64_t process, MomentHistory& history, JobPool& jobs) {
  const std::uint64_t number = history.keep(snapshot, process, time_of_day());
  pack_older(history, jobs);
  return number;
}

void look_at(std::uint64_t number, ApplicationParts& parts) {
  SnapshotViews& views = parts.views;
  const KeptMomentPtr newest = parts.history.newest();
  const bool now = number == 0 || (newest && number == newest->number && views.newest_source().file == nullptr);
  if (now) return views.back_to_now();
  const KeptMomentPtr moment = parts.history.find(number);
  if (!moment)
    return parts.notices.add(Tone::warn, "That moment is no longer kept: the oldest are dropped to make room for newer ones.");
  if (!views.looks_back()) parts.newest_when_left = newest->number;
  views.look_back(moment, marks_then(*moment, parts), parts.history.find(marked_against(parts)));
}

void mark_against(std::uint64_t number, ApplicationParts& parts) {
  const KeptMomentPtr base = parts.history.find(number);
  const std::uint64_t shown = parts.views.source().moment;
  if (const KeptMomentPtr moment = parts.history.find(shown); moment && parts.views.looks_back())
    return parts.views.look_back(moment, marks_then(*moment, parts), base);
  parts.views.mark_newest_against(base);
}

void answer_differences(const DifferenceQuery& query, ApplicationParts& parts) {
  const KeptMomentPtr before = parts.history.find(query.before), now = parts.history.find(query.now);
  if (!before || !now) return;
  const HistoryAnswers& known = parts.history_answers;
  const bool same = known.differences && known.difference_query.remembered == query.remembered &&
                    known.difference_query.before == query.before && known.difference_query.now == query.now;
  parts.jobs.post(Lane::search,
                  [&parts, query, before, now, remembered = parts.remembered.moments(),
                   found = same ? known.differences : nullptr](const std::stop_token& stop) -> JobPool::Apply {
                    DifferencesPtr differences = found ? found : find_differences(before, now, stop, remembered);
                    if (!differences) return {};
                    DifferenceRows rows = filter_differences(*differences, query.wanted, query.filter, stop);
                    if (!rows) return {};
                    return [&parts, query, differences, rows] {
                      parts.history_answers.difference_query = query;
                      parts.history_answers.differences = differences;
                      parts.history_answers.rows = rows;
                    };
                  },
                  {JobKind::differences});
}

void answer_since_when(const SinceWhenQuery& query, ApplicationParts& parts) {
  const MomentHistory& history = parts.history;
  parts.jobs.post(
      Lane::search,
      [&parts, query, moments = history.moments(), remembered = parts.remembered.moments(), given_up = history.given_up() > 0,
       trail = parts.since_when_trail](const std::stop_token& stop) -> JobPool::Apply {
        TensorHistoryPtr since = find_since_when(moments, {query.moment, query.tensor, query.other, query.element, given_up},
                                                     remembered, stop, trail.get());
        if (!since) return {};
        return [&parts, query, since] {
          parts.history_answers.since_query = query;
          parts.history_answers.since = since;
        };
      },
      {JobKind::since_when});
}

HistoryView history_view(const ApplicationParts& parts) {
  const MomentHistory& history = parts.history;
  HistoryView view{.kept = &history,
                   .remembered = &parts.remembered,
                   .answers = &parts.history_answers,
                   .shown = parts.views.source().moment,
                   .marked_against = marked_against(parts)};
  const KeptMomentPtr newest = history.newest();
  if (!newest) return view;
  const KeptMomentPtr earlier = view.shown != 0 ? history.before(view.shown) : newest;
  const KeptMomentPtr later = view.shown != 0 ? history.after(view.shown) : nullptr;
  view.earlier = earlier ? earlier->number : 0;
  view.later = later ? later->number : 0;
  if (parts.views.looks_back() && newest->number > parts.newest_when_left) view.newer = newest->number;
  return view;
}

const char* refused_of_the_past(const Command& command, const ApplicationParts& parts) {
  if (!parts.views.looks_back()) return nullptr;
  if (std::holds_alternative<command::SaveReport>(command)) return kReportIsOfNow;
  return std::visit(
      [&]<class Asked>(const Asked& asked) -> const char* {
        if constexpr (kReadsTensor<Asked>) return parts.views.held().contains(tensor_of(asked, parts)) ? nullptr : kSeenThen;
        return kActsOnTensors<Asked> ? kSeenThen : nullptr;
      },
      command);
}

}  // namespace dlscope::app
