// EGL without its headers: the library is loaded when a picture is requested, so the program starts without it, and the few
// declarations needed are written here, so it builds without EGL's headers.
#include <dlfcn.h>
#include <fmt/core.h>
#include <glad/gl.h>

#include <array>
#include <cstdint>
#include <string>

#include "app/platform/gl_contexts.h"

namespace dlscope::app {
namespace {

using EglHandle = void*;
using EglInt = std::int32_t;

constexpr EglInt kNone = 0x3038, kSurfaceType = 0x3033, kPbufferBit = 1, kRenderableType = 0x3040, kOpenGlBit = 8;
constexpr EglInt kContextMajor = 0x3098, kContextMinor = 0x30FB, kContextProfile = 0x30FD, kCoreProfile = 1;
constexpr unsigned kOpenGlApi = 0x30A2, kPlatformSurfaceless = 0x31DD, kPlatformDevice = 0x313F;

struct EglLibrary {
  void* library = nullptr;
  void* (*get_proc)(const char*) = nullptr;
  EglHandle (*get_platform_display)(unsigned, void*, const EglInt*) = nullptr;
  EglHandle (*get_display)(void*) = nullptr;
  unsigned (*query_devices)(EglInt, EglHandle*, EglInt*) = nullptr;
  unsigned (*initialize)(EglHandle, EglInt*, EglInt*) = nullptr;
  unsigned (*terminate)(EglHandle) = nullptr;
  unsigned (*bind_api)(unsigned) = nullptr;
  unsigned (*choose_config)(EglHandle, const EglInt*, EglHandle*, EglInt, EglInt*) = nullptr;
  EglHandle (*create_context)(EglHandle, EglHandle, EglHandle, const EglInt*) = nullptr;
  unsigned (*make_current)(EglHandle, EglHandle, EglHandle, EglHandle) = nullptr;
  unsigned (*destroy_context)(EglHandle, EglHandle) = nullptr;

  bool load() {
    library = ::dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto find = [this](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    const bool complete = find(get_proc, "eglGetProcAddress") && find(get_display, "eglGetDisplay") &&
                          find(initialize, "eglInitialize") && find(terminate, "eglTerminate") && find(bind_api, "eglBindAPI") &&
                          find(choose_config, "eglChooseConfig") && find(create_context, "eglCreateContext") &&
                          find(make_current, "eglMakeCurrent") && find(destroy_context, "eglDestroyContext");
    if (!complete) return false;
    get_platform_display = reinterpret_cast<decltype(get_platform_display)>(get_proc("eglGetPlatformDisplayEXT"));
    query_devices = reinterpret_cast<decltype(query_devices)>(get_proc("eglQueryDevicesEXT"));
    return true;
  }
};

class EglContext final : public GlContext {
 public:
  EglContext(const EglLibrary& egl, EglHandle display, EglHandle context) : egl_(egl), display_(display), context_(context) {}
  ~EglContext() override {
    egl_.make_current(display_, nullptr, nullptr, nullptr);
    egl_.destroy_context(display_, context_);
    egl_.terminate(display_);
    // The library is not unloaded, because drivers leave threads and handlers behind.
  }

 private:
  EglLibrary egl_;
  EglHandle display_, context_;
};

EglHandle context_on(const EglLibrary& egl, EglHandle display) {
  if (egl.bind_api(kOpenGlApi) == 0) return nullptr;
  constexpr std::array kConfig{kSurfaceType, kPbufferBit, kRenderableType, kOpenGlBit, kNone};
  constexpr std::array kContext{kContextMajor, 3, kContextMinor, 3, kContextProfile, kCoreProfile, kNone};
  EglHandle config = nullptr;
  EglInt count = 0;
  if (egl.choose_config(display, kConfig.data(), &config, 1, &count) == 0 || count == 0) config = nullptr;
  EglHandle context = egl.create_context(display, config, nullptr, kContext.data());
  if (context == nullptr) return nullptr;
  if (egl.make_current(display, nullptr, nullptr, context) != 0) return context;
  egl.destroy_context(display, context);
  return nullptr;
}

std::unique_ptr<GlContext> try_display(const EglLibrary& egl, EglHandle display) {
  EglInt major = 0, minor = 0;
  if (display == nullptr || egl.initialize(display, &major, &minor) == 0) return nullptr;
  if (EglHandle context = context_on(egl, display)) return std::make_unique<EglContext>(egl, display, context);
  egl.terminate(display);
  return nullptr;
}

std::unique_ptr<GlContext> first_context(const EglLibrary& egl) {
  if (egl.get_platform_display != nullptr) {
    if (auto context = try_display(egl, egl.get_platform_display(kPlatformSurfaceless, nullptr, nullptr))) return context;
    std::array<EglHandle, 16> devices{};
    EglInt count = 0;
    if (egl.query_devices != nullptr && egl.query_devices(static_cast<EglInt>(devices.size()), devices.data(), &count) != 0) {
      for (EglInt i = 0; i < count; ++i) {
        if (auto context =
                try_display(egl, egl.get_platform_display(kPlatformDevice, devices[static_cast<std::size_t>(i)], nullptr)))
          return context;
      }
    }
  }
  return try_display(egl, egl.get_display(nullptr));
}

}  // namespace

core::Result<std::unique_ptr<GlContext>> make_egl_context() {
  EglLibrary egl;
  if (!egl.load()) return core::fail(core::ErrorKind::environment, "libEGL.so.1 is not installed (package libegl1)");
  std::unique_ptr<GlContext> context = first_context(egl);
  if (!context)
    return core::fail(core::ErrorKind::environment, "EGL gives no OpenGL 3.3 (package libgl1-mesa-dri has a software one)");
  if (gladLoadGL(reinterpret_cast<GLADloadfunc>(egl.get_proc)) == 0) {
    return core::fail(core::ErrorKind::environment, "EGL's OpenGL has no functions to call");
  }
  return context;
}

}  // namespace dlscope::app
