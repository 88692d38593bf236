//! Loops whose iterations overlap: each statement of the body runs for the iteration that its stage says.
//!
//! In: loops with `software_pipeline_stage` and `software_pipeline_order`, a number each for every statement of the
//! body. Out: a prologue that fills the pipeline, a loop in which the statements run in the order that is asked for,
//! each so many iterations behind as its stage says, and an epilogue that empties it (TVM's InjectSoftwarePipeline).
//! Memory that an iteration allocates has as many versions as iterations need it at once; iteration `k` uses the
//! version `k % versions`. Where the extent is no constant, what may not run is guarded.
//!
//! Instance `k` of a statement of stage `s` and order `o` runs at time `k + s`, in order `o` among those of the time.
//! What two statements do to one memory keeps its order if that of their instances is kept (`SEMANTICS: L1`), which is
//! compared for all iterations ([`plan`]); memory that is new in each iteration (`M9`) is compared in one iteration,
//! and between those that share a version. A loop whose annotations contradict its dependences is refused
//! (`software-pipeline`, as TVM does); one that is not shown to give the same stays a plain loop, with the reason as an
//! annotation ([`LEFT`]). Linear in the output, and for each loop the facts of the function.
//!
//! The statements are counted in blocks ([`statements`]), as a block in the body stands for its own statements, and
//! pipelined in a body without blocks.

mod accesses;
mod adopt;
mod asynchronous;
mod emit;
mod local_stage;
mod plan;
mod spans;
mod statements;
mod steps;
mod versions;

use ir::{Attr, Body, OpId, OpKind};
use rustc_hash::FxHashMap;

use self::plan::Decision;
use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{loop_block, rebuild_blocks},
    lists::{constant, replace_ops, splice, take_list},
};

const STAGE: &str = "software_pipeline_stage";
const ORDER: &str = "software_pipeline_order";
const ASYNC: &str = "software_pipeline_async_stages";

/// Pipelines of a function, each of which asks for all its facts.
const MOST_PIPELINES: usize = 64;

/// The annotation of a loop that stays a plain one: why.
pub const LEFT: &str = "not_pipelined";

/// The scope of a statement of a pipeline, between the two passes.
const STATEMENT: &str = "software_pipeline_statement";

/// The scope of copies that may be asynchronous, up to `async_copies`.
pub(super) const COPY: &str = "software_pipeline_copy";

/// The attribute of a block that names a buffer of two versions, and the mark of that buffer between the two passes.
const DOUBLE: &str = "double_buffer_scope";

/// Marks the statements of pipelines.
pub(super) fn mark(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    if body.ops_preorder().any(|op| is_annotated(body, op)) {
        statements::mark(body);
    }
    Ok(())
}

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<(), LowerRefusal> {
    // A loop of one iteration may be gone, and its statements not.
    if !body.ops_preorder().any(|op| is_annotated(body, op) || is_statement(body, op)) {
        return Ok(());
    }
    let mut n_pipelines = 0;
    replace_ops(body, |body, op| {
        if !is_annotated(body, op) {
            return Ok(None);
        }
        n_pipelines += 1;
        if n_pipelines > MOST_PIPELINES {
            forget_annotations(body, op, Some("the function has too many pipelines"));
            return Ok(None);
        }
        pipeline(body, op, options, origins).map_err(|it| it.at(op))
    })?;
    open_statements(body);
    statements::forget(body);
    Ok(())
}

/// Returns true for a loop with annotations of a pipeline.
pub(super) fn is_annotated(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::For(_))
        && [STAGE, ORDER].iter().any(|it| annotation(body, op, it).is_some())
}

fn annotation<'a>(body: &'a Body, op: OpId, key: &str) -> Option<&'a Attr> {
    body.dict(body.ops[op].attrs).iter().find(|it| &*it.0 == key).map(|it| &it.1)
}

fn pipeline(
    body: &mut Body,
    op: OpId,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<Option<Vec<OpId>>, LowerRefusal> {
    split_copies(body, op, origins);
    adopt::adopt(body, op);
    let left = match plan::plan(body, op, options)? {
        Decision::Pipeline(plan) => {
            forget_annotations(body, op, None);
            return Ok(Some(emit::emit(body, op, &plan, options, origins)));
        }
        Decision::Left(why) => why,
    };
    forget_annotations(body, op, Some(&left));
    Ok(None)
}

/// Makes two statements of those that ask for it.
fn split_copies(body: &mut Body, op: OpId, origins: &mut Origins) {
    let block = loop_block(body, op);
    let mut places = FxHashMap::default();
    for it in body.blocks[block].ops.clone() {
        let is_two = is_statement(body, it) && constant(body, body.ops[it].operands[1]) == Some(1);
        if is_two && let Some(ops) = local_stage::split(body, it, origins) {
            places.insert(it, ops);
        }
    }
    splice(body, block, &mut places);
}

/// Takes the annotations of the pipeline from a loop.
fn forget_annotations(body: &mut Body, op: OpId, left: Option<&str>) {
    let mut dict = body.dict(body.ops[op].attrs).clone();
    dict.retain(|it| ![STAGE, ORDER, ASYNC, LEFT].contains(&&*it.0));
    if let Some(why) = left {
        dict.push((LEFT.into(), Attr::Str(why.into())));
    }
    body.ops[op].attrs = body.attr_dict(dict);
}

/// The scopes of statements go; what is in them stands where they stood.
fn open_statements(body: &mut Body) {
    rebuild_blocks(body, body.root, &mut |body, _, op, new| match is_statement(body, op) {
        true => {
            let block = body.entry(body.ops[op].regions[0]);
            new.extend(take_list(body, block));
        }
        false => new.push(op),
    });
}

fn is_statement(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::Attr(key) if body.name(key) == STATEMENT)
}
