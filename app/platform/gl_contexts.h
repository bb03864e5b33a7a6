// OpenGL contexts without anything visible, for pictures.
#pragma once

#include <memory>

#include "core/base/result.h"

namespace dlscope::app {

// Current on the calling thread from success until destruction; glad's functions are loaded.
class GlContext {
 public:
  virtual ~GlContext() = default;
};

// EGL loaded at run time (libEGL.so.1), without surface and display. Fails with the reason.
[[nodiscard]] core::Result<std::unique_ptr<GlContext>> make_egl_context();
// A GLFW window that is never shown; needs a display. Fails with the reason.
[[nodiscard]] core::Result<std::unique_ptr<GlContext>> make_hidden_window_context();

}  // namespace dlscope::app
