//! Launches: `with T.Kernel(grid…, threads=…) as (bx, by):`, the indices of threads, warp groups.

use ir::{Attr, AttrDict, BinaryOp, DataType, ForKind, OpKind, SBlock, ValueId, arena::Id as _};

use super::super::{
    Lowerer, R,
    arguments::Args,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, ItemNode, Run},
    environment::Constant,
    source_map::DefinitionKind,
};

/// The launch that the statements which are read belong to.
pub(in super::super) struct Launch {
    blocks: Vec<ValueId>,
    threads: [ValueId; 3],
    /// How many threads a block has along each dimension; none that is not known.
    extents: [Option<i128>; 3],
    /// The notes to its compiler.
    pub(super) notes: AttrDict,
}

impl Launch {
    /// How many threads a block has along each dimension; none that is not known.
    pub(super) fn extents(&self) -> &[Option<i128>; 3] {
        &self.extents
    }

    /// The indices of the blocks.
    pub(super) fn blocks(&self) -> &[ValueId] {
        &self.blocks
    }

    /// Returns true for the index of a block or of a thread.
    pub(super) fn is_index(&self, value: ValueId) -> bool {
        self.blocks.contains(&value) || self.threads.contains(&value)
    }
}

/// The number of threads of a block that is given none.
const THREADS: i128 = 128;

/// The threads of a warp group of NVIDIA.
const WARP_GROUP: i128 = 128;

/// The parameters of a launch besides the grid, of TileLang now and before.
const KEYWORDS: [&str; 4] = ["threads", "prelude", "cluster_dims", "is_cpu"];

const BLOCKS: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];

impl<'a> Lowerer<'_, '_, 'a> {
    /// Returns true if a `with` is over what makes no IR: the name of statements in a schedule.
    pub(in super::super) fn is_context_of_python(&mut self, item: &ItemNode) -> bool {
        item.target.is_none()
            && self.form_call(item.context).is_some_and(|(form, _)| &*form == "tl.ws_op")
    }

    /// A `with` over a form of TileLang.
    pub(in super::super) fn tile_scope(
        &mut self,
        item: &ItemNode,
        form: &str,
        args: &Args<'a>,
        rest: &[ItemNode],
        body: Run,
    ) -> R<()> {
        match form {
            "tl.Kernel" | "tl.ClusterKernel" => self.kernel(item, args, rest, body),
            "tl.ws" => self.warp_groups(item.context, args, rest, body),
            // Frames of TVM's builder.
            "tl.Then" | "tl.Else" | "tl.While" | "tl.For" => {
                Err(self.unsupported(item.context, "`with` over this"))
            }
            _ => {
                self.scope_call(form, args)?;
                self.with_items(rest, body)
            }
        }
    }

    /// One loop a dimension of the grid, bound to the blocks; the threads; the block of statements that holds the
    /// memory of the kernel.
    fn kernel(&mut self, item: &ItemNode, args: &Args<'a>, rest: &[ItemNode], body: Run) -> R<()> {
        let range = self.range(item.context);
        let virtually = At { range, is_real: false };
        let mut extents = Vec::new();
        for ev in self.eval_items(&args.positional)? {
            extents.push(self.lift(&ev)?);
        }
        if extents.len() > BLOCKS.len() {
            return Err(self.malformed(item.context, "a grid has at most three dimensions"));
        }
        // `T.Kernel(n, is_npu=True) as (core, half):`: compilers made of TileLang give what they add more names.
        let is_of_another = args.keywords.iter().any(|it| !KEYWORDS.contains(&it.0));
        if is_of_another && self.n_names(item).is_some_and(|it| it != extents.len()) {
            return Err(self.unsupported(item.context, "a launch of another compiler"));
        }
        let threads = self.threads(args)?;
        let mut attrs = AttrDict::new();
        let counts = threads.iter().map(|it| self.count_of(it)).collect();
        attrs.push(("tl.launch_threads".into(), Attr::List(counts)));
        for &(key, value) in args.keywords.iter().filter(|it| it.0 != "threads") {
            attrs.push((key.into(), self.attr(value)));
        }
        let mut blocks = Vec::with_capacity(extents.len());
        for (&extent, tag) in extents.iter().zip(BLOCKS) {
            let tag = self.s.body.thread_tag(tag);
            let dtype = self.dtype(extent).unwrap_or(DataType::INT32);
            let zero = self.int(0, dtype, virtually);
            let op = self.emit(OpKind::For(ForKind::ThreadBinding(tag)), &[zero, extent]);
            self.enter_region(op);
            let block = self.s.block;
            let name = ["bx", "by", "bz"][blocks.len()];
            let var = self.s.body.new_block_arg(block, name, dtype.into());
            self.s.loop_domains.insert(var, (zero.id, extent.id));
            blocks.push(var);
        }
        self.name_blocks(item, &blocks)?;
        let outside = self.expansion.replace(range);
        let threads_made = ["tx", "ty", "tz"].into_iter().enumerate().map(|(axis, name)| {
            let axis = self.int(axis as i128, DataType::INT32, virtually);
            let int32 = DataType::INT32.into();
            let index = self.call_node("tl.launch_thread_idx", &[axis], int32, virtually);
            let op = self.emit(OpKind::Bind, &[index]);
            self.s.body.push_result(op, name, int32)
        });
        let threads_made: Vec<ValueId> = threads_made.collect();
        let name = self.s.body.intern("tilelang_root");
        let iter_vars = Vec::new();
        let block = SBlock { name, iter_vars, has_predicate: false, reads: None, writes: None };
        let block = self.s.body.sblocks.push(block);
        let op = self.emit(OpKind::SBlock(block), &[]);
        self.expansion = outside;
        let zero = ValueId::new(0);
        let launch = Launch {
            blocks,
            threads: threads_made.try_into().unwrap_or([zero; 3]),
            extents: threads.map(|it| match it {
                Val::Const(Constant::Int(it)) => Some(it),
                _ => None,
            }),
            notes: AttrDict::new(),
        };
        let around = self.s.launch.replace(launch);
        let result = self.in_region(op, |this| this.with_items(rest, body));
        let launch = std::mem::replace(&mut self.s.launch, around);
        attrs.extend(launch.into_iter().flat_map(|it| it.notes));
        self.s.body.ops[op].attrs = self.s.body.attr_dict(attrs);
        result
    }

    /// The number of names behind `as`, if they are a tuple.
    fn n_names(&self, item: &ItemNode) -> Option<usize> {
        match *self.ast.kind(item.target?) {
            ExKind::Tuple(run) | ExKind::List(run) => Some(run.len()),
            _ => None,
        }
    }

    /// `threads=`: a number, or up to three of them.
    fn threads(&mut self, args: &Args<'a>) -> R<[Val; 3]> {
        let one = || Val::Const(Constant::Int(1));
        let Some(threads) = args.keyword("threads").filter(|&it| !self.is_none(it)) else {
            return Ok([Val::Const(Constant::Int(THREADS)), one(), one()]);
        };
        let ev = self.eval(threads)?;
        let Some(items) = self.items(&ev) else {
            return Ok([ev.val, one(), one()]);
        };
        let mut all = items.into_iter().map(|it| it.val);
        let mut next = || all.next().unwrap_or_else(one);
        Ok([next(), next(), next()])
    }

    /// A number of threads as data.
    fn count_of(&mut self, threads: &Val) -> Attr {
        match *threads {
            Val::Const(Constant::Int(it)) => Attr::Int(it as i64, None),
            Val::Expr(id) => Attr::Expr(id),
            Val::Unknown(value) => Attr::Expr(self.s.body.value_expr(value)),
            _ => Attr::None,
        }
    }

    /// Gives the indices of the blocks the names behind `as`.
    fn name_blocks(&mut self, item: &ItemNode, blocks: &[ValueId]) -> R<()> {
        let ast = self.ast;
        let Some(target) = item.target else {
            let range = match *ast.kind(item.context) {
                ExKind::Call { callee, .. } => self.range(callee),
                _ => self.range(item.context),
            };
            self.s.nameless.extend(blocks.iter().map(|&it| (it, range)));
            return Ok(());
        };
        match *ast.kind(target) {
            ExKind::Tuple(run) | ExKind::List(run) if run.len() == blocks.len() => {
                for (&target, &block) in ast.exs(run).iter().zip(blocks) {
                    let ExKind::Name(name) = *ast.kind(target) else {
                        return Err(self.malformed(target, "one name is needed here"));
                    };
                    self.name_block(name, target, block);
                }
                Ok(())
            }
            ExKind::Name(name) => {
                match *blocks {
                    [block] => self.name_block(name, target, block),
                    _ => {
                        let all = blocks.iter().map(|&it| Val::Expr(self.s.body.value_expr(it)));
                        let all = Val::Seq(all.collect());
                        self.define_at(name, target, DefinitionKind::Meta, all);
                    }
                }
                Ok(())
            }
            ExKind::Tuple(run) => {
                let message = format!("{} names for a grid of {}", run.len(), blocks.len());
                Err(self.malformed(target, message))
            }
            _ => Err(self.malformed(target, "a name is needed here")),
        }
    }

    fn name_block(&mut self, name: &str, target: Ex, block: ValueId) {
        self.s.body.values[block].name = self.s.body.intern(name);
        self.define_value(name, target, DefinitionKind::Index, block);
    }

    /// The dimension of a launch that is asked for; none that is not known.
    pub(super) fn asked_dimension(&mut self, args: &Args<'_>) -> R<Option<usize>> {
        let Some(dim) = args.get("dim") else { return Ok(Some(0)) };
        Ok(match self.eval(dim)?.val {
            Val::Const(Constant::Int(it)) => Some(usize::try_from(it).unwrap_or(usize::MAX)),
            _ => None,
        })
    }

    /// `T.get_thread_binding(0)` and its kin.
    pub(super) fn launch_value(&mut self, ex: Ex, name: &str, args: &Args<'a>) -> R<Option<Ev>> {
        let all: Vec<ValueId> = match (name, &self.s.launch) {
            ("get_thread_binding" | "get_thread_bindings", Some(it)) => it.threads.into(),
            ("get_block_binding" | "get_block_bindings", Some(it)) => it.blocks.clone(),
            _ => return Ok(None),
        };
        let src = self.leaf(ex);
        let val = |this: &mut Self, it: ValueId| Val::Expr(this.s.body.value_expr(it));
        if name.ends_with('s') {
            let all = all.into_iter().map(|it| val(self, it)).collect::<Vec<_>>();
            return Ok(Some(Ev { val: Val::Seq(all.into_iter().collect()), src }));
        }
        let Some(at) = self.asked_dimension(args)? else { return Ok(None) };
        match all.get(at) {
            Some(&it) => Ok(Some(Ev { val: val(self, it), src })),
            None => Err(self.malformed(ex, format!("there is no dimension {at} here"))),
        }
    }

    /// `with T.ws(0, 1):`: the `if` that TileLang makes of it. It has no text of its own.
    fn warp_groups(&mut self, ex: Ex, args: &Args<'a>, rest: &[ItemNode], body: Run) -> R<()> {
        let range = self.range(ex);
        let at = At { range, is_real: false };
        let Some(launch) = &self.s.launch else {
            return Err(self.malformed(ex, "there are no threads here"));
        };
        let (tx, extents) = (launch.threads[0], launch.extents);
        let is_one_dimensional = extents[1..].iter().all(|it| *it == Some(1));
        let mut groups = Vec::new();
        for ev in self.eval_items(&args.positional)? {
            groups.push(match ev.val {
                Val::Const(Constant::Int(it)) => it,
                _ => {
                    return self
                        .scope_call("tl.ws", args)
                        .and_then(|()| self.with_items(rest, body));
                }
            });
        }
        if groups.is_empty() || !is_one_dimensional {
            self.scope_call("tl.ws", args)?;
            return self.with_items(rest, body);
        }
        let mut condition: Option<Tx> = None;
        for group in groups {
            let index = |this: &mut Self| {
                let id = this.s.body.value_expr(tx);
                this.tx(id, at)
            };
            let (low, high) = (index(self), index(self));
            let first = self.int(group * WARP_GROUP, DataType::INT32, at);
            let end = self.int((group + 1) * WARP_GROUP, DataType::INT32, at);
            let low = self.node2(BinaryOp::Ge, low, first, at);
            let high = self.node2(BinaryOp::Lt, high, end, at);
            let both = self.node2(BinaryOp::And, low, high, at);
            condition = Some(match condition {
                Some(before) => self.node2(BinaryOp::Or, before, both, at),
                None => both,
            });
        }
        let Some(condition) = condition else { return Err(super::super::Reported) };
        let outside = self.expansion.replace(range);
        let op = self.emit(OpKind::If, &[condition]);
        self.expansion = outside;
        self.in_region(op, |this| {
            let outside = this.expansion.replace(range);
            let (zero, one) = (this.int(0, DataType::INT32, at), this.int(1, DataType::INT32, at));
            let key = this.s.body.intern("warp_specialize");
            let scope = this.emit(OpKind::Attr(key), &[zero, one]);
            this.expansion = outside;
            this.enter_region(scope);
            this.with_items(rest, body)
        })
    }
}
