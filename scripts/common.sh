# Shared by scripts/run, test and bench; sourced, not run. Callers have `set -euo pipefail`.
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
me=${0##*/}

say() { printf '%s: %s\n' "$me" "$*"; }
fail() { # exit code 2: the command line or the case is at fault
  printf '%s: %s\n' "$me" "$*" >&2
  exit 2
}

cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; } # nproc alone would count by these variables

shown() { # a path as the user would type it from here
  if [[ $1 == "$PWD"/* ]]; then printf '%s' "${1#"$PWD"/}"; else printf '%s' "$1"; fi
}

cached() { sed -n "s/^$1:[A-Z]*=//p" "$root/build/release/CMakeCache.txt"; } # a variable of the configured build

# Configures build/release if needed (never configured, or packages came since) and builds the named targets.
# Says so when there is work; the rest goes to build/release.log, whose tail is shown on failure.
build_release() {
  local build=$root/build/release log=$root/build/release.log
  mkdir -p "$root/build"
  if [[ ! -e $build/build.ninja || $root/build/.installed -nt $build/build.ninja ]]; then
    say "configuring (log: $(shown "$log"))"
    if ! (cd "$root" && cmake --preset release) >"$log" 2>&1; then
      tail -n 30 "$log" >&2
      say "configuring failed; the end of $(shown "$log") is above" >&2
      exit 1
    fi
    touch "$build/build.ninja"
  fi
  local start=$SECONDS said=no
  (cd "$root" && cmake --build "$build" -j "$(cores)" --target "$@") >"$log" 2>&1 &
  local builder=$!
  # Whether there is work is not known beforehand: a dry run of ninja never gets past its look at the source folders. So
  # the first line tells that is not about those (R: Re-checking globbed directories, Re-running CMake), or a wait.
  while kill -0 "$builder" 2>/dev/null; do
    if [[ $said == no ]] && { ((SECONDS - start >= 4)) || grep -q '^\[[0-9]*/[0-9]*\] [^R]' "$log"; }; then
      say "building $* on $(cores) cores (log: $(shown "$log"))"
      said=yes
    fi
    if [[ $said == yes && -t 1 ]]; then printf '\r  %s ' "$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1)"; fi
    sleep 0.2
  done
  if [[ $said == yes && -t 1 ]]; then printf '\r                    \r'; fi
  if ! wait "$builder"; then
    grep -v -e '^\[[0-9]*/[0-9]*\] [BL]' "$log" | tail -n 40 >&2
    say "the build failed; its last messages are above, all of them in $(shown "$log")" >&2
    exit 1
  fi
  if [[ $said == yes ]]; then say "built in $((SECONDS - start)) s"; fi
}

# A Python that can import the modules named: the one on PATH, or Debian's, which has the packages that scripts/setup installs.
find_python() {
  local python imports
  imports=$(printf 'import %s\n' "$@")
  for python in python3 /usr/bin/python3; do
    if command -v "$python" >/dev/null && "$python" -c "$imports" 2>/dev/null; then
      printf '%s' "$python"
      return 0
    fi
  done
  return 1
}
