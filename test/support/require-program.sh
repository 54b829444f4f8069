# Sourced by suites: makes sure a program is there, installing its Debian package where that is possible, or fails clearly.
require_program() {
  local program=$1 package=${2:-$1}
  if ! command -v "$program" >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null
  fi
  command -v "$program" >/dev/null || {
    echo "This suite needs $program: install it and run again."
    exit 1
  }
}
