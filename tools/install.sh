# Sourced by demo.sh and test.sh: installs the Debian or Ubuntu packages named that are missing, as root or
# through sudo. Says what it does; does nothing where all are there.
arn_install() {
  missing=
  for package in "$@"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
      missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  run=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
      echo "These packages are missing, and neither root nor sudo is there to install them:$missing" >&2
      return 1
    }
    run=sudo
  fi
  echo "installing:$missing"
  $run apt-get update -qq >/dev/null 2>&1
  # shellcheck disable=SC2086
  $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
    >/tmp/arenite-install.$$ 2>&1 || {
    tail -n 5 "/tmp/arenite-install.$$" >&2
    rm -f "/tmp/arenite-install.$$"
    return 1
  }
  rm -f "/tmp/arenite-install.$$"
}
