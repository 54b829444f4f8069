#!/usr/bin/env bash
# Prometheus' own checker reads /metrics after calls that ended well and badly.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/test/support/require-program.sh"
require_program promtool prometheus
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

cd "$root"
[ -f dist/main.js ] || node scripts/build.js
node dist/main.js serve --port 0 --json --data-dir "$work/data" >"$work/out.json" 2>"$work/err.log" &
server=$!
for _ in $(seq 1 300); do
  [ -s "$work/out.json" ] && break
  kill -0 "$server" 2>/dev/null || { cat "$work/err.log"; exit 1; }
  sleep 0.2
done
url=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1],"utf8").split("\n")[0]).url' "$work/out.json")
call() {
  curl -sS -o /dev/null -H 'content-type: application/json' "$url/mcp/tools/call" \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"
}
call weather_get '{"location":"Berlin"}'
call weather_get '{}'
call demo_failing '{}'
curl -sS --fail "$url/metrics" >"$work/metrics.txt"
grep -q '^handrail_calls_total{.*outcome="ok"' "$work/metrics.txt"
promtool check metrics <"$work/metrics.txt"
