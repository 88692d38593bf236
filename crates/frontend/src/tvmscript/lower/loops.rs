//! `for` loops: `T.grid` is one loop operation an axis with one text.

use ir::{AttrDict, BinaryOp, DataType, ForKind, OpKind, Type};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    arguments::Args,
    source_tree::At,
    value::{Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ast, Ex, ExKind, Run},
    environment::Constant,
    source_map::DefinitionKind,
};

/// One axis of a loop.
pub(super) struct Axis {
    pub(super) kind: ForKind,
    min: Tx,
    extent: Tx,
    step: Option<Tx>,
    /// The first value and the step of a name that is worked out of the loop's variable, which counts from zero.
    counted: Option<(Tx, Tx)>,
    pub(super) attrs: AttrDict,
}

impl<'a> Lowerer<'_, '_, 'a> {
    pub(super) fn for_statement(&mut self, target: Ex, iterable: Ex, body: Run) -> R<()> {
        let ast = self.ast;
        let Some((form, args)) = self.form_call(iterable) else {
            // What Python decides about the kind of loop is not told as a form that is not known.
            self.eval(iterable)?;
            return Err(self.unsupported(iterable, "a loop over this"));
        };
        self.check_form(&form, &args)?;
        if &*form == "tl.Persistent" {
            return self.persistent(target, iterable, &args, body);
        }
        let one = [target];
        let targets: &[Ex] = match *ast.kind(target) {
            ExKind::Tuple(run) | ExKind::List(run) => ast.exs(run),
            _ => &one,
        };
        let is_grid = matches!(&*form, "grid" | "tl.Parallel");
        let axes = match &*form {
            "grid" => self.grid_axes(iterable, &args, targets)?,
            form => match self.tile_axes(iterable, form, &args, targets)? {
                Some(axes) => axes,
                None => vec![self.axis_of(iterable, form, &args)?],
            },
        };
        let names = self.loop_names(target, targets, axes.len(), is_grid)?;
        let outer = self.s.block;
        self.s.scopes.push_frame();
        let mut axes = axes.into_iter();
        for (name, target, count) in names {
            match count {
                None => {
                    if let Some(axis) = axes.next() {
                        self.open_named_loop(axis, name, target)?;
                    }
                }
                // One name for the variables of several loops, each called by the text that means it.
                Some(count) => {
                    let mut all = Vec::with_capacity(count);
                    for (index, axis) in axes.by_ref().take(count).enumerate() {
                        let var = self.open_loop(axis, &format!("{name}[{index}]"));
                        all.push(Val::Expr(self.s.body.value_expr(var)));
                    }
                    self.define_at(
                        name,
                        target,
                        DefinitionKind::Meta,
                        Val::Seq(all.into_iter().collect()),
                    );
                }
            }
        }
        self.suite_or_pass(body);
        self.leave_frame();
        self.s.block = outer;
        Ok(())
    }

    /// `tx = T.thread_binding(0, 32, thread="threadIdx.x")`: the loop over threads that holds the rest of the list.
    pub(super) fn bound_thread(
        &mut self,
        name: &str,
        target: Ex,
        ex: Ex,
        args: &Args<'_>,
    ) -> R<()> {
        let axis = self.axis_of(ex, "thread_binding", args)?;
        let var = self.open_loop(axis, name);
        self.define_value(name, target, DefinitionKind::Index, var);
        Ok(())
    }

    /// The names of a loop's target, or what is wrong with them.
    pub(super) fn loop_names(
        &mut self,
        target: Ex,
        targets: &[Ex],
        n_loops: usize,
        is_grid: bool,
    ) -> R<SmallVec<[LoopName<'a>; 4]>> {
        let ast = self.ast;
        match names_of(ast, targets, n_loops, is_grid) {
            Some(names) => Ok(names),
            None if targets.iter().all(|&it| matches!(ast.kind(it), ExKind::Name(_))) => {
                let message = format!("{} loop variables for {n_loops} loops", targets.len());
                Err(self.malformed(target, message))
            }
            None => Err(self.malformed(target, "a loop variable is a name")),
        }
    }

    /// Opens a loop and gives its variable a name, or the value that is worked out of it.
    fn open_named_loop(&mut self, axis: Axis, name: &str, target: Ex) -> R<()> {
        let Some((first, step)) = axis.counted else {
            let var = self.open_loop(axis, name);
            self.define_value(name, target, DefinitionKind::Index, var);
            return Ok(());
        };
        let at = At { range: self.range(target), is_real: false };
        let outside = self.expansion.replace(at.range);
        let var = self.open_loop(axis, "_tmp");
        let count = self.s.body.value_expr(var);
        let count = self.tx(count, at);
        let again = |this: &mut Self, it: Tx| Tx { id: it.id, src: this.s.sources.leaf(at) };
        let (first, step) = (again(self, first), again(self, step));
        let product = self.arithmetic(BinaryOp::Mul, count, step, at);
        let value = product.and_then(|it| self.arithmetic(BinaryOp::Add, first, it, at));
        let result = value.map(|value| {
            let ty = self.ty(value);
            let op = self.emit(OpKind::Bind, &[value]);
            self.s.body.push_result(op, name, ty)
        });
        self.expansion = outside;
        let result = result?;
        self.define_value(name, target, DefinitionKind::Index, result);
        Ok(())
    }

    fn open_loop(&mut self, axis: Axis, name: &str) -> ir::ValueId {
        let ty = self.ty(axis.min);
        let mut operands: SmallVec<[Tx; 3]> = SmallVec::new();
        operands.push(axis.min);
        operands.push(axis.extent);
        operands.extend(axis.step);
        let op = self.emit(OpKind::For(axis.kind), &operands);
        if !axis.attrs.is_empty() {
            self.s.body.ops[op].attrs = self.s.body.attr_dict(axis.attrs);
        }
        let region = self.s.body.push_region(op);
        let block = self.s.body.entry(region);
        self.s.block = block;
        let var = self.s.body.new_block_arg(block, name, ty);
        self.s.loop_domains.insert(var, (axis.min.id, axis.extent.id));
        var
    }

    pub(super) fn grid_axes(&mut self, ex: Ex, args: &Args<'_>, targets: &[Ex]) -> R<Vec<Axis>> {
        let mut axes = Vec::with_capacity(args.positional.len());
        for ev in self.extents_of_grid(args, targets)? {
            let (min, extent) = match self.items(&ev).as_deref() {
                // The second of a pair is the extent, not the end.
                Some([min, extent]) => {
                    let (min, extent) = (self.lift(min)?, self.lift(extent)?);
                    self.promote(min, extent)?
                }
                _ => {
                    let extent = self.lift(&ev)?;
                    self.bounds(None, extent)?
                }
            };
            let (min, extent) = self.bounds_as(args, min, extent)?;
            axes.push(Axis {
                kind: ForKind::Serial,
                min,
                extent,
                step: None,
                counted: None,
                attrs: AttrDict::new(),
            });
        }
        if axes.is_empty() {
            return Err(self.malformed(ex, "T.grid takes at least one extent"));
        }
        Ok(axes)
    }

    /// The extents of a grid. A captured sequence after a `*` has as many items as there are names for them.
    fn extents_of_grid(&mut self, args: &Args<'_>, targets: &[Ex]) -> R<Vec<Ev>> {
        let ast = self.ast;
        let mut all = Vec::with_capacity(args.positional.len());
        let has_rest = targets.iter().any(|&it| matches!(ast.kind(it), ExKind::Star(_)));
        let wanted = (targets.len() + 1).checked_sub(args.positional.len());
        for &arg in &args.positional {
            match (ast.kind(arg), wanted) {
                (&ExKind::Star(inner), Some(count)) if !has_rest && targets.len() > 1 => {
                    let ev = self.eval(inner)?;
                    match self.captured_items(inner, &ev, count) {
                        Some(items) => all.extend(items),
                        None => all.extend(self.spread(inner)?),
                    }
                }
                _ => all.extend(self.eval_items(&[arg])?),
            }
        }
        Ok(all)
    }

    fn axis_of(&mut self, ex: Ex, form: &str, args: &Args<'_>) -> R<Axis> {
        let thread = args.get("thread").filter(|&it| !self.is_none(it));
        let kind = match form {
            "range" | "serial" => ForKind::Serial,
            "parallel" => ForKind::Parallel,
            "vectorized" => ForKind::Vectorized,
            "unroll" => ForKind::Unrolled,
            // TVM takes the second argument for the thread where there is no third.
            "thread_binding" => match thread.or_else(|| args.get("stop")) {
                Some(tag) => ForKind::ThreadBinding(self.thread_tag(tag)?),
                None => return Err(self.malformed(ex, "T.thread_binding takes `thread=`")),
            },
            _ => return Err(self.unsupported(ex, "a loop over this")),
        };
        self.axis_by(ex, kind, args)
    }

    /// A loop of a kind, by the bounds that its arguments give.
    pub(super) fn axis_by(&mut self, ex: Ex, kind: ForKind, args: &Args<'_>) -> R<Axis> {
        let thread = args.get("thread").filter(|&it| !self.is_none(it));
        let is_tag = matches!(kind, ForKind::ThreadBinding(_)) && thread.is_none();
        let stop = args.get("stop").filter(|&it| !(self.is_none(it) || is_tag));
        let Some(start) = args.get("start") else {
            return Err(self.malformed(ex, "the loop has no extent"));
        };
        let (min, end) = match stop {
            Some(stop) => (Some(self.expr(start)?), self.expr(stop)?),
            None => (None, self.expr(start)?),
        };
        let (min, extent) = self.bounds(min, end)?;
        let (min, extent) = self.bounds_as(args, min, extent)?;
        let step = match args.get("step").filter(|&it| !self.is_none(it)) {
            Some(step) => {
                let step = self.expr(step)?;
                let dtype = self.dtype(min);
                let step = match dtype {
                    Some(dtype) => self.cast_to(step, dtype)?,
                    None => step,
                };
                // A step of one is no step.
                Some(step).filter(|&it| self.const_int(it) != Some(1))
            }
            None => None,
        };
        let attrs = self.loop_attrs(args)?;
        match step {
            // A step of zero is kept for the rule that tells it.
            Some(step) if self.is_tile_source() && self.const_int(step) != Some(0) => {
                self.counted_axis(kind, min, extent, step, attrs)
            }
            step => Ok(Axis { kind, min, extent, step, counted: None, attrs }),
        }
    }

    /// A loop with a step as TileLang makes it: over the number of the iteration, of which the value is worked out. It
    /// may count down.
    fn counted_axis(
        &mut self,
        kind: ForKind,
        min: Tx,
        extent: Tx,
        step: Tx,
        attrs: AttrDict,
    ) -> R<Axis> {
        let at = At { range: self.tx_range(extent), is_real: false };
        let again = Tx { id: step.id, src: self.s.sources.again(step.src) };
        let dtype = self.dtype(step).unwrap_or(DataType::INT32);
        let minus_one = self.int(-1, dtype, at);
        let (extent, size) = match self.const_int(step) {
            Some(by) if by < 0 => {
                let down = self.arithmetic(BinaryOp::Mul, extent, minus_one, at)?;
                (down, self.int(-i128::from(by), dtype, at))
            }
            _ => (extent, step),
        };
        let count = self.ceildiv_of(extent, size, at)?;
        let zero = self.int(0, self.dtype(count).unwrap_or(DataType::INT32), at);
        let counted = Some((min, again));
        Ok(Axis { kind, min: zero, extent: count, step: None, counted, attrs })
    }

    /// The bounds of a loop in the type that `dtype=` gives its variable.
    fn bounds_as(&mut self, args: &Args<'_>, min: Tx, extent: Tx) -> R<(Tx, Tx)> {
        let Some(dtype) = args.keyword("dtype").filter(|&it| !self.is_none(it)) else {
            return Ok((min, extent));
        };
        match self.type_of(dtype)? {
            Type::Prim(dtype) => Ok((self.cast_to(min, dtype)?, self.cast_to(extent, dtype)?)),
            _ => Err(self.malformed(dtype, "a data type is needed here")),
        }
    }

    fn thread_tag(&mut self, ex: Ex) -> R<ir::ThreadTag> {
        let ev = self.eval(ex)?;
        match self.const_str(&ev.val) {
            Some(tag) => Ok(self.s.body.thread_tag(&tag)),
            None => Err(self.malformed(ex, "a thread tag such as \"threadIdx.x\" is needed")),
        }
    }

    /// `annotations={...}`, `unroll=`
    pub(super) fn loop_attrs(&mut self, args: &Args<'_>) -> R<AttrDict> {
        let mut attrs = match args.keyword("annotations") {
            Some(dict) if matches!(self.ast.kind(dict), ExKind::Dict(_)) => self.attr_dict(dict),
            Some(none) if self.is_none(none) => AttrDict::new(),
            Some(other) => {
                return Err(self.unsupported(other, "annotations that are no dictionary"));
            }
            None => AttrDict::new(),
        };
        if let Some(unroll) = args.keyword("unroll") {
            match self.eval(unroll)?.val {
                Val::Const(Constant::Bool(true)) => {
                    attrs.push(("pragma_unroll".into(), ir::Attr::Bool(true)))
                }
                Val::Const(Constant::Bool(false)) => {
                    attrs.push(("disable_unroll".into(), ir::Attr::Bool(true)))
                }
                Val::Const(Constant::Int(it)) => {
                    attrs.push(("pragma_unroll".into(), ir::Attr::Int(it as i64, None)));
                }
                Val::Const(Constant::None) => {}
                _ => return Err(self.unsupported(unroll, "`unroll` by this")),
            }
        }
        Ok(attrs)
    }

    /// First value and extent, of one type, from the bounds as written.
    fn bounds(&mut self, min: Option<Tx>, end: Tx) -> R<(Tx, Tx)> {
        let range = self.tx_range(end);
        let at = At { range, is_real: false };
        let Some(min) = min else {
            let dtype = self.dtype(end).unwrap_or(DataType::INT32);
            return Ok((self.int(0, dtype, at), end));
        };
        let (min, end) = self.promote(min, end)?;
        let at = At { range: self.tx_range(min).cover(range), is_real: false };
        let again = Tx { id: min.id, src: self.s.sources.again(min.src) };
        let extent = self.difference(end, again, at)?;
        let is_plain = matches!(
            self.kind(extent),
            ir::ExprKind::Binary(BinaryOp::Sub, a, b) if a == end.id && b == min.id
        );
        // What cancels out of the extent is in the text of the end as well: it cannot be replaced alone.
        let min = if is_plain || self.s.body.expr(min.id).is_leaf() {
            min
        } else {
            Tx { id: min.id, src: self.s.sources.inside(at.range) }
        };
        Ok((min, extent))
    }

    /// `end - min`, simplified like TVM's parser does for bounds: constants, and a common term that cancels.
    pub(super) fn difference(&mut self, end: Tx, min: Tx, at: At) -> R<Tx> {
        let dtype = self.dtype(end);
        if let Some(dtype) = dtype
            && let Some(value) = self.constant_difference(end, min)
        {
            return Ok(self.int(value, dtype, at));
        }
        if let ir::ExprKind::Binary(BinaryOp::Add, a, b) = self.kind(end) {
            let rest = if a == min.id {
                Some(b)
            } else if b == min.id {
                Some(a)
            } else {
                None
            };
            if let Some(rest) = rest {
                return Ok(self.tx(rest, at));
            }
        }
        if self.ty(end) == Type::Unknown || self.ty(min) == Type::Unknown {
            let kind = ir::ExprKind::Binary(BinaryOp::Sub, end.id, min.id);
            return Ok(self.make(kind, Type::Unknown, at, &[end.src, min.src]));
        }
        self.arithmetic(BinaryOp::Sub, end, min, at)
    }
}

/// A name in the target of a loop, and for how many loops it stands, if it stands for a tuple of their variables.
pub(super) type LoopName<'a> = (&'a str, Ex, Option<usize>);

/// The names of a loop's target: one a loop, or one for all (`for all in T.grid(…)`) or for some
/// (`for *some, last in …`).
pub(super) fn names_of<'a>(
    ast: &'a Ast<'_>,
    targets: &[Ex],
    n_loops: usize,
    is_grid: bool,
) -> Option<SmallVec<[LoopName<'a>; 4]>> {
    let n_starred = targets.iter().filter(|&&it| matches!(ast.kind(it), ExKind::Star(_))).count();
    let is_tuple = is_grid && targets.len() == 1 && n_loops > 1;
    if n_starred > 1 || n_starred == 1 && !is_grid {
        return None;
    }
    let n_rest = n_loops.checked_sub(targets.len() - n_starred)?;
    if n_starred == 0 && n_rest > 0 && !is_tuple {
        return None;
    }
    targets
        .iter()
        .map(|&target| match *ast.kind(target) {
            ExKind::Name(name) if is_tuple => Some((name, target, Some(n_loops))),
            ExKind::Name(name) => Some((name, target, None)),
            ExKind::Star(inner) => match *ast.kind(inner) {
                ExKind::Name(name) => Some((name, inner, Some(n_rest))),
                _ => None,
            },
            _ => None,
        })
        .collect()
}
