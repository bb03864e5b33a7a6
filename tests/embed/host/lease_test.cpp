// Leases against a real host: what is held stays, what is given up while user code runs is taken again, what is gone is said to be gone.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/library_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::LeaseState;
using core::wire::TensorRef;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

LeaseState lease_state(HostProcess& host) {
  const auto change = host.wait_for<core::wire::LeaseChanged>();
  REQUIRE(change);
  return change->state;
}

}  // namespace

TEST_CASE("a lease keeps the memory of a buffer, and is given up while user code runs", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "b = bytearray(b'12345678')\nheld_by_user = b\n");
  CHECK_FALSE(snapshot->find("b")->held);
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "b"), false}});
  CHECK(lease_state(host) == LeaseState::held);
  const WorkEnded held = end_of(host, 1);
  CHECK(held.outcome == WorkOutcome::done);
  CHECK_THAT(held.message, ContainsSubstring("dlscope lets go of it before code runs"));
  CHECK_THAT(held.message, !ContainsSubstring("BufferError"));  // append() works, below
  const WorkEnded again = carry_out(host, core::wire::Hold{ref_to(snapshot, "b"), false});
  CHECK(again.outcome == WorkOutcome::failed);
  CHECK(again.message == "b is already held");

  // Looked at again: the record says so.
  host.send(core::wire::Scan{9});
  const auto second = next_snapshot(host);
  CHECK(second->find("b")->held);
  CHECK(host.wait_for<core::wire::ScanFinished>()->request == 9);

  // The user's code does not notice.
  auto outcome = console(host, "x = 1 + 1\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == core::Outcome::finished);
  std::vector<LeaseState> states;
  for (const auto& message : host.messages) {
    if (const auto* change = std::get_if<core::wire::LeaseChanged>(&message)) states.push_back(change->state);
  }
  CHECK(states == std::vector{LeaseState::held, LeaseState::held, LeaseState::waiting, LeaseState::held, LeaseState::held});

  // Not even where the memory moves: then it is not what was held, and the lease has ended.
  outcome = console(host, "b.extend(b'x' * 100000)\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == core::Outcome::finished);
  std::optional<core::wire::LeaseChanged> last;
  for (const auto& message : host.messages) {
    if (const auto* change = std::get_if<core::wire::LeaseChanged>(&message)) last = *change;
  }
  REQUIRE(last);
  CHECK(last->state == LeaseState::gone);
  CHECK(last->message == "the shape of b is (100008,) by now, no longer (8,)");
}

TEST_CASE("a pinned lease stays while user code runs, and the library says what that means", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "b = bytearray(8)\n");
  const WorkEnded held = carry_out(host, core::wire::Hold{ref_to(snapshot, "b"), true});
  REQUIRE(held.outcome == WorkOutcome::done);
  CHECK_THAT(held.message, ContainsSubstring("append, extend and del raise BufferError"));
  auto outcome = console(host, "b.append(1)\n");
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "BufferError");
  CHECK(carry_out(host, core::wire::Release{held.id}).outcome == WorkOutcome::done);
  outcome = console(host, "b.append(1)\n");
  CHECK(outcome->outcome == core::Outcome::finished);
}

TEST_CASE("a lease on an array interface holds the object that its data is in", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "class Exporter:\n"
                                   "    def __init__(self, make):\n        self.make = make\n"
                                   "    __array_interface__ = property(lambda self: {\n"
                                   "        'version': 3, 'shape': (8,), 'typestr': '|u1', 'data': self.make()})\n"
                                   "memory = bytearray(8)\n"
                                   "view, copy = Exporter(lambda: memory), Exporter(lambda: bytes(8))\n");
  REQUIRE(carry_out(host, core::wire::Hold{ref_to(snapshot, "view"), true}).outcome == WorkOutcome::done);
  const auto outcome = console(host, "memory.append(1)\n");
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "BufferError");
  const WorkEnded refused = carry_out(host, core::wire::Hold{ref_to(snapshot, "copy"), true});
  CHECK(refused.outcome == WorkOutcome::failed);
  CHECK_THAT(refused.message, ContainsSubstring("hands over a copy of its bytes"));
}

TEST_CASE("an object that has other memory by now is not said to be held", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "import dlscope\nclass Producer:\n    memory = bytearray(64)\n"
                                   "    def __dlpack_device__(self): return (1, 0)\n"
                                   "    def __dlpack__(self, **how): return dlscope.asdlpack(self.memory).__dlpack__(**how)\n"
                                   "p = Producer()\n");
  REQUIRE(carry_out(host, core::wire::Hold{ref_to(snapshot, "p"), true}).outcome == WorkOutcome::done);
  host.send(core::wire::Scan{8});
  CHECK(next_snapshot(host)->find("p")->held);
  CHECK(host.wait_for<core::wire::ScanFinished>()->request == 8);
  REQUIRE(console(host, "p.memory = bytearray(64)\n"));
  host.send(core::wire::Scan{9});
  CHECK_FALSE(next_snapshot(host)->find("p")->held);
}

TEST_CASE("a lease whose memory its library freed all the same says that it is gone", "[host][work]") {
  const TestPython& python = library_python();
  HostProcess host(python);
  const auto snapshot = look_after(host, "import torch, numpy as np\nt, kept = torch.ones(1000), torch.ones(1000)\na = np.ones(1000)\n");
  REQUIRE(carry_out(host, core::wire::Hold{ref_to(snapshot, "t"), true}).outcome == WorkOutcome::done);
  REQUIRE(carry_out(host, core::wire::Hold{ref_to(snapshot, "kept"), true}).outcome == WorkOutcome::done);
  REQUIRE(carry_out(host, core::wire::Hold{ref_to(snapshot, "a"), true}).outcome == WorkOutcome::done);
  REQUIRE(console(host, "t.set_(torch.zeros(3))\nkept.unsqueeze_(0)\na.resize(100_000, refcheck=False)\n"));
  std::vector<std::string> gone;
  for (const auto& message : host.messages) {
    const auto* change = std::get_if<core::wire::LeaseChanged>(&message);
    if (change != nullptr && change->state == LeaseState::gone) gone.push_back(change->message);
  }
  REQUIRE(gone.size() == 2);
  CHECK_THAT(gone[0], ContainsSubstring("t has other memory by now"));
  CHECK_THAT(gone[1], ContainsSubstring("a has other memory by now"));
}

namespace {

// Holds each of `names`, runs `line`, and returns those whose leases ended, in the order of the names.
std::vector<std::string> gone_after(HostProcess& host, const std::string& script, const std::vector<const char*>& names,
                                    const std::string& line) {
  const auto snapshot = look_after(host, script);
  for (const char* const name : names) {
    INFO(name);
    REQUIRE(carry_out(host, core::wire::Hold{ref_to(snapshot, name), true}).outcome == WorkOutcome::done);
  }
  const std::size_t before = host.messages.size();
  REQUIRE(console(host, line));
  std::vector<std::string> gone;
  for (std::size_t i = before; i < host.messages.size(); ++i) {
    const auto* change = std::get_if<core::wire::LeaseChanged>(&host.messages[i]);
    if (change == nullptr || change->state != LeaseState::gone) continue;
    CHECK_THAT(change->message, ContainsSubstring("may have been freed"));
    gone.push_back(change->message.substr(0, change->message.find(' ')));
  }
  return gone;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("memory that NumPy frees of an array, or under its views, is not said to be held", "[host][work]") {
  HostProcess host(library_python());
  const Names gone = gone_after(host,
                                "import numpy as np\nclass Mine(np.ndarray): pass\n"
                                "a, base, of_view, kept, renamed = (np.ones(10_000) for _ in range(5))\n"
                                "mine = np.ones(10_000).view(Mine).copy()\n"
                                "view, head, looked_at = base[5_000:], base[:5], memoryview(of_view)\n",
                                {"a", "mine", "view", "head", "looked_at", "kept", "renamed"},
                                "other = renamed; del renamed; kept.shape = (100, 100); other.resize(10, refcheck=False)\n"
                                "for x in (a, mine, base, of_view): x.resize(10, refcheck=False)\n");
#ifdef __SANITIZE_ADDRESS__  // its realloc() always moves
  CHECK(gone == Names{"a", "mine", "view", "head", "looked_at", "renamed"});
#else
  CHECK(gone == Names{"a", "mine", "view", "looked_at", "renamed"});
#endif
}

TEST_CASE("memory that PyTorch frees of a tensor, or under its views, is not said to be held", "[host][work]") {
  HostProcess host(library_python());
  const Names gone = gone_after(host,
                                "import torch\nclass Mine(torch.Tensor): pass\n"
                                "mine, renamed = torch.ones(1000).as_subclass(Mine), torch.ones(1000)\n"
                                "shorter, of_storage, grown, elsewhere = (torch.ones(1000) for _ in range(4))\n"
                                "view, kept = grown[10:20], elsewhere[10:20]\n",
                                {"mine", "renamed", "shorter", "of_storage", "view", "kept"},
                                "other = renamed; del renamed; other.set_(torch.zeros(3)); mine.resize_(100_000)\n"
                                "shorter.resize_(3); of_storage.untyped_storage().resize_(0); grown.resize_(100_000)\n"
                                "elsewhere.set_(torch.zeros(3)); kept.unsqueeze_(0)\n");
  CHECK(gone == Names{"mine", "renamed", "of_storage", "view"});
}

TEST_CASE("memory that is held without its object is said to be out of sight, once", "[host][work]") {
  HostProcess host(library_python());
  // What is exported of a tensor with a gradient is a view: nothing keeps the tensor itself.
  CHECK(gone_after(host, "import torch\nw = torch.ones(1000, requires_grad=True)\n", {"w"}, "del w\n").empty());
  REQUIRE(console(host, "other = torch.ones(3)\n"));
  host.send(core::wire::Scan{8});
  const auto snapshot = next_snapshot(host);
  CHECK(std::ranges::count_if(snapshot->events, [&](const core::EventRecord& event) {
          return snapshot->str(event.text).starts_with("the object w is gone: dlscope still holds its export");
        }) == 1);
}

TEST_CASE("what is gone is not held, in words", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "b = bytearray(8)\nc = bytearray(16)\n");
  const TensorRef b = ref_to(snapshot, "b"), c = ref_to(snapshot, "c");
  core::wire::Run run;
  run.source = "del b\nc = bytearray(32)\n";
  run.fresh_namespace = run.scan_after = false;
  REQUIRE(host.run(run));
  CHECK_THAT(carry_out(host, core::wire::Hold{b, false}).message, ContainsSubstring("b no longer exists"));
  CHECK_THAT(carry_out(host, core::wire::Hold{c, false}).message, ContainsSubstring("c is another tensor by now"));
}

TEST_CASE("a tensor behind a container of millions is found again, and one that lies too far is not said to be gone", "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host, "items = [0] * 3_000_000\nitems[5] = bytearray(8)\n");
  const TensorRef among = ref_to(snapshot, "items[5]");
  const WorkEnded held = carry_out(host, core::wire::Hold{among, false});
  CHECK(held.outcome == WorkOutcome::done);
  CHECK(carry_out(host, core::wire::Release{held.id}).outcome == WorkOutcome::done);
  host.send(core::wire::Ask{3, "struct", R"({"name": "items[5]", "anyway": false})"});
  CHECK(host.wait_for<core::wire::Answer>()->error.empty());

  core::wire::Run run;
  run.source = "items.extend([0] * 50_000_000)\n";
  run.fresh_namespace = run.scan_after = false;
  REQUIRE(host.run(run));
  constexpr const char* kTooFar = "more than 50000000 entries of containers lie on the way to items[5]";
  CHECK_THAT(carry_out(host, core::wire::Hold{among, false}).message, ContainsSubstring(kTooFar));
  for (const char* const kind : {"struct", "life"}) {
    host.send(core::wire::Ask{4, kind, R"({"name": "items[5]", "anyway": false})"});
    CHECK_THAT(host.wait_for<core::wire::Answer>()->error, ContainsSubstring(kTooFar));
  }
}

TEST_CASE("what keeps memory alive names dlscope's own leases, and counts nothing of theirs as unexplained", "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host,
                                   "import array, numpy as np, torch\na, b = np.ones(100), bytearray(100)\nview = a[10:]\n"
                                   "d, t = array.array('d', [1.0]), torch.ones(9)\nseen = memoryview(b)[1:]\n");
  const auto life = [&](const std::string& question) {
    host.send(core::wire::Ask{1, "life", question});
    const auto answer = host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    INFO(answer->error);
    return answer->text;
  };
  const std::vector<std::string> questions{
      R"({"name": "a", "others": ["view"]})", R"({"name": "view", "others": ["a"]})", R"({"name": "b", "others": ["seen"]})",
      R"({"name": "seen", "others": ["b"]})", R"({"name": "d", "others": []})",       R"({"name": "t", "others": []})"};
  for (const std::string& question : questions) CHECK_THAT(life(question), ContainsSubstring(R"("unnamed": 0})"));
  for (const bool pinned : {false, true}) {
    std::vector<std::uint64_t> leases;
    for (const char* const name : {"a", "view", "b", "seen", "d", "t"}) {
      const WorkEnded held = carry_out(host, core::wire::Hold{ref_to(snapshot, name), pinned});
      REQUIRE(held.outcome == WorkOutcome::done);
      leases.push_back(held.id);
    }
    for (const std::string& question : questions)
      CHECK_THAT(life(question), ContainsSubstring(R"("unnamed": 0})") && ContainsSubstring("dlscope, by a lease"));
    for (const std::uint64_t lease : leases) CHECK(carry_out(host, core::wire::Release{lease}).outcome == WorkOutcome::done);
  }
  for (const std::string& question : questions) CHECK_THAT(life(question), !ContainsSubstring("dlscope, by a lease"));
}

TEST_CASE("a lease whose name became None says that, and not that it is another tensor", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "b = bytearray(b'12345678')\n");
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "b"), false}});
  CHECK(lease_state(host) == LeaseState::held);
  REQUIRE(end_of(host, 1).outcome == WorkOutcome::done);
  REQUIRE(console(host, "b = None"));
  CHECK(std::ranges::any_of(host.messages, [](const auto& message) {
    const auto* const change = std::get_if<core::wire::LeaseChanged>(&message);
    return change != nullptr && change->state == LeaseState::gone && change->message == "b is None by now";
  }));
}
