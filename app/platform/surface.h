// Surface: what frames are drawn on: a window on a display, or a picture in memory.
// thread: main.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/view_options.h"
#include "app/widgets/fonts.h"
#include "core/base/result.h"

namespace dlscope::app {

// What the last frame cost, for tests and benchmarks.
struct FrameCounters {
  int vertices = 0;
  int draw_commands = 0;
  int painted_pixels = 0;  // of the last frame; 0: nothing had changed
};

class Surface {
 public:
  virtual ~Surface() = default;
  virtual void begin_frame() = 0;  // up to and including ImGui::NewFrame
  virtual void end_frame() = 0;    // ImGui::Render, painting, showing
  [[nodiscard]] virtual const Fonts& fonts() const = 0;
  [[nodiscard]] FrameCounters counters() const { return counters_; }

 protected:
  void count_frame();  // after ImGui::Render
  FrameCounters counters_;
};

// Pixels of a picture, RGBA, top row first.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::byte> rgba;
};

// Reads the bound framebuffer, top row first.
[[nodiscard]] Picture read_pixels(int width, int height);

// A window on the display.
class WindowSurface : public Surface {
 public:
  // The display's scale factor: 1 = 100 %.
  [[nodiscard]] virtual float display_scale() const = 0;
  [[nodiscard]] virtual bool take_close_request() = 0;  // whether somebody wanted it closed since the last call
  virtual void set_title(const char* title) = 0;
  virtual void hide() = 0;  // takes it off the screen at once
  // What ended a wait: the time; nothing but wake_window_to_look(); anything else.
  enum class Woken : std::uint8_t { by_time, to_look, by_event };
  // Handles waiting events; without any, waits for one up to at_most (nullopt: forever).
  virtual Woken wait(std::optional<std::chrono::milliseconds> at_most) = 0;
  virtual void poll() = 0;
  // Whether input waits for the next frame: of one key or button, Dear ImGui takes one change a frame.
  [[nodiscard]] virtual bool input_waits() const = 0;
  // The window's position, to be restored later; move_to() restores it if a monitor still shows that place.
  [[nodiscard]] virtual WindowPlace place() const = 0;
  virtual void move_to(const WindowPlace& place) = 0;
  // Files dropped on it since the last call.
  [[nodiscard]] virtual std::vector<std::string> take_dropped() = 0;
  virtual void keep_next_frame() = 0;  // keeps the pixels of the next frame for take_picture()
  [[nodiscard]] virtual Picture take_picture() = 0;
};

// thread: any, while a WindowSurface exists. Makes wait() return.
void wake_window();
void wake_window_to_look();  // the same, where a frame is due only if what is on the screen has changed

struct WindowSize {
  int width = 1600, height = 1000;
};

// Fails (environment) with a message when there is no display or no OpenGL 3.3.
[[nodiscard]] core::Result<std::unique_ptr<WindowSurface>> open_window(WindowSize size, const char* title);

class PictureSurface : public Surface {
 public:
  [[nodiscard]] virtual Picture read() = 0;              // reads the last frame
  virtual void paint_whole() = 0;                        // paint all of the next frame, even where nothing changed
  [[nodiscard]] virtual std::string driver() const = 0;  // "OpenGL 4.5, llvmpipe (...)"
};

// Off screen: EGL without a surface or, when that is missing, a hidden window. Fails (environment) with a message.
[[nodiscard]] core::Result<std::unique_ptr<PictureSurface>> open_picture(int width, int height);

}  // namespace dlscope::app
