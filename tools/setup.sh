#!/usr/bin/env bash
# Installs what building and testing Evener needs on Debian 12 or newer. Idempotent: asks dpkg first and
# installs only what is missing, as root or with sudo; otherwise names what to install by hand.
#   tools/setup.sh            compiler, build tools, libraries, test tools
#   tools/setup.sh bench      also nginx, HAProxy and load tools for 'make bench' and the e2e tests
#   tools/setup.sh --list     prints the packages, installs nothing
set -euo pipefail

build=(clang-19 lld-19 llvm-19 libclang-rt-19-dev ninja-build cmake ccache pkg-config git
  liburing-dev node-llhttp libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev libboost1.81-dev
  nodejs npm)
test=(libgtest-dev libgmock-dev libbenchmark-dev clang-format-19 python3 python3-jsonschema python3-yaml curl nginx-light
  wrk apache2-utils nghttp2-client prometheus)
bench=(haproxy util-linux)

wanted=("${build[@]}" "${test[@]}")
[ "${1:-}" = bench ] && wanted+=("${bench[@]}")
if [ "${1:-}" = --list ]; then
  printf '%s\n' "${build[@]}" "${test[@]}" "${bench[@]}"
  exit 0
fi

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

missing=()
for package in "${wanted[@]}"; do
  # Any nginx will do: a full one may be there already.
  if [ "$package" = nginx-light ] && command -v nginx >/dev/null; then continue; fi
  if [ "$package" = libboost1.81-dev ] && [ -e /usr/include/boost/beast.hpp ]; then continue; fi
  # Node is often not the distribution's.
  case "$package" in nodejs) program=node ;; npm) program=npm ;; *) program= ;; esac
  if [ -n "$program" ] && command -v "$program" >/dev/null; then continue; fi
  installed "$package" || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null; then
    as_root=(sudo)
  else
    echo "setup: these packages are missing and this is neither root nor has sudo." >&2
    echo "setup: as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
if ! command -v apt-get >/dev/null; then
  echo "setup: apt-get was not found: this script knows Debian only. By hand, install what these" >&2
  echo "setup: Debian packages hold: ${missing[*]}" >&2
  exit 1
fi
echo "setup: installing ${#missing[@]} packages: ${missing[*]}"
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update -qq &&
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -20 "$log" >&2
  echo "setup: installing failed; the whole output is in $log" >&2
  exit 1
fi
rm -f "$log"
