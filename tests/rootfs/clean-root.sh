# SPDX-License-Identifier: MIT
#
# To be sourced: a Debian 12 made by debootstrap, with nothing in it. Needs root, debootstrap and the mirror that apt is set up for.

die() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

need_root() {
    [ "$(id -u)" = 0 ] || die "needs root to run debootstrap and chroot"
    command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
}

# An address of apt's sources: that of suite $1, component main.
mirror_of() {
    apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(COMPONENT) $(REPO_URI)' |
        awk -v suite="$1" '$1 == "Packages" && $2 == suite && $3 == "main" { print $4; exit }'
}

make_clean_root() { # make_clean_root ROOT LOG
    local root=$1 suite address
    [ -n "$(mirror_of bookworm)" ] || die "apt knows no mirror of bookworm main: add one to its sources and run apt-get update"
    debootstrap --variant=minbase bookworm "$root" "$(mirror_of bookworm)" >"$2" 2>&1 || die "debootstrap failed: $(tail -n 3 "$2")"
    : >"$root/etc/apt/sources.list"
    for suite in bookworm bookworm-updates bookworm-security; do
        address=$(mirror_of "$suite")
        [ -z "$address" ] || echo "deb $address $suite main" >>"$root/etc/apt/sources.list"
    done
    # dpkg syncs each file that it writes; nobody needs this root after a power cut.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

# In a mount namespace of one's own. A root that is no mount's refuses the name spaces that tests make.
mount_clean_root() {
    mount --bind "$1" "$1"
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
}

# Runs a command in the root $1, in its folder $2, as a login on a new machine has it.
inside_clean_root() {
    local root=$1 folder=$2
    shift 2
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" "$@" </dev/null
}
