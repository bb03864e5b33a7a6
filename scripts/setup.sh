# Set-up shared by scripts/run and scripts/test (sourced, not run). Every function returns at once when there is nothing to do.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/dlscope
log=$root/build/setup.log
mkdir -p "$root/build"

build_packages=(g++ cmake ninja-build ccache pkg-config python3 python3-dev python3-venv python3-pip ca-certificates
  libfmt-dev nlohmann-json3-dev libcli11-dev libpng-dev libpcre2-dev libxxhash-dev libhwy-dev zlib1g-dev
  libwayland-dev libxkbcommon-dev libx11-dev libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev
  libegl1 libgl1-mesa-dri fonts-inter fonts-jetbrains-mono fonts-dejavu-core)
test_packages=(catch2 libbenchmark-dev xvfb xdotool binutils procps python3-tk
  fonts-wqy-microhei)  # of the small fonts one with Chinese, Japanese and Korean characters

die() { echo "dlscope: $*" >&2; exit 1; }

# step TEXT COMMAND...: runs COMMAND with its output in the log. Quick work is silent; what takes longer is named, with ninja's
# count on a terminal and a dot every ten seconds elsewhere. On failure the end of the output is shown.
step() {
  local text=$1 ticks=0 shown= count pid; shift
  echo "=== $text: $*" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null & pid=$!
  while kill -0 $pid 2>/dev/null; do
    sleep 0.1
    ticks=$(( ticks + 1 ))
    [ $ticks -ge 10 ] || continue
    [ -n "$shown" ] || printf '[dlscope] %s ' "$text" >&2
    shown=yes
    if [ -t 2 ]; then
      count=$(tail -n 1 "$log" | grep -oE '^\[[0-9]+/[0-9]+\]' || true)
      printf '\r[dlscope] %s %s ' "$text" "$count" >&2
    elif [ $(( ticks % 100 )) = 0 ]; then
      printf . >&2
    fi
  done
  wait $pid || { [ -z "$shown" ] || echo >&2; tail -n 25 "$log" >&2; die "$text failed (whole output: $log)"; }
  [ -z "$shown" ] || printf '%d s\n' $(( ticks / 10 )) >&2
}

# --- system packages ---------------------------------------------------------------------------------------------------------
missing_packages() {
  local p
  for p in "$@"; do
    case $(dpkg-query -W -f='${db:Status-Status} ${Version}' "$p" 2>/dev/null) in
      "installed 2."*) [ "$p" != catch2 ] || echo "$p" ;;  # Catch2 must be 3
      "installed "*) ;;
      *) echo "$p" ;;
    esac
  done
}

# Debian 12 has Catch2 3 in its backports only. The suite is added beside the main one, from the same place.
backports_line() {
  local uri
  . /etc/os-release
  uri=$(awk -v s="$VERSION_CODENAME" '/^URIs:/{u=$2} /^Suites:/{for(i=2;i<=NF;i++) if($i==s){print u; exit}}' \
        /etc/apt/sources.list.d/*.sources 2>/dev/null || true)
  [ -n "$uri" ] || uri=$(sed -nE "s/^deb +(\[[^]]*\] +)?([^ ]+) +$VERSION_CODENAME +.*main.*/\2/p" \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1)
  [ -n "$uri" ] && echo "deb $uri $VERSION_CODENAME-backports main"
}

install_packages() {  # as root: install_packages PACKAGE...
  export DEBIAN_FRONTEND=noninteractive
  local get=(apt-get -q -y -o Dpkg::Use-Pty=0) backports=() line suite
  "${get[@]}" update
  if [[ " $* " == *" catch2 "* ]] && ! apt-cache policy catch2 | grep -q 'Candidate: [3-9]'; then
    line=$(backports_line) || { echo "no Catch2 3 in the configured package sources, and none to copy for backports"; return 1; }
    if ! apt-cache policy | grep -q -- -backports; then
      echo "$line" >/etc/apt/sources.list.d/dlscope-backports.list
      "${get[@]}" update
    fi
    suite=${line% main}
    "${get[@]}" install --no-install-recommends -t "${suite##* }" catch2 || return 1
  fi
  "${get[@]}" install --no-install-recommends "$@"
}

need_packages() {
  command -v dpkg-query >/dev/null || { need_tools; return; }
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  local text="installing ${#missing[@]} system packages"
  if [ "$(id -u)" = 0 ]; then
    step "$text" install_packages "${missing[@]}"
  elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null && sudo -v; }; then
    step "$text" sudo bash -c "$(declare -f backports_line install_packages); set -e; install_packages ${missing[*]}"
  else
    echo "dlscope: system packages are missing and this user may not install them. Run as root:" >&2
    if [[ " ${missing[*]} " == *" catch2 "* ]] && ! apt-cache policy catch2 | grep -q 'Candidate: [3-9]'; then
      echo "  echo '$(backports_line)' >/etc/apt/sources.list.d/dlscope-backports.list && apt-get update &&" \
           "apt-get install -t $(. /etc/os-release; echo "$VERSION_CODENAME")-backports catch2" >&2
    fi
    die "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  fi
}

need_tools() {  # no apt here: the names are Debian's, the check is for the tools only
  local tool
  for tool in cmake ninja python3 c++; do
    command -v $tool >/dev/null || die "$tool is missing; this system has no apt, so install the counterparts of: ${build_packages[*]}"
  done
}

# --- Python environments -----------------------------------------------------------------------------------------------------
# need_venv FOLDER REQUIREMENTS TEXT [PYTHON]: a venv of the python3 on PATH, or of PYTHON, with these packages.
need_venv() {
  local folder=$1 file=$2 text=$3 python=${4:-python3}
  ! has_packages "$folder" "$file" || [ ! -x "$folder/bin/python" ] || return 0
  "$folder/bin/python" -c '' 2>/dev/null || rm -f "$folder/bin/python" "$folder/bin/python3"  # its interpreter is gone
  step "making ${folder/#$root\//}" "$python" -m venv "$folder"
  add_packages "$folder" "$file" "$text"
}

has_packages() {  # has_packages FOLDER REQUIREMENTS: whether that venv has these packages, in these versions
  [ "$(cat "$1/.dlscope-$(basename "$2" .txt)" 2>/dev/null)" = "$(sha256sum <"$2" | cut -c1-16)" ]
}

# Each file names everything that its packages need, so pip takes nothing that no hash stands for.
add_packages() {  # add_packages FOLDER REQUIREMENTS TEXT
  step "$3" "$1/bin/python" -m pip install --disable-pip-version-check --no-compile --no-cache-dir --require-hashes --no-deps -r "$2"
  sha256sum <"$2" | cut -c1-16 >"$1/.dlscope-$(basename "$2" .txt)"
}

# venv_for REQUIREMENTS [PYTHON]: where the venv with these libraries lies, outside the tree: by what is in it and for which Python.
venv_for() {
  local python key
  python=$("${2:-python3}" -c 'import sys, platform; print(sys.base_prefix, platform.python_version())')
  key=$({ cat "$1"; echo "$python"; } | sha256sum | cut -c1-12)
  echo "$cache/venvs/$(basename "$1" .txt)-$key"
}

# --- build -------------------------------------------------------------------------------------------------------------------
need_build() {  # need_build PRESET
  local folder=$root/build/$1
  # Paths relative to the checkout, so that a second clone on the same machine compiles from the same cache.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true
  if [ ! -e "$folder/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$folder/build.ninja" ]; then
    local options=()
    # The compiler for devices is 101 MB: only where there may be one (the tests always have it).
    [ -z "$(/sbin/ldconfig -p 2>/dev/null | grep 'libcuda\.so\.1')" ] || options+=(-DDLSCOPE_CUDA_KERNELS=ON)
    (cd "$root" && step "configuring build/$1" cmake --preset "$1" "${options[@]}")
  fi
  step "building build/$1" ninja -C "$folder"
}

# --- wheel -------------------------------------------------------------------------------------------------------------------
pack_wheel() {  # pack_wheel PYTHON FOLDER: the wheel as pip builds it, then checked and named for the oldest glibc it runs on
  local python=$1 folder=$2 glibc
  glibc=$(sed -nE 's/^set\(DLSCOPE_OLDEST_GLIBC ([0-9]+)\.([0-9]+)\)$/\1_\2/p' "$root/cmake/options.cmake")
  rm -rf "$folder/plain" "$folder/checked"
  # The compiler by the name CMake finds it by itself, in a folder as deep as the other builds': all of it is in ccache then.
  CC=cc CXX=c++ "$python" -m pip wheel --disable-pip-version-check --no-deps --no-index --no-build-isolation -w "$folder/plain" \
    -C build-dir="$folder" -C cmake.define.DLSCOPE_WERROR=ON -C cmake.define.DLSCOPE_CUDA_KERNELS=ON "$root" &&
    PATH="$(dirname "$python"):$PATH" "$python" -m auditwheel repair --plat "manylinux_${glibc}_$(uname -m)" --only-plat \
      -w "$folder/checked" "$folder"/plain/dlscope-*.whl &&
    mkdir -p "$root/dist" && rm -f "$root"/dist/dlscope-*.whl && mv "$folder"/checked/dlscope-*.whl "$root/dist/"
}

# make_wheel: dist/dlscope-*.whl of this tree, and `wheel` = its path.
make_wheel() {
  local requirements=$root/cmake/requirements/wheel.txt tools
  tools=$(venv_for "$requirements")
  need_venv "$tools" "$requirements" "installing what packs the wheel"
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt")
  export SOURCE_DATE_EPOCH
  step "building the wheel" pack_wheel "$tools/bin/python" "$root/build/wheel"
  wheel=$(echo "$root"/dist/dlscope-*.whl)
}

# need_wheel: the same, unless nothing that goes into it is newer than the one there is.
need_wheel() {
  wheel=$(echo "$root"/dist/dlscope-*.whl)
  [ -e "$wheel" ] && [ -z "$(find "$root"/{app,assets,cmake,core,embed,scripts/setup.sh,CMakeLists.txt,LICENSE,README.md,pyproject.toml} \
    -newer "$wheel" -print -quit)" ] || make_wheel
}
