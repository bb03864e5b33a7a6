#include "app/window/history/looking_back.h"

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

std::uint32_t tensor_of(const command::ComputeStatistics& asked, const SnapshotViews&) { return asked.tensor; }
std::uint32_t tensor_of(const command::DrawHeatmap& asked, const SnapshotViews&) { return asked.request.tensor; }
std::uint32_t tensor_of(const auto&, const SnapshotViews& views) { return views.selection().selected(); }

// The moment that this one's marks compared with when it was the newest; null: none, or no longer kept.
KeptMomentPtr marks_then(const KeptMoment& moment, const Past& past) {
  return past.history.find(moment.marked_against());
}

// The moment that the marks on the screen compare with because a person chose it; 0: none was chosen.
std::uint64_t marked_against(const SnapshotViews& views) {
  const IndexPtr& index = views.index();
  return index ? index->marks.against.moment : 0;
}

// Marks say what became different since an earlier moment: one that is later than what is shown would turn "new" and "gone" round.
KeptMomentPtr if_earlier(KeptMomentPtr base, std::uint64_t shown) {
  return base && base->number < shown ? std::move(base) : nullptr;
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

void look_at(std::uint64_t number, Past& past, SnapshotViews& views, Notices& notices) {
  const KeptMomentPtr newest = past.history.newest();
  const bool now = number == 0 || (newest && number == newest->number && views.newest_source().file == nullptr);
  if (now) return views.back_to_now();
  const KeptMomentPtr moment = past.history.find(number);
  if (!moment)
    return notices.add(Tone::warn, "That moment is no longer kept: the oldest are dropped to make room for newer ones.");
  if (!views.looks_back()) past.newest_when_left = newest->number;
  views.look_back(moment, marks_then(*moment, past), if_earlier(past.history.find(marked_against(views)), number));
}

void mark_against(std::uint64_t number, const Past& past, SnapshotViews& views) {
  const std::uint64_t shown = views.source().moment;
  const KeptMomentPtr base = if_earlier(past.history.find(number), shown);
  if (const KeptMomentPtr moment = past.history.find(shown); moment && views.looks_back())
    return views.look_back(moment, marks_then(*moment, past), base);
  views.mark_newest_against(base);
}

void answer_differences(const DifferenceQuery& query, Past& past, JobPool& jobs) {
  const KeptMomentPtr before = past.history.find(query.before), now = past.history.find(query.now);
  if (!before || !now) return;
  const HistoryAnswers& known = past.answers;
  const bool same = known.differences && known.difference_query.remembered == query.remembered &&
                    known.difference_query.before == query.before && known.difference_query.now == query.now;
  jobs.post(Lane::search,
                  [&past, query, before, now, remembered = past.remembered.moments(),
                   found = same ? known.differences : nullptr](const std::stop_token& stop) -> JobPool::Apply {
                    DifferencesPtr differences = found ? found : find_differences(before, now, stop, remembered);
                    if (!differences) return {};
                    DifferenceRows rows = filter_differences(*differences, query.wanted, query.filter, stop);
                    if (!rows) return {};
                    return [&past, query, differences, rows] {
                      past.answers.difference_query = query;
                      past.answers.differences = differences;
                      past.answers.rows = rows;
                    };
                  },
                  {JobKind::differences});
}

void answer_since_when(const SinceWhenQuery& query, Past& past, JobPool& jobs) {
  const MomentHistory& history = past.history;
  jobs.post(
      Lane::search,
      [&past, query, moments = history.moments(), remembered = past.remembered.moments(), given_up = history.given_up() > 0,
       trail = past.trail](const std::stop_token& stop) -> JobPool::Apply {
        TensorHistoryPtr since = find_since_when(moments, {query.moment, query.tensor, query.other, query.element, given_up},
                                                     remembered, stop, trail.get());
        if (!since) return {};
        return [&past, query, since] {
          past.answers.since_query = query;
          past.answers.since = since;
        };
      },
      {JobKind::since_when});
}

HistoryView history_view(const Past& past, const SnapshotViews& views) {
  const MomentHistory& history = past.history;
  HistoryView view{.kept = &history,
                   .remembered = &past.remembered,
                   .answers = &past.answers,
                   .shown = views.source().moment,
                   .marked_against = marked_against(views)};
  const KeptMomentPtr newest = history.newest();
  if (!newest) return view;
  const KeptMomentPtr earlier = view.shown != 0 ? history.before(view.shown) : newest;
  const KeptMomentPtr later = view.shown != 0 ? history.after(view.shown) : nullptr;
  view.earlier = earlier ? earlier->number : 0;
  view.later = later ? later->number : 0;
  if (views.looks_back() && newest->number > past.newest_when_left) view.newer = newest->number;
  return view;
}

const char* refused_of_the_past(const Command& command, const SnapshotViews& views) {
  if (!views.looks_back()) return nullptr;
  if (std::holds_alternative<command::SaveReport>(command)) return kReportIsOfNow;
  return std::visit(
      [&]<class Asked>(const Asked& asked) -> const char* {
        if constexpr (kReadsTensor<Asked>) return views.held().contains(tensor_of(asked, views)) ? nullptr : kSeenThen;
        return kActsOnTensors<Asked> ? kSeenThen : nullptr;
      },
      command);
}

}  // namespace dlscope::app
