//! The limits of the devices of each target: one table, with its sources.
//!
//! In: a target and the name of an architecture. Out: the limits of a block, and whether they are facts of the hardware
//! or usual values, which a user may override. For languages that are compiled on the device an architecture is a
//! version of the language.
//!
//! Sources, and how they were checked:
//!
//! | rows | source | compared |
//! |---|---|---|
//! | CUDA | NVIDIA, CUDA Programming Guide, "Compute Capabilities", tables of technical specifications; the same figures as constants in NVIDIA's `cuda/__device/arch_traits.h` (CCCL of CUDA 13): 1024 threads, 64 along z, `max_shared_memory_per_block_optin` | all but `sm_72`, which CUDA 13 has no longer: it is given what `sm_70` has, as usual and not as a fact |
//! | HIP | AMD, ROCm, "GPU hardware specifications" (LDS); LLVM's `AMDGPU.td`, `addressablelocalmemorysize`: what one workgroup may have, 64 KiB from `gfx7` on, 160 KiB on `gfx950`. 1024 threads: AMD's ISA | all; `llc` refuses one byte more for those up to `gfx1030` |
//! | Metal | Apple, "Metal Feature Set Tables", implementation limits: 1024 threads and 32 KiB for Macs (early iOS families have 512 and 16 KiB) | yes |
//! | OpenCL, SPIR-V | the specifications say what the least device has (1 thread and 32 KiB; Vulkan 128 and 16 KiB), so the numbers are those of today's GPUs | no table to compare with |
//! | WGSL | WebGPU, `maxComputeWorkgroupStorageSize`: 16 KiB unless the launcher asks for more, which it has to | no table to compare with |
//!
//! Shared memory of CUDA is the maximum that a kernel may request; without a request it is 48 KiB.

use crate::Target;

/// The limits of a block of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Threads.
    pub threads: u32,
    /// Threads along z.
    pub threads_z: u32,
    /// Bytes of shared memory.
    pub shared: u64,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arch {
    /// Its name; empty for the default of the target.
    pub name: &'static str,
    /// The limits of its devices.
    pub limits: Limits,
    /// No device of it takes more.
    pub is_hardware: bool,
}

const fn gpu(name: &'static str, shared_kib: u64) -> Arch {
    let limits = Limits { threads: 1024, threads_z: 64, shared: shared_kib << 10 };
    Arch { name, limits, is_hardware: true }
}

/// Devices of AMD may have all threads of a block along z.
const fn amd(name: &'static str, shared_kib: u64) -> Arch {
    let limits = Limits { threads: 1024, threads_z: 1024, shared: shared_kib << 10 };
    Arch { name, limits, is_hardware: true }
}

/// An architecture whose devices report their limits at run time.
const fn usual(name: &'static str, shared: u64) -> Arch {
    let limits = Limits { threads: 1024, threads_z: 64, shared };
    Arch { name, limits, is_hardware: false }
}

/// More shared memory than this is a mistake on every device.
const ANY: u64 = 1 << 30;

const CUDA: &[Arch] = &[
    Arch { is_hardware: false, ..gpu("", 227) },
    gpu("sm_70", 96),
    Arch { is_hardware: false, ..gpu("sm_72", 96) },
    gpu("sm_75", 64),
    gpu("sm_80", 163),
    gpu("sm_86", 99),
    gpu("sm_87", 163),
    gpu("sm_89", 99),
    gpu("sm_90", 227),
    gpu("sm_90a", 227),
    gpu("sm_100", 227),
    gpu("sm_100a", 227),
    gpu("sm_103", 227),
    gpu("sm_120", 99),
    gpu("sm_121", 99),
];

const HIP: &[Arch] = &[
    Arch { is_hardware: false, ..amd("", 64) },
    amd("gfx900", 64),
    amd("gfx906", 64),
    amd("gfx908", 64),
    amd("gfx90a", 64),
    amd("gfx942", 64),
    amd("gfx950", 160),
    amd("gfx1030", 64),
    amd("gfx1100", 64),
    amd("gfx1101", 64),
    amd("gfx1102", 64),
    amd("gfx1200", 64),
    amd("gfx1201", 64),
];

const OPENCL: &[Arch] = &[usual("", ANY), usual("1.2", ANY), usual("2.0", ANY), usual("3.0", ANY)];

const SPIRV: &[Arch] = &[
    usual("", 64 << 10),
    usual("1.3", 64 << 10),
    usual("1.4", 64 << 10),
    usual("1.5", 64 << 10),
    usual("1.6", 64 << 10),
];

const METAL: &[Arch] = &[
    usual("", 32 << 10),
    usual("2.3", 32 << 10),
    usual("2.4", 32 << 10),
    usual("3.0", 32 << 10),
    usual("3.1", 32 << 10),
];

const WGSL: &[Arch] = &[usual("", 32 << 10)];

const HOST: &[Arch] = &[Arch {
    name: "",
    limits: Limits { threads: u32::MAX, threads_z: u32::MAX, shared: u64::MAX },
    is_hardware: true,
}];

/// The rows of a target; the first holds where no architecture is named.
pub fn of(target: Target) -> &'static [Arch] {
    match target {
        Target::Cuda => CUDA,
        Target::Hip => HIP,
        Target::OpenCl => OPENCL,
        Target::Spirv => SPIRV,
        Target::Metal => METAL,
        Target::Wgsl => WGSL,
        Target::C => HOST,
    }
}

/// The row of an architecture; that of none for a name that is unknown.
pub fn find(target: Target, name: Option<&str>) -> &'static Arch {
    let rows = of(target);
    rows.iter().find(|it| name == Some(it.name)).unwrap_or(&rows[0])
}

/// Returns true if devices of an architecture have instructions that copy from global to shared memory while the thread
/// goes on (PTX ISA, `cp.async`: `sm_80` and later).
pub(crate) fn has_async_copies(target: Target, name: &str) -> bool {
    let number = name.strip_prefix("sm_").map(|it| it.trim_end_matches(char::is_alphabetic));
    let is_new = number.and_then(|it| it.parse::<u32>().ok()).is_some_and(|it| it >= 80);
    target == Target::Cuda && is_new
}

/// The names of a target's architectures.
pub fn names(target: Target) -> impl Iterator<Item = &'static str> {
    of(target).iter().map(|it| it.name).filter(|it| !it.is_empty())
}

/// The version of a language, which serves as its architecture.
pub(crate) fn version(name: Option<&str>, default: (u8, u8)) -> (u8, u8) {
    let parsed = name.and_then(|it| {
        let (major, minor) = it.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    parsed.unwrap_or(default)
}
