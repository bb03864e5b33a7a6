# What is installed, for packagers (cmake --install) and for pip (scikit-build-core, pyproject.toml): the same files, laid out twice.
#
#              cmake --install                          pip, below site-packages
#   programs   lib/dlscope/dlscope, dlscope-host        dlscope/_app/dlscope, dlscope-host
#   assets     lib/dlscope/assets/                      dlscope/_app/assets/
#   package    lib/dlscope/python/dlscope/              dlscope/
#   command    bin/dlscope, a link                      made by pip; runs dlscope/__main__.py
#   notices    share/doc/dlscope/                       dlscope/_app/licenses/, and LICENSE with the metadata
# The viewer finds the rest from its own real place (/proc/self/exe).

include(GNUInstallDirs)
if(SKBUILD)
  set(package "dlscope")
  set(home "${package}/_app")
  set(notices "${home}/licenses")
else()
  set(home "${CMAKE_INSTALL_LIBDIR}/dlscope")
  set(package "${home}/python/dlscope")
  set(notices "${CMAKE_INSTALL_DOCDIR}/licenses")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()

foreach(target dlscope dlscope-host)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION "${home}")
  endif()
endforeach()
if(TARGET _dlscope)
  install(TARGETS _dlscope LIBRARY DESTINATION "${package}")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/python/dlscope/" DESTINATION "${package}"
    FILES_MATCHING REGEX "\\.(py|pyi)$" REGEX "py\\.typed$" PATTERN __pycache__ EXCLUDE)
endif()
foreach(folder samples lessons)
  if(EXISTS "${PROJECT_SOURCE_DIR}/assets/${folder}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/assets/${folder}" DESTINATION "${home}/assets" PATTERN __pycache__ EXCLUDE)
  endif()
endforeach()
if(TARGET dlscope AND NOT SKBUILD)
  install(CODE "
    set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    file(MAKE_DIRECTORY \"\${bin}\")
    file(RELATIVE_PATH to \"\${bin}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${home}/dlscope\")
    file(CREATE_LINK \"\${to}\" \"\${bin}/dlscope\" SYMBOLIC)
    message(STATUS \"Installing: \${bin}/dlscope\")")
endif()

# What is linked in statically or built in keeps its notice: fetched sources bring theirs, system packages have theirs in /usr/share/doc.
if(TARGET dlscope)
  install(FILES "${dlscope_IMGUI}/LICENSE.txt" DESTINATION "${notices}" RENAME dear-imgui.txt OPTIONAL)
  install(FILES "${dlscope_GLFW}/LICENSE.md" DESTINATION "${notices}" RENAME glfw.txt OPTIONAL)
  install(FILES "${dlscope_TEXT_EDITOR}/LICENSE" DESTINATION "${notices}" RENAME text-editor.txt OPTIONAL)
endif()
foreach(library libfmt-dev nlohmann-json3-dev libxxhash-dev libhwy-dev libcli11-dev libpng-dev zlib1g-dev libstdc++-12-dev
        fonts-inter fonts-jetbrains-mono fonts-dejavu-core)
  install(FILES "/usr/share/doc/${library}/copyright" DESTINATION "${notices}" RENAME ${library}.txt OPTIONAL)
endforeach()
