# The tools that the checks need, pinned by version. They are built from the
# module proxy into a directory of their own and kept between runs.
# Sourced by .ci/run and by the Makefile.

TOOLS_DIR=${HOOKLINE_TOOLS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/hookline-tools}
STATICCHECK_VERSION=v0.8.2
GOFUMPT_VERSION=v0.12.0

# need_tool NAME PACKAGE VERSION: builds a tool unless that version is there.
need_tool() {
  want="$TOOLS_DIR/$1-$3"
  if [ ! -x "$want" ]; then
    echo "building $1 $3"
    tmp=$(mktemp -d)
    (cd "$tmp" && GOBIN="$tmp" GOFLAGS= go install "$2@$3")
    mkdir -p "$TOOLS_DIR"
    mv "$tmp/$1" "$want"
    rm -rf "$tmp"
  fi
  eval "$(echo "$1" | tr a-z A-Z)=\$want"
}

need_tool gofumpt mvdan.cc/gofumpt "$GOFUMPT_VERSION"
need_tool staticcheck honnef.co/go/tools/cmd/staticcheck "$STATICCHECK_VERSION"
