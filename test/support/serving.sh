# Sourced by suites: starts a gateway and waits until it says where it listens, for as long as it lives.
# Usage: serve FOLDER COMMAND… (its output goes to FOLDER); sets url and stops the gateway when the suite ends.
serve() {
  local work=$1
  shift
  # A group of its own, so that all of it ends.
  setsid "$@" >"$work/out.json" 2>"$work/err.log" &
  server=$!
  until grep -q '}$' "$work/out.json"; do
    kill -0 "$server" 2>/dev/null || { cat "$work/err.log"; exit 1; }
    sleep 0.1
  done
  url=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1],"utf8").split("\n")[0]).url' "$work/out.json")
}

server=
work=$(mktemp -d)
trap '[ -n "$server" ] && kill -- "-$server" 2>/dev/null; rm -rf "$work"' EXIT
