// What the window asks: answered between statements, refused while user code runs, stopped where it hangs.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <thread>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::Answer;
using core::wire::Ask;

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out + '"';
}

Answer asked(HostProcess& host, const std::string& kind, const std::string& text) {
  static std::uint64_t id = 0;
  host.send(Ask{++id, kind, text});
  const auto answer = host.wait_for<Answer>();
  REQUIRE(answer);
  CHECK(answer->id == id);
  CHECK(answer->kind == kind);
  return *answer;
}

std::string completions(HostProcess& host, const std::string& text, const char* more = "") {
  const Answer answer =
      asked(host, "complete", "{\"text\": " + quoted(text) + ", \"cursor\": " + std::to_string(text.size()) + more + "}");
  CHECK(answer.error == "");
  return answer.text;
}

std::string state(HostProcess& host, const std::string& text) {
  const Answer answer = asked(host, "is_complete", "{\"text\": " + quoted(text) + "}");
  CHECK(answer.error == "");
  return answer.text;
}

}  // namespace

TEST_CASE("names, attributes and keys are completed without calling what is the user's", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.run_script(R"(
import sys
called = []
class Thing:
    kind = 1
    def __init__(self): self.weights = [1, {'inner': 3}]
    @property
    def costly(self): called.append('costly'); return 'text'
    def __getattr__(self, name): called.append(name); raise AttributeError(name)
    def method(self): pass
thing = Thing()
some_long_name = {'weights': thing, 'bias "q"': 2, 3: 4}
)");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  CHECK(completions(host, "x = some_l") ==
        R"({"from": 4, "matches": [{"text": "some_long_name", "kind": "name"}], "cut": false})");
  CHECK_THAT(completions(host, "thing.wei"), ContainsSubstring(R"({"from": 6, "matches": [{"text": "weights")"));
  CHECK_THAT(completions(host, "thing.me"), ContainsSubstring(R"("text": "method", "kind": "function")"));
  CHECK_THAT(completions(host, "thing.cos"), ContainsSubstring(R"("text": "costly", "kind": "property")"));
  CHECK(completions(host, "é = some_long_name['we") ==
        R"({"from": 20, "matches": [{"text": "'weights'", "kind": "key"}], "cut": false})");
  CHECK_THAT(completions(host, "some_long_name["), ContainsSubstring(R"("'bias \"q\"'")"));
  CHECK_THAT(completions(host, "some_long_name['weights'].weights[1]['i"), ContainsSubstring("'inner'"));
  CHECK_THAT(completions(host, "thing.weights.app"), ContainsSubstring("append"));
  CHECK_THAT(completions(host, "sys.vers"), ContainsSubstring("version_info"));
  CHECK_THAT(completions(host, "import sy"), ContainsSubstring("\"sys\""));
  CHECK_THAT(completions(host, "from sys import vers"), ContainsSubstring("version_info"));
  CHECK_THAT(completions(host, "whi"), ContainsSubstring(R"("while", "kind": "keyword")"));
  CHECK_THAT(completions(host, "SOME_L"), ContainsSubstring("some_long_name"));
  CHECK_THAT(completions(host, "# some_l"), ContainsSubstring("\"matches\": []"));
  CHECK_THAT(completions(host, "'some_l"), ContainsSubstring("\"matches\": []"));
  CHECK_THAT(completions(host, "f(thing).we"), ContainsSubstring("\"matches\": []"));
  CHECK_THAT(completions(host, "thing.costly.spl"), ContainsSubstring("\"matches\": []"));
  core::wire::Run look;
  look.run = 2;
  look.source = "print(called)";
  look.fresh_namespace = false;
  host.run(look);
  CHECK(host.out() == "[]\n");
}

TEST_CASE("a completion asks neither an object what class it is nor the methods of its own dictionary", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.run_script(R"(
called = []
class Lazy:
    @property
    def __class__(self): called.append('__class__'); return dict
class Attributes(dict):
    def __init__(self):
        super().__init__(known=[1])
        self.__dict__ = self
    def __contains__(self, key): called.append('__contains__'); return True
    def __getitem__(self, key): called.append('__getitem__'); return None
class Meta(type):
    def __getattribute__(cls, name): called.append(name); return type.__getattribute__(cls, name)
class Made(metaclass=Meta): pass
lazy_one, attributes, made = Lazy(), Attributes(), Made()
called.clear()
)");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  CHECK_THAT(completions(host, "x = lazy_o"), ContainsSubstring(R"("text": "lazy_one", "kind": "name")"));
  CHECK_THAT(completions(host, "lazy_one.x.y"), ContainsSubstring("\"matches\": []"));
  CHECK_THAT(completions(host, "lazy_one['"), ContainsSubstring("\"matches\": []"));
  CHECK_THAT(completions(host, "attributes.known.app"), ContainsSubstring("append"));
  CHECK_THAT(completions(host, "attributes['kn"), ContainsSubstring("'known'"));
  CHECK_THAT(completions(host, "mad"), ContainsSubstring(R"("text": "made", "kind": "name")"));
  core::wire::Run look;
  look.run = 2;
  look.source = "print(called)";
  look.fresh_namespace = false;
  host.run(look);
  CHECK(host.out() == "[]\n");
}

TEST_CASE("a property is read for a completion only when that is asked for", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.run_script("class C:\n    @property\n    def p(self): return 'text'\nc = C()\n");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  CHECK_THAT(completions(host, "c.p.spl"), ContainsSubstring("\"matches\": []"));
  CHECK_THAT(completions(host, "c.p.spl", ", \"explicit\": true"), ContainsSubstring("splitlines"));
}

TEST_CASE("whether an input is complete is what the interpreter would say", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  REQUIRE(host.wait_for<core::wire::Hello>());
  CHECK_THAT(state(host, "x = 1"), ContainsSubstring("\"complete\""));
  CHECK_THAT(state(host, ""), ContainsSubstring("\"complete\""));
  CHECK_THAT(state(host, "def f():"), ContainsSubstring("\"incomplete\""));
  CHECK_THAT(state(host, "def f():\n    return 1"), ContainsSubstring("\"incomplete\""));
  CHECK_THAT(state(host, "def f():\n    return 1\n"), ContainsSubstring("\"complete\""));
  CHECK_THAT(state(host, "x = (1,"), ContainsSubstring("\"incomplete\""));
  CHECK_THAT(state(host, "x = '''abc"), ContainsSubstring("\"incomplete\""));
  CHECK_THAT(state(host, "x = = 1"), ContainsSubstring("\"invalid\""));
  CHECK_THAT(state(host, std::string(10000, '(')), ContainsSubstring("\"invalid\""));
}

TEST_CASE("a malformed question is answered with words and nothing else", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  REQUIRE(host.wait_for<core::wire::Hello>());
  CHECK_THAT(asked(host, "no such kind", "{}").error, ContainsSubstring("does not know"));
  for (const char* text : {"", "{", "[]", "null", "{}", "{\"text\": 5}", "{\"text\": \"a\", \"cursor\": []}"}) {
    INFO(text);
    CHECK(asked(host, "complete", text).error != "");
  }
  for (const char* text :
       {R"({"text": "\ud800.x", "cursor": 5})", R"({"text": "a", "cursor": -3})", R"({"text": "\u0000", "cursor": 999})"}) {
    INFO(text);
    CHECK(asked(host, "complete", text).error == "");
  }
  const auto outcome = host.run_script("print('alive')\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
}

TEST_CASE("while user code runs a question is answered busy at once", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script("print('on', flush=True)\nwhile True: pass\n");
  REQUIRE(host.wait_for_output("on\n"));
  CHECK(asked(host, "complete", "{\"text\": \"x\", \"cursor\": 1}").error == core::wire::kAnswerBusy);
  host.stop();
  REQUIRE(host.wait_for<core::wire::RunFinished>());
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  CHECK(asked(host, "complete", "{\"text\": \"x\", \"cursor\": 1}").error == "");
}

TEST_CASE("a question that hangs in user code is stopped, and the next run is not touched by it", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.run_script(
      "class Hangs:\n    def __dir__(self):\n        print('asked', flush=True)\n        while True: pass\nhangs = Hangs()\n");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  host.send(Ask{77, "complete", "{\"text\": \"hangs.x\", \"cursor\": 7}"});
  REQUIRE(host.wait_for_output("asked"));
  host.stop();
  const auto answer = host.wait_for<Answer>();
  REQUIRE(answer);
  CHECK(answer->error == core::wire::kAnswerStopped);
  for (int round = 0; round < 20; ++round) {
    const auto outcome = host.run_script("for i in range(20000): pass\n");
    REQUIRE(outcome);
    CHECK(outcome->outcome == Outcome::finished);
  }
}

TEST_CASE("a run does not wait for a question that hangs", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.run_script(
      "class Hangs:\n    def __dir__(self):\n        print('asked', flush=True)\n        while True: pass\nhangs = Hangs()\n");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  for (int round = 0; round < 3; ++round) {
    std::filesystem::resize_file(host.folder().path() / "stdout", 0);
    host.send(Ask{1, "complete", "{\"text\": \"hangs.x\", \"cursor\": 7}"});
    REQUIRE(host.wait_for_output("asked"));
    host.send(Ask{2, "complete", "{\"text\": \"hangs.x\", \"cursor\": 7}"});  // waits behind it
    core::wire::Run run;
    run.run = 100;
    run.source = "for i in range(20000): pass\n";
    run.fresh_namespace = false;
    const auto outcome = host.run(run);
    REQUIRE(outcome);
    CHECK(outcome->outcome == Outcome::finished);
    std::vector<std::string> errors;
    for (const auto& message : host.messages) {
      if (const auto* answer = std::get_if<Answer>(&message)) errors.push_back(answer->error);
    }
    REQUIRE(errors.size() >= 2);
    CHECK(errors[errors.size() - 2] == core::wire::kAnswerBusy);
    CHECK(errors[errors.size() - 1] == core::wire::kAnswerStopped);
    REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  }
}

// Its messages wait for room for some seconds, and are then kept; the answers here need more room than there is.
TEST_CASE("what is said while the viewer is suspended arrives when it goes on", "[host]") {
  if (test_pythons().empty()) SKIP("no CPython from 3.9 on was found: set DLSCOPE_TEST_PYTHONS");
  HostProcess host(test_pythons().front());
  REQUIRE(host.run_script("pass\n"));
  REQUIRE(host.wait_for<core::wire::ScanFinished>());
  std::string expressions;
  for (int i = 0; i < 200; ++i) expressions += std::string(i == 0 ? "" : ", ") + R"("{}['y' * 900]")";
  constexpr std::uint64_t kQuestions = 60;
  for (std::uint64_t id = 1; id <= kQuestions; ++id) host.send(Ask{id, "evaluate", R"({"expressions": [)" + expressions + "]}"});
  std::this_thread::sleep_for(std::chrono::seconds(8));
  std::size_t bytes = 0;
  for (std::uint64_t id = 1; id <= kQuestions; ++id) {
    const auto answer = host.wait_for<Answer>();
    REQUIRE(answer);
    CHECK(answer->id == id);
    CHECK(answer->error == "");
    bytes += answer->text.size();
  }
  CHECK(bytes > 2 * core::wire::kMaxMessageBytes);  // the ring has as many
}
