#!/usr/bin/env bash
# tests/again.sh PYTHON -m pytest…   Run pytest, and diagnose what fails: each failed test is run once more, alone.
#
# That tells a test that is wrong from one that does not bear other tests beside it; both are red and to be repaired.
# Only a test with the marker `load_sensitive`, whose reason is printed, counts as passed when it passes alone. Anything
# else than failed tests (a worker that crashed, a file that cannot be collected, an interruption) is final.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$(mktemp -d) # of this pass alone: nothing that failed before, or in another pass
trap 'rm -rf "$cache"' EXIT

code=0
"$@" -o cache_dir="$cache" || code=$?
failed=$cache/v/cache/lastfailed
[ "$code" = 1 ] && [ -s "$failed" ] || exit "$code"

mapfile -t tests < <("$1" -c 'import json, sys; print(*json.load(open(sys.argv[1])), sep="\n")' "$failed")

# alone MARKERS: run the failed tests with these markers alone, one after the other.
alone() {
  "$1" -m pytest -n 0 -p no:cacheprovider -m "$2" "${tests[@]}"
}

echo
echo "=== Failed; each is run again alone, to tell why ==="
printf '  %s\n' "${tests[@]}"
sensitive=0
alone "$1" load_sensitive || sensitive=$?
other=0
alone "$1" "not load_sensitive" || other=$?
[ "$sensitive" = 0 ] && echo "=== LOAD-SENSITIVE TESTS FAILED AND PASSED WHEN RUN AGAIN ALONE: see their markers ==="
case $other in
  5) [ "$sensitive" = 0 ] && exit 0 ;; # nothing but load-sensitive tests had failed
  0) echo "=== FAILED beside others and passed alone: the test does not bear load or order. Repair it. ===" ;;
esac
exit 1
