//! The share that a tile of a kernel takes of the memory or the registers of its block, and what all take together, in
//! words: for hovers and hints.

use codegen::TargetOptions;
use ir::{Body, BufferId, BufferOrigin};
use rustc_hash::FxHashMap;
use transform::tile_memory;

/// The tiles of a body.
pub(crate) struct Tiles<'a> {
    body: &'a Body,
    threads: Option<u64>,
    /// By tile, the most stages of a pipeline that keeps it.
    stages: FxHashMap<BufferId, u64>,
}

impl<'a> Tiles<'a> {
    /// All of them. O(operations).
    pub(crate) fn of(body: &'a Body) -> Tiles<'a> {
        let mut stages: FxHashMap<BufferId, u64> = FxHashMap::default();
        for pipeline in tile_memory::pipelines(body) {
            for tile in pipeline.tiles {
                let most = stages.entry(tile).or_default();
                *most = pipeline.stages.max(*most);
            }
        }
        Tiles { body, threads: tile_memory::threads_of_block(body), stages }
    }

    /// The tile of a buffer, if the kernel allocates it and its size is known.
    pub(crate) fn get(&self, buffer: BufferId) -> Option<Tile<'a>> {
        let body = self.body;
        let data = &body.buffers[buffer];
        if data.origin != BufferOrigin::Alloc || data.scope.is_global() {
            return None;
        }
        let bytes = tile_memory::bytes(body, buffer)?;
        let scope = body.scope_name(data.scope);
        let place = match self.threads {
            _ if data.scope.is_plain_shared() => {
                Place::Shared { stages: self.stages.get(&buffer).copied() }
            }
            Some(threads) if scope.starts_with("local.fragment") => Place::Registers { threads },
            _ => Place::Other,
        };
        let extents: Vec<String> =
            data.shape.iter().map(|&it| ir::print::expr_text(body, it)).collect();
        let shape = format!("{}[{}]", body.dtype_name(data.dtype), extents.join(", "));
        Some(Tile { scope, shape, bytes, place })
    }
}

/// Registers that a thread of NVIDIA's devices has at most.
const MOST_REGISTERS: u64 = 255;

impl Tiles<'_> {
    /// The share of its device that the launch takes: `128 of 1024 threads a block`, all shared tiles, all fragments.
    /// TileLang lets tiles share memory that are not needed at once, so the sums are the most that they take.
    pub(crate) fn launch(&self, device: &TargetOptions) -> Option<String> {
        if !tile_memory::has_launch(self.body) {
            return None;
        }
        let limits = codegen::arch::find(codegen::Target::Cuda, device.arch.as_deref()).limits;
        let (mut shared, mut registers, mut unknown) = (None, None, 0);
        for (buffer, data) in self.body.buffers.iter() {
            let is_fragment = self.body.scope_name(data.scope).starts_with("local.fragment");
            if data.origin != BufferOrigin::Alloc || !(data.scope.is_plain_shared() || is_fragment)
            {
                continue;
            }
            match self.get(buffer).map(|it| (it.bytes, it.place)) {
                Some((bytes, Place::Shared { stages })) => {
                    *shared.get_or_insert(0) += bytes.saturating_mul(stages.unwrap_or(1));
                }
                Some((bytes, Place::Registers { threads })) => {
                    *registers.get_or_insert(0) += bytes.div_ceil(threads).div_ceil(4);
                }
                _ => unknown += 1,
            }
        }
        let threads = self.threads.map(|it| {
            let most = device.max_threads.unwrap_or(limits.threads);
            format!("{it} of {most} threads a block")
        });
        let shared = shared.map(|it: u64| {
            let most = size(device.shared_memory.unwrap_or(limits.shared));
            format!("shared tiles {} of {most}, if all are kept at once", size(it))
        });
        let registers = registers.map(|it: u64| {
            format!(
                "fragments {it} of {MOST_REGISTERS} registers of a thread, if all are kept at once"
            )
        });
        let unknown = match unknown {
            0 => None,
            1 => Some("1 tile of a size that is not known".to_owned()),
            n => Some(format!("{n} tiles of sizes that are not known")),
        };
        let all: Vec<String> =
            [threads, shared, registers, unknown].into_iter().flatten().collect();
        (!all.is_empty())
            .then(|| all.iter().map(|it| format!("- {it}")).collect::<Vec<_>>().join("\n"))
    }
}

/// A tile: memory of a block that a kernel allocates, of known size.
pub(crate) struct Tile<'a> {
    scope: &'a str,
    /// The element's type and the extents: `float16[128, 64]`.
    shape: String,
    bytes: u64,
    place: Place,
}

/// The place where a tile is.
enum Place {
    /// In shared memory, once, or once for each stage of a pipeline.
    Shared {
        stages: Option<u64>,
    },
    /// In the registers of so many threads.
    Registers {
        threads: u64,
    },
    Other,
}

impl Tile<'_> {
    /// `48 KiB × 3 stages = 144 KiB of 227 KiB of shared memory (`shared.dyn`)`
    pub(crate) fn share(&self, device: &TargetOptions) -> String {
        let (one, scope) = (size(self.bytes), self.scope);
        match self.place {
            Place::Shared { stages } => {
                let arch = codegen::arch::find(codegen::Target::Cuda, device.arch.as_deref());
                let limit = size(device.shared_memory.unwrap_or(arch.limits.shared));
                let all = match stages {
                    Some(it) => format!("{one} × {it} stages = {}", self.all_stages(it)),
                    None => one,
                };
                format!("{all} of {limit} of shared memory (`{scope}`)")
            }
            Place::Registers { threads } => format!(
                "{one} of registers, at least {} of each of {threads} threads (`{scope}`)",
                self.registers(threads)
            ),
            Place::Other => format!("{one} (`{scope}`)"),
        }
    }

    /// `float16[128, 192] 48 KiB × 3`
    pub(crate) fn label(&self) -> String {
        let (shape, one) = (&self.shape, size(self.bytes));
        match self.place {
            Place::Shared { stages: Some(it) } => format!("{shape} {one} × {it}"),
            Place::Registers { threads } => {
                let registers = match self.registers(threads) {
                    1 => "1 register".to_owned(),
                    n => format!("{n} registers"),
                };
                format!("{shape} {registers}")
            }
            Place::Shared { stages: None } | Place::Other => format!("{shape} {one}"),
        }
    }

    fn all_stages(&self, stages: u64) -> String {
        size(self.bytes.saturating_mul(stages))
    }

    /// Of each thread: a register has four bytes; a fragment that several threads hold takes more.
    fn registers(&self, threads: u64) -> u64 {
        self.bytes.div_ceil(threads).div_ceil(4)
    }
}

/// Bytes in the unit that people use.
fn size(bytes: u64) -> String {
    match bytes {
        it if it < 1 << 10 => format!("{it} bytes"),
        it if it.is_multiple_of(1 << 10) => format!("{} KiB", it >> 10),
        // Rounded down, as limits are not.
        it => format!("{}.{} KiB", it >> 10, ((it % (1 << 10)) * 10) >> 10),
    }
}
