// Questions from the window to a real Python: answered when it is idle, never waited for, gone with a restart.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "core/wire/messages.h"
#include "tests/app/window/real/live_window.h"

namespace dlscope::tests {
namespace {

using app::HostState;
using app::Question;
using app::Reply;

void ask(LiveWindow& window, std::uint64_t ticket, const std::string& text, bool patient = false) {
  window.app().commands().push(app::command::AskPython{
      {.asker = "test", .ticket = ticket, .kind = "complete", .text = "{\"text\": \"" + text + "\"}", .patient = patient}});
}

const Reply* reply(LiveWindow& window, std::uint64_t ticket) {
  const Reply* found = nullptr;
  window.story().wait_for([&] {
    found = window.app().questions().reply("test");
    return found != nullptr && found->ticket == ticket;
  });
  return found != nullptr && found->ticket == ticket ? found : nullptr;
}

const app::Section* section(LiveWindow& window, std::string_view key) {
  const auto* shown = window.app().panels().inspector.shown.last();
  if (shown == nullptr) return nullptr;
  const auto found = std::ranges::find(shown->sections, key, &app::Section::key);
  return found == shown->sections.end() ? nullptr : &*found;
}

const app::Field* field(const app::Section* in, std::string_view label) {
  if (in == nullptr) return nullptr;
  const auto found = std::ranges::find(in->fields, label, &app::Field::label);
  return found == in->fields.end() ? nullptr : &*found;
}

// Selects and waits until Python has told everything.
bool inspect(LiveWindow& window, const std::string& name) {
  window.app().select(name);
  return window.story().wait_for([&] {
    const app::LiveAnswer* answer = window.app().panels().inspector.answers.current();
    const auto* shown = window.app().panels().inspector.shown.last();
    return shown != nullptr && shown->name == name && answer != nullptr && answer->state == app::LiveAnswer::State::done;
  });
}

// The bytes of a field without its place: "80 4a ...".
std::string bytes(const app::Field* of) {
  return of == nullptr ? "(no field)" : of->bytes.substr(std::min(of->bytes.size(), std::size_t{5}));
}

}  // namespace

TEST_CASE("a question to an idle Python is answered", "[window][host]") {
  LiveWindow window;
  window.run("some_long_name = 1\n");
  ask(window, 1, "some_l");
  const Reply* answer = reply(window, 1);
  REQUIRE(answer != nullptr);
  CHECK(answer->error == "");
  CHECK(answer->text.find("some_long_name") != std::string::npos);
}

TEST_CASE("a question to a busy Python is not asked, or waits when it may", "[window][host]") {
  LiveWindow window;
  window.start("some_long_name = 1\nprint('looping', flush=True)\nwhile True:\n    pass\n");
  REQUIRE(window.wait_for_output("looping"));
  ask(window, 1, "some_l");
  const Reply* refused = reply(window, 1);
  REQUIRE(refused != nullptr);
  CHECK(refused->error == core::wire::kAnswerBusy);
  ask(window, 2, "some_l", true);
  window.story().frames(5);
  CHECK(window.app().questions().waits("test"));
  CHECK_FALSE(window.app().questions().any_open());
  window.app().commands().push(app::command::InterruptScript{});
  const Reply* answer = reply(window, 2);
  REQUIRE(answer != nullptr);
  CHECK(answer->text.find("some_long_name") != std::string::npos);
}

TEST_CASE("a question that hangs can be stopped; the window draws on", "[window][host]") {
  LiveWindow window;
  window.run(
      "class Hangs:\n    def __dir__(self):\n        print('asked', flush=True)\n        while True: pass\nhangs = Hangs()\n");
  ask(window, 1, "hangs.x");
  REQUIRE(window.wait_for_output("asked"));
  window.story().frames(3);
  CHECK(window.story().wait_for([&] { return window.app().host().can_stop(); }));
  CHECK(window.state() == HostState::idle);
  window.app().commands().push(app::command::InterruptScript{});
  const Reply* answer = reply(window, 1);
  REQUIRE(answer != nullptr);
  CHECK(answer->error == core::wire::kAnswerStopped);
  window.story().frames(2);
  CHECK_FALSE(window.app().host().can_stop());
  window.run("a = 1\n");
  CHECK(window.app().outcome().outcome == core::Outcome::finished);
}

TEST_CASE("a question from before a restart is answered gone, and by nobody else", "[window][host]") {
  LiveWindow window;
  window.run(
      "class Hangs:\n    def __dir__(self):\n        print('asked', flush=True)\n        while True: pass\nhangs = Hangs()\n");
  ask(window, 1, "hangs.x");
  REQUIRE(window.wait_for_output("asked"));
  restart(window.app());
  const Reply* answer = reply(window, 1);
  REQUIRE(answer != nullptr);
  CHECK(answer->error == app::kAnswerGone);
  REQUIRE(window.wait_for_state(HostState::idle));
  ask(window, 2, "pri");
  answer = reply(window, 2);
  REQUIRE(answer != nullptr);
  CHECK(answer->text.find("print") != std::string::npos);
}

TEST_CASE("the struct card shows the bytes that the script itself reads through ctypes", "[window][host]") {
  LiveWindow window;
  // A capsule the script holds keeps its struct where it is, so that both look at the same one.
  window.run(R"(
import ctypes, numpy as np
x = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2]
capsule = x.__dlpack__(max_version=(1, 0))
python = ctypes.PyDLL(None)
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
address = python.PyCapsule_GetPointer(capsule, b'dltensor_versioned')
for offset, size in ((0, 8), (8, 8), (16, 8), (24, 8), (32, 8), (56, 8), (64, 8), (72, 8)):
    print('bytes', offset, ctypes.string_at(address + offset, size).hex(' '))
print('struct at', hex(address))
)");
  REQUIRE(inspect(window, "capsule"));
  const app::Section* card = section(window, "struct");
  const std::string printed = window.app().output().all_text();
  for (const auto& [label, offset] :
       {std::pair("manager_ctx", 8), std::pair("deleter", 16), std::pair("flags", 24), std::pair("data", 32),
        std::pair("shape", 56), std::pair("strides", 64), std::pair("byte_offset", 72)}) {
    INFO(label << " in " << printed);
    CHECK(printed.find("bytes " + std::to_string(offset) + " " + bytes(field(card, label))) != std::string::npos);
  }
  REQUIRE(field(card, "struct at") != nullptr);
  CHECK(printed.find("struct at " + field(card, "struct at")->copy) != std::string::npos);
  CHECK(field(card, "capsule")->meaning.find("not consumed yet") != std::string::npos);
  REQUIRE(inspect(window, "x"));
  card = section(window, "struct");
  CHECK(printed.find("bytes 32 " + bytes(field(card, "data"))) != std::string::npos);
  CHECK(field(card, "data")->tone == app::Tone::plain);
  CHECK(field(section(window, "protocols"), "buffer")->value == "answers");
  CHECK(field(section(window, "protocols"), "dlpack")->value == "answers; this page shows its answer");
}

TEST_CASE("PyTorch's refusal is in its own words, with the reason and the way out", "[window][host]") {
  LiveWindow window;
  window.run(
      "try:\n    import torch\n    w = torch.ones(3, requires_grad=True)\nexcept ImportError:\n    pass\nimport numpy\nn = "
      "numpy.ones(1)\n");
  if (!window.app().index()->find("w")) SKIP("PyTorch is not installed");
  REQUIRE(inspect(window, "w"));
  const app::Field* refused = field(section(window, "protocols"), "dlpack");
  REQUIRE(refused != nullptr);
  CHECK(refused->value.find("BufferError: \"Can't export tensors that require") != std::string::npos);
  CHECK(refused->meaning.find("w.detach()") != std::string::npos);
}

TEST_CASE("an inspector's question that hangs is stopped; the page says so and the window goes on", "[window][host]") {
  LiveWindow window;
  window.run(R"(
import numpy
class Hangs:
    calls = 0
    def __dlpack__(self, **keywords):
        Hangs.calls += 1
        if Hangs.calls > 1:  # the scan's call is the first
            print('asked', flush=True)
            while True: pass
        raise BufferError('not yet')
    def __dlpack_device__(self): return (1, 0)
a = numpy.ones(2)
hangs = Hangs()
)");
  window.app().select("hangs");
  REQUIRE(window.wait_for_output("asked"));
  window.story().frames(5);
  CHECK(section(window, "refusals") != nullptr);
  REQUIRE(window.story().wait_for([&] { return window.app().host().can_stop(); }));
  window.app().commands().push(app::command::InterruptScript{});
  REQUIRE(window.story().wait_for([&] {
    const app::LiveAnswer* answer = window.app().panels().inspector.answers.current();
    return answer != nullptr && answer->state == app::LiveAnswer::State::stopped;
  }));
  CHECK(window.state() == HostState::idle);
}

}  // namespace dlscope::tests
