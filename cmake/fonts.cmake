# dlscope_fonts: the system's fonts, built in (assets/fonts/embedded_fonts.h). Missing ones become empty spans.
# Override: -DDLSCOPE_FONT_<UI|UI_BOLD|MONO|FALLBACK>=file.ttf

set(font_folders /usr/share/fonts /usr/local/share/fonts)
function(dlscope_font name)
  foreach(folder IN LISTS font_folders)
    list(APPEND places ${folder}/opentype/inter ${folder}/truetype/inter ${folder}/truetype/jetbrains-mono
      ${folder}/truetype/dejavu ${folder}/TTF ${folder}/OTF ${folder}/inter ${folder}/jetbrains-mono ${folder}/dejavu)
  endforeach()
  string(TOUPPER "DLSCOPE_FONT_${name}" variable)
  find_file(${variable} NAMES ${ARGN} PATHS ${places} NO_DEFAULT_PATH DOC "Font file to build in")
  mark_as_advanced(${variable})
  if(${variable})
    set(body "DLSCOPE_EMBED(${name}, \"${${variable}}\")")
    set_property(GLOBAL APPEND PROPERTY dlscope_font_files "${${variable}}")
  else()
    message(STATUS "Font for ${name} not found (${ARGN}): the built-in one will be drawn")
    set(body "std::span<const unsigned char> dlscope::fonts::${name}() { return {}; }")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY dlscope_font_code "${body}\n")
endfunction()

dlscope_font(ui Inter-Regular.otf Inter-Regular.ttf)
dlscope_font(ui_bold Inter-SemiBold.otf Inter-SemiBold.ttf Inter-Bold.otf Inter-Bold.ttf)
dlscope_font(mono JetBrainsMono-Regular.ttf)
dlscope_font(fallback DejaVuSans.ttf)

get_property(font_code GLOBAL PROPERTY dlscope_font_code)
get_property(font_files GLOBAL PROPERTY dlscope_font_files)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/fonts.cpp" @ONLY CONTENT [[
#include "assets/fonts/embedded_fonts.h"

#define DLSCOPE_EMBED(name, file)                                                                \
  asm(".section .rodata\n.balign 16\ndlscope_font_" #name "_begin:\n.incbin \"" file "\"\n"      \
      "dlscope_font_" #name "_end:\n.byte 0\n.previous\n");                                      \
  extern "C" const unsigned char dlscope_font_##name##_begin[], dlscope_font_##name##_end[];     \
  std::span<const unsigned char> dlscope::fonts::name() {                                        \
    return {dlscope_font_##name##_begin, dlscope_font_##name##_end};                             \
  }

@font_code@]])
add_library(dlscope_fonts STATIC EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/generated/fonts.cpp")
target_link_libraries(dlscope_fonts PRIVATE dlscope_options)
set_source_files_properties("${PROJECT_BINARY_DIR}/generated/fonts.cpp" PROPERTIES OBJECT_DEPENDS "${font_files}")
