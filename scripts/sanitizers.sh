# Sourced by scripts/test for the presets asan and tsan: how the sanitizer is to behave, and which tests it is for when none are
# named. What is covered and what is not: docs/testing.md.
reports=$root/build/$preset/reports  # one file per process that had something to say, children included
rm -rf "$reports"
mkdir -p "$reports"

if [ "$preset" = asan ]; then
  # The interpreters were built without it, and it has to be in a process first; with it libstdc++, or it finds no __cxa_throw to
  # stand before when a module throws.
  preload=$(c++ -print-file-name=libasan.so):$(c++ -print-file-name=libstdc++.so)
  # Crashes are what the host's own handlers are tested with. Leaks are looked for by the tests that start no Python
  # (cmake/targets.cmake): an interpreter leaves much behind on purpose.
  ASAN_OPTIONS=log_path=$reports/asan:detect_leaks=0:strict_string_checks=1:use_sigaltstack=0
  for signal in segv abort sigbus sigfpe sigill; do ASAN_OPTIONS+=:handle_$signal=0; done
  export ASAN_OPTIONS UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/ubsan
  selection=(-LE 'e2e|installed' -E '(dpnp(_hand_over|_from_dlpack)?|every_library|leaks|threads)_test$|^app_picture_test')
else
  preload=
  export TSAN_OPTIONS=log_path=$reports/tsan:second_deadlock_stack=1
  selection=(-L 'core|app' -E '^(app_real_(host|large)_test|app_endurance_test|app_picture_test|app_(large_)?story_test)')
fi

# Names every report; false when there is one, also where the test itself went on.
no_reports() {
  local files=("$reports"/*)
  [ -e "${files[0]}" ] || return 0
  echo "dlscope: ${#files[@]} report(s) of the sanitizer in $reports; the first:" >&2
  head -n 40 "${files[0]}" >&2
  return 1
}
