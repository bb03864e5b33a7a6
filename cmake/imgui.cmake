# The window's third-party libraries, as static targets with warnings off, built only when something links them:
#   dlscope::imgui            Dear ImGui (docking), imgui_stdlib         dlscope::text_editor   ImGuiColorTextEdit
#   dlscope::imgui_backends   its GLFW and OpenGL 3 backends             dlscope::imgui_null    its null backend
#   dlscope::glfw             GLFW (X11, Wayland, null)                  dlscope::glad          <glad/gl.h>
#   dlscope::imgui_headers    what code that calls ImGui and the text editor is compiled with
# With DLSCOPE_UI_TESTS the first four exist a second time with the suffix _for_tests, compiled with the test engine's hooks, and
# dlscope::imgui_test_engine joins them. A binary uses one family or the other, never both. The hooks are calls inside ImGui's own
# sources; our code is the same with either, so it is compiled once, against the headers.

function(dlscope_third_party name)
  add_library(dlscope_${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
  add_library(dlscope::${name} ALIAS dlscope_${name})
  target_compile_features(dlscope_${name} PUBLIC cxx_std_20)
  target_compile_options(dlscope_${name} PRIVATE -w -fvisibility=hidden)
endfunction()

add_library(dlscope_imgui_headers INTERFACE)
add_library(dlscope::imgui_headers ALIAS dlscope_imgui_headers)
target_compile_features(dlscope_imgui_headers INTERFACE cxx_std_20)
target_include_directories(dlscope_imgui_headers SYSTEM INTERFACE "${dlscope_IMGUI}" "${dlscope_IMGUI}/misc/cpp" "${dlscope_TEXT_EDITOR}")
target_compile_definitions(dlscope_imgui_headers INTERFACE IMGUI_DISABLE_OBSOLETE_FUNCTIONS
  IMGUI_USE_WCHAR32)  # code points past U+FFFF in scripts and names stay what they are

# The editor's search in its tables of wide characters begins with the place behind the last entry and reads it, for U+FFFD and
# U+3FFFE among others: past the end of a global array. A copy with the last entry instead is compiled.
set(editor_source "${PROJECT_BINARY_DIR}/generated/TextEditor.cpp")
file(READ "${dlscope_TEXT_EDITOR}/TextEditor.cpp" editor_text)
string(REPLACE "auto high = std::end(table);" "auto high = std::end(table) - 1;" editor_mended "${editor_text}")
if(editor_mended STREQUAL editor_text)
  message(FATAL_ERROR "${dlscope_TEXT_EDITOR}/TextEditor.cpp has another rangeFind() than the one that cmake/imgui.cmake mends: "
    "look whether it still reads past the end of its table")
endif()
set(editor_old "")
if(EXISTS "${editor_source}")
  file(READ "${editor_source}" editor_old)
endif()
if(NOT editor_old STREQUAL editor_mended)  # written only when it differs, so that it is not compiled again
  file(WRITE "${editor_source}" "${editor_mended}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${dlscope_TEXT_EDITOR}/TextEditor.cpp")

function(dlscope_imgui_family suffix)
  dlscope_third_party(imgui${suffix}
    "${dlscope_IMGUI}/imgui.cpp" "${dlscope_IMGUI}/imgui_draw.cpp" "${dlscope_IMGUI}/imgui_tables.cpp"
    "${dlscope_IMGUI}/imgui_widgets.cpp" "${dlscope_IMGUI}/misc/cpp/imgui_stdlib.cpp")
  if(EXISTS "${dlscope_IMGUI}/imgui_stacklayout.cpp")  # the fork's imgui.cpp calls it; upstream has none
    target_sources(dlscope_imgui${suffix} PRIVATE "${dlscope_IMGUI}/imgui_stacklayout.cpp")
  endif()
  target_link_libraries(dlscope_imgui${suffix} PUBLIC dlscope_imgui_headers)
  if(suffix)
    target_compile_definitions(dlscope_imgui${suffix} PUBLIC IMGUI_ENABLE_TEST_ENGINE
      IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1)
  endif()

  dlscope_third_party(imgui_backends${suffix}
    "${dlscope_IMGUI}/backends/imgui_impl_glfw.cpp" "${dlscope_IMGUI}/backends/imgui_impl_opengl3.cpp")
  target_include_directories(dlscope_imgui_backends${suffix} SYSTEM PUBLIC "${dlscope_IMGUI}/backends")
  # ImGui's own loader crashes where libGL is missing; glad takes entry points from whoever made the context.
  target_compile_definitions(dlscope_imgui_backends${suffix} PUBLIC IMGUI_IMPL_OPENGL_LOADER_CUSTOM)
  set_source_files_properties("${dlscope_IMGUI}/backends/imgui_impl_opengl3.cpp" PROPERTIES
    COMPILE_OPTIONS "-include;glad/gl.h")
  target_link_libraries(dlscope_imgui_backends${suffix} PUBLIC dlscope_imgui${suffix} dlscope_glfw dlscope_glad)

  dlscope_third_party(imgui_null${suffix} "${dlscope_IMGUI}/backends/imgui_impl_null.cpp")
  target_include_directories(dlscope_imgui_null${suffix} SYSTEM PUBLIC "${dlscope_IMGUI}/backends")
  target_link_libraries(dlscope_imgui_null${suffix} PUBLIC dlscope_imgui${suffix})

  dlscope_third_party(text_editor${suffix} "${editor_source}")
  target_link_libraries(dlscope_text_editor${suffix} PUBLIC dlscope_imgui${suffix})
endfunction()

# GLFW, without its tests, docs and install rules. dlscope::glfw is its headers and archive, as SYSTEM.
set(GLFW_BUILD_EXAMPLES OFF CACHE INTERNAL "")
set(GLFW_BUILD_TESTS OFF CACHE INTERNAL "")
set(GLFW_BUILD_DOCS OFF CACHE INTERNAL "")
set(GLFW_INSTALL OFF CACHE INTERNAL "")
set(GLFW_LIBRARY_TYPE STATIC CACHE INTERNAL "")
add_subdirectory("${dlscope_GLFW}" glfw EXCLUDE_FROM_ALL SYSTEM)
target_compile_options(glfw PRIVATE -w)
set_target_properties(glfw PROPERTIES C_VISIBILITY_PRESET hidden)
add_library(dlscope_glfw INTERFACE)
add_library(dlscope::glfw ALIAS dlscope_glfw)
target_link_libraries(dlscope_glfw INTERFACE glfw)
target_include_directories(dlscope_glfw SYSTEM INTERFACE "${dlscope_GLFW}/include")
target_compile_definitions(dlscope_glfw INTERFACE GLFW_INCLUDE_NONE)

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/glad.c"
  CONTENT "#define GLAD_GL_IMPLEMENTATION\n#include <glad/gl.h>\n" @ONLY)
dlscope_third_party(glad "${PROJECT_BINARY_DIR}/generated/glad.c")
target_include_directories(dlscope_glad SYSTEM PUBLIC "${dlscope_GLAD}")

dlscope_imgui_family("")
if(DLSCOPE_UI_TESTS)
  dlscope_imgui_family("_for_tests")
  set(engine "${dlscope_TEST_ENGINE}")
  dlscope_third_party(imgui_test_engine
    "${engine}/imgui_capture_tool.cpp" "${engine}/imgui_te_context.cpp" "${engine}/imgui_te_coroutine.cpp"
    "${engine}/imgui_te_engine.cpp" "${engine}/imgui_te_exporters.cpp" "${engine}/imgui_te_perftool.cpp"
    "${engine}/imgui_te_ui.cpp" "${engine}/imgui_te_utils.cpp")
  target_include_directories(dlscope_imgui_test_engine SYSTEM PUBLIC "${engine}")
  target_link_libraries(dlscope_imgui_test_engine PUBLIC dlscope_imgui_for_tests)
  target_link_libraries(dlscope_imgui_for_tests INTERFACE dlscope_imgui_test_engine)  # its hooks: the two need each other
endif()
