// A surface in memory: frames in a texture of any size up to the driver's limit, read back on request.
#include <fmt/core.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include "app/platform/gl_contexts.h"
#include "app/platform/imgui_session.h"
#include "app/platform/painter.h"
#include "app/platform/render_target.h"
#include "app/platform/surface.h"

namespace dlscope::app {
namespace {

constexpr float kFrameSeconds = 1.0F / 60;

class TexturePicture final : public PictureSurface {
 public:
  TexturePicture(std::unique_ptr<GlContext> context, int width, int height)
      : context_(std::move(context)), width_(width), height_(height) {
    ImGui_ImplOpenGL3_Init("#version 330 core");
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    io.DeltaTime = kFrameSeconds;
    io.AddFocusEvent(true);
    target_.resize(width, height);
  }
  ~TexturePicture() override {
    ImGui_ImplOpenGL3_Shutdown();
    session_.reset();
  }

  [[nodiscard]] bool complete() const { return target_.complete(); }

  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::GetIO().DeltaTime = kFrameSeconds;
    ImGui::NewFrame();
  }

  void end_frame() override {
    ImGui::Render();
    target_.bind();
    count_frame();
    counters_.painted_pixels =
        painter_.paint(*ImGui::GetDrawData(), target_, ImGui::GetStyleColorVec4(ImGuiCol_DockingEmptyBg));
    glFinish();  // nothing else slows a surface that is never shown
  }

  const Fonts& fonts() const override { return session_->fonts(); }
  void paint_whole() override { painter_.forget(); }

  std::string driver() const override {
    const auto text = [](GLenum name) {
      const GLubyte* wording = glGetString(name);
      return wording != nullptr ? reinterpret_cast<const char*>(wording) : "unknown";
    };
    return fmt::format("OpenGL {}, {}", text(GL_VERSION), text(GL_RENDERER));
  }

  Picture read() override {
    target_.bind();
    return read_pixels(width_, height_);
  }

 private:
  std::unique_ptr<GlContext> context_;
  std::unique_ptr<ImguiSession> session_ = std::make_unique<ImguiSession>();
  RenderTarget target_;
  Painter painter_;
  int width_, height_;
};

}  // namespace

core::Result<std::unique_ptr<PictureSurface>> open_picture(int width, int height) {
  auto context = make_egl_context();
  if (!context) {
    const std::string first = context.error().message;
    context = make_hidden_window_context();
    if (!context) {
      return core::fail(core::ErrorKind::environment,
                        fmt::format("Cannot draw off screen: {}, and {}.", first, context.error().message));
    }
  }
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  if (width < 1 || height < 1 || width > largest || height > largest) {
    return core::fail(
        core::ErrorKind::unsupported,
        fmt::format("A picture of {} x {} pixels cannot be drawn here; the most is {} x {}.", width, height, largest, largest));
  }
  auto surface = std::make_unique<TexturePicture>(std::move(*context), width, height);
  if (!surface->complete())
    return core::fail(core::ErrorKind::environment, fmt::format("OpenGL refused a picture of {} x {} pixels.", width, height));
  return surface;
}

}  // namespace dlscope::app
