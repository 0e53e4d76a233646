#!/bin/sh
# Installs the Debian packages listed beside this file that are missing; without the right to, names them and stops.
set -eu
list="$(dirname "$0")/debian_packages.txt"

if ! command -v dpkg-query >/dev/null; then
    echo "opyard: this is no Debian-like system; install what these Debian packages hold, then run: make setup CHECK_DEBIAN=no" >&2
    tr '\n' ' ' <"$list" >&2
    echo >&2
    exit 1
fi

missing=""
while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done <"$list"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    echo "opyard: these Debian packages are missing, and only root may install them:$missing" >&2
    exit 1
fi
$as_root apt-get update -q
# shellcheck disable=SC2086  # one word a package
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends $missing
