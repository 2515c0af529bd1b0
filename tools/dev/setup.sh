# SPDX-License-Identifier: Apache-2.0
#
# What the scripts beside it share: packages installed when one is missing, the Python of the tests, a
# preset built. Sourced by them, not run. Leaves the shell in the project's root.
set -euo pipefail
dev=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$dev/../.."

# install_packages LIST...: the Debian packages that the lists name. Asks apt only when one is missing.
install_packages() {
  command -v dpkg-query > /dev/null || return 0 # not Debian: the reader installs by his own means
  local wanted missing
  wanted=$(grep -hv '^#' "$@" | sort -u)
  missing=$(comm -23 <(echo "$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u))
  [ -n "$missing" ] || return 0
  echo "installing:" $missing
  local root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}

# prepare_python: build/venv with the packages of python.txt, made again when that list changes.
prepare_python() {
  cmp -s "$dev/python.txt" build/venv/made_from.txt && return
  local python=/usr/bin/python3
  [ -x "$python" ] || python=python3
  mkdir -p build
  "$python" -m venv --clear build/venv
  build/venv/bin/pip install -q --disable-pip-version-check -r "$dev/python.txt" &&
    cp "$dev/python.txt" build/venv/made_from.txt
}

# configure PRESET: quiet unless it fails. Tests get the Python of prepare_python, where that was called.
configure() {
  local python=()
  [ ! -x build/venv/bin/python ] || python=("-DPython3_EXECUTABLE=$PWD/build/venv/bin/python")
  mkdir -p build
  cmake --preset "$1" "${python[@]}" > build/configure.log 2>&1 || {
    cat build/configure.log
    return 1
  }
}

# build PRESET [TARGET...]: configured, then built in parallel into build/PRESET.
build() {
  local preset=$1
  shift
  configure "$preset"
  cmake --build --preset "$preset" -j "$(nproc)" ${1:+--target "$@"}
}
