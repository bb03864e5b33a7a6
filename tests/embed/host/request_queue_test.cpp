// The order in which requests are served, without a host.
#include "embed/host/request_queue.h"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "embed/host/request_ends.h"
#include "embed/host/served_numbers.h"

namespace dlscope::embed {
namespace {

using namespace core::wire;

constexpr std::uint64_t kNoStop = 0, kStop = 7;

Run run(std::uint64_t number, std::uint64_t stop = kNoStop) {
  Run run;
  run.run = number;
  run.stop = stop;
  return run;
}

Interrupt interrupt_of_run(std::uint64_t number) {
  Interrupt interrupt;
  interrupt.run = number;
  return interrupt;
}

// "run 1", "scan 2", ... in the order in which they are taken; stops at one that is returned again and again.
std::vector<std::string> taken(RequestQueue& queue, std::uint64_t stop) {
  std::vector<std::string> names;
  for (std::optional<Request> next = queue.take(stop); next; next = queue.take(stop)) {
    if (const auto* code = std::get_if<Run>(&*next)) names.push_back("run " + std::to_string(code->run));
    if (const auto* scan = std::get_if<Scan>(&*next)) names.push_back("scan " + std::to_string(scan->request));
    if (const auto* question = std::get_if<Ask>(&*next)) names.push_back("question " + std::to_string(question->id));
    if (const auto* act = std::get_if<ActRequest>(&*next)) names.push_back("act " + std::to_string(act->id));
    if (const auto* resume = std::get_if<Resume>(&*next)) names.push_back("resume " + std::to_string(resume->stop));
    if (std::holds_alternative<Shutdown>(*next)) {
      names.emplace_back("shutdown");
      if (stop != kNoStop) break;
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("requests are served in the order in which they came", "[host][request_queue]") {
  RequestQueue queue;
  queue.put(run(1));
  queue.put(Scan{2});
  ActRequest act{3, {}};
  REQUIRE(queue.put_act(act));
  CHECK(taken(queue, kNoStop) == Names{"run 1", "scan 2", "act 3"});
  CHECK(queue.empty());
}

TEST_CASE("at a stop the next script waits until it is over, and code for the stopped frame does not", "[host][request_queue]") {
  RequestQueue queue;
  queue.put(run(1));
  queue.put(run(2, kStop));
  queue.put(Scan{3});
  CHECK(taken(queue, kStop) == Names{"run 2", "scan 3"});
  CHECK_FALSE(queue.has_one_to_serve(kStop));
  CHECK(queue.has_one_to_serve(kNoStop));
  CHECK(taken(queue, kNoStop) == Names{"run 1"});
}

TEST_CASE("the order to leave is given at a stop, and again when the script has ended", "[host][request_queue]") {
  RequestQueue queue;
  queue.put(Shutdown{});
  CHECK(taken(queue, kStop) == Names{"shutdown"});
  CHECK(taken(queue, kNoStop) == Names{"shutdown"});
  CHECK(queue.empty());
}

TEST_CASE("a run takes the place of the questions that wait, and each of them is given back", "[host][request_queue]") {
  RequestQueue queue;
  Ask first{1, "complete", "a"}, second{2, "complete", "b"};
  REQUIRE(queue.put_question(first, kNoStop));
  queue.put(Scan{3});
  REQUIRE(queue.put_question(second, kNoStop));
  const std::vector<Ask> put_off = queue.put_before_questions(run(4));
  REQUIRE(put_off.size() == 2);
  CHECK(put_off[0].id == 1);
  CHECK(put_off[1].text == "b");
  CHECK(taken(queue, kNoStop) == Names{"scan 3", "run 4"});
}

TEST_CASE("a question waits for nothing that the person asked for", "[host][request_queue]") {
  RequestQueue queue;
  Ask question{1, "complete", "a"};
  SECTION("behind a run it is refused, and stays whole") {
    queue.put(run(2));
    CHECK_FALSE(queue.put_question(question, kNoStop));
    CHECK(question.text == "a");
  }
  SECTION("at a stop a run that is not served there is no reason") {
    queue.put(run(2));
    CHECK(queue.put_question(question, kStop));
    CHECK(taken(queue, kStop) == Names{"question 1"});
  }
  SECTION("nor is the end of another stop") {
    queue.put(Resume{kStop + 1, ResumeKind::go, {}, 0});
    CHECK(queue.put_question(question, kStop));
    queue.put(Resume{kStop, ResumeKind::go, {}, 0});
    CHECK_FALSE(queue.put_question(question, kStop));
  }
  SECTION("nor can it join too many") {
    for (std::size_t i = 0; i < RequestQueue::kMaxQueued; ++i) queue.put(Scan{i + 1});
    CHECK_FALSE(queue.put_question(question, kNoStop));
  }
}

TEST_CASE("an interruption finds the request that it means, and no other", "[host][request_queue]") {
  RequestQueue queue;
  queue.put(run(1));
  queue.put(run(2));
  queue.put(Scan{2});
  CHECK(queue.find(Interrupt{}) == nullptr);
  CHECK(queue.find(interrupt_of_run(3)) == nullptr);
  const Request* const found = queue.find(interrupt_of_run(2));
  REQUIRE(found != nullptr);
  const EndMessages ends = ends_of_interrupted(*found);
  REQUIRE(ends.size() == 2);  // of the run, and of the scan that would have followed
  CHECK(std::get<RunFinished>(ends[0]).run == 2);
  CHECK(std::get<RunFinished>(ends[0]).outcome.outcome == core::Outcome::interrupted);
  CHECK(std::holds_alternative<ScanFinished>(ends[1]));
  queue.remove(interrupt_of_run(2));
  CHECK(taken(queue, kNoStop) == Names{"run 1", "scan 2"});
}

TEST_CASE("acts are removed by their number, and found first to last", "[host][request_queue]") {
  RequestQueue queue;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    ActRequest act{id, {}};
    REQUIRE(queue.put_act(act));
  }
  queue.put(run(2));
  CHECK_FALSE(queue.remove_act(9));
  CHECK(queue.remove_act(2));
  for (const std::uint64_t id : {1, 3}) {
    CHECK(queue.first_act() == id);
    CHECK(queue.remove_act(id));
  }
  CHECK(queue.first_act() == 0);
  CHECK(taken(queue, kNoStop) == Names{"run 2"});
}

TEST_CASE("beyond the limit an act is refused and stays whole", "[host][request_queue]") {
  RequestQueue queue;
  for (std::size_t i = 0; i < RequestQueue::kMaxActs; ++i) {
    ActRequest act{i + 1, {}};
    REQUIRE(queue.put_act(act));
  }
  ActRequest act{5000, {}};
  CHECK_FALSE(queue.put_act(act));
  CHECK(act.id == 5000);
  CHECK(queue.size() == RequestQueue::kMaxActs);
}

TEST_CASE("an interruption that names what is not served any more means nothing", "[host][request_queue]") {
  ServedNumbers served;
  served.run = 4;
  served.frame_run = 5;
  CHECK_FALSE(served.means_another(Interrupt{}));  // Stop of whatever runs
  CHECK_FALSE(served.means_another(interrupt_of_run(4)));
  CHECK_FALSE(served.means_another(interrupt_of_run(5)));
  CHECK(served.means_another(interrupt_of_run(3)));
  served.forget_last(true);
  CHECK(served.means_another(interrupt_of_run(5)));
  CHECK_FALSE(served.means_another(interrupt_of_run(4)));  // it stands at a stop
  served.forget_last(false);
  CHECK(served.means_another(interrupt_of_run(4)));
}

}  // namespace
}  // namespace dlscope::embed
