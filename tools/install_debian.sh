#!/usr/bin/env bash
# Install Debian packages that some tests need, where that is possible; tests skip without them, but
# for those that need a browser, which fail and say so.
set -uo pipefail
missing=()
for package in "$@"; do
  dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
  (apt-get install -y -qq "${missing[@]}" || (apt-get update -qq && apt-get install -y -qq "${missing[@]}")) \
    >/dev/null 2>&1 && exit 0
fi
echo "note: not installed: ${missing[*]} (apt-get install ${missing[*]}); tests that need them skip or fail" >&2
