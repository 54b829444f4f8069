# Sourced by suites: makes sure a program is there, installing its Debian package where that is possible, or fails clearly.
install_package() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # Two suites may install at once, and only one may fetch the lists: the second waits until the first is done.
    flock "${TMPDIR:-/tmp}/handrail-apt.lock" bash -c 'apt-get -o DPkg::Lock::Timeout=300 -qq update &&
      DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq -y --no-install-recommends install "$1" >/dev/null' - "$1"
  fi
}

require_program() {
  local program=$1 package=${2:-$1}
  command -v "$program" >/dev/null || install_package "$package"
  command -v "$program" >/dev/null || {
    echo "This suite needs $program: install it and run again."
    exit 1
  }
}
