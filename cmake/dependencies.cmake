# Every dependency of dlscope: what it is, which version, where it comes from. No third-party source is kept in this repository.
#
# Fetched by pip, pinned by hash, into ${DLSCOPE_CACHE_DIR} (cmake/fetch.py). Offline: unpack them yourself and pass
#   -DDLSCOPE_IMGUI_DIR=        folder with imgui.h (docking) and backends/
#   -DDLSCOPE_GLFW_DIR=         GLFW's source tree
#   -DDLSCOPE_TEXT_EDITOR_DIR=  folder with TextEditor.h (ImGuiColorTextEdit)
#   -DDLSCOPE_TEST_ENGINE_DIR=  folder with imgui_te_engine.h
#   -DDLSCOPE_GLAD_DIR=         folder with glad/gl.h
#   -DDLSCOPE_DLPACK_DIR=       folder with dlpack/dlpack.h, 1.3 or newer
#
# From the system (minimum = Debian 12): fmt 9.1, nlohmann-json 3.11, CLI11 2.1, libpng 1.6, PCRE2 10.42, xxHash 0.8, Highway 1.0
# (headers), zlib 1.2, CPython headers >= 3.9;
# for tests Catch2 3.4, Google Benchmark 1.7. CUDA: cmake/cuda.cmake. The packages' names are in scripts/setup.sh.
# Python packages: cmake/requirements/*.txt.

set(imgui_bundle_version 1.93.0)  # Dear ImGui 1.93.0 docking, GLFW 3.5.1, ImGuiColorTextEdit, imgui_test_engine, in step
set(imgui_bundle_sha256 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf)
set(tvm_ffi_version 0.1.15.post2)  # dlpack.h 1.3
set(tvm_ffi_sha256 8ecebe749834f6ac0f2693d5964acf9ac75d0bc26e6ba64c46eb7ab00ea50fac)

# --- fetched -----------------------------------------------------------------------------------------------------------------
if(DEFINED ENV{XDG_CACHE_HOME})
  set(cache_home "$ENV{XDG_CACHE_HOME}")
else()
  set(cache_home "$ENV{HOME}/.cache")
endif()
set(DLSCOPE_CACHE_DIR "${cache_home}/dlscope" CACHE PATH "Where fetched sources are kept")

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# dlscope_fetch(OUT NAME VERSION SHA256 sdist|wheel MEMBERS...): OUT = folder that holds MEMBERS of the archive.
function(dlscope_fetch out name version sha256 kind)
  string(SUBSTRING "${sha256}" 0 12 short)
  string(SHA256 members "${ARGN}")
  string(SUBSTRING "${members}" 0 4 members)
  set(into "${DLSCOPE_CACHE_DIR}/src/${name}-${version}-${short}-${members}")
  if(NOT EXISTS "${into}")
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/fetch.py" --cache "${DLSCOPE_CACHE_DIR}"
      --name ${name} --version ${version} --sha256 ${sha256} --kind ${kind} --into "${into}" ${ARGN} RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "dlscope: ${name} ${version} could not be fetched; see cmake/dependencies.cmake for offline builds")
    endif()
  endif()
  set(${out} "${into}" PARENT_SCOPE)
endfunction()

if(DLSCOPE_BUILD_APP AND NOT (DLSCOPE_IMGUI_DIR AND DLSCOPE_GLFW_DIR AND DLSCOPE_TEXT_EDITOR_DIR AND DLSCOPE_GLAD_DIR))
  dlscope_fetch(bundle imgui-bundle ${imgui_bundle_version} ${imgui_bundle_sha256} sdist
    external/imgui/imgui external/glfw/glfw external/ImGuiColorTextEdit/ImGuiColorTextEdit
    external/imgui_test_engine/imgui_test_engine/imgui_test_engine)
endif()
if(NOT DLSCOPE_DLPACK_DIR)
  dlscope_fetch(wheel apache-tvm-ffi ${tvm_ffi_version} ${tvm_ffi_sha256} wheel tvm_ffi/3rdparty/dlpack)
endif()
foreach(row "IMGUI;${bundle}/external/imgui/imgui;Dear ImGui" "GLFW;${bundle}/external/glfw/glfw;GLFW"
            "TEXT_EDITOR;${bundle}/external/ImGuiColorTextEdit/ImGuiColorTextEdit;ImGuiColorTextEdit"
            "TEST_ENGINE;${bundle}/external/imgui_test_engine/imgui_test_engine/imgui_test_engine;imgui_test_engine"
            "GLAD;${bundle}/external/glfw/glfw/deps;glad" "DLPACK;${wheel}/tvm_ffi/3rdparty/dlpack/include;dlpack.h")
  list(GET row 0 name)
  list(GET row 1 default)
  list(GET row 2 what)
  set(DLSCOPE_${name}_DIR "" CACHE PATH "${what}, unpacked; empty: fetched")
  if(DLSCOPE_${name}_DIR)
    set(dlscope_${name} "${DLSCOPE_${name}_DIR}")
  else()
    set(dlscope_${name} "${default}")
  endif()
endforeach()

include(cuda)

add_library(dlscope_dlpack INTERFACE)
add_library(dlscope::dlpack ALIAS dlscope_dlpack)
target_include_directories(dlscope_dlpack SYSTEM INTERFACE "${dlscope_DLPACK}")

# --- system ------------------------------------------------------------------------------------------------------------------
find_package(fmt 9 REQUIRED)
if(fmt_VERSION VERSION_LESS 10)
  get_target_property(include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  add_library(dlscope_fmt STATIC cmake/fmt.cpp)
  target_compile_features(dlscope_fmt PRIVATE cxx_std_20)
  target_compile_options(dlscope_fmt PRIVATE -w -fvisibility=hidden)
  target_include_directories(dlscope_fmt SYSTEM PUBLIC "${include}")
else()
  add_library(dlscope_fmt INTERFACE)  # slower to build, the same to use
  target_link_libraries(dlscope_fmt INTERFACE fmt::fmt-header-only)
endif()
add_library(dlscope::fmt ALIAS dlscope_fmt)
find_package(nlohmann_json 3.9 REQUIRED)
find_path(DLSCOPE_XXHASH_INCLUDE xxhash.h REQUIRED)
mark_as_advanced(DLSCOPE_XXHASH_INCLUDE)
add_library(dlscope_xxhash INTERFACE)
add_library(dlscope::xxhash ALIAS dlscope_xxhash)
target_include_directories(dlscope_xxhash SYSTEM INTERFACE "${DLSCOPE_XXHASH_INCLUDE}")
target_compile_definitions(dlscope_xxhash INTERFACE XXH_INLINE_ALL)
# Its headers only: its library is a shared one, and what it adds is choosing the instruction set.
find_path(DLSCOPE_HIGHWAY_INCLUDE hwy/highway.h REQUIRED)
mark_as_advanced(DLSCOPE_HIGHWAY_INCLUDE)
add_library(dlscope_highway INTERFACE)
add_library(dlscope::highway ALIAS dlscope_highway)
target_include_directories(dlscope_highway SYSTEM INTERFACE "${DLSCOPE_HIGHWAY_INCLUDE}")
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
# The static zlib and libpng where the system has them: one thing less that a user's system must have.
find_library(DLSCOPE_ZLIB_STATIC NAMES libz.a)
add_library(dlscope_zlib INTERFACE)
add_library(dlscope::zlib ALIAS dlscope_zlib)
if(DLSCOPE_ZLIB_STATIC)
  add_library(dlscope_zlib_static STATIC IMPORTED)  # a target, so that it comes behind whoever needs it on the link line
  set_target_properties(dlscope_zlib_static PROPERTIES IMPORTED_LOCATION "${DLSCOPE_ZLIB_STATIC}")
  target_include_directories(dlscope_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE_DIRS})
  target_link_libraries(dlscope_zlib INTERFACE dlscope_zlib_static)
else()
  target_link_libraries(dlscope_zlib INTERFACE ZLIB::ZLIB)
endif()
if(DLSCOPE_BUILD_APP)
  find_package(CLI11 2 REQUIRED)
  find_package(PNG REQUIRED)
  find_path(DLSCOPE_PCRE2_INCLUDE pcre2.h REQUIRED)
  find_library(DLSCOPE_PCRE2_LIBRARY NAMES libpcre2-8.a pcre2-8 REQUIRED)  # the archive: it links nothing else
  mark_as_advanced(DLSCOPE_PCRE2_INCLUDE DLSCOPE_PCRE2_LIBRARY)
  add_library(dlscope_pcre2 INTERFACE)
  add_library(dlscope::pcre2 ALIAS dlscope_pcre2)
  target_include_directories(dlscope_pcre2 SYSTEM INTERFACE "${DLSCOPE_PCRE2_INCLUDE}")
  target_compile_definitions(dlscope_pcre2 INTERFACE PCRE2_STATIC)
  target_link_libraries(dlscope_pcre2 INTERFACE "${DLSCOPE_PCRE2_LIBRARY}")
  find_library(DLSCOPE_PNG_STATIC NAMES libpng16.a libpng.a)
  mark_as_advanced(DLSCOPE_PNG_STATIC DLSCOPE_ZLIB_STATIC)
  add_library(dlscope_png INTERFACE)
  add_library(dlscope::png ALIAS dlscope_png)
  if(DLSCOPE_PNG_STATIC AND DLSCOPE_ZLIB_STATIC)
    add_library(dlscope_png_static STATIC IMPORTED)
    set_target_properties(dlscope_png_static PROPERTIES IMPORTED_LOCATION "${DLSCOPE_PNG_STATIC}"
      INTERFACE_LINK_LIBRARIES "dlscope_zlib_static;m")
    target_include_directories(dlscope_png SYSTEM INTERFACE ${PNG_INCLUDE_DIRS})
    target_link_libraries(dlscope_png INTERFACE dlscope_png_static)
    set(dlscope_png_needed "")
  else()
    target_link_libraries(dlscope_png INTERFACE PNG::PNG)
    set(dlscope_png_needed "|libpng16|libz")
  endif()
  include(imgui)
  include(fonts)
endif()
if(DLSCOPE_BUILD_TESTS)
  find_package(Catch2 3 REQUIRED)
  find_package(benchmark REQUIRED)
  include(Catch)
endif()

# CPython headers, limited API of 3.9: one module serves every CPython from there on. libpython is never linked.
if(NOT DLSCOPE_PYTHON_INCLUDE_DIR)
  execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('include'))"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(DLSCOPE_PYTHON_INCLUDE_DIR Python.h HINTS "${found}" REQUIRED NO_DEFAULT_PATH
    DOC "Folder of Python.h; the oldest from 3.9 on is the best choice")
endif()
add_library(dlscope_python_abi3 INTERFACE)
add_library(dlscope::python_abi3 ALIAS dlscope_python_abi3)
target_include_directories(dlscope_python_abi3 SYSTEM INTERFACE "${DLSCOPE_PYTHON_INCLUDE_DIR}")
target_compile_definitions(dlscope_python_abi3 INTERFACE Py_LIMITED_API=0x03090000)
