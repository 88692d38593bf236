//! Applies fixes to a body.
//!
//! In: a body, its occurrences, and findings whose fixes are [`compatible`](super::compatible). Out: a new body; parts
//! that no fix touches stay the same, ids included. Nothing is decided here. A block that loses all it had gets
//! `T.evaluate(0)`, as the text does. Linear in the body.

use ir::{
    Attr, BinaryOp, Body, BufferId, Callee, DataType, ExprId, ExprKind, Intrinsic, OccurrenceId,
    Occurrences, OpId, OpKind, Operation, RegionId, Value, ValueId, ValueKind,
    plan::finding::{FindingFix, FixEdit, Replacement, Start},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Finding;
use crate::replace::replace;

/// The body after the fixes of these findings. Debug builds check that it is valid if the body given is.
pub fn apply<'f>(
    body: &Body,
    occurrences: &Occurrences,
    findings: impl IntoIterator<Item = &'f Finding>,
) -> Body {
    apply_fixes(body, occurrences, findings.into_iter().filter_map(|it| it.fix.as_ref()))
}

/// Like [`apply`], for fixes without their findings.
pub fn apply_fixes<'f>(
    body: &Body,
    occurrences: &Occurrences,
    fixes: impl IntoIterator<Item = &'f FindingFix>,
) -> Body {
    let mut rewriter = Rewriter::new(body.clone(), occurrences);
    for edit in fixes.into_iter().flat_map(|it| &it.edits) {
        rewriter.edit(edit);
    }
    let after = rewriter.finish();
    #[cfg(debug_assertions)]
    {
        let before = ir::verify::verify(body).len();
        let errors = ir::verify::verify(&after);
        debug_assert!(before > 0 || errors.is_empty(), "the fixes break the body: {errors:?}");
    }
    after
}

/// TileLang's operator for `T.fill` and `T.clear`.
const FILL: &str = "tl.fill";
/// The operator for `T.assume`.
const ASSUME: &str = "assume";

struct Rewriter<'a> {
    body: Body,
    occurrences: &'a Occurrences,
    removed: FxHashSet<OpId>,
    opened: FxHashMap<OpId, RegionId>,
    replaced: Vec<(OccurrenceId, ExprId)>,
    /// New operations that stand before others.
    before: FxHashMap<OpId, Vec<OpId>>,
    bound: FxHashSet<Box<str>>,
}

impl<'a> Rewriter<'a> {
    fn new(body: Body, occurrences: &'a Occurrences) -> Rewriter<'a> {
        Rewriter {
            body,
            occurrences,
            removed: FxHashSet::default(),
            opened: FxHashMap::default(),
            replaced: Vec::new(),
            before: FxHashMap::default(),
            bound: FxHashSet::default(),
        }
    }

    fn edit(&mut self, edit: &FixEdit) {
        match edit {
            FixEdit::RemoveOp(op) => {
                self.removed.insert(*op);
            }
            FixEdit::KeepRegion { op, region } => {
                if let Some(&region) = self.body.ops[*op].regions.get(*region as usize) {
                    self.opened.insert(*op, region);
                }
            }
            FixEdit::Replace { occurrence, with } => {
                let with = match *with {
                    Replacement::Value(it) => self.body.value_expr(it),
                    Replacement::Copy(it) => self.occurrences[it].expr,
                    Replacement::Bool(it) => self.body.int(i128::from(it), DataType::BOOL),
                };
                self.replaced.push((*occurrence, with));
            }
            FixEdit::Bind { name, value, before, replaces } => {
                if self.bound.insert(name.clone()) {
                    self.bind(name, *value, *before, replaces);
                }
            }
            FixEdit::Fill { buffer, with, before } => self.fill(*buffer, *with, *before),
            FixEdit::Assume { value, divisor, before } => {
                self.assume(*value, *divisor, *before);
            }
            FixEdit::AddNoalias => {
                let key = ir::noalias_key(self.body.dialect);
                self.body.attrs.retain(|(it, _)| &**it != key);
                self.body.attrs.push((key.into(), Attr::Bool(true)));
            }
        }
    }

    fn bind(&mut self, name: &str, value: OccurrenceId, before: OpId, replaces: &[OccurrenceId]) {
        let value = self.occurrences[value].expr;
        let parent = self.body.ops[before].parent;
        let op = self.body.ops.push(Operation {
            kind: OpKind::Bind,
            operands: [value].into_iter().collect(),
            results: Default::default(),
            regions: Default::default(),
            successors: Default::default(),
            attrs: Body::no_attrs(),
            parent,
        });
        let name = self.body.intern(name);
        let ty = self.body.ty(value);
        let kind = ValueKind::Result(op, 0);
        let variable = self.body.values.push(Value { name, ty, kind, is_size: false });
        self.body.ops[op].results.push(variable);
        let use_of_it = self.body.make(ExprKind::Value(variable), ty);
        self.replaced.extend(replaces.iter().map(|&it| (it, use_of_it)));
        self.before.entry(before).or_default().push(op);
    }

    fn fill(&mut self, buffer: BufferId, with: Start, before: OpId) {
        let body = &mut self.body;
        let dtype = body.buffers[buffer].dtype;
        let tile = body.make(ExprKind::Buffer(buffer), DataType::HANDLE.into());
        let value = match with {
            Start::Zero => body.int(0, DataType::INT32),
            Start::Lowest => body.float(f64::NEG_INFINITY, dtype),
            Start::Highest => body.float(f64::INFINITY, dtype),
        };
        let callee = Callee::Intrinsic(body.intern(FILL), Intrinsic::of_name(FILL));
        let call =
            body.call(callee, &[tile, value], Body::no_attrs(), DataType::HANDLE.into(), true);
        self.evaluate(call, before);
    }

    fn assume(&mut self, value: ValueId, divisor: i64, before: OpId) {
        let body = &mut self.body;
        let ir::Type::Prim(dtype) = body.values[value].ty else { return };
        let value = body.value_expr(value);
        let divisor = body.int(i128::from(divisor), dtype);
        let rest = body.binary(BinaryOp::FloorMod, value, divisor);
        let zero = body.int(0, dtype);
        let fact = body.binary(BinaryOp::Eq, rest, zero);
        let callee = Callee::Intrinsic(body.intern(ASSUME), Intrinsic::Assume);
        let call = body.call(callee, &[fact], Body::no_attrs(), DataType::BOOL.into(), true);
        self.evaluate(call, before);
    }

    /// A call as a statement before an operation.
    fn evaluate(&mut self, call: ExprId, before: OpId) {
        let body = &mut self.body;
        let op = body.ops.push(Operation {
            kind: OpKind::Evaluate,
            operands: [call].into_iter().collect(),
            results: Default::default(),
            regions: Default::default(),
            successors: Default::default(),
            attrs: Body::no_attrs(),
            parent: body.ops[before].parent,
        });
        self.before.entry(before).or_default().push(op);
    }

    fn finish(mut self) -> Body {
        replace(&mut self.body, self.occurrences, &mut self.replaced);
        let changes_lists =
            !(self.removed.is_empty() && self.opened.is_empty() && self.before.is_empty());
        if changes_lists {
            self.lists();
        }
        self.body
    }

    /// Rebuilds the lists of operations.
    fn lists(&mut self) {
        let blocks: Vec<_> = self.body.blocks.ids().collect();
        for block in blocks {
            let old = std::mem::take(&mut self.body.blocks[block].ops);
            let was_empty = old.is_empty();
            let mut new = Vec::with_capacity(old.len());
            let mut left: Vec<OpId> = old.into_iter().rev().collect();
            while let Some(op) = left.pop() {
                if self.removed.contains(&op) {
                    continue;
                }
                if let Some(&region) = self.opened.get(&op) {
                    let inner = self.body.regions[region].blocks.first().copied();
                    let inner = inner.map(|it| std::mem::take(&mut self.body.blocks[it].ops));
                    left.extend(inner.into_iter().flatten().rev());
                    continue;
                }
                new.extend(self.before.remove(&op).into_iter().flatten());
                self.body.ops[op].parent = block;
                new.push(op);
            }
            if new.is_empty() && !was_empty {
                let zero = self.body.int(0, DataType::INT32);
                let op = self.body.push_op(block, OpKind::Evaluate, &[zero]);
                new = std::mem::take(&mut self.body.blocks[block].ops);
                debug_assert_eq!(new, [op]);
            }
            self.body.blocks[block].ops = new;
        }
    }
}
