//! The kernels of a document, with the numbers of blocks and threads of their launches.
//!
//! In: functions and the frame. Out: a [`Launch`] for each kernel. Sizes are found by evaluating constants in the
//! launching functions: one pass over each, linear.

use std::collections::BTreeMap;

use ir::{
    Body, ExprId, ExprKind, OpId, OpKind, RegionId, ValueId, known_ops, text::types::function_parts,
};
use rustc_hash::FxHashMap;

use super::{text, values::value_of};
use crate::LowerRefusal;
use crate::reasons;

/// A number of blocks or threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    Known(i64),
    /// The caller gives it.
    Free,
}

/// A kernel as it stands in a function.
pub(super) struct Launch<'a> {
    pub(super) function: usize,
    pub(super) name: String,
    /// The `gpu.launch`; none for a kernel that is a function.
    pub(super) op: Option<OpId>,
    pub(super) body: &'a Body,
    /// The threads' code.
    pub(super) region: RegionId,
    /// Parameters of a kernel; nothing for a region.
    pub(super) params: Vec<ValueId>,
    /// Arguments of a region: block, thread, number of blocks, of threads, three each.
    pub(super) places: Vec<ValueId>,
    pub(super) shared: Vec<ValueId>,
    pub(super) private: Vec<ValueId>,
    /// Blocks and threads in x, y, z.
    pub(super) sizes: [Size; 6],
    /// The values that are constant around a region.
    pub(super) constants: Constants,
    pub(super) refused: Option<LowerRefusal>,
}

/// Constants of a function: their expressions in a body of their own.
#[derive(Clone)]
pub(super) struct Constants {
    pub(super) body: Body,
    pub(super) known: FxHashMap<ValueId, ExprId>,
}

impl Constants {
    /// Returns the values that can be computed from constants alone.
    fn of(from: &Body) -> Constants {
        let body = Body::new("", ir::Dialect::Tirx);
        let mut res = Constants { body, known: FxHashMap::default() };
        for op in from.ops_preorder() {
            let operation = &from.ops[op];
            let &[result] = operation.results.as_slice() else { continue };
            let known = |it: &ExprId| match from.expr(*it).kind {
                ExprKind::Value(value) => res.known.get(&value).copied(),
                _ => None,
            };
            let Some(operands) = operation.operands.iter().map(known).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            if let Some(value) = value_of(&mut res.body, from, op, &operands)
                && res.body.expr(value).is_constant()
            {
                res.known.insert(result, value);
            }
        }
        res
    }

    fn int(&self, from: &Body, operand: ExprId) -> Option<i64> {
        let ExprKind::Value(value) = from.expr(operand).kind else { return None };
        match self.body.expr(*self.known.get(&value)?).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }
}

/// The kernels of a document, in the order of functions and operations.
pub(super) fn find<'a>(functions: &[&'a Body], frame: Option<&Body>) -> Vec<Launch<'a>> {
    let paths = paths(functions, frame);
    let constants: Vec<Constants> = functions.iter().map(|it| Constants::of(it)).collect();
    let mut sizes: BTreeMap<String, Option<[Size; 6]>> = BTreeMap::new();
    for (body, constants) in functions.iter().zip(&constants) {
        let is_launch = |op: &OpId| body.ops[*op].kind == OpKind::Named(known_ops::GPU_LAUNCH_FUNC);
        for op in body.ops_preorder().filter(is_launch) {
            let kernel = text::attr(body, op, "kernel").unwrap_or_default();
            let now = sizes_of(body, op, constants);
            let known = sizes.entry(path_of(kernel).join("::")).or_insert(now);
            *known = known.zip(now).map(|(a, b)| join(a, b));
        }
    }
    let mut res = Vec::new();
    for (number, &body) in functions.iter().enumerate() {
        if body.func_attr("gpu.kernel").is_some() {
            let sizes = sizes.get(&paths[number].join("::")).copied();
            res.push(kernel(body, number, &paths[number], sizes, &constants[number]));
        }
        let regions = body.ops_preorder().filter(|&op| is_launch(body, op));
        for (at, op) in regions.enumerate() {
            res.extend(region(body, number, op, at, &constants[number]));
        }
    }
    res
}

/// Returns true if a function is a kernel, or contains some.
pub(super) fn are_in(body: &Body) -> bool {
    body.func_attr("gpu.kernel").is_some() || body.ops_preorder().any(|op| is_launch(body, op))
}

/// Returns true if an operation is a kernel in place.
fn is_launch(body: &Body, op: OpId) -> bool {
    body.ops[op].kind == OpKind::Named(known_ops::GPU_LAUNCH)
}

/// Returns the sizes on which both agree.
fn join(a: [Size; 6], b: [Size; 6]) -> [Size; 6] {
    std::array::from_fn(|at| if a[at] == b[at] { a[at] } else { Size::Free })
}

fn path_of(symbol: &str) -> Vec<String> {
    symbol.split("::").map(|it| it.trim_start_matches('@').trim_matches('"').to_owned()).collect()
}

/// The names of the modules around each function, and its own.
fn paths(functions: &[&Body], frame: Option<&Body>) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> =
        functions.iter().map(|it| vec![it.name.to_string()]).collect();
    let Some(frame) = frame else { return paths };
    let symbol = |op| Some(text::attr(frame, op, "sym_name")?.trim_matches('"').to_owned());
    let stand_for =
        frame.ops_preorder().filter(|&op| text::attr(frame, op, "function_type").is_some());
    for (op, path) in stand_for.zip(&mut paths) {
        let around = std::iter::successors(frame.parent_op(op), |&it| frame.parent_op(it));
        let mut found: Vec<String> = around.filter_map(symbol).collect();
        found.reverse();
        found.append(path);
        *path = found;
    }
    paths
}

/// The sizes that an operation launches with; `None` for a launch with more than blocks and threads.
fn sizes_of(body: &Body, op: OpId, constants: &Constants) -> Option<[Size; 6]> {
    let segments = text::int_list(body, op, "operandSegmentSizes").unwrap_or_default();
    let first = segments.first().copied().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
    let operands = body.ops[op].operands.get(first..first + 6)?;
    if segments.iter().skip(7).take(3).any(|&it| it != 0) {
        return None;
    }
    Some(std::array::from_fn(|at| match constants.int(body, operands[at]) {
        Some(size) => Size::Known(size),
        None => Size::Free,
    }))
}

fn clusters() -> LowerRefusal {
    LowerRefusal::new(reasons::CLUSTERS, "blocks are launched in clusters")
}

fn kernel<'a>(
    body: &'a Body,
    function: usize,
    path: &[String],
    launched: Option<Option<[Size; 6]>>,
    constants: &Constants,
) -> Launch<'a> {
    let list = |key: &str| text::integers(text::attr_text(body.func_attr(key)?)?);
    let said = |key: &str| {
        let known = list(&format!("known_{key}_size"));
        let known = known.or_else(|| list(&format!("gpu.known_{key}_size")));
        known.filter(|it| it.len() == 3).map(|it| [it[0], it[1], it[2]].map(Size::Known))
    };
    let refused = match launched {
        Some(None) => Some(clusters()),
        None if said("block").is_none() => {
            let detail = "nothing in the file launches it, and it has no known_block_size";
            Some(LowerRefusal::new(reasons::UNKNOWN_LAUNCH, detail))
        }
        _ => None,
    };
    let mut sizes = launched.flatten().unwrap_or([Size::Free; 6]);
    for (key, at) in [("grid", 0), ("block", 3)] {
        if let Some(said) = said(key) {
            sizes[at..at + 3].copy_from_slice(&said);
        }
    }
    let args = &body.blocks[body.entry(body.root)].args;
    let ty = body.func_attr("function_type").and_then(text::attr_text);
    let n_inputs = ty.and_then(function_parts).map_or(args.len(), |it| it.0.len());
    let n_inputs = n_inputs.min(args.len());
    let n_shared = list("workgroup_attributions").and_then(|it| it.first().copied()).unwrap_or(0);
    let n_shared = usize::try_from(n_shared).unwrap_or(0).min(args.len() - n_inputs);
    let (params, rest) = args.split_at(n_inputs);
    let (shared, private) = rest.split_at(n_shared);
    let is_short = path.len() == 2 && path[0] == path[1];
    let name = text::identifier(&if is_short { path[1].clone() } else { path.join("_") });
    // The symbol that is written says `_kernel` again.
    let name = name.strip_suffix("_kernel").filter(|it| !it.is_empty()).unwrap_or(&name).to_owned();
    Launch {
        function,
        name,
        op: None,
        body,
        region: body.root,
        params: params.to_vec(),
        places: Vec::new(),
        shared: shared.to_vec(),
        private: private.to_vec(),
        sizes,
        constants: constants.clone(),
        refused,
    }
}

fn region<'a>(
    body: &'a Body,
    function: usize,
    op: OpId,
    at: usize,
    constants: &Constants,
) -> Option<Launch<'a>> {
    let region = *body.ops[op].regions.first()?;
    let args = body.blocks[*body.regions[region].blocks.first()?].args.to_vec();
    let sizes = sizes_of(body, op, constants);
    let n_shared =
        text::int_list(body, op, "workgroup_attributions").and_then(|it| it.first().copied());
    let n_shared = usize::try_from(n_shared.unwrap_or(0)).unwrap_or(0);
    let (places, rest) = args.split_at(args.len().min(12));
    let (shared, private) = rest.split_at(n_shared.min(rest.len()));
    let number = if at == 0 { String::new() } else { format!("_{at}") };
    Some(Launch {
        function,
        name: format!("{}{number}", text::identifier(&body.name)),
        op: Some(op),
        body,
        region,
        params: Vec::new(),
        places: places.to_vec(),
        shared: shared.to_vec(),
        private: private.to_vec(),
        refused: sizes.is_none().then(|| clusters().at(op)),
        sizes: sizes.unwrap_or([Size::Free; 6]),
        constants: constants.clone(),
    })
}
