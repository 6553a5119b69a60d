# Shared by the scripts of this folder.
set -eu

# A configuration that a script writes is its own.
unset PROBARE_CONFIG PROBARE_RECORD MCP_OUTPUT FORCE_COLOR || true

fail() {
    echo "FAILED: $*" >&2
    cat said >&2
    exit 1
}

# expect CODE WORDS...: runs a command, keeps what it says in `said`, and holds its exit code against CODE.
expect() {
    wanted=$1
    shift
    code=0
    "$@" >said 2>&1 || code=$?
    [ "$code" = "$wanted" ] || fail "$* ended with $code, not $wanted"
}

# says TEXT: whether the last command said it.
says() {
    grep -qF -- "$1" said || fail "the last command did not say: $1"
}

# has FILE TEXT: whether a file holds it.
has() {
    grep -qF -- "$2" "$1" || fail "$1 does not hold: $2"
}
