// Frames into a texture of any size up to the driver's limit, read back once.
#include <fmt/format.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include "app/platform/gl_contexts.h"
#include "app/platform/imgui_session.h"
#include "app/platform/painter.h"
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
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    // In the order of bytes that windows have, so that a picture costs what a window does.
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &target_);
    glBindFramebuffer(GL_FRAMEBUFFER, target_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
  }
  ~TexturePicture() override {
    ImGui_ImplOpenGL3_Shutdown();
    session_.reset();
    glDeleteFramebuffers(1, &target_);
    glDeleteTextures(1, &texture_);
  }

  [[nodiscard]] bool complete() const {
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && glGetError() == GL_NO_ERROR;
  }

  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::GetIO().DeltaTime = kFrameSeconds;
    ImGui::NewFrame();
  }

  void end_frame() override {
    ImGui::Render();
    glBindFramebuffer(GL_FRAMEBUFFER, target_);
    count_frame();
    counters_.painted = painter_.paint(*ImGui::GetDrawData(), width_, height_, ImGui::GetStyleColorVec4(ImGuiCol_DockingEmptyBg));
    glFinish();  // nothing else slows a surface that is never shown
  }

  const Fonts& fonts() const override { return session_->fonts(); }

  std::string driver() const override {
    const auto text = [](GLenum name) {
      const GLubyte* words = glGetString(name);
      return words != nullptr ? reinterpret_cast<const char*>(words) : "unknown";
    };
    return fmt::format("OpenGL {}, {}", text(GL_VERSION), text(GL_RENDERER));
  }

  Picture read() override {
    glBindFramebuffer(GL_FRAMEBUFFER, target_);
    return read_pixels(width_, height_);
  }

 private:
  std::unique_ptr<GlContext> context_;
  std::unique_ptr<ImguiSession> session_ = std::make_unique<ImguiSession>();
  Painter painter_;
  int width_, height_;
  GLuint texture_ = 0, target_ = 0;
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
