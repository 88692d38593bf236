//! Views of buffers: `A.view(…)`, `.local(…)`, `.permute(…)`, `.rearrange(…)`, `A.sub[…]`, `A.tile(…)[…]`; and the part
//! `A.chunk(…)[…]`.
//!
//! In: a method of a buffer with its arguments. Out: a buffer over the same memory, whose shape follows from the method
//! as TVM's `_buffer_view` has it. One without a name stands before the statement that uses it. O(arguments).

use ir::{
    AttrDict, BinaryOp, Buffer, BufferId, BufferOrigin, BufferRegion, DataType, RegionDim, Type,
};

use super::{
    Lowerer, R,
    arguments::Args,
    buffers::{BufferForm, BufferSpec},
    source_tree::At,
    value::{Dim, Ev, Tx, Val},
};
use crate::tvmscript::{
    ast::{Ex, ExKind, Run},
    environment::Constant,
};
use smallvec::SmallVec;

/// The name that TVM gives a buffer without one.
pub(super) const NAMELESS: &str = "buffer";

/// Returns true if a method makes a view.
pub(super) fn is_view(method: &str) -> bool {
    matches!(method, "view" | "local" | "permute" | "slice" | "rearrange" | "partition")
}

impl Lowerer<'_, '_, '_> {
    /// The view that an expression makes, if it is one; its buffer is nameless so far.
    pub(super) fn view_spec(&mut self, value: Ex) -> R<Option<BufferSpec>> {
        let ast = self.ast;
        match *ast.kind(value) {
            ExKind::Call { callee, args } => {
                let ExKind::Attr { base, name: method, .. } = *ast.kind(callee) else {
                    return Ok(None);
                };
                if !is_view(method) && !method.starts_with("alloc") {
                    return Ok(None);
                }
                let source = self.eval(base)?;
                let Val::Buffer(source) = source.val else { return Ok(None) };
                let args = self.args(args);
                if self.is_pool(source) && method.starts_with("alloc") {
                    return self.allocated(value, source, method, &args).map(Some);
                }
                if !is_view(method) {
                    return Ok(None);
                }
                self.view(value, source, method, &args).map(Some)
            }
            ExKind::Subscript { base, index } => {
                let (callee, args) = match *ast.kind(base) {
                    ExKind::Call { callee, args } => (callee, Some(args)),
                    _ => (base, None),
                };
                let ExKind::Attr { base, name, .. } = *ast.kind(callee) else { return Ok(None) };
                if !matches!((name, args), ("sub", None) | ("tile", Some(_))) {
                    return Ok(None);
                }
                let source = self.eval(base)?;
                let Val::Buffer(source) = source.val else { return Ok(None) };
                match args {
                    None => self.part(value, source, index).map(Some),
                    Some(args) => {
                        let args = self.args(args);
                        self.tiled(value, source, &args, index).map(Some)
                    }
                }
            }
            _ => Ok(None),
        }
    }

    /// A view that has no name.
    pub(super) fn nameless(&mut self, ex: Ex, spec: BufferSpec) -> Ev {
        let (buffer, _) = self.new_buffer(NAMELESS, BufferForm::Decl, spec);
        let src = self.leaf(ex);
        Ev { val: Val::Buffer(buffer), src }
    }

    /// `A.view(...)`, `.local(...)`, `.permute(...)`
    pub(super) fn view(
        &mut self,
        ex: Ex,
        source: BufferId,
        method: &str,
        args: &Args<'_>,
    ) -> R<BufferSpec> {
        let data = self.s.body.buffers[source].clone();
        let (items, has_open) = self.items_of_view(&args.positional)?;
        let mut is_open = has_open || self.s.body.has_unknown_rank(source) && items.is_empty();
        let mut dtype = data.dtype;
        let mut is_plain = args.keywords.is_empty() && method == "view" && !has_open;
        let mut dims = Vec::new();
        if let [one] = &items[..]
            && !has_open
            && self.is_captured(&one.val)
        {
            // An extent, all of them, or the type of the elements.
            let text = self.text(self.ast.range(ex));
            let value = self.captured_text(&format!("{text}.dtype"));
            dtype = self.s.body.dtype_symbol(value).unwrap_or(dtype);
            (is_open, is_plain) = (true, false);
        }
        for ev in &items {
            match self.type_in(&ev.val) {
                Some(it) => {
                    dtype = it;
                    is_plain = false;
                }
                None => match self.items(ev) {
                    Some(inner) => {
                        dims.extend(inner);
                        is_plain = false;
                    }
                    None => dims.push(ev.clone()),
                },
            }
        }
        let shape = match method {
            "view" if dims.is_empty() => self.cast_shape(ex, &data, dtype)?,
            "view" => self.viewed_shape(ex, &data, &dims)?,
            "local" if dims.is_empty() => vec![self.unknown_extent(ex)],
            "local" => dims.iter().map(|it| self.lift(it)).collect::<R<_>>()?,
            "permute" => self.permuted_shape(ex, &data, &dims)?,
            "rearrange" => self.rearranged_shape(ex, &data, &items, args)?,
            _ => self.own_shape(ex, &data),
        };
        is_plain &= !dims.iter().any(|it| matches!(it.val, Val::Const(Constant::Int(-1))));
        let mut attrs = AttrDict::new();
        if !is_plain {
            let mut written = Vec::with_capacity(items.len());
            let is_spread = items.len() != args.positional.len();
            for (index, ev) in items.iter().enumerate() {
                written.push(match args.positional.get(index) {
                    Some(&arg) if !is_spread => self.attr(arg),
                    _ => self.attr_of(ev)?,
                });
            }
            attrs.push(("args".into(), ir::Attr::List(written)));
            attrs.extend(self.keyword_attrs(&args.keywords));
        }
        if is_open {
            attrs.push((ir::UNKNOWN_SHAPE.into(), ir::Attr::None));
        }
        Ok(self.view_of(source, method, dtype, shape, attrs))
    }

    /// A view that a method of a buffer or pool makes.
    pub(super) fn view_of(
        &mut self,
        source: BufferId,
        method: &str,
        dtype: DataType,
        shape: Vec<Tx>,
        attrs: AttrDict,
    ) -> BufferSpec {
        let method = self.s.body.intern(method);
        let Buffer { name, scope, .. } = self.s.body.buffers[source];
        let buffer = Buffer {
            name,
            dtype,
            shape: shape.iter().map(|it| it.id).collect(),
            strides: None,
            elem_offset: None,
            scope,
            origin: BufferOrigin::View { source, method },
            attrs: self.s.body.attr_dict(attrs),
        };
        BufferSpec { buffer, operands: shape }
    }

    /// The arguments of a view, and true if one is a captured value after a `*`, which may be any number of them.
    fn items_of_view(&mut self, args: &[Ex]) -> R<(Vec<Ev>, bool)> {
        let mut items = Vec::with_capacity(args.len());
        let mut has_open = false;
        for &arg in args {
            if let ExKind::Star(inner) = *self.ast.kind(arg) {
                let ev = self.eval(inner)?;
                if self.is_captured(&ev.val) {
                    has_open = true;
                    items.push(ev);
                    continue;
                }
            }
            items.extend(self.eval_items(&[arg])?);
        }
        Ok((items, has_open))
    }

    /// The type that an argument of a view names.
    fn type_in(&self, val: &Val) -> Option<DataType> {
        match val {
            Val::Type(Type::Prim(it)) => Some(*it),
            Val::Const(Constant::Str(text)) => DataType::parse(text),
            _ => None,
        }
    }

    fn own_shape(&mut self, ex: Ex, data: &Buffer) -> Vec<Tx> {
        let at = At { is_real: false, ..self.at(ex) };
        data.shape.iter().map(|&it| self.tx(it, at)).collect()
    }

    /// An extent that only TVM knows: the part of a layout that one thread has.
    pub(super) fn unknown_extent(&mut self, ex: Ex) -> Tx {
        let at = At { is_real: false, ..self.at(ex) };
        let text = self.text(at.range);
        let id = self.s.body.opaque(&format!("{text}.shape[0]"));
        self.tx(id, at)
    }

    /// The shape with elements of another size: the last dimension has more, or less.
    fn cast_shape(&mut self, ex: Ex, data: &Buffer, dtype: DataType) -> R<Vec<Tx>> {
        let at = At { is_real: false, ..self.at(ex) };
        let mut shape = self.own_shape(ex, data);
        let (Some(found), Some(wanted)) = (bits(data.dtype), bits(dtype)) else { return Ok(shape) };
        if let Some(last) = shape.last_mut() {
            let index = self.dtype(*last).unwrap_or(DataType::INT32);
            let (op, ratio) = match wanted > found {
                true => (BinaryOp::FloorDiv, wanted / found),
                false => (BinaryOp::Mul, found / wanted),
            };
            if ratio != 1 {
                let ratio = self.int(i128::from(ratio), index, at);
                *last = self.arithmetic(op, *last, ratio, at)?;
            }
        }
        Ok(shape)
    }

    /// The written shape, with the extent that follows from the others in the place of `-1`.
    fn viewed_shape(&mut self, ex: Ex, data: &Buffer, dims: &[Ev]) -> R<Vec<Tx>> {
        let at = At { is_real: false, ..self.at(ex) };
        let is_rest = |it: &Ev| matches!(it.val, Val::Const(Constant::Int(-1)));
        let mut shape = Vec::with_capacity(dims.len());
        for dim in dims {
            shape.push(self.lift(dim)?);
        }
        let Some(rest) = dims.iter().position(is_rest) else { return Ok(shape) };
        let others: Vec<_> =
            (shape.iter().enumerate()).filter(|it| it.0 != rest).map(|it| it.1.id).collect();
        let whole = self.product(&data.shape, at)?;
        let others = self.product(&others, at)?;
        shape[rest] = self.arithmetic(BinaryOp::FloorDiv, whole, others, at)?;
        Ok(shape)
    }

    fn product(&mut self, factors: &[ir::ExprId], at: At) -> R<Tx> {
        let mut product: Option<Tx> = None;
        for &factor in factors {
            let factor = self.tx(factor, at);
            product = Some(match product {
                Some(before) => self.arithmetic(BinaryOp::Mul, before, factor, at)?,
                None => factor,
            });
        }
        Ok(product.unwrap_or_else(|| self.int(1, DataType::INT32, at)))
    }

    fn permuted_shape(&mut self, ex: Ex, data: &Buffer, dims: &[Ev]) -> R<Vec<Tx>> {
        let own = self.own_shape(ex, data);
        let mut shape = Vec::with_capacity(dims.len());
        for dim in dims {
            let place = match dim.val {
                Val::Const(Constant::Int(it)) => usize::try_from(it).ok(),
                _ => return Err(self.unsupported(ex, "an order of dimensions that is not known")),
            };
            match place.and_then(|it| own.get(it)) {
                Some(&extent) => shape.push(extent),
                None => return Err(self.malformed(ex, "there is no such dimension")),
            }
        }
        Ok(shape)
    }

    /// `A.rearrange("(a b) c -> a c b", a=4)`
    fn rearranged_shape(
        &mut self,
        ex: Ex,
        data: &Buffer,
        items: &[Ev],
        args: &Args<'_>,
    ) -> R<Vec<Tx>> {
        // Where the pattern stands by its place, an axis may have its name.
        let is_positional = !items.is_empty();
        let pattern = match args.keyword("pattern").filter(|_| !is_positional) {
            Some(pattern) => {
                let ev = self.eval(pattern)?;
                self.const_str(&ev.val)
            }
            None => items.first().and_then(|it| self.const_str(&it.val)),
        };
        let Some((from, to)) = pattern.as_deref().and_then(|it| it.split_once("->")) else {
            return Err(self.unsupported(ex, "a pattern that is not known"));
        };
        let at = At { is_real: false, ..self.at(ex) };
        let mut sizes: Vec<(&str, Tx)> = Vec::new();
        for &(axis, size) in args.keywords.iter().filter(|it| is_positional || it.0 != "pattern") {
            let size = self.expr(size)?;
            sizes.push((axis, Tx { id: size.id, src: self.s.sources.inside(at.range) }));
        }
        let groups = axis_groups(from);
        if groups.len() != data.shape.len() {
            return Err(self.malformed(ex, "the pattern has another number of dimensions"));
        }
        for (group, &extent) in groups.iter().zip(&data.shape) {
            let size_of = |axis: &str, sizes: &[(&str, Tx)]| {
                sizes.iter().find(|it| it.0 == axis).map(|it| it.1.id)
            };
            let known: Vec<_> = group.iter().filter_map(|it| size_of(it, &sizes)).collect();
            let unknown: Vec<&str> =
                group.iter().copied().filter(|it| size_of(it, &sizes).is_none()).collect();
            match unknown[..] {
                [] => {}
                [axis] => {
                    let extent = self.tx(extent, at);
                    let size = match known.is_empty() {
                        true => extent,
                        false => {
                            let known = self.product(&known, at)?;
                            self.arithmetic(BinaryOp::FloorDiv, extent, known, at)?
                        }
                    };
                    sizes.push((axis, size));
                }
                _ => return Err(self.malformed(ex, "the sizes of the pattern are missing")),
            }
        }
        let mut shape = Vec::new();
        for group in axis_groups(to) {
            let mut factors = Vec::with_capacity(group.len());
            for axis in group {
                match sizes.iter().find(|it| it.0 == axis) {
                    Some((_, size)) => factors.push(size.id),
                    None => return Err(self.malformed(ex, "the pattern has an unknown axis")),
                }
            }
            shape.push(self.product(&factors, at)?);
        }
        Ok(shape)
    }

    /// `A.sub[2, 4:8]`: an index drops its dimension, a slice narrows it.
    pub(super) fn part(&mut self, ex: Ex, source: BufferId, index: Ex) -> R<BufferSpec> {
        let data = self.s.body.buffers[source].clone();
        let mut dims = self.dims(index)?;
        if dims.len() > data.shape.len() {
            self.check_rank(ex, source, dims.len())?;
        }
        let at = At { is_real: false, ..self.at(ex) };
        while dims.len() < data.shape.len() {
            let at = self.s.sources.leaf(at);
            dims.push(Dim::Slice { at, lower: None, upper: None, step: None });
        }
        let mut shape = Vec::new();
        for (dim, &whole) in dims.iter().zip(&data.shape) {
            let Dim::Slice { lower, upper, step, .. } = *dim else { continue };
            let again =
                |this: &mut Self, it: Tx| Tx { id: it.id, src: this.s.sources.again(it.src) };
            let end = match upper {
                Some(it) => again(self, it),
                None => self.tx(whole, at),
            };
            shape.push(match (lower, step) {
                (_, Some(step)) => self.every(ex, whole, upper, step)?,
                (Some(it), None) => {
                    let start = again(self, it);
                    self.difference(end, start, at)?
                }
                (None, None) => end,
            });
        }
        if dims.iter().any(|it| matches!(it, Dim::Slice { step: Some(_), .. })) {
            let brackets = dims.iter().map(|it| self.bracket(ex, it)).collect::<R<Vec<_>>>()?;
            let attrs = vec![(ir::BRACKETS.into(), ir::Attr::List(brackets))];
            return Ok(self.view_of(source, "sub", data.dtype, shape, attrs));
        }
        let region = BufferRegion {
            buffer: source,
            dims: dims.iter().map(Dim::plain).collect::<Vec<RegionDim>>(),
        };
        let mark = vec![(ir::PART_OF.into(), ir::Attr::Bool(true))];
        let buffer = Buffer {
            name: data.name,
            dtype: data.dtype,
            shape: shape.iter().map(|it| it.id).collect(),
            strides: None,
            elem_offset: None,
            scope: data.scope,
            origin: BufferOrigin::MatchRegion(region),
            attrs: self.s.body.attr_dict(mark),
        };
        Ok(BufferSpec { buffer, operands: shape })
    }
}

impl Lowerer<'_, '_, '_> {
    /// The number of elements of a dimension of which `sub` takes every n-th: TVM takes no end, and no rest.
    fn every(&mut self, ex: Ex, whole: ir::ExprId, upper: Option<Tx>, step: Tx) -> R<Tx> {
        let at = At { is_real: false, ..self.at(ex) };
        let whole = self.tx(whole, at);
        match (self.const_int(whole), self.const_int(step), upper) {
            (Some(extent), Some(step @ 1..), None) if extent % step == 0 => {
                let index = self.dtype(whole).unwrap_or(DataType::INT32);
                Ok(self.int(i128::from(extent / step), index, at))
            }
            (None, Some(1..), None) => self.arithmetic(BinaryOp::FloorDiv, whole, step, at),
            _ => Err(self.unsupported(ex, "a part with steps")),
        }
    }

    /// One place in the brackets behind a view.
    fn bracket(&mut self, ex: Ex, dim: &Dim) -> R<ir::Attr> {
        let (lower, upper, step) = match *dim {
            Dim::Point(tx) => {
                return Ok(match self.const_int(tx) {
                    Some(it) => ir::Attr::Int(it, None),
                    None => ir::Attr::Expr(tx.id),
                });
            }
            Dim::Slice { lower, upper, step, .. } => (lower, upper, step),
        };
        let text = |this: &Self, it: Option<Tx>| match it {
            None => Some(String::new()),
            Some(it) => {
                this.const_int(it).map(|it| it.to_string()).or_else(|| this.captured_name(it))
            }
        };
        let texts = (text(self, lower), text(self, upper), step.map(|it| self.const_int(it)));
        match texts {
            (Some(lower), Some(upper), None) => {
                Ok(ir::Attr::Text(format!("{lower}:{upper}").into()))
            }
            (Some(lower), Some(upper), Some(Some(step))) => {
                Ok(ir::Attr::Text(format!("{lower}:{upper}:{step}").into()))
            }
            _ => Err(self.unsupported(ex, "a part with steps")),
        }
    }

    /// `A.tile((1, (-1, 4)), …)[:, w]`: dimensions in factors, of which some are picked and the others stay one
    /// dimension.
    fn tiled(&mut self, ex: Ex, source: BufferId, args: &Args<'_>, index: Ex) -> R<BufferSpec> {
        let data = self.s.body.buffers[source].clone();
        let at = At { is_real: false, ..self.at(ex) };
        let mut shape = self.own_shape(ex, &data);
        let picks = self.dims(index)?;
        let mut rest = picks.iter();
        let given = self.eval_items(&args.positional)?;
        let specs = match &given[..] {
            [dim, factors] if matches!(dim.val, Val::Const(Constant::Int(_))) => {
                vec![self.tile_spec(&dim.val, &factors.val)]
            }
            specs => specs
                .iter()
                .map(|it| {
                    let (dim, factors) = (self.nth_item(&it.val, 0)?, self.nth_item(&it.val, 1)?);
                    self.tile_spec(&dim, &factors)
                })
                .collect(),
        };
        for spec in specs {
            let Some((dim, factors)) = spec.filter(|_| args.keywords.is_empty()) else {
                return Err(self.unsupported(ex, "tiles that are not known here"));
            };
            let rank = shape.len() as i64;
            let dim = usize::try_from(if dim < 0 { dim + rank } else { dim }).ok();
            let Some(extent) = dim.and_then(|it| shape.get_mut(it)) else {
                return Err(self.malformed(ex, "there is no such dimension"));
            };
            // What is picked has no part in the extent; the factor that is left out has the rest of it.
            let (mut kept, mut picked, mut is_rest_kept) = (1_i64, 1_i64, None);
            for factor in factors {
                let Some(pick) = rest.next() else {
                    return Err(self.malformed(ex, "one index for each factor is needed"));
                };
                let is_kept = matches!(pick, Dim::Slice { .. });
                match factor {
                    ..=-1 => is_rest_kept = Some(is_kept),
                    it if is_kept => kept = kept.saturating_mul(it),
                    it => picked = picked.saturating_mul(it),
                }
            }
            let whole = *extent;
            let index = self.dtype(whole).unwrap_or(DataType::INT32);
            let one = |this: &mut Self, it: i64| this.int(i128::from(it), index, at);
            *extent = match is_rest_kept {
                Some(true) => {
                    let by = one(self, picked);
                    self.arithmetic(BinaryOp::FloorDiv, whole, by, at)?
                }
                _ => one(self, kept),
            };
        }
        let brackets = picks.iter().map(|it| self.bracket(ex, it)).collect::<R<Vec<_>>>()?;
        let written = args.positional.iter().map(|&it| self.attr(it)).collect();
        let attrs = vec![
            ("args".into(), ir::Attr::List(written)),
            (ir::BRACKETS.into(), ir::Attr::List(brackets)),
        ];
        Ok(self.view_of(source, "tile", data.dtype, shape, attrs))
    }

    /// `A.tile(…)[…]` without a name, and `A.chunk(…)[…]`: the call is one with the brackets behind it, the next of
    /// `nodes`.
    pub(super) fn indexed_part(
        &mut self,
        method: &Ev,
        args: Run,
        nodes: &mut SmallVec<[Ex; 8]>,
    ) -> R<Option<Ev>> {
        let Val::Method(source, method) = method.val else { return Ok(None) };
        let is_tile = match self.s.body.name(method) {
            "tile" => true,
            "chunk" => false,
            _ => return Ok(None),
        };
        let Some((whole, index)) = nodes.last().and_then(|&it| match *self.ast.kind(it) {
            ExKind::Subscript { index, .. } => Some((it, index)),
            _ => None,
        }) else {
            return Ok(None);
        };
        let args = self.args(args);
        if self.s.body.has_unknown_rank(source) || !self.is_all_known(&args)? {
            return Ok(None);
        }
        let part = if is_tile {
            let spec = self.tiled(whole, source, &args, index)?;
            self.nameless(whole, spec)
        } else {
            self.chunked(whole, source, &args, index)?
        };
        nodes.pop();
        Ok(Some(part))
    }

    /// Returns true if the arguments are numbers, `None`, and tuples of these.
    fn is_all_known(&mut self, args: &Args<'_>) -> R<bool> {
        let mark = self.mark();
        let mut left: Vec<Val> =
            self.eval_items(&args.positional)?.into_iter().map(|it| it.val).collect();
        self.undo(mark);
        while let Some(val) = left.pop() {
            match self.n_items(&val) {
                Some(count) => left.extend((0..count).filter_map(|at| self.nth_item(&val, at))),
                None if matches!(val, Val::Const(Constant::Int(_) | Constant::None)) => {}
                None => return Ok(false),
            }
        }
        Ok(args.keywords.is_empty())
    }

    /// `A.chunk((None, 4))[:, c]`: a part of `A`, in a dimension of chunks the one of this number.
    fn chunked(&mut self, ex: Ex, source: BufferId, args: &Args<'_>, index: Ex) -> R<Ev> {
        let data = self.s.body.buffers[source].clone();
        let at = At { is_real: false, ..self.at(ex) };
        let extents = self.own_shape(ex, &data);
        let given = self.eval_items(&args.positional)?;
        let counts = match &given[..] {
            [spec] if args.keywords.is_empty() => self.chunk_counts(&spec.val),
            _ => None,
        };
        let Some(counts) = counts else {
            return Err(self.unsupported(ex, "chunks that are not known here"));
        };
        let mut dims = self.dims(index)?;
        if counts.len() != extents.len() || dims.len() > extents.len() {
            return Err(self.malformed(ex, "one number of chunks for each dimension is needed"));
        }
        for ((dim, count), whole) in dims.iter_mut().zip(counts).zip(extents) {
            let Some(count) = count else { continue };
            let Dim::Point(pick) = *dim else {
                return Err(self.malformed(ex, "a dimension of chunks takes the number of one"));
            };
            let dtype = self.dtype(whole).unwrap_or(DataType::INT32);
            let size = match self.const_int(whole) {
                Some(extent) => self.int(i128::from(extent / count), dtype, at),
                None => {
                    let count = self.int(i128::from(count), dtype, at);
                    self.arithmetic(BinaryOp::FloorDiv, whole, count, at)?
                }
            };
            let numbers = self.const_int(pick).zip(self.const_int(size));
            let lower = match numbers {
                Some((pick, size)) => self.int(i128::from(pick) * i128::from(size), dtype, at),
                None => self.arithmetic(BinaryOp::Mul, pick, size, at)?,
            };
            let upper = match numbers {
                Some((pick, size)) => {
                    self.int((i128::from(pick) + 1) * i128::from(size), dtype, at)
                }
                None => {
                    let [lower, size] =
                        [lower, size].map(|it| Tx { id: it.id, src: self.s.sources.again(it.src) });
                    self.arithmetic(BinaryOp::Add, lower, size, at)?
                }
            };
            let place = self.s.sources.node(at, &[lower.src, upper.src]);
            *dim = Dim::Slice { at: place, lower: Some(lower), upper: Some(upper), step: None };
        }
        self.access(ex, source, dims)
    }

    /// The numbers of chunks of the dimensions, none of one that is left whole; if they are known.
    fn chunk_counts(&self, spec: &Val) -> Option<Vec<Option<i64>>> {
        let count = |it: Val| match it {
            Val::Const(Constant::None) => Some(None),
            Val::Const(Constant::Int(it)) => i64::try_from(it).ok().filter(|it| *it > 0).map(Some),
            _ => None,
        };
        (0..self.n_items(spec)?).map(|it| self.nth_item(spec, it).and_then(count)).collect()
    }

    /// A dimension and its factors, if they are numbers.
    fn tile_spec(&self, dim: &Val, factors: &Val) -> Option<(i64, Vec<i64>)> {
        let number = |it: Val| match it {
            Val::Const(Constant::Int(it)) => i64::try_from(it).ok(),
            _ => None,
        };
        let factors = (0..self.n_items(factors)?)
            .map(|it| self.nth_item(factors, it).and_then(number))
            .collect::<Option<_>>()?;
        Some((number(dim.clone())?, factors))
    }
}

/// The bits of an element, if it has a fixed number of lanes.
fn bits(dtype: DataType) -> Option<u32> {
    match dtype.lanes {
        ir::Lanes::Fixed(lanes) => {
            Some(u32::from(dtype.bits) * u32::from(lanes)).filter(|it| *it > 0)
        }
        ir::Lanes::Scalable(_) => None,
    }
}

/// The axes of one side of a pattern: `(a b) c` has two groups.
fn axis_groups(side: &str) -> Vec<Vec<&str>> {
    let mut groups = Vec::new();
    let mut rest = side.trim();
    while !rest.is_empty() {
        let (group, behind) = match rest.strip_prefix('(') {
            Some(inner) => inner.split_once(')').unwrap_or((inner, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        groups.push(group.split_whitespace().collect());
        rest = behind.trim_start();
    }
    groups
}
