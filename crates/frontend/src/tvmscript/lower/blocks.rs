//! Schedulable blocks: axes, predicate, regions, `T.init()`.
//!
//! A block's operation comes before its contents, but its operands (the bindings of its axes) are written inside: they
//! are kept with the open block and given to the operation when the block ends.

use ir::{
    AttrDict, DataType, ExprId, IterKind, IterVar, OpId, OpKind, SBlock, SBlockId, Type, ValueId,
    arena::Id as _,
};

use super::{
    Lowerer, R,
    arguments::Args,
    loops::names_of,
    source_tree::At,
    value::{Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, ItemNode, Run},
    diagnostics,
    source_map::DefinitionKind,
};

/// A block that is being read.
#[derive(Debug)]
pub(super) struct OpenBlock {
    op: OpId,
    id: SBlockId,
    bindings: Vec<Tx>,
    predicate: Option<Tx>,
    attrs: AttrDict,
    has_init: bool,
}

impl Lowerer<'_, '_, '_> {
    pub(super) fn sblock(
        &mut self,
        item: &ItemNode,
        args: &Args<'_>,
        rest: &[ItemNode],
        body: Run,
    ) -> R<()> {
        let name = match args.get("name") {
            Some(name) => {
                let ev = self.eval(name)?;
                match self.const_str(&ev.val) {
                    Some(name) => name,
                    None => return Err(self.malformed(name, "the name of a block is a string")),
                }
            }
            None => String::new(),
        };
        if !rest.is_empty() || item.target.is_some() {
            return Err(
                self.malformed(item.context, "a block stands alone in its `with`, without `as`")
            );
        }
        let name = self.s.body.intern(&name);
        let id = self.s.body.sblocks.push(SBlock {
            name,
            iter_vars: Vec::new(),
            has_predicate: false,
            reads: None,
            writes: None,
        });
        let op = self.emit(OpKind::SBlock(id), &[]);
        self.s.blocks.push(OpenBlock {
            op,
            id,
            bindings: Vec::new(),
            predicate: None,
            attrs: AttrDict::new(),
            has_init: false,
        });
        self.in_region(op, |this| this.suite_or_pass(body));
        if let Some(open) = self.s.blocks.pop() {
            self.close_block(open);
        }
        Ok(())
    }

    fn close_block(&mut self, open: OpenBlock) {
        let mut operands = open.bindings;
        operands.extend(open.predicate);
        self.set_operands(open.op, &operands);
        self.s.body.sblocks[open.id].has_predicate = open.predicate.is_some();
        if !open.attrs.is_empty() {
            self.s.body.ops[open.op].attrs = self.s.body.attr_dict(open.attrs);
        }
    }

    /// The innermost open block.
    fn open_block(&mut self, ex: Ex) -> R<usize> {
        match self.s.blocks.len().checked_sub(1) {
            Some(index) => Ok(index),
            None => Err(self.malformed(ex, "this stands only in a block")),
        }
    }

    /// `vi = T.axis.spatial(16, i)`
    pub(super) fn axis(
        &mut self,
        name: &str,
        target: Ex,
        ex: Ex,
        form: &str,
        args: &Args<'_>,
    ) -> R<()> {
        let (Some(domain), Some(binding)) = (args.get("dom"), args.get("binding")) else {
            return Err(self.malformed(ex, "an axis takes a domain and a value"));
        };
        let (min, extent) = self.domain(domain)?;
        let binding = self.expr(binding)?;
        let kind = match form {
            "axis.spatial" | "axis.S" => IterKind::Spatial,
            "axis.reduce" | "axis.R" => IterKind::Reduce,
            "axis.scan" => IterKind::Scan,
            _ => IterKind::Opaque,
        };
        self.new_axis(name, target, ex, kind, (min, extent), binding)
    }

    fn domain(&mut self, ex: Ex) -> R<(Tx, Tx)> {
        let ev = self.eval(ex)?;
        let range = self.range(ex);
        let at = At { range, is_real: false };
        match self.items(&ev) {
            Some(items) => {
                let [min, end] = &items[..] else {
                    return Err(self.malformed(ex, "a domain is an extent or a pair of bounds"));
                };
                let (min, end) = (self.lift(min)?, self.lift(end)?);
                let (min, end) = self.promote(min, end)?;
                let extent = self.difference(end, min, at)?;
                Ok((min, extent))
            }
            None => {
                let extent = self.lift(&ev)?;
                let dtype = self.dtype(extent).unwrap_or(DataType::INT32);
                Ok((self.int(0, dtype, at), extent))
            }
        }
    }

    fn new_axis(
        &mut self,
        name: &str,
        target: Ex,
        ex: Ex,
        kind: IterKind,
        (min, extent): (Tx, Tx),
        binding: Tx,
    ) -> R<()> {
        let value = self.axis_value(name, ex, kind, (min, extent), binding)?;
        self.define_value(name, target, DefinitionKind::Index, value);
        Ok(())
    }

    fn axis_value(
        &mut self,
        name: &str,
        ex: Ex,
        kind: IterKind,
        (min, extent): (Tx, Tx),
        binding: Tx,
    ) -> R<ir::ValueId> {
        let index = self.open_block(ex)?;
        let ty: Type = self.ty(extent);
        let op = self.s.blocks[index].op;
        let Some(&region) = self.s.body.ops[op].regions.first() else {
            return Err(self.malformed(ex, "this stands only in a block"));
        };
        let block = self.s.body.entry(region);
        let value = self.s.body.new_block_arg(block, name, ty);
        let axis = IterVar { value, kind, dom_min: min.id, dom_extent: extent.id };
        let id = self.s.blocks[index].id;
        self.s.body.sblocks[id].iter_vars.push(axis);
        self.s.blocks[index].bindings.push(binding);
        Ok(value)
    }

    /// `vi, vj = T.axis.remap("SR", [i, j])`
    pub(super) fn remap(&mut self, targets: &[Ex], ex: Ex, args: &Args<'_>) -> R<()> {
        let (Some(kinds), Some(bindings)) = (args.get("kinds"), args.get("bindings")) else {
            return Err(self.malformed(ex, "T.axis.remap takes kinds and loop variables"));
        };
        let kinds_ev = self.eval(kinds)?;
        let Some(kinds_text) = self.const_str(&kinds_ev.val) else {
            return Err(self.malformed(kinds, "the kinds are a string such as \"SR\""));
        };
        let bindings = self.shape(bindings)?;
        let kinds: Vec<char> = kinds_text.chars().collect();
        let is_starred = targets.iter().any(|&it| matches!(self.ast.kind(it), ExKind::Star(_)));
        let names = names_of(self.ast, targets, bindings.len(), is_starred);
        let is_fitting =
            kinds.len() == bindings.len() && (names.is_some() || bindings.len() == targets.len());
        if !is_fitting {
            let message = format!(
                "{} names, {} kinds and {} loop variables",
                targets.len(),
                kinds.len(),
                bindings.len()
            );
            return Err(self.malformed(ex, message));
        }
        let Some(names) = names else {
            let target = targets.first().copied().unwrap_or(ex);
            return Err(self.malformed(target, "one name an axis"));
        };
        let mut axes = kinds.into_iter().zip(bindings);
        for (name, target, count) in names {
            let Some(count) = count else {
                if let Some((kind, binding)) = axes.next() {
                    let value = self.remapped(name, ex, kind, binding)?;
                    self.define_value(name, target, DefinitionKind::Index, value);
                }
                continue;
            };
            // One name for several axes, each called by the text that means it.
            let mut all = Vec::with_capacity(count);
            for (index, (kind, binding)) in axes.by_ref().take(count).enumerate() {
                let value = self.remapped(&format!("{name}[{index}]"), ex, kind, binding)?;
                all.push(Val::Expr(self.s.body.value_expr(value)));
            }
            let all = Val::Seq(all.into_iter().collect());
            self.define_at(name, target, DefinitionKind::Meta, all);
        }
        Ok(())
    }

    /// An axis over the range of a loop variable.
    fn remapped(&mut self, name: &str, ex: Ex, kind: char, binding: Tx) -> R<ir::ValueId> {
        let kind = match kind {
            'S' => IterKind::Spatial,
            'R' => IterKind::Reduce,
            _ => return Err(self.malformed(ex, "the kinds are S and R")),
        };
        let domain = match self.kind(binding) {
            ir::ExprKind::Value(value) => self.s.loop_domains.get(&value).copied(),
            _ => None,
        };
        let Some((min, extent)) = domain else {
            let range = self.tx_range(binding);
            let message = "only loop variables can be remapped";
            return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
        };
        let (min, extent) = (Tx { id: min, src: binding.src }, Tx { id: extent, src: binding.src });
        self.axis_value(name, ex, kind, (min, extent), binding)
    }

    /// `T.where(p)`
    pub(super) fn block_predicate(&mut self, ex: Ex, args: &Args<'_>) -> R<()> {
        let Some(predicate) = args.get("predicate") else {
            return Err(self.malformed(ex, "T.where takes a predicate"));
        };
        let mut predicate = self.expr(predicate)?;
        let is_known = self.ty(predicate) != Type::Unknown;
        if is_known && !self.dtype(predicate).is_some_and(|it| it.is_bool()) {
            // TVM takes 0 and 1 for bools, and no other number.
            let value = self.const_int(predicate).filter(|it| matches!(it, 0 | 1));
            let Some(value) = value else {
                return Err(self.malformed(ex, "T.where takes a bool"));
            };
            let at = At { range: self.tx_range(predicate), is_real: false };
            predicate = self.int(i128::from(value), DataType::BOOL, at);
        }
        let index = self.open_block(ex)?;
        self.s.blocks[index].predicate = Some(predicate);
        Ok(())
    }

    /// `T.reads(...)`, `T.writes(...)`
    pub(super) fn block_regions(&mut self, ex: Ex, is_reads: bool, args: &Args<'_>) -> R<()> {
        let mut regions = Vec::with_capacity(args.positional.len());
        for ev in self.eval_items(&args.positional)? {
            // `T.reads([A[...], B[...]])`
            let items = match ev.val {
                Val::Seq(_) => self.items(&ev).unwrap_or_default(),
                _ => vec![ev],
            };
            for item in &items {
                match self.buffer_region(item) {
                    Some(region) => regions.push(region),
                    None => return Err(self.malformed(ex, "a part of a buffer is needed")),
                }
            }
        }
        let index = self.open_block(ex)?;
        let block = &mut self.s.body.sblocks[self.s.blocks[index].id];
        *(if is_reads { &mut block.reads } else { &mut block.writes }) = Some(regions);
        Ok(())
    }

    /// `T.sblock_attr({...})`
    pub(super) fn block_attr(&mut self, ex: Ex, dict: Ex) -> R<()> {
        let attrs = self.attr_dict(dict);
        let Some(open) = self.s.blocks.last_mut() else {
            return Err(self.malformed(ex, "this stands only in a block"));
        };
        open.attrs.extend(attrs);
        Ok(())
    }

    /// `with T.init():`
    pub(super) fn init(&mut self, ex: Ex, rest: &[ItemNode], body: Run) -> R<()> {
        let index = self.open_block(ex)?;
        if self.s.blocks[index].has_init || !rest.is_empty() {
            return Err(self.malformed(ex, "a block has one `T.init()`, alone in its `with`"));
        }
        self.s.blocks[index].has_init = true;
        let op = self.s.blocks[index].op;
        let later = self.defined_in(op);
        let first = self.s.body.ops.len();
        self.in_region(op, |this| this.suite_or_pass(body));
        match self.first_use(first, &later) {
            Some(value) => {
                let name = self.s.body.name(self.s.body.values[value].name).to_owned();
                let what =
                    format!("`T.init()` with `{name}`, which its block defines after its start,");
                Err(self.unsupported(ex, &what))
            }
            None => Ok(()),
        }
    }

    /// The values that statements of a block have defined so far, as seen from here.
    fn defined_in(&self, op: OpId) -> Vec<ValueId> {
        let body = &self.s.body;
        let mut found = Vec::new();
        let mut at = self.s.block;
        loop {
            found.extend(body.blocks[at].ops.iter().flat_map(|&it| &body.ops[it].results).copied());
            let around = body.regions[body.blocks[at].parent].parent;
            let Some(around) = around.filter(|it| *it != op) else { return found };
            found.extend(body.blocks[at].args.iter().copied());
            at = body.ops[around].parent;
        }
    }

    /// The first of some values that operations from a number on use.
    fn first_use(&self, first: usize, values: &[ValueId]) -> Option<ValueId> {
        let body = &self.s.body;
        if values.is_empty() {
            return None;
        }
        let mut stack: Vec<ExprId> = Vec::new();
        for at in first..body.ops.len() {
            stack.extend(body.ops[OpId::new(at)].operands.iter().rev());
            while let Some(expr) = stack.pop() {
                let kind = body.expr(expr).kind;
                match kind {
                    ir::ExprKind::Value(value) if values.contains(&value) => return Some(value),
                    _ => body.each_child(kind, &mut |child| stack.push(child)),
                }
            }
        }
        None
    }
}
