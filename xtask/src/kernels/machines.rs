//! Machines, their kernels, and the packages of both. One machine is one row.

/// A package of Debian.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) arch: &'static str,
    pub(super) suite: &'static str,
    /// Whether it only depends on the package with the kernel, whose name changes with every release.
    pub(super) is_meta: bool,
    /// Directory into which it is unpacked.
    pub(super) folder: &'static str,
}

/// Properties of an instruction set.
pub(super) struct Arch {
    /// In the name of our binary.
    pub(super) binary: &'static str,
    pub(super) qemu: &'static str,
    /// With a static busybox.
    pub(super) busybox: Package,
}

/// A kernel.
pub(super) struct Kernel {
    pub(super) arch: &'static Arch,
    pub(super) package: Package,
    /// Whether it has the module that keeps its last messages in memory across a reset.
    pub(super) has_ramoops: bool,
}

/// A machine that qemu emulates.
pub(super) struct Machine {
    pub(super) name: &'static str,
    pub(super) kernel: &'static Kernel,
    /// Arguments of qemu, separated by blanks. `TREE:name` is a device tree of the kernel's package, `FIRMWARE` the file of
    /// the UEFI firmware, `DISK:name` an empty image of 64 MB.
    pub(super) arguments: &'static str,
    /// The kernel's name of the serial line that is shown.
    pub(super) console: &'static str,
    /// Expected output of `identify`.
    pub(super) board: &'static str,
    /// Disks that `-S` must name.
    pub(super) disks: &'static [&'static str],
    /// Whether it has a virtio disk for power cuts.
    pub(super) has_disk: bool,
    /// Whether `--quick` boots it.
    pub(super) is_quick: bool,
}

const ARM64: Arch = Arch { binary: "aarch64", qemu: "qemu-system-aarch64", busybox: busybox("arm64", "busybox-arm64") };
const ARMV7: Arch = Arch { binary: "armv7", qemu: "qemu-system-arm", busybox: busybox("armhf", "busybox-armhf") };
const RISCV64: Arch =
    Arch { binary: "riscv64", qemu: "qemu-system-riscv64", busybox: busybox("riscv64", "busybox-riscv64") };
const X86_64: Arch = Arch { binary: "x86_64", qemu: "qemu-system-x86_64", busybox: busybox("amd64", "busybox-amd64") };

const ARM64_6_12: Kernel =
    Kernel { arch: &ARM64, package: kernel("linux-image-arm64", "arm64", "trixie", "kernel-arm64"), has_ramoops: true };
const ARM64_6_1: Kernel = Kernel {
    arch: &ARM64,
    package: kernel("linux-image-arm64", "arm64", "bookworm", "kernel-arm64-6.1"),
    has_ramoops: true,
};
const ARMV7_6_12: Kernel = Kernel {
    arch: &ARMV7,
    package: kernel("linux-image-armmp", "armhf", "trixie", "kernel-armhf"),
    has_ramoops: false,
};
const RISCV64_6_12: Kernel = Kernel {
    arch: &RISCV64,
    package: kernel("linux-image-riscv64", "riscv64", "trixie", "kernel-riscv64"),
    has_ramoops: false,
};
const X86_64_6_12: Kernel = Kernel {
    arch: &X86_64,
    package: kernel("linux-image-amd64", "amd64", "trixie", "kernel-amd64"),
    has_ramoops: true,
};

/// UEFI for Arm.
pub(super) const FIRMWARE: Package =
    Package { name: "qemu-efi-aarch64", arch: "amd64", suite: "bookworm", is_meta: false, folder: "firmware-arm64" };

const fn kernel(name: &'static str, arch: &'static str, suite: &'static str, folder: &'static str) -> Package {
    Package { name, arch, suite, is_meta: true, folder }
}

const fn busybox(arch: &'static str, folder: &'static str) -> Package {
    Package { name: "busybox-static", arch, suite: "trixie", is_meta: false, folder }
}

impl Machine {
    /// Kernel parameters of machines that lose power: memory that survives a crash, at the same address in each boot because
    /// the kernel's address is fixed.
    pub(super) fn kernel_words(&self) -> &'static str {
        if self.has_disk { "reserve_mem=1M:4096:oops nokaslr" } else { "" }
    }

    /// The packages that it needs.
    pub(super) fn packages(&self) -> impl Iterator<Item = &'static Package> {
        let firmware = self.arguments.contains("FIRMWARE").then_some(&FIRMWARE);
        [&self.kernel.package, &self.kernel.arch.busybox].into_iter().chain(firmware)
    }
}

/// Defaults of machines.
const PLAIN: Machine = Machine {
    name: "",
    kernel: &ARM64_6_12,
    arguments: "",
    console: "ttyAMA0",
    board: "linux,dummy-virt",
    disks: &[],
    has_disk: false,
    is_quick: false,
};

/// Every machine.
pub(super) const MACHINES: &[Machine] = &[
    Machine {
        name: "arm64-virt",
        arguments: "-machine virt -cpu cortex-a72 -smp 4 -m 1024",
        disks: &["vda"],
        has_disk: true,
        is_quick: true,
        ..PLAIN
    },
    // Little memory, and the kernel of the release before.
    Machine {
        name: "arm64-256",
        kernel: &ARM64_6_1,
        arguments: "-machine virt -cpu cortex-a53 -smp 4 -m 256",
        ..PLAIN
    },
    // A server: ACPI, DMI, UEFI, two sockets.
    Machine {
        name: "arm64-acpi",
        arguments: "-machine virt,acpi=on -cpu neoverse-n1 -smp 4,sockets=2 -m 1024 \
                    -drive if=pflash,format=raw,readonly=on,file=FIRMWARE",
        board: "QEMU virtual machine (QEMU Virtual Machine)",
        ..PLAIN
    },
    // A board without signs of an emulator.
    Machine {
        name: "raspi3b",
        arguments: "-machine raspi3b -dtb TREE:bcm2837-rpi-3-b.dtb -serial null \
                    -drive if=sd,format=raw,file=DISK:card -drive if=none,id=u0,format=raw,file=DISK:stick \
                    -device usb-storage,drive=u0",
        console: "ttyS1",
        board: "Raspberry Pi 3 Model B",
        disks: &["mmcblk0", "sda"],
        ..PLAIN
    },
    Machine {
        name: "armv7-virt",
        kernel: &ARMV7_6_12,
        // The kernel cannot reach PCI above 4 GiB.
        arguments: "-machine virt,highmem=off -cpu cortex-a15 -smp 4 -m 1024",
        disks: &["vda"],
        has_disk: true,
        is_quick: true,
        ..PLAIN
    },
    Machine {
        name: "orangepi-pc",
        kernel: &ARMV7_6_12,
        arguments: "-machine orangepi-pc -dtb TREE:sun8i-h3-orangepi-pc.dtb",
        console: "ttyS0",
        board: "Xunlong Orange Pi PC",
        ..PLAIN
    },
    Machine {
        name: "riscv64-virt",
        kernel: &RISCV64_6_12,
        arguments: "-machine virt -smp 4 -m 1024",
        console: "ttyS0",
        board: "riscv-virtio,qemu",
        disks: &["vda"],
        has_disk: true,
        is_quick: true,
    },
    // Two sockets, two nodes of memory, NVMe, a disk on USB.
    Machine {
        name: "x86-q35",
        kernel: &X86_64_6_12,
        arguments: "-machine q35 -cpu EPYC -smp 4,sockets=2,cores=2,threads=1 -m 1024 \
                    -object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M \
                    -numa node,memdev=m0,cpus=0-1 -numa node,memdev=m1,cpus=2-3 \
                    -drive if=none,id=n0,format=raw,file=DISK:nvme -device nvme,drive=n0,serial=1 -device qemu-xhci \
                    -drive if=none,id=u0,format=raw,file=DISK:usb -device usb-storage,drive=u0",
        console: "ttyS0",
        board: "QEMU virtual machine (Standard PC (Q35 + ICH9, 2009))",
        disks: &["vda", "nvme0n1", "sda"],
        has_disk: true,
        ..PLAIN
    },
];
