// How long until there is a picture on the screen: the window against a bare program of GLFW and Dear ImGui, in the same
// run. Every sample is a process of its own, from exec to the first swap, so that nothing is warm that would be cold.
//   goal: window <= 1.25 x bare. Needs a display (xvfb-run).
#include <GLFW/glfw3.h>
#include <benchmark/benchmark.h>
#include <glad/gl.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>

#include "app/platform/surface.h"
#include "app/window/application.h"

extern char** environ;

namespace {

constexpr int kWidth = 1600, kHeight = 1000;

int bare_program() {
  if (glfwInit() == 0) return 3;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* window = glfwCreateWindow(kWidth, kHeight, "bare", nullptr, nullptr);
  if (window == nullptr) return 3;
  glfwMakeContextCurrent(window);
  gladLoadGL(glfwGetProcAddress);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  ImGui::Begin("window");
  ImGui::TextUnformatted("text");
  ImGui::End();
  ImGui::Render();
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
  glFinish();
  ::_exit(0);
}

int window_program() {
  namespace app = dlscope::app;
  auto window = app::open_window({kWidth, kHeight}, "dlscope");
  if (!window) return 3;
  app::Application application({}, app::make_host_link({}, "", app::wake_window));
  app::apply_theme(app::theme_for(application.theme()), application.scale());
  application.update();
  (*window)->begin_frame();
  application.draw((*window)->fonts());
  (*window)->end_frame();
  glFinish();
  ::_exit(0);
}

void time_program(benchmark::State& state, const char* which) {
  std::string self = "/proc/self/exe", argument = which;
  char* arguments[] = {self.data(), argument.data(), nullptr};
  for (auto _ : state) {
    pid_t child = 0;
    if (::posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) != 0)
      state.SkipWithError("cannot start a process");
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      state.SkipWithError("no display to open a window on");
      break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "bare") == 0) return bare_program();
  if (argc == 2 && std::strcmp(argv[1], "window") == 0) return window_program();
  for (const char* which : {"bare", "window"}) {
    benchmark::RegisterBenchmark((std::string("first_frame/") + which).c_str(),
                                 [which](benchmark::State& state) { time_program(state, which); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->MinTime(2.0);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
