# shellcheck shell=sh
# Shared by ./bench, ./hub and ./test: finds installed tools and installs missing ones.
#
# Sourced, never executed. Expects `here`, the folder of the checkout. Every function that installs
# something prints it first. Installed tools are never touched, and apt is not called if nothing
# is missing.

: "${here:?setup.sh is sourced by ./bench and ./test}"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
    say "$*"
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# --- rights ---------------------------------------------------------------------------------

# Whether sudo works. Asks for the password at most once, and only on a terminal.
can_sudo() {
    if [ -z "${sudo_works-}" ]; then
        sudo_works=no
        if has sudo; then
            if sudo -n true 2>/dev/null; then
                sudo_works=yes
            elif [ -t 0 ]; then
                say "the next step needs root; sudo may ask for your password"
                sudo -v && sudo_works=yes
            fi
        fi
    fi
    [ "$sudo_works" = yes ]
}

is_root() { [ "$(id -u)" -eq 0 ]; }

as_root() {
    if is_root; then
        "$@"
    elif can_sudo; then
        sudo "$@"
    else
        say "needs root (or sudo): $*"
        return 1
    fi
}

# --- packages -------------------------------------------------------------------------------

# Updates the package lists once: a fresh image has none, and old lists name files that no longer
# exist.
refresh_lists() {
    [ -z "${lists_are_fresh-}" ] || return 0
    lists_are_fresh=yes
    say "updating package lists (apt-get update)"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 ||
        say "apt-get update failed; using the existing package lists"
}

# Whether apt has this package; sets `candidate` to the version that it would install.
candidate() {
    has apt-get || return 1
    refresh_lists
    candidate=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null |
        sed -n 's/^  Candidate: \([0-9].*\)$/\1/p')
    [ -n "$candidate" ]
}

# Installs packages; prints the output of apt only if it fails. Waits for the lock because a new
# machine is often still installing its first updates.
apt_install() {
    has apt-get || {
        say "apt-get not found; install these Debian packages manually: $*"
        return 1
    }
    refresh_lists
    say "installing with apt-get: $*"
    apt_log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "$@" >"$apt_log" 2>&1 </dev/null || {
        cat "$apt_log" >&2
        rm -f "$apt_log"
        say "apt-get failed to install: $*"
        return 1
    }
    rm -f "$apt_log"
}

# Whether C compiler $1 can link, which also needs files of the C library such as $2.
can_link() {
    has "$1" && case $("$1" -print-file-name="$2") in */*) ;; *) false ;; esac
}

# --- Rust -----------------------------------------------------------------------------------

# Whether version $1 is $2 or newer.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

rust_oldest() { sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$here/Cargo.toml"; }

# With this variable rustup ignores rust-toolchain.toml, which would add the components that only
# ./test needs.
: "${RUSTUP_TOOLCHAIN:=$(sed -n 's/^channel = "\(.*\)"$/\1/p' "$here/rust-toolchain.toml")}"
export RUSTUP_TOOLCHAIN

# Adds the folder of rustup to PATH: a shell that reads no profile lacks it.
find_cargo() {
    : "${HOME:=/root}"
    export HOME
    cargo_bin=${CARGO_HOME:-$HOME/.cargo}/bin
    case ":$PATH:" in
    *":$cargo_bin:"*) ;;
    *) if [ -x "$cargo_bin/cargo" ]; then PATH=$cargo_bin:$PATH; fi ;;
    esac
    hash -r
}

# Whether a Rust that is new enough for this project is installed.
have_rust() {
    find_cargo
    has cargo && has rustc || return 1
    # Calling rustc would make rustup download a missing toolchain.
    if has rustup; then
        rustup toolchain list 2>/dev/null | grep -q "^$RUSTUP_TOOLCHAIN" || return 1
    fi
    rust_here=$(rustc --version 2>/dev/null | sed -n 's/^rustc \([0-9.]*\).*/\1/p')
    [ -n "$rust_here" ] && at_least "$rust_here" "$(rust_oldest)"
}

# Installs certificates for https, which cargo and rustup use for all downloads; a minimal system
# has none.
need_certificates() {
    [ -e /etc/ssl/certs/ca-certificates.crt ] || ! has apt-get || apt_install ca-certificates
}

# The script that https://sh.rustup.rs serves, from the host of the toolchains.
rustup_installer=https://static.rust-lang.org/rustup/rustup-init.sh

# Installs rustup: the distribution's package, or the installer of the Rust project.
install_rustup() {
    if ! has cargo && candidate rustup; then
        apt_install rustup && return
    fi
    has curl || apt_install curl || die "cannot fetch rustup without curl"
    say "installing rustup for $HOME from $rustup_installer (no profile is changed)"
    installer=$(mktemp)
    curl --proto '=https' --tlsv1.2 -sSf "$rustup_installer" -o "$installer" ||
        die "rustup cannot be fetched; please install Rust $(rust_oldest) or newer"
    RUSTUP_INIT_SKIP_PATH_CHECK=yes sh "$installer" -y -q --profile minimal --no-modify-path \
        --default-toolchain none || die "rustup could not be installed"
    rm -f "$installer"
    find_cargo
}

# Installs or updates the toolchain that rust-toolchain.toml names.
install_toolchain() {
    say "installing Rust ($RUSTUP_TOOLCHAIN) with rustup"
    rustup toolchain install "$RUSTUP_TOOLCHAIN" --profile minimal --no-self-update >&2 ||
        die "Rust is not available for this machine; copy a static binary instead (see README)"
    hash -r
}

# Uses an installed Rust if it is new enough, else that of the distribution, else that of rustup.
need_rust() {
    have_rust && return
    need_certificates
    if ! has rustup && candidate rustc; then
        if at_least "$(printf %s "$candidate" | sed 's/[^0-9.].*//')" "$(rust_oldest)"; then
            apt_install rustc cargo && have_rust && return
        fi
    fi
    need_rustup
}

# Installs Rust with rustup, which is the only source of standard libraries for other architectures.
need_rustup() {
    find_cargo
    need_certificates
    has rustup || install_rustup
    have_rust || install_toolchain
    have_rust || die "there is still no Rust $(rust_oldest) or newer"
}

# Whether the standard library of a target is installed; adds it with rustup if possible.
need_target() {
    has_target "$1" && return
    has rustup || return 1
    say "installing Rust's standard library for $1"
    rustup target add "$1" >&2 && has_target "$1"
}
has_target() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]; }
