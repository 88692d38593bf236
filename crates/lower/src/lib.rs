#![doc = include_str!("../README.md")]

use std::sync::Arc;

use barriers::refusal::LowerRefusal;
use ir::{Body, OpId, effects::EffectTable};
use transform::broken::Broken;

pub mod allocation_sites;
pub mod async_copies;
pub mod block_iters;
pub mod compact_buffers;
mod contexts;
mod copy;
pub mod cross_thread_reduction;
mod declared_memory;
mod edit;
pub mod flatten_buffers;
mod footprint;
pub mod from_ops;
pub mod init_blocks;
pub mod legalize_floats;
mod lists;
pub mod loop_partition;
pub mod match_buffers;
mod named_memory;
pub mod narrow_indices;
pub mod neutral_operands;
pub mod part_layouts;
pub mod reasons;
pub mod serial_threads;
pub mod software_pipeline;
pub mod storage_reuse;
pub mod thread_bindings;
pub mod unroll;
pub mod vectorize;
pub mod virtual_threads;
pub mod warp_memory;
pub mod whole_logarithms;

/// The properties of a target that decide about lowering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LowerOptions {
    /// Statements that an unrolled loop may become.
    pub max_unrolled: u32,
    /// Lanes of a vector, at most.
    pub max_lanes: u16,
    /// Bytes of shared memory that a kernel may have.
    pub max_shared: u32,
    /// Width of the integers that indices should be computed in: 32, or 64 to leave them.
    pub index_bits: u8,
    /// True if the language has floats of 8 bits.
    pub has_float8: bool,
    /// True if the device copies from global to shared memory while it computes, and pipelines may ask for that.
    pub has_async_copies: bool,
    /// The effects of calls.
    pub effects: Arc<EffectTable>,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            max_unrolled: 4096,
            max_lanes: 64,
            max_shared: 48 * 1024,
            index_bits: 32,
            has_float8: false,
            has_async_copies: false,
            effects: EffectTable::shared(),
        }
    }
}

/// The origins of new operations, in order of creation: a copy with its original; a replacement with the operation that
/// it replaces.
pub type Origins = Vec<(OpId, OpId)>;

/// One pass of the lowering.
#[derive(Clone, Copy, Debug)]
pub struct Lowering {
    /// Its name.
    pub name: &'static str,
    /// The effect of the pass, in one line.
    pub what: &'static str,
    run: fn(&mut Body, &LowerOptions, &mut Origins) -> Result<(), LowerRefusal>,
}

/// The passes, in order. Blocks first, the parts of a schedule; then loops and memory, on bodies without blocks.
pub const LOWERINGS: &[Lowering] = &[
    Lowering {
        name: "declared_memory",
        what: "`T.decl_buffer` without `data=` is an allocation",
        run: declared_memory::run,
    },
    Lowering {
        name: "whole_logarithms",
        what: "`T.ceil(T.log2(c))` of a whole constant is a constant",
        run: whole_logarithms::run,
    },
    Lowering {
        name: "cross_thread_reduction",
        what: "a block that reduces over threads: each reduces its part, then all combine their parts",
        run: cross_thread_reduction::run,
    },
    Lowering {
        name: "init_blocks",
        what: "`T.init()` becomes a condition: all reduction variables at the start of their domains",
        run: init_blocks::run,
    },
    Lowering {
        name: "pipeline_statements",
        what: "statements of software pipelines are marked, as their annotations count them",
        run: software_pipeline::mark,
    },
    Lowering {
        name: "block_iters",
        what: "blocks are opened: iteration variables are what they are bound to, predicates are conditions",
        run: block_iters::run,
    },
    Lowering {
        name: "match_buffers",
        what: "accesses of matched parts of buffers are accesses of the buffers",
        run: match_buffers::run,
    },
    Lowering {
        name: "thread_bindings",
        what: "loops over threads are launches, one for each tag around a kernel",
        run: thread_bindings::run,
    },
    Lowering {
        name: "allocation_sites",
        what: "memory of blocks and threads is allocated inside the loops that use it",
        run: allocation_sites::run,
    },
    Lowering {
        name: "compact_buffers",
        what: "shared and local memory shrinks to what a block or a thread touches of it",
        run: compact_buffers::run,
    },
    Lowering {
        name: "part_layouts",
        what: "pointers, strides and offsets of matched parts are those of the buffers",
        run: part_layouts::run,
    },
    Lowering {
        name: "software_pipeline",
        what: "loops with stages overlap their iterations: a prologue, the loop, an epilogue",
        run: software_pipeline::run,
    },
    Lowering {
        name: "flatten_buffers",
        what: "buffers of several dimensions become buffers of one",
        run: flatten_buffers::run,
    },
    Lowering {
        name: "virtual_threads",
        what: "virtual threads are iterations of a loop in each thread",
        run: virtual_threads::run,
    },
    Lowering {
        name: "vectorize",
        what: "vector loops become statements on vectors",
        run: vectorize::run,
    },
    Lowering {
        name: "loop_partition",
        what: "loops are split where a guard in them is decided",
        run: loop_partition::run,
    },
    Lowering {
        name: "unroll",
        what: "loops that are to be unrolled become their iterations",
        run: unroll::run,
    },
    Lowering {
        name: "warp_memory",
        what: "memory of a warp becomes memory of its threads",
        run: warp_memory::run,
    },
    Lowering {
        name: "storage_reuse",
        what: "memory that is no longer used serves again",
        run: storage_reuse::run,
    },
    Lowering {
        name: "narrow_indices",
        what: "integers of 64 bits that are shown to stay in 32 are computed in 32",
        run: narrow_indices::run,
    },
    Lowering {
        name: "legalize_floats",
        what: "floats of 8 bits are integers in memory and computed in 32",
        run: legalize_floats::run,
    },
    Lowering {
        name: "async_copies",
        what: "copies of asynchronous stages are instructions of the copy engine",
        run: async_copies::run,
    },
    Lowering {
        name: "neutral_operands",
        what: "`x + 0`, `x * 1` and sums of constants, which the passes before leave, are what they come to",
        run: neutral_operands::run,
    },
];

/// The body after all passes.
pub fn lower(body: &Body, options: &LowerOptions) -> Result<Body, LowerRefusal> {
    Ok(lower_with_origins(body, options)?.0)
}

/// Like [`lower`], with the origins of the new operations.
pub fn lower_with_origins(
    body: &Body,
    options: &LowerOptions,
) -> Result<(Body, Origins), LowerRefusal> {
    run(body, options, LOWERINGS)
}

/// The body after the pass of this name and all before it; after all of them if there is none of this name.
pub fn lower_until(body: &Body, options: &LowerOptions, name: &str) -> Result<Body, LowerRefusal> {
    let end = LOWERINGS.iter().position(|it| it.name == name).map_or(LOWERINGS.len(), |it| it + 1);
    Ok(run(body, options, &LOWERINGS[..end])?.0)
}

impl Lowering {
    /// The body after this pass alone.
    pub fn run(&self, body: &Body, options: &LowerOptions) -> Result<Body, LowerRefusal> {
        Ok(run(body, options, std::slice::from_ref(self))?.0)
    }
}

/// The places where the result of the passes is verified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verified {
    /// After the last pass.
    Last,
    /// After each pass, so that one that breaks a body is named.
    Each,
}

fn run(
    body: &Body,
    options: &LowerOptions,
    passes: &[Lowering],
) -> Result<(Body, Origins), LowerRefusal> {
    if cfg!(debug_assertions) {
        return run_verified(body, options, passes, Verified::Each);
    }
    match run_verified(body, options, passes, Verified::Last) {
        // Once more, to see which pass it was.
        Err(refusal) if refusal.reason == reasons::INTERNAL => {
            run_verified(body, options, passes, Verified::Each)
        }
        done => done,
    }
}

fn run_verified(
    body: &Body,
    options: &LowerOptions,
    passes: &[Lowering],
    verified: Verified,
) -> Result<(Body, Origins), LowerRefusal> {
    let mut body = body.clone();
    let mut origins = Origins::new();
    // What a text says may be wrong from the start.
    let is_checked = ir::verify::verify(&body).is_empty();
    for (at, pass) in passes.iter().enumerate() {
        (pass.run)(&mut body, options, &mut origins).map_err(|it| of_source(it, &origins))?;
        let is_due = verified == Verified::Each || at + 1 == passes.len();
        if is_checked
            && is_due
            && let Some(error) = ir::verify::verify(&body).into_iter().next()
        {
            let broken = Broken::in_text(pass.name, &body, error.message, error.op);
            return Err(LowerRefusal::new(reasons::INTERNAL, broken.report()));
        }
    }
    Ok((body, origins))
}

/// The refusal about the operation of the source, instead of the one that a pass made of it.
fn of_source(mut refusal: LowerRefusal, origins: &Origins) -> LowerRefusal {
    for (made, of) in origins.iter().rev() {
        if refusal.op == Some(*made) {
            refusal.op = Some(*of);
        }
    }
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_names_of_their_own() {
        for (at, pass) in LOWERINGS.iter().enumerate() {
            assert!(LOWERINGS[..at].iter().all(|it| it.name != pass.name), "{}", pass.name);
        }
    }
}
