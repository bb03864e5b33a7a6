// The hex view, driven by mouse and keyboard over real memory of this process: mappings of any size, with holes in them.
#include <catch2/catch_test_macros.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "core/memory/deadline_reader.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

constexpr std::size_t kPage = 4096, kMiB = std::size_t{1} << 20, kGiB = std::size_t{1} << 30;
constexpr const char* kHex = "//Hex";

// Pages that nobody touches cost nothing, however many there are.
class Mapping {
 public:
  explicit Mapping(std::size_t size)
      : size_(size),
        begin_(
            static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    REQUIRE(begin_ != MAP_FAILED);
  }
  ~Mapping() { munmap(begin_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] core::Address address() const { return reinterpret_cast<core::Address>(begin_); }
  [[nodiscard]] core::Address end() const { return address() + size_; }
  void put(std::size_t at, std::string_view text) { std::memcpy(begin_ + at, text.data(), text.size()); }
  template <class T>
  void put_value(std::size_t at, T value) {
    std::memcpy(begin_ + at, &value, sizeof value);
  }
  void lose(std::size_t at, std::size_t size) { REQUIRE(mprotect(begin_ + at, size, PROT_NONE) == 0); }

 private:
  std::size_t size_;
  char* begin_;
};

// Reads this process, and counts the bytes.
class CountingReader final : public core::MemoryReader {
 public:
  CountingReader() : inner_(std::move(*core::process_reader(0))) {}
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    bytes += out.size();
    return inner_->read(from, out);
  }
  void gather(std::span<const core::Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    bytes += out.size();
    inner_->gather(addresses, each, out, complete);
  }
  mutable std::uint64_t bytes = 0;

 private:
  std::unique_ptr<core::MemoryReader> inner_;
};

SampleTensor placed(std::string name, std::string dtype, core::Address address, std::vector<std::int64_t> shape,
                    std::vector<std::int64_t> strides = {}) {
  return {.name = std::move(name),
          .dtype = std::move(dtype),
          .address = address,
          .shape = std::move(shape),
          .strides = std::move(strides)};
}

struct HexStory {
  Story story;
  std::shared_ptr<CountingReader> memory = std::make_shared<CountingReader>();
  std::string clipboard;

  // With a host: its script has run once and left the tensors.
  explicit HexStory(const std::vector<SampleTensor>& tensors, bool with_host = false) : story({}, with_host) {
    if (with_host) {
      story.app().load_text("a.py", tour_script());
      story.host().found_python();
      story.host().ready();
      story.frames(3);
    }
    story.app().read_memory_with(memory);
    if (with_host)
      run(snapshot_of(tensors));
    else
      story.show(snapshot_of(tensors));
    story.app().select(tensors.front().name);
    story.act([](ImGuiTestContext* ui) { ui->WindowFocus(kHex); });
    story.frames(3);
  }
  void start() {
    story.app().commands().push(app::command::RunScript{});
    story.frames(3);
  }
  void run(const core::SnapshotPtr& left) {
    start();
    auto numbered = std::make_shared<core::Snapshot>(*left);
    numbered->info.run = story.host().runs.back().run;
    core::RunOutcome finished;
    finished.outcome = core::Outcome::finished;
    story.host().finish(finished, numbered);
    story.frames(1);
    story.app().finish_background_work();
    story.frames(3);
  }
  app::HexPanelState& hex() { return story.app().panels().hex; }
  void press(ImGuiKeyChord chord) {
    story.act([&, chord](ImGuiTestContext* ui) {
      ui->WindowFocus(kHex);
      ui->KeyPress(chord);
      settle(ui);
    });
  }
  void settle(ImGuiTestContext* ui) {
    for (int i = 0; i < 3; ++i) {
      ui->Yield(2);
      story.app().finish_background_work();
    }
    ui->Yield(2);
    const char* text = ImGui::GetClipboardText();
    clipboard = text != nullptr ? text : "";
  }
  // Types into the field that a key opens.
  void type(ImGuiKeyChord chord, const char* text) {
    story.act([&, chord](ImGuiTestContext* ui) {
      ui->WindowFocus(kHex);
      ui->KeyPress(chord);
      ui->Yield(2);
      ui->KeyCharsReplaceEnter(text);
      settle(ui);
    });
  }
  // The middle of a byte on the screen.
  [[nodiscard]] ImVec2 place(core::Address at) {
    const std::uint64_t from_top = at - hex().bytes.begin;
    const unsigned width = hex().rows.width, column = static_cast<unsigned>(from_top % width);
    const float gaps = static_cast<float>(column / 8) * hex().byte_size.x / 3;
    return {hex().bytes_from.x + hex().byte_size.x * (static_cast<float>(column) + 0.5F) + gaps,
            hex().bytes_from.y + hex().byte_size.y * (static_cast<float>(from_top / width) + 0.5F)};
  }
  void point_at(core::Address at) {
    const ImVec2 to = place(at);
    story.act([to](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(to);
      ui->Yield(2);
    });
  }
  void click(core::Address at, ImGuiMouseButton button = ImGuiMouseButton_Left) {
    const ImVec2 to = place(at);
    story.act([to, button](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(to);
      ui->MouseClick(button);
      ui->Yield(2);
    });
  }
  // The characters of the row that holds an address, as the view has its bytes.
  [[nodiscard]] std::string text_at(core::Address at, std::size_t size) {
    std::string out(size, '\0');
    out.resize(hex().bytes.copy_from(at, std::as_writable_bytes(std::span(out))));
    return out;
  }
};

}  // namespace

TEST_CASE("the hex view goes to the last row of 100 GiB, exactly, and reads only what is seen", "[window][hex]") {
  Mapping sparse(100 * kGiB);
  sparse.put(0, "the first bytes");
  sparse.put(100 * kGiB - 16, "the very last ro");
  HexStory window({placed("huge", "uint8", sparse.address(), {static_cast<std::int64_t>(100 * kGiB)})});
  CHECK(window.text_at(sparse.address(), 9) == "the first");
  const std::uint64_t before = window.memory->bytes;
  window.press(ImGuiMod_Ctrl | ImGuiKey_End);
  CHECK(window.hex().cursor == sparse.end() - 1);
  CHECK(window.text_at(sparse.end() - 16, 16) == "the very last ro");
  CHECK(window.hex().first_row + window.hex().rows_seen == window.hex().rows.rows());
  CHECK(window.story.app().focus().element == 100 * kGiB - 1);
  window.press(ImGuiKey_UpArrow);
  CHECK(window.hex().cursor == sparse.end() - 1 - window.hex().rows.width);
  window.press(ImGuiMod_Ctrl | ImGuiKey_Home);
  CHECK(window.hex().first_row == 0);
  CHECK(window.hex().cursor == sparse.address());
  CHECK(window.memory->bytes - before < 100 * kMiB);  // a screen for each frame of all the views
  CHECK(window.story.app().next_frame_in() == 0);     // nothing moves, no frame is asked for
}

TEST_CASE("the scroll bar reaches both ends of 100 GiB", "[window][hex]") {
  const Mapping sparse(100 * kGiB);
  HexStory window({placed("huge", "uint8", sparse.address(), {static_cast<std::int64_t>(100 * kGiB)})});
  const auto drag = [&](float way) {
    window.story.act([way](ImGuiTestContext* ui) {
      ui->MouseMove("//Hex/##rows");
      ui->MouseDown(0);
      ui->MouseMoveToPos({ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y + way});
      ui->MouseUp(0);
      ui->Yield(2);
    });
  };
  drag(2000);
  CHECK(window.hex().first_row + window.hex().rows_seen == window.hex().rows.rows());
  drag(-4000);
  CHECK(window.hex().first_row == 0);
}

TEST_CASE("a byte under the mouse lights its element everywhere, a pin elsewhere moves the cursor here", "[window][hex]") {
  Mapping page(kPage);
  HexStory window({placed("x", "float32", page.address(), {3, 4}), placed("y", "float32", page.address(), {4, 3}, {1, 4})});
  window.point_at(page.address() + 0x16);
  CHECK(window.story.app().focus().element == 5);
  CHECK(window.story.app().focus().tensor == window.story.app().selected());
  window.click(page.address() + 0x1e);
  CHECK(window.hex().cursor == page.address() + 0x1e);
  window.story.app().commands().push(app::command::Pin{app::focus_on(*window.story.app().index(), 0, 11)});
  window.story.frames(3);
  CHECK(window.hex().cursor == page.address() + 44);
  window.story.app().select("y");
  window.story.frames(3);
  window.click(page.address() + 0x10);  // x[1, 0] is y[0, 1]
  CHECK(window.story.app().focus().element == 1);
  window.press(ImGuiKey_RightArrow);  // the next byte of the same element: the pin stays
  CHECK(window.hex().cursor == page.address() + 0x11);
  CHECK(window.story.app().focus().element == 1);
}

TEST_CASE("holes and pages that are not mapped are no bytes of the tensor", "[window][hex]") {
  Mapping pages(3 * kPage);
  pages.lose(kPage, kPage);
  HexStory window({placed("even", "int16", pages.address(), {static_cast<std::int64_t>(3 * kPage / 4)}, {2})});
  window.point_at(pages.address() + 2);
  CHECK_FALSE(window.story.app().focus().element.has_value());
  CHECK(window.hex().owners.owners()[2].kind == app::ByteOwner::Kind::hole);
  CHECK(window.hex().owners.owners()[4].kind == app::ByteOwner::Kind::element);
  window.type(ImGuiMod_Ctrl | ImGuiKey_G, "even + 4096");
  CHECK(window.hex().cursor == pages.address() + kPage);
  const auto row = static_cast<std::size_t>((window.hex().cursor - window.hex().bytes.begin) / window.hex().rows.width);
  CHECK(window.hex().bytes.rows[row] == app::RowState::unmapped);
  CHECK(window.text_at(window.hex().cursor, 1).empty());
}

TEST_CASE("any address can be gone to, also one that no tensor holds", "[window][hex]") {
  Mapping pages(2 * kPage);
  pages.put(kPage + 64, "beyond");
  HexStory window({placed("x", "float32", pages.address(), {3, 4})});
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(pages.address() + kPage + 64));
  window.type(ImGuiMod_Ctrl | ImGuiKey_G, address);
  CHECK(window.hex().scope == app::HexScope::everything);
  CHECK(window.hex().cursor == pages.address() + kPage + 64);
  CHECK(window.text_at(window.hex().cursor, 6) == "beyond");
  window.type(ImGuiMod_Ctrl | ImGuiKey_G, "0xfffffffffffffff8");
  CHECK(window.hex().cursor == 0xfffffffffffffff8);
  CHECK(window.hex().first_row + window.hex().rows_seen == window.hex().rows.rows());
  window.type(ImGuiMod_Ctrl | ImGuiKey_G, "nobody");
  CHECK(window.hex().go_to_problem == "There is no tensor called nobody.");
  CHECK(window.hex().cursor == 0xfffffffffffffff8);
}

TEST_CASE("bytes, text and values are found, forward and backward", "[window][hex]") {
  Mapping pages(4 * kPage);
  pages.put(5000, "needle");
  pages.put(9000, "needle");
  pages.put_value(12000, 0x7fc00123U);
  HexStory window({placed("x", "float32", pages.address(), {static_cast<std::int64_t>(kPage)})});
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "'needle'");
  CHECK(window.hex().cursor == pages.address() + 5000);
  CHECK(window.hex().selection == app::HexSelection{pages.address() + 5000, pages.address() + 5005});
  window.press(ImGuiKey_F3);
  CHECK(window.hex().cursor == pages.address() + 9000);
  window.press(ImGuiKey_F3);
  CHECK(window.hex().cursor == pages.address() + 9000);
  CHECK(window.hex().said.starts_with("Not found from here to the end: the text"));
  window.press(ImGuiMod_Shift | ImGuiKey_F3);
  CHECK(window.hex().cursor == pages.address() + 5000);
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "nan:0x123");
  CHECK(window.hex().cursor == pages.address() + 12000);
  CHECK(window.story.app().focus().element == 3000);
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "zz");
  CHECK_FALSE(window.hex().find_problem.empty());
}

TEST_CASE("what a search found in one tensor is not said of another, nor of what another run left", "[window][hex]") {
  Mapping pages(2 * kPage);
  pages.put_value(kPage, 3.0F);
  const std::vector<SampleTensor> tensors{placed("aa", "float32", pages.address(), {8}),
                                          placed("bb", "float32", pages.address() + kPage, {8})};
  HexStory window(tensors);
  window.story.app().select("aa");
  window.story.frames(3);
  const std::string none = "Not found from here to the end: float32 values equal to 3";
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "float32 3");
  CHECK(window.hex().said.starts_with(none));
  window.story.app().select("bb");
  window.story.frames(3);
  CHECK(window.hex().said.empty());
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "zz");
  CHECK_FALSE(window.hex().find_problem.empty());
  window.story.app().select("aa");
  window.story.frames(3);
  CHECK(window.hex().find_problem.empty());
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "float32 3");
  CHECK(window.hex().said.starts_with(none));
  pages.put_value(0, 3.0F);
  window.story.show(snapshot_of(tensors));
  window.story.app().select("aa");
  window.story.frames(3);
  CHECK(window.hex().said.empty());
}

TEST_CASE("a long search is a task in the list", "[window][hex]") {
  Mapping pages(200 * kMiB);
  pages.put(150 * kMiB, "far away");
  HexStory window({placed("x", "uint8", pages.address(), {static_cast<std::int64_t>(200 * kMiB)})});
  window.type(ImGuiMod_Ctrl | ImGuiKey_F, "'far away'");
  REQUIRE(window.story.wait_for([&] { return !window.hex().searching; }));
  CHECK(window.hex().cursor == pages.address() + 150 * kMiB);
  const auto& tasks = window.story.app().tasks().all();
  REQUIRE(tasks.size() == 1);
  CHECK(tasks.front().title == "Searching x for the text “far away”");
  CHECK(tasks.front().state == app::TaskState::done);
}

TEST_CASE("selected bytes are copied as hex, C and Python", "[window][hex]") {
  Mapping page(kPage);
  page.put(16, "\xde\xad!");
  HexStory window({placed("x", "uint8", page.address(), {64})});
  window.click(page.address() + 16);
  window.press(ImGuiMod_Shift | ImGuiKey_RightArrow);
  window.press(ImGuiMod_Shift | ImGuiKey_RightArrow);
  window.press(ImGuiMod_Ctrl | ImGuiKey_C);
  CHECK(window.clipboard == "de ad 21");
  window.click(page.address() + 17, ImGuiMouseButton_Right);
  window.story.act([&](ImGuiTestContext* ui) {
    ui->ItemClick("//$FOCUSED/Copy 3 bytes as Python");
    window.settle(ui);
  });
  CHECK(window.clipboard == "b'\\xde\\xad!'");
  CHECK(window.hex().said == "Copied 3 bytes as Python.");
}

TEST_CASE("while code runs the bytes that were last seen are shown as what they are", "[window][hex]") {
  Mapping page(kPage);
  page.put(0, "as it was");
  HexStory window({placed("x", "uint8", page.address(), {64})}, true);
  CHECK_FALSE(window.hex().shows_kept);
  CHECK(std::string_view(window.hex().card_doubt).empty());
  window.start();
  page.put(0, "another's");
  window.story.frames(3);
  CHECK(window.hex().shows_kept);
  CHECK(window.text_at(page.address(), 9) == "as it was");
  CHECK(std::string_view(window.hex().card_doubt) == "then");
  window.click(page.address());
  window.press(ImGuiMod_Shift | ImGuiKey_RightArrow);
  window.press(ImGuiMod_Ctrl | ImGuiKey_C);
  CHECK(window.clipboard == "61 73");  // "as"
  CHECK(window.hex().said == "Copied 2 bytes as hex. They are the last known ones.");
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Hex/present bytes"); });
  window.story.frames(2);
  CHECK(window.text_at(page.address(), 9) == "another's");
  CHECK(std::string_view(window.hex().card_doubt) == "present bytes");  // decoded in faint ink, hatched
}

TEST_CASE("the bytes at the cursor are shown as values", "[window][hex]") {
  Mapping page(kPage);
  page.put_value(32, -6.5F);
  HexStory window({placed("x", "float32", page.address(), {64})});
  window.click(page.address() + 32);
  const auto* decoded = window.hex().decoded.last();
  REQUIRE(decoded != nullptr);
  const auto f32 = std::ranges::find(*decoded, "float32", &app::DecodedBytes::name);
  REQUIRE(f32 != decoded->end());
  CHECK(f32->value == "-6.5");
  CHECK(f32->parts == "− 2^2 × 1.625");
}

TEST_CASE("the hex view draws every snapshot there may be", "[window][hex]") {
  HexStory window({placed("x", "float32", 0x10000, {3, 4})});  // nothing is mapped there
  CHECK(window.hex().bytes.rows.front() == app::RowState::unmapped);
  for (const auto& snapshot : {empty_snapshot(), scalar_snapshot(), broken_snapshot(), many_snapshot(300), tour_snapshot()}) {
    window.story.show(snapshot);
    for (std::uint32_t tensor = 0; tensor < std::min<std::uint32_t>(20, static_cast<std::uint32_t>(snapshot->tensors.size()));
         ++tensor) {
      window.story.app().commands().push(app::command::SelectTensor{tensor});
      for (const auto scope : {app::HexScope::group, app::HexScope::everything, app::HexScope::tensor}) {
        window.hex().scope = scope;
        window.story.frames(2);
      }
    }
  }
  SUCCEED();
}

}  // namespace dlscope::tests
