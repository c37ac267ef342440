#!/bin/sh
# Tests of pages need a browser: Debian's chromium, when there is none. Who may not install one goes without, and those tests are skipped.
set -eu
if command -v chromium >/dev/null 2>&1; then exit 0; fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "installing chromium from Debian, which takes a minute once"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 || true
fi
command -v chromium >/dev/null 2>&1 || echo "there is no chromium: tests that need a browser are skipped (apt-get install chromium)"
