#!/usr/bin/env bash
# Installs the single executable on a runner of GitHub Actions, for action.yml.
#
#   setup.sh find      VERSION, RELEASES -> the outputs version, name, file, address and sum
#   setup.sh install   FILE, ADDRESS, SUM -> sendctl in PATH; FILE may come from a cache
set -euo pipefail

fail() {
  # On stderr: some callers read stdout.
  printf '::error::%s\n' "$*" >&2
  exit 1
}

# Only HTTPS is followed, whatever the first address is.
download() {
  curl --fail --silent --show-error --location --proto-redir '=https' --retry 3 --output "$2" "$1" ||
    fail "$1 cannot be downloaded"
}

# Prints the name of this system in releases, and how its archives end.
target() {
  local system processor
  case $RUNNER_OS in
    Linux) system=linux ;;
    macOS) system=macos ;;
    Windows) system=windows ;;
    *) fail "no sendctl for $RUNNER_OS" ;;
  esac
  case $RUNNER_ARCH in
    X64) processor=x64 ;;
    ARM64) processor=arm64 ;;
    *) fail "no sendctl for $RUNNER_ARCH" ;;
  esac
  printf '%s-%s.%s' "$system" "$processor" "$([ "$system" = windows ] && echo zip || echo tar.gz)"
}

checksum() {
  if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi < "$1" | cut -d ' ' -f 1
}

find_release() {
  local folder="$RUNNER_TEMP/sendctl" end at line name sum
  end=$(target)
  # Without "v", it is the version that package.json has.
  VERSION=${VERSION#v}
  if [ "$VERSION" = latest ]; then
    at="$RELEASES/latest/download"
  elif [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
    at="$RELEASES/download/v$VERSION"
  else
    fail "invalid version \"$VERSION\": use one such as 0.1.0, or latest"
  fi
  mkdir -p "$folder"
  download "$at/SHA256SUMS" "$folder/SHA256SUMS"
  line=$(grep -E "^[0-9a-f]{64}  sendctl-v[0-9A-Za-z.-]+-${end//./\\.}\$" "$folder/SHA256SUMS") ||
    fail "$at/SHA256SUMS has no archive for ${end%%.*}"
  sum=${line%% *}
  name=${line##* }
  VERSION=${name#sendctl-v}
  VERSION=${VERSION%-"$end"}
  {
    printf 'version=%s\n' "$VERSION"
    printf 'name=%s\nsum=%s\nfile=%s\n' "$name" "$sum" "$folder/$name"
    # The name of the version: "latest" may be another one by the time of the download.
    printf 'address=%s\n' "$RELEASES/download/v$VERSION/$name"
  } >> "$GITHUB_OUTPUT"
}

install_release() {
  local folder=${FILE%/*} name=${FILE##*/}
  if [ -f "$FILE" ] && [ "$(checksum "$FILE")" != "$SUM" ]; then
    printf '::warning::%s in the cache has another checksum: it is downloaded again\n' "$name"
    rm -f "$FILE"
  fi
  mkdir -p "$folder"
  [ -f "$FILE" ] || download "$ADDRESS" "$FILE"
  if [ "$(checksum "$FILE")" != "$SUM" ]; then
    rm -f "$FILE"
    fail "the checksum of $ADDRESS is not the one in SHA256SUMS: it is not used"
  fi
  case $name in
    *.zip) unzip -q -o "$FILE" -d "$folder" && name=${name%.zip} ;;
    *) tar -x -z -f "$FILE" -C "$folder" && name=${name%.tar.gz} ;;
  esac
  printf '%s\n' "$folder/$name" >> "$GITHUB_PATH"
  "$folder/$name/sendctl" --version
}

case ${1-} in
  find) find_release ;;
  install) install_release ;;
  *) fail "usage: setup.sh find|install" ;;
esac
