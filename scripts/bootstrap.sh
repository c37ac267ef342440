#!/bin/sh
# Puts uv into .tools/ and the locked environment into .venv/. Needs Python 3.11 or newer, and nothing else by hand.
# Another environment, with other groups: scripts/bootstrap.sh FOLDER [options of uv sync]
set -eu
export PIP_ROOT_USER_ACTION=ignore
cd "$(dirname "$0")/.."
tools=.tools

python=""
for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
  [ -n "$candidate" ] || continue
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$(command -v "$candidate"); break
  fi
done
if [ -z "$python" ]; then
  echo "perdure needs Python 3.11 or newer; none of python3, python3.11 … python3.14 is. Set PYTHON=/path/to/python." >&2
  exit 1
fi

find_uv() {
  if [ -x "$tools/bin/uv" ]; then uv=$tools/bin/uv
  elif command -v uv >/dev/null 2>&1; then uv=$(command -v uv)
  else return 1; fi
}

install_uv() {
  mkdir -p "$tools"
  if "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m pip install --quiet --disable-pip-version-check --target "$tools" --upgrade uv && return 0
  fi
  # A Debian without pip and without ensurepip: its own package of venv brings both.
  if ! "$python" -m venv "$tools/venv" >/dev/null 2>&1; then
    rm -rf "$tools/venv"
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
      apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
      "$python" -m venv "$tools/venv"
    else
      echo "uv is not on PATH, and $python has neither pip nor venv. Install uv, or the package python3-venv." >&2
      exit 1
    fi
  fi
  "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
  mkdir -p "$tools/bin" && ln -sf ../venv/bin/uv "$tools/bin/uv"
}

find_uv || { echo "installing uv into $tools/"; install_uv; find_uv; }
environment=${1:-.venv}
[ $# -eq 0 ] || shift
# Compiled now, as pip would: where PYTHONDONTWRITEBYTECODE is set, every command would compile everything anew.
UV_PROJECT_ENVIRONMENT=$environment "$uv" sync --quiet --frozen --compile-bytecode --python "$python" "$@"
"$environment/bin/python" -m compileall -q src
