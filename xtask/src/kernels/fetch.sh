#!/bin/sh
# Fetches a package of Debian and unpacks it: fetch.sh FOLDER NAME ARCH SUITE TARGET. apt has its own configuration, lists and
# cache in FOLDER, so this system is not changed. Of a package like `linux-image-arm64`, which only depends on the package with
# the kernel, it leaves `kernel`, `trees`, and `modules` with the modules that a machine may need and their order.
set -eu
folder=$1 name=$2 arch=$3 suite=$4 target=$5

# Modules for disks, cards, file systems, sensors and clocks of the machines; some kernels have them built in.
wanted='crc32c_generic crc32c_cryptoapi libcrc32c virtio_pci virtio_mmio virtio_blk ext4 nvme xhci_pci phy_generic dwc2
usb_storage sd_mod mmc_block bcm2835 sdhci_iproc sunxi_mmc bcm2835_thermal raspberrypi_hwmon raspberrypi_cpufreq
cppc_cpufreq ramoops'

# Debian's keys, of the package `debian-archive-keyring`.
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keys ] || { echo "$keys is not there (package debian-archive-keyring)" >&2; exit 1; }
for tool in apt-get dpkg-deb depmod modprobe xz; do
    command -v $tool >/dev/null || { echo "$tool is not there" >&2; exit 1; }
done

apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
: >"$apt/sources.list"
for each in bookworm trixie forky; do
    echo "deb [signed-by=$keys] http://deb.debian.org/debian $each main" >>"$apt/sources.list"
done
cat >"$apt/apt.conf" <<CONF
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; "armhf"; "riscv64"; };
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
APT::Sandbox::User "root";
CONF
export APT_CONFIG="$apt/apt.conf"
# One missing list fails the update, which matters only if a package cannot be downloaded then.
if [ -z "$(find "$apt" -maxdepth 1 -name updated -mmin -60)" ]; then
    apt-get update --quiet=2 || echo "apt-get update failed; using the existing lists" >&2
    : >"$apt/updated"
fi

# The first line `Depends` of a package, one name per line.
depends() {
    apt-cache show --no-all-versions "$1:$arch/$suite" | sed -n 's/^Depends: //p' | head -n 1 | tr ',| ' '\n\n\n'
}

names=$name
case $name in
linux-image-*)
    image=$(depends "$name" | grep -m 1 '^linux-image-') || { echo "$name names no kernel" >&2; exit 1; }
    # Parts of a kernel package since Debian 14: `linux-binary-6.19-arm64`.
    names="$image $(depends "$image" | grep -E '^linux-(base|binary|modules)-' || :)"
    ;;
esac

rm -rf "$folder/download" "$target.part"
mkdir -p "$folder/download" "$target.part"
cd "$folder/download"
echo "fetching" $names
for each in $names; do apt-get download --quiet=2 "$each:$arch/$suite"; done
cd "$target.part"
for file in "$folder/download"/*.deb; do dpkg-deb -x "$file" .; done
if [ "$names" != "$name" ]; then
    # Since Debian 14 all three are in one folder, with a link to the trees.
    for image in boot/vmlinu* lib/modules/*/vmlinu* usr/lib/modules/*/vmlinu*; do
        [ -e kernel ] || [ ! -e "$image" ] || mv "$image" kernel
    done
    for trees in lib/modules/*/dtb usr/lib/modules/*/dtb usr/lib/linux-image-*; do
        [ -e trees ] || [ ! -e "$trees" ] || mv "$trees" trees
    done
    # Tools for modules look for a folder that is named by a version.
    mkdir -p tree/lib/modules sorted
    for version in lib/modules/* usr/lib/modules/*; do [ ! -d "$version" ] || mv "$version" tree/lib/modules/1.0; done
    depmod -b tree 1.0 2>/dev/null
    for module in $wanted; do
        modprobe -C /dev/null -d tree -S 1.0 --show-depends "$module" 2>/dev/null || :
    done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' | while read -r path; do
        module=$(basename "${path%%.ko*}" | tr - _)
        case $path in
        *.xz) xz -dc "$path" >"sorted/$module.ko" ;;
        *) cp "$path" "sorted/$module.ko" ;;
        esac
        echo "$module" >>sorted/order
    done
    rm -rf modules tree boot lib usr/lib
    mv sorted modules
    [ -e kernel ] && [ -s modules/order ] || { echo "no kernel with modules is in $names" >&2; exit 1; }
fi
mv "$target.part" "$target"
rm -r "$folder/download"
