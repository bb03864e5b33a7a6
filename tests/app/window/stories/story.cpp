#include "tests/app/window/stories/story.h"

#include <imgui_impl_null.h>
#include <imgui_internal.h>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <thread>

namespace dlscope::tests {

Story::Story(app::ApplicationOptions options, bool with_host)
    : Story(std::move(options), with_host ? std::make_unique<FakeLink>(host_) : nullptr) {}

Story::Story(app::ApplicationOptions options, std::unique_ptr<app::HostLink> link)
    : context_(ImGui::CreateContext()), engine_(ImGuiTestEngine_CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;
  ImGui_ImplNull_Init();
  fonts_ = app::load_fonts();
  ImGuiTestEngineIO& engine_io = ImGuiTestEngine_GetIO(engine_);
  engine_io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  engine_io.ConfigSavedSettings = false;
  engine_io.ConfigNoThrottle = true;
  engine_io.ConfigFixedDeltaTime = 1.0F / 60;
  engine_io.ConfigLogToTTY = true;
  engine_io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
  engine_io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  ImGuiTestEngine_GetIO(engine_).ConfigRestoreFocusAfterTests = false;  // a field keeps the keyboard from act to act
  ImGuiTestEngine_Start(engine_, context_);
  application_ = std::make_unique<app::Application>(std::move(options), std::move(link));
}

Story::~Story() {
  application_.reset();
  ImGuiTestEngine_Stop(engine_);
  ImGui_ImplNull_Shutdown();
  ImGui::DestroyContext(context_);
  ImGuiTestEngine_DestroyContext(engine_);
}

void Story::frame(std::string* text) {
  application_->update();
  if (scale_ != application_->scale()) {
    scale_ = application_->scale();
    app::apply_theme(app::theme_for(application_->theme()), scale_);
  }
  ImGui_ImplNull_NewFrame();
  ImGui::GetIO().DisplaySize = size_;
  ImGui::NewFrame();
  if (text != nullptr) ImGui::LogToBuffer(0);  // 0: opens nothing for the log's sake
  application_->draw(fonts_);
  if (text != nullptr) {
    *text = context_->LogBuffer.c_str();
    ImGui::LogFinish();
  }
  ImGui::Render();
  ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
  ImGuiTestEngine_PostSwap(engine_);
  application_->carry_out();
}

void Story::frames(int count) {
  for (int i = 0; i < count; ++i) frame();
}

std::string Story::text_of_frame() {
  std::string text;
  frame(&text);
  return text;
}

void Story::show(core::SnapshotPtr snapshot) {
  application_->show_snapshot(std::move(snapshot));
  application_->finish_background_work();
  frames(3);
}

void Story::act(const std::function<void(ImGuiTestContext*)>& script) {
  ImGuiTest* test = ImGuiTestEngine_RegisterTest(engine_, "story", ("act " + std::to_string(++acts_)).c_str());
  test->UserData = const_cast<std::function<void(ImGuiTestContext*)>*>(&script);
  test->TestFunc = [](ImGuiTestContext* context) {
    (*static_cast<std::function<void(ImGuiTestContext*)>*>(context->Test->UserData))(context);
  };
  ImGuiTestEngine_QueueTest(engine_, test, ImGuiTestRunFlags_RunFromCommandLine);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) frame();
  REQUIRE(test->Output.Status == ImGuiTestStatus_Success);
}

bool Story::wait_for(const std::function<bool()>& done) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(240);
  while (!done()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace dlscope::tests
