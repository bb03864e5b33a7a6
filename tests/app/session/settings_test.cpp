// Settings as text: what was written comes back, and nothing that stands in such a file harms.
#include "app/session/settings.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kArrangement =
    "[Window][Script]\nPos=0,29\nSize=400,600\nDockId=0x00000003,0\n\n[Docking][Data]\n"
    "DockSpace     ID=0x00000001 Window=0x00000009 Pos=0,29 Size=1600,900 Split=X\n"
    "  DockNode    ID=0x00000002 Parent=0x00000001 SizeRef=600,900\n"
    "  DockNode    ID=0x00000003 Parent=0x00000001 SizeRef=1000,900 Selected=0x5D11106F\n\n";

Settings full() {
  Settings s;
  s.theme = ThemeChoice::light;
  s.layout = LayoutPreset::teach;
  s.scale = 1.75F;
  s.window = WindowPlace{-20, 40, 1500, 900, true};
  s.reduced_motion = true;
  s.python = "/opt/python/bin/python3";
  s.recent_pythons = {"/opt/python/bin/python3"};
  s.recent_files = {"/home/user/a b.py", "/home/user/\xc3\xa9.py"};
  s.recent_actions = {"run.script"};
  s.arguments = {{"/home/user/a b.py", "--epochs 3"}};
  s.modules = {{"/home/user/b.py", "user.b"}};
  s.run_settings_used = {"/home/user/b.py", "/home/user/a b.py"};
  s.keys = {{"run.script", "Ctrl+R"}, {"quit", ""}};
  s.panels = {{"view.storage", false}};
  s.columns = {"Name", "Address"};
  s.folded = {"struct"};
  s.show_meanings = false;
  s.breakpoints.resize(2);
  s.breakpoints[0].path = s.breakpoints[1].path = "/home/user/a b.py";
  s.breakpoints[0].line = 3;
  s.breakpoints[0].line_text = "x = \"\xc3\xa9\"";
  s.breakpoints[1].line = 9;
  s.breakpoints[1].condition = "i == 37";
  s.breakpoints[1].hit = 4;
  s.breakpoints[1].log_text = "loss {loss}";
  s.breakpoints[1].enabled = false;
  s.watches = {"x.shape"};
  s.stop_on_raise = s.stop_on_uncaught = s.stop_others = s.library_code = true;
  s.arrangements[1] = kArrangement;
  return s;
}

}  // namespace

TEST_CASE("breakpoints that make no sense are left out, those of another type are refused", "[settings]") {
  const auto with = [](const std::string& breakpoints) {
    return parse_settings("{\"dlscope_settings\": 1, \"breakpoints\": " + breakpoints + "}");
  };
  const auto some = with(R"([{"path": "/a.py", "line": 3}, {"path": "", "line": 3}, {"path": "/a.py", "line": 0},
                             {"path": "/a.py", "line": -4}, {"path": "/a.py", "line": 99999999999}, {"path": "/a.py", "line": 4, "hit": 0}])");
  REQUIRE(some.has_value());
  REQUIRE(some->breakpoints.size() == 1);
  CHECK(some->breakpoints[0].line == 3);
  CHECK(some->breakpoints[0].hit == 1);
  CHECK_FALSE(with("7").has_value());
  CHECK_FALSE(with("[7]").has_value());
  CHECK_FALSE(with(R"([{"path": "/a.py", "line": "3"}])").has_value());
}

TEST_CASE("settings come back as they were written", "[settings]") {
  const auto again = parse_settings(settings_text(full()));
  REQUIRE(again.has_value());
  CHECK(*again == full());
  const auto nothing = parse_settings(settings_text({}));
  REQUIRE(nothing.has_value());
  CHECK(*nothing == Settings{});
}

TEST_CASE("run settings without an order of use, as earlier versions wrote them, are the oldest", "[settings]") {
  const auto read = parse_settings(R"({"dlscope_settings": 1, "arguments": {"/a.py": "-a", "/c.py": "-c"},
                                       "modules": {"/a.py": "a", "/b.py": "b"}, "run_settings_used": ["/c.py"]})");
  REQUIRE(read.has_value());
  CHECK(read->run_settings_used == std::vector<std::string>{"/c.py", "/a.py", "/b.py"});
}

TEST_CASE("what is no settings file is refused with the reason", "[settings]") {
  const auto why = [](std::string_view text) {
    const auto parsed = parse_settings(text);
    return parsed ? std::string("taken") : parsed.error().message;
  };
  CHECK(why("") == "it is not JSON");
  CHECK(why("{\"dlscope_settings\": 1") == "it is not JSON");
  CHECK(why("[1, 2]") == "it is JSON, but not settings");
  CHECK(why("{\"theme\": \"dark\"}") == "it is not marked as dlscope's");
  CHECK(why("{\"dlscope_settings\": 2}") == "a newer dlscope wrote it");
  CHECK(why("{\"dlscope_settings\": 18446744073709551615}") == "a newer dlscope wrote it");
  CHECK(why("{\"dlscope_settings\": 0}") == "its version is 0, and no dlscope wrote such settings");
  CHECK(why("{\"dlscope_settings\": -1}") == "its version is -1, and no dlscope wrote such settings");
  CHECK(why("{\"dlscope_settings\": 1, \"scale\": \"big\"}") == "\"scale\" is not what it should be");
  CHECK(why("{\"dlscope_settings\": 1, \"plain_words\": 1}") == "\"plain_words\" is not what it should be");
  CHECK(why("{\"dlscope_settings\": 1, \"recent_files\": {}}") == "\"recent_files\" is not what it should be");
  CHECK(why("{\"dlscope_settings\": 1, \"keys\": {\"a\": 1}}") == "\"keys\" is not what it should be");
  CHECK(why("{\"dlscope_settings\": 1, \"window\": {\"x\": 1e300}}") == "\"window\" is not what it should be");
  CHECK(why(std::string(kMaxSettingsBytes + 1, ' ')) == "it is larger than a settings file can be");
  CHECK(why(std::string(200'000, '[')) == "it is not JSON");  // no stack is deep enough for trust
}

TEST_CASE("numbers out of range and foreign words are left out, the rest is kept", "[settings]") {
  const auto parsed = parse_settings(R"({"dlscope_settings": 1, "theme": "pink", "scale": 99, "python": "/p",
      "window": {"x": 1, "y": 1, "width": -5, "height": 99999999999}, "arrangements": {"debug": "[Docking][Data]\nrubbish\n"},
      "unknown": {"deep": [1, 2, 3]}})");
  REQUIRE(parsed.has_value());
  CHECK_FALSE(parsed->theme.has_value());
  CHECK_FALSE(parsed->scale.has_value());
  CHECK_FALSE(parsed->window.has_value());
  CHECK(parsed->arrangements[0].empty());
  CHECK(parsed->python == "/p");
}

TEST_CASE("an arrangement is one tree of nodes with no or two children", "[settings]") {
  CHECK(is_arrangement(kArrangement));
  const auto with = [](std::string_view nodes) { return "[Docking][Data]\n" + std::string(nodes); };
  CHECK_FALSE(is_arrangement(""));
  CHECK_FALSE(is_arrangement("[Window][Script]\nPos=0,0\n"));                                   // nothing to dock
  CHECK_FALSE(is_arrangement(with("DockNode ID=0x00000001 Parent=0x00000001\n")));              // its own parent
  CHECK_FALSE(is_arrangement(with("DockNode ID=0x00000002 Parent=0x00000007\n")));              // nobody's child
  CHECK_FALSE(is_arrangement(with("DockSpace ID=0x1 Split=X\nDockNode ID=0x2 Parent=0x1\n")));  // one child
  CHECK_FALSE(is_arrangement(with("DockSpace ID=0x1\nDockNode ID=0x1\n")));                     // twice
  CHECK_FALSE(is_arrangement(with("DockSpace ID=0x00000000\n")));
  CHECK_FALSE(is_arrangement(with("anything\n")));
  CHECK_FALSE(is_arrangement(with(std::string("DockSpace ID=0x1 ") + std::string(500, 'x') + "\n")));
  std::string deep = "DockSpace ID=0x1 Split=X\n";
  for (int i = 1; i < 200; ++i) {
    deep +=
        "DockNode ID=0x" + std::to_string(i * 10) + " Parent=0x" + (i == 1 ? "1" : std::to_string((i - 1) * 10)) + " Split=X\n";
    deep += "DockNode ID=0x" + std::to_string(i * 10 + 5) + " Parent=0x" + (i == 1 ? "1" : std::to_string((i - 1) * 10)) + "\n";
  }
  CHECK_FALSE(is_arrangement(with(deep)));
}

// Dear ImGui reads a line up to what it does not expect, and believes what it has read until then.
TEST_CASE("an arrangement is what Dear ImGui writes, to the letter", "[settings]") {
  const std::string right = kArrangement;
  const auto changed = [&](std::string_view what, std::string_view by) {
    std::string text = right;
    return text.replace(text.find(what), what.size(), by);
  };
  CHECK(is_arrangement(changed("DockId=0x00000003", "DockId=0x00000000")));
  CHECK_FALSE(is_arrangement(changed("DockId=0x00000003", "DockId=0x00000004")));       // a node that does not exist
  CHECK_FALSE(is_arrangement(changed("DockId=0x00000003", "DockId=0x00000001")));       // one that is split
  CHECK_FALSE(is_arrangement(changed("DockId=0x00000003", "DockId=3")));
  CHECK_FALSE(is_arrangement(changed("DockId=0x00000003", "DockId=0x000000030")));      // all digits are read here
  CHECK_FALSE(is_arrangement(changed("[Docking][Data]", "[Docking][Data")));            // no heading to Dear ImGui
  CHECK_FALSE(is_arrangement(changed("[Docking][Data]", "[Docking]")));
  CHECK_FALSE(is_arrangement(changed("[Docking][Data]", "[Docking][Other]")));
  CHECK_FALSE(is_arrangement(changed("\nDockSpace", "\rDockSpace")));                   // two lines to Dear ImGui
  CHECK_FALSE(is_arrangement(changed("ID=0x00000002", "ID=0x0000000002")));             // eight digits are read
  CHECK_FALSE(is_arrangement(changed(" Split=X", " Spl=X Split=X")));
  CHECK_FALSE(is_arrangement(changed(" Pos=0,29 Size", " Size=1,1 Pos=0,29 Size")));
  CHECK_FALSE(is_arrangement(changed(" SizeRef=600,900", "")));
  CHECK_FALSE(is_arrangement(changed(" SizeRef=600,900", " SizeRef=600,99999")));       // stored in 16 bits
  CHECK_FALSE(is_arrangement(changed("DockNode    ID=0x00000002 Parent=0x00000001", "DockNode Parent=0x00000001 ID=0x00000002")));
}

TEST_CASE("a settings file is written privately in one step; a broken one is put aside and said", "[settings]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "config/dlscope/settings.json";
  CHECK(load_settings(path).notice.empty());  // none yet
  REQUIRE(save_settings(path, full()).has_value());
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(load_settings(path).settings == full());
  std::ofstream(path) << "not json";
  const LoadedSettings broken = load_settings(path);
  CHECK(broken.settings == Settings{});
  CHECK(broken.notice.find("it is not JSON") != std::string::npos);
  CHECK(broken.notice.find(path + ".broken") != std::string::npos);
  CHECK(fs::exists(path + ".broken"));
  CHECK_FALSE(fs::exists(path));
  // Something that is no file does not keep the start waiting.
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(load_settings(path).notice.find("not a regular file") != std::string::npos);
  folder.write("file", "");
  CHECK_FALSE(save_settings(folder / "file/settings.json", {}).has_value());
  CHECK(save_settings("", {}).has_value());
}

}  // namespace dlscope::app
