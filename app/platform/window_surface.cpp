// A GLFW window with OpenGL 3.3 core.
#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/platform/imgui_session.h"
#include "app/platform/painter.h"
#include "app/platform/render_target.h"
#include "app/platform/surface.h"

namespace dlscope::app {
namespace {

// A frame without painting does not wait for the display: without this pause, consecutive frames would spin.
constexpr std::chrono::milliseconds kUnpaintedFrame{4};

// How often each was called: an empty event does not say who sent it.
std::atomic<unsigned> wakes{0}, wakes_to_look{0};

// GLFW reports errors through a callback, which must not throw: the text is stored for a message.
std::string& last_glfw_error() {
  static std::string text;
  return text;
}

void remember_error(int, const char* text) { last_glfw_error() = text; }

class GlfwWindow final : public WindowSurface {
 public:
  explicit GlfwWindow(GLFWwindow* window) : window_(window) {
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    glfwSetWindowUserPointer(window_, this);
    forward_key_ = glfwSetKeyCallback(window_, [](GLFWwindow* from, int key, int scancode, int action, int mods) {
      static_cast<GlfwWindow*>(glfwGetWindowUserPointer(from))->key({key, scancode, action, mods});
    });
    glfwSetWindowRefreshCallback(window_,
                                 [](GLFWwindow* of) { static_cast<GlfwWindow*>(glfwGetWindowUserPointer(of))->lost_ = true; });
    glfwSetFramebufferSizeCallback(
        window_, [](GLFWwindow* of, int, int) { static_cast<GlfwWindow*>(glfwGetWindowUserPointer(of))->resized_ = true; });
    glfwSetDropCallback(window_, [](GLFWwindow* on, int count, const char** paths) {
      auto* self = static_cast<GlfwWindow*>(glfwGetWindowUserPointer(on));
      self->dropped_.insert(self->dropped_.end(), paths, paths + count);
    });
  }
  ~GlfwWindow() override {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    session_.reset();
    target_.reset();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    deliver_late_keys();
  }

  void end_frame() override {
    ImGui::Render();
    resized_ = false;
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    count_frame();
    if (width < 1 || height < 1) return std::this_thread::sleep_for(kUnpaintedFrame);  // minimised
    if (target_->resize(width, height)) painter_.forget();
    target_->bind();
    counters_.painted_pixels =
        painter_.paint(*ImGui::GetDrawData(), *target_, ImGui::GetStyleColorVec4(ImGuiCol_DockingEmptyBg));
    if (std::exchange(keep_frame_, false)) picture_ = read_pixels(width, height);
    const bool lost = std::exchange(lost_, false);
    if (counters_.painted_pixels == 0 && !lost) return std::this_thread::sleep_for(kUnpaintedFrame);
    target_->show();
    glfwSwapBuffers(window_);
  }

  const Fonts& fonts() const override { return session_->fonts(); }
  float display_scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return std::max(x, y);
  }
  bool take_close_request() override {
    const bool wanted = close_requested();
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
    return wanted;
  }
  void set_title(const char* title) override { glfwSetWindowTitle(window_, title); }
  void hide() override { glfwHideWindow(window_); }
  void poll() override {
    glfwPollEvents();
    looks_seen_ = wakes_to_look;
    wakes_seen_ = wakes;
  }
  bool input_waits() const override { return !late_keys_.empty() || !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }
  void keep_next_frame() override { keep_frame_ = true; }
  Picture take_picture() override { return std::exchange(picture_, {}); }
  std::vector<std::string> take_dropped() override { return std::exchange(dropped_, {}); }

  WindowPlace place() const override {
    WindowPlace place;
    glfwGetWindowPos(window_, &place.x, &place.y);
    glfwGetWindowSize(window_, &place.width, &place.height);
    place.maximized = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) != 0;
    return place;
  }

  // Only to a place where its title bar is reachable: monitors may have been removed.
  void move_to(const WindowPlace& place) override {
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; ++i) {
      int x = 0, y = 0, width = 0, height = 0;
      glfwGetMonitorWorkarea(monitors[i], &x, &y, &width, &height);
      const bool reachable =
          place.x + place.width / 2 >= x && place.x + place.width / 2 < x + width && place.y >= y && place.y < y + height - 20;
      if (!reachable) continue;
      glfwSetWindowPos(window_, place.x, place.y);
      break;
    }
    if (place.maximized) glfwMaximizeWindow(window_);
  }
  Woken wait(std::optional<std::chrono::milliseconds> at_most) override {
    if (!at_most) {
      glfwWaitEvents();
      return why_woken();
    }
    const double seconds = std::chrono::duration<double>(*at_most).count();
    const double before = glfwGetTime();
    glfwWaitEventsTimeout(std::max(seconds, 0.001));
    return glfwGetTime() - before < seconds * 0.9 ? why_woken() : Woken::by_time;
  }

 private:
  struct KeyEvent {
    int key, scancode, action, mods;
  };

  [[nodiscard]] bool close_requested() const { return glfwWindowShouldClose(window_) != 0; }

  // Everything but a look leaves a trace: a wake of its own, input for the next frame, another size, a lost frame, a request to close.
  Woken why_woken() {
    const unsigned looks = wakes_to_look, others = wakes;
    const bool to_look = std::exchange(looks_seen_, looks) != looks, woken = std::exchange(wakes_seen_, others) != others;
    const bool events = woken || input_waits() || lost_ || resized_ || !dropped_.empty() || close_requested();
    return to_look && !events ? Woken::to_look : Woken::by_event;
  }

  static bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

  // Ctrl down, Q down, Ctrl up within one slow frame would reach Dear ImGui as Q without Ctrl. So the release of a modifier after
  // a key press waits for the next frame, and so does everything after it.
  void key(const KeyEvent& event) {
    if (!late_keys_.empty() || (is_modifier(event.key) && event.action == GLFW_RELEASE && pressed_since_frame_)) {
      late_keys_.push_back(event);
      return;
    }
    pressed_since_frame_ = pressed_since_frame_ || (event.action == GLFW_PRESS && !is_modifier(event.key));
    forward_key_(window_, event.key, event.scancode, event.action, event.mods);
  }

  void deliver_late_keys() {
    pressed_since_frame_ = false;
    for (const KeyEvent& event : std::exchange(late_keys_, {}))
      forward_key_(window_, event.key, event.scancode, event.action, event.mods);
  }

  GLFWwindow* window_;
  std::optional<RenderTarget> target_{std::in_place};  // destroyed before its context
  Painter painter_;
  bool lost_ = false;                 // the display lost the shown frame
  bool resized_ = false;              // since the last frame
  unsigned wakes_seen_ = 0, looks_seen_ = 0;  // `wakes` and `wakes_to_look` at the last wait
  GLFWkeyfun forward_key_ = nullptr;  // Dear ImGui's callback
  std::vector<KeyEvent> late_keys_;
  bool pressed_since_frame_ = false;
  bool keep_frame_ = false;
  Picture picture_;
  std::vector<std::string> dropped_;
  std::unique_ptr<ImguiSession> session_ = std::make_unique<ImguiSession>();
};

}  // namespace

void wake_window() {
  ++wakes;
  glfwPostEmptyEvent();
}

void wake_window_to_look() {
  ++wakes_to_look;
  glfwPostEmptyEvent();
}

core::Result<std::unique_ptr<WindowSurface>> open_window(WindowSize size, const char* title) {
  glfwSetErrorCallback(remember_error);
  if (glfwInit() == 0) {
    return core::fail(
        core::ErrorKind::environment,
        fmt::format("No display to open a window on ({}). --headless runs without one, --screenshot draws into a file.",
                    last_glfw_error()));
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "dlscope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "dlscope");
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "dlscope");
  GLFWwindow* window = glfwCreateWindow(size.width, size.height, title, nullptr, nullptr);
  if (window == nullptr) {
    const std::string why = last_glfw_error();
    glfwTerminate();
    return core::fail(
        core::ErrorKind::environment,
        fmt::format("No window with OpenGL 3.3 could be opened ({}). Installing libgl1-mesa-dri and libgl1 gives a software one.",
                    why));
  }
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(window);
    glfwTerminate();
    return core::fail(core::ErrorKind::environment, "The display's OpenGL library has no functions to call.");
  }
  return std::make_unique<GlfwWindow>(window);
}

}  // namespace dlscope::app
