# Options, and the two interface targets every target of ours links: dlscope_options and dlscope_warnings.

include(CMakeDependentOption)
option(DLSCOPE_BUILD_APP "Build the viewer (window, panels, command line)" ON)
option(DLSCOPE_BUILD_TESTS "Build the tests (needs Catch2 3 and Google Benchmark)" OFF)
cmake_dependent_option(DLSCOPE_UI_TESTS "Build the window's tests with imgui_test_engine (its own licence, tests only)"
                       OFF "DLSCOPE_BUILD_TESTS;DLSCOPE_BUILD_APP" OFF)
option(DLSCOPE_WERROR "Treat warnings in our own code as errors" OFF)
set(DLSCOPE_SANITIZE "" CACHE STRING "Sanitizers, as a list: address;undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # core and embed end up in a Python extension module

find_program(DLSCOPE_CCACHE ccache)
mark_as_advanced(DLSCOPE_CCACHE)
if(DLSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${DLSCOPE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${DLSCOPE_CCACHE}")
endif()

add_library(dlscope_options INTERFACE)
target_compile_features(dlscope_options INTERFACE cxx_std_23)
target_compile_options(dlscope_options INTERFACE -fvisibility=hidden -fvisibility-inlines-hidden)
target_include_directories(dlscope_options INTERFACE "${PROJECT_SOURCE_DIR}")  # #include "core/tensor/layout.h"

if(DLSCOPE_SANITIZE)
  list(JOIN DLSCOPE_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${sanitizers})
endif()

add_library(dlscope_warnings INTERFACE)
target_compile_options(dlscope_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # GCC 12 sees overlapping copies inside its own std::string (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # GCC's documentation says so itself: what the sanitizers add to the code looks uninitialised to it.
  $<$<BOOL:${DLSCOPE_SANITIZE}>:-Wno-maybe-uninitialized>
  $<$<BOOL:${DLSCOPE_WERROR}>:-Werror>)

# What is shipped carries its own libstdc++: a user's process may hold another one. Not so libgcc: its unwinder is one for the whole
# process, and the static one asks for a newer glibc (_dl_find_object, 2.35) than what is shipped is meant for.
set(DLSCOPE_OLDEST_GLIBC 2.34)
add_library(dlscope_shipped INTERFACE)
if(NOT DLSCOPE_SANITIZE)
  target_link_options(dlscope_shipped INTERFACE -static-libstdc++ -shared-libgcc)
  add_library(dlscope_arc4random OBJECT cmake/arc4random.c)
  target_compile_options(dlscope_arc4random PRIVATE -Wall -Wextra -fvisibility=hidden)
  target_sources(dlscope_shipped INTERFACE $<TARGET_OBJECTS:dlscope_arc4random>)
endif()
target_link_options(dlscope_shipped INTERFACE -Wl,--exclude-libs,ALL -Wl,--as-needed)
