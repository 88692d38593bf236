//! The share that a tile of a kernel takes of the memory or the registers of its block, in words: for hovers and hints.

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
