#include <GLFW/glfw3.h>
#include <glad/gl.h>

#include "app/platform/gl_contexts.h"

namespace dlscope::app {
namespace {

class HiddenWindow final : public GlContext {
 public:
  explicit HiddenWindow(GLFWwindow* window) : window_(window) {}
  ~HiddenWindow() override {
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

 private:
  GLFWwindow* window_;
};

}  // namespace

core::Result<std::unique_ptr<GlContext>> make_hidden_window_context() {
  if (glfwInit() == 0) return core::fail(core::ErrorKind::environment, "there is no display for a hidden window");
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* window = glfwCreateWindow(64, 64, "dlscope", nullptr, nullptr);
  if (window == nullptr) {
    glfwTerminate();
    return core::fail(core::ErrorKind::environment, "the display gives no OpenGL 3.3");
  }
  glfwMakeContextCurrent(window);
  if (gladLoadGL(glfwGetProcAddress) != 0) return std::make_unique<HiddenWindow>(window);
  glfwDestroyWindow(window);
  glfwTerminate();
  return core::fail(core::ErrorKind::environment, "the display's OpenGL has no functions to call");
}

}  // namespace dlscope::app
