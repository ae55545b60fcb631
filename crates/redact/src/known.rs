//! Values that may be kept in files with arbitrary content: options, devices, mount points. `kernel` redacts everything
//! else.

/// Kernel options that are kept with their values, by prefix.
#[rustfmt::skip]
pub(super) const OPTIONS: &[&str] = &[
    "8250.", "amd_", "androidboot.fwver", "androidboot.hardware", "androidboot.mode", "androidboot.storagemedia",
    "arm64.", "bcm2708_fb.", "bcm2835", "bcm2836", "brd.", "cgroup_", "clk_ignore_unused", "clocksource", "cma",
    "coherent_pool", "console", "consoleblank", "cpufreq.", "cpuidle.", "cpuidle_", "default_hugepagesz", "dwc_otg.",
    "earlycon", "earlyprintk", "efi", "elevator", "fbcon", "fsck.", "hugepages", "idle", "init_on_", "intel_",
    "iommu", "irqaffinity", "isolcpus", "kpti", "kvm", "l1tf", "libata.force", "loglevel", "maxcpus", "max_cstate",
    "mds", "mem", "mitigations", "mmc_core.", "net.ifnames", "no_", "noefi", "nohz", "nohlt", "nopti", "nosmt",
    "nospectre", "nowatchdog", "nr_cpus", "numa", "nvme", "panic", "pci", "pcie_", "plymouth.", "preempt",
    "processor.", "psi", "pti", "quiet", "rcu", "ro", "rootdelay", "rootflags", "rootfstype", "rootwait", "rw",
    "scsi_mod.", "sdhci", "selinux", "skew_tick", "smp", "snd_", "snd-", "spectre", "splash", "srbds", "storagemedia",
    "swapaccount", "swiotlb", "sysctl.vm.", "systemd.unified_cgroup_hierarchy", "threadirqs", "transparent_hugepage",
    "tsc", "tsx", "uas.", "usb-storage.", "usbcore.", "usbhid.", "vc_mem.", "video", "vmalloc", "vt.", "watchdog",
    "workqueue.", "zram.", "zswap.", "smsc95xx.turbo_mode", "elevator", "nosmp", "dyntick", "logo.", "ramdisk_size",
];
/// Options that name a disk.
pub(super) const DISKS: &[&str] = &["root", "resume", "bootdev", "overlayroot"];
/// Device names by prefix; numbers follow.
pub(super) const DEVICES: &[&str] = &[
    "dm-", "loop", "mapper", "md", "mmcblk", "mtdblock", "nbd", "nvme", "ram", "root", "sd", "sr", "ubi", "vd", "xvd",
    "zram",
];
/// Usual mount points.
#[rustfmt::skip]
pub(super) const PLACES: &[&str] = &[
    "/", "/boot", "/boot/efi", "/boot/firmware", "/data", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv",
    "/swap", "/tmp", "/usr", "/usr/local", "/var", "/var/cache", "/var/lib", "/var/log", "/var/log.hdd", "/var/swap",
    "/var/tmp", "/var/hdd.log", "/etc", "/overlay", "/rom",
];
/// File systems without a device that show where files are stored.
pub(super) const IN_MEMORY: &[&str] = &["tmpfs", "overlay", "ramfs", "squashfs", "overlayfs", "aufs"];
/// Mount options that affect speed or write access.
#[rustfmt::skip]
pub(super) const MOUNT_OPTIONS: &[&str] = &[
    "rw", "ro", "sync", "dirsync", "discard", "data=journal", "data=ordered", "data=writeback", "nobarrier",
    "barrier=0", "strictatime", "noatime", "relatime", "nodiratime", "lazytime", "nosuid", "nodev", "noexec",
];
/// Firmware settings that are kept, by prefix.
#[rustfmt::skip]
pub(super) const FIRMWARE: &[&str] = &[
    "arm_", "arm64", "audio", "auto_", "avoid_", "boot_", "bootcode_", "camera_", "core_freq", "disable_", "display_",
    "dtdebug", "dtoverlay", "dtparam", "dtb", "dts", "enable_", "force_", "framebuffer", "gpio", "gpu_", "h264_",
    "hdmi_", "hevc_", "ignore_", "init_uart", "initial_turbo", "isp_", "kernel_", "kernel", "lcd_", "max_",
    "os_check", "otg_", "over_voltage", "overscan", "pcie", "pmic", "sdram", "sdtv", "start_", "temp_", "total_mem",
    "turbo", "uart_", "usb_", "v3d_", "vpu_", "device_tree", "ramfs", "initramfs", "armstub", "fan_", "total_",
    "upstream",
];
