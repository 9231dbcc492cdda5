#!/usr/bin/env bash
# tests/again.sh PYTEST…   Run pytest; the tests that fail are run once more alone, one after the other, and must pass.
#
# A machine under load fails a test now and then that has nothing wrong with it. That is a weakness of the test, to be
# repaired: so it is told in so many words. Anything else than failed tests (a worker that crashed, a file that cannot
# be collected, an interruption) is final.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$(mktemp -d) # of this pass alone: nothing that failed before, or in another pass
trap 'rm -rf "$cache"' EXIT

code=0
"$@" -o cache_dir="$cache" || code=$?
failed=$cache/v/cache/lastfailed
[ "$code" = 1 ] && [ -s "$failed" ] || exit "$code"

echo
echo "Run again alone, because they failed beside others:"
"$1" -c 'import json, sys; print(*(f"  {name}" for name in json.load(open(sys.argv[1]))), sep="\n")' "$failed"
"$@" -n 0 -o cache_dir="$cache" --last-failed --last-failed-no-failures none
echo "They passed alone. What made them fail is above."
