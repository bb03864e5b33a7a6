// What --help prints. Every option the parser knows is listed here (tests).
#pragma once

namespace dlscope::app {

inline constexpr const char* kHelp = R"(dlscope: look at live tensors: where their bytes are and who shares them

usage: dlscope [OPTIONS] [SCRIPT [ARGS...]]     open a window with SCRIPT loaded (not run; --run runs it)
       dlscope [OPTIONS] -c CODE [ARGS...]      the same with code instead of a script
       dlscope [OPTIONS] -m MODULE [ARGS...]    the same with a module, run as `python -m MODULE` is
       dlscope --headless [OPTIONS] SCRIPT [ARGS...]     no window: run, report, exit
       dlscope [OPTIONS] FILE.npy|.npz|.safetensors      the tensors of a file, without Python
       dlscope [--headless] FILE.streams.json      a recording of streams: what orders its reads and writes, or what races

  -c CODE                  code instead of a script
  -m MODULE                a module instead of a script; what follows its name is for the module
  --python PATH            interpreter or virtual environment to embed
                           (default: that of `python -m dlscope`, $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv when it
                           is yours, the one dlscope is installed in, python3 on PATH)
  --headless               no window: run the script, print what was found, exit
  --run                    run the script at start
  --timeout SECONDS        stop the script, or the look at a file, after that long (headless)
  --report FILE            write the JSON report, - for standard output (headless)
  --stats none|sample|exact
                           count, extremes, mean, spread, NaN and infinities of every tensor's values, in the report and
                           as a table (headless; default none)
  --expect SENTENCE        check the result (headless, repeatable): "x shares y", "x identical y", "x disjoint y",
                           "dlscope copies nothing"; exit 4 and the evidence when it does not hold
  --prove [NAME NAME ...]  judge the hand-over from each named tensor to the next: SHARED, COPIED, ... with the evidence, confirmed by
                           a write probe that changes one byte, looks for it and puts it back. Exit 4 unless all are SHARED.
                           Without names: probe every pair that shares bytes (PAIR.proof in the report). (headless)
  --at [FILE:]LINE[#HIT]   look at the moment before that line runs (the HIT-th time) instead of at the end, with the names
                           inside the functions that are running; the script ends there (headless). FILE: a path or its
                           last parts, default the script. FUNCTION:return looks just before that function returns, as in
                           main:return or Trainer.fit:return. Exit 4 when it is never reached
  --screenshot FILE.png    draw the window off screen after running the script (headless, needs no display)
  --size WxH               pixels of the window or the picture
  --scale FACTOR           size of everything drawn, 1.0 to 3.0
  --layout NAME            debug, teach or verify
  --theme NAME             dark or light
  --select NAME            the tensor shown in the picture
  --doctor                 say what was found and what not, with the fix
  --version                print the version
  --help                   print this

--report, --expect, --prove, --at and --screenshot imply --headless. Options end at the first argument that is not one, or at --.
exit: 0 fine, 1 the script raised or exited with a non-zero code, 2 wrong usage, a missing script or a --select that
names no tensor, 3 environment (no usable Python, no display, a report or picture that cannot be written, a scan without
a result), 4 an --expect failed, a --prove was not SHARED, an --at was never reached or
a recording of streams holds a race, 5 the script's process crashed or a library ended it during the scan, 124 time-out,
130 the script or the scan was interrupted
)";

}  // namespace dlscope::app
