#!/usr/bin/env bash
# Prometheus' own checker reads /metrics after calls that ended well and badly.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/support/require-program.sh
. test/support/serving.sh
require_program promtool prometheus

[ -f dist/main.js ] || node scripts/build.js
serve "$work" node dist/main.js serve --port 0 --json --data-dir "$work/data"
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
