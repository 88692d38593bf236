//! Subscripts: loads, stores' indices, regions, and the lists that buffers have.

use std::rc::Rc;

use ir::{
    BinaryOp, BufferField, BufferId, BufferRegion, DataType, ExprKind, Lanes, RegionDim, Type,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use syntax::TextRange;

use super::{
    Lowerer, R, Reported,
    source_tree::{At, Src},
    statics,
    value::{Dim, Ev, Tx, Val, is_left_out},
};
use crate::tvmscript::{
    ast::{Ex, ExKind},
    diagnostics,
    environment::Constant,
};

pub(super) type Dims = SmallVec<[Dim; 4]>;

/// Words of Python that are parts of names of PTX instructions.
const PYTHON_KEYWORDS: [&str; 6] = ["and", "global", "is", "not", "or", "with"];

impl Lowerer<'_, '_, '_> {
    pub(super) fn subscript(&mut self, ex: Ex, base: Ex, value: &Ev, index: Ex) -> R<Ev> {
        if let Some(known) = self.object_item(ex, &value.val, index)? {
            return Ok(known);
        }
        match &value.val {
            Val::Buffer(buffer) => {
                let dims = self.dims(index)?;
                self.access(ex, *buffer, dims)
            }
            Val::Seq(_) | Val::Const(_) | Val::Shape(_) | Val::Strides(_) => {
                self.item(ex, value, index)
            }
            Val::Unknown(_) if self.is_captured(&value.val) => {
                let item = self.captured_item(ex, value, index)?;
                Ok(item.unwrap_or_else(|| self.opaque_ex(ex)))
            }
            Val::Type(Type::Prim(dtype)) => {
                let dtype = *dtype;
                let shape = self.shape(index)?;
                let children: SmallVec<[Src; 4]> = shape.iter().map(|it| it.src).collect();
                let src = self.node(ex, &children);
                let shape = shape.iter().map(|it| it.id).collect();
                Ok(Ev { val: Val::VectorAnnotation(dtype, shape), src })
            }
            Val::LetAnnotation(_) => {
                let ty = self.type_of(index)?;
                let src = self.leaf(ex);
                Ok(Ev { val: Val::LetAnnotation(Some(ty)), src })
            }
            Val::Static(_) => self.layout(ex),
            Val::Entries(entries) => self.entry(ex, entries, index),
            Val::Unknown(_) | Val::Python => Ok(self.opaque_ex(ex)),
            Val::Intrinsic(space) if self.s.body.name(*space) == "ptx" => {
                self.instruction(ex, index)
            }
            // `T.Ptr[T.float32, "shared"]` is `T.Ptr(T.float32, "shared")`.
            Val::Intrinsic(name) if self.s.body.name(*name) == "Ptr" => {
                let items = match self.ast.kind(index) {
                    ExKind::Tuple(run) => self.ast.exs(*run).to_vec(),
                    _ => vec![index],
                };
                let args = self.subscript_args("Ptr", &items);
                let val = Val::Type(self.handle_type(&args)?);
                Ok(Ev { val, src: self.leaf(ex) })
            }
            Val::Method(buffer, method) if self.s.body.name(*method) == "sub" => {
                let spec = self.part(ex, *buffer, index)?;
                Ok(self.nameless(ex, spec))
            }
            Val::Intrinsic(name) if statics::is_layout(self.s.body.name(*name)) => self.layout(ex),
            Val::Path(path)
                if self.s.body.name(*path).rsplit_once('.').is_some_and(|(module, name)| {
                    module.starts_with("tvm.") && statics::is_layout(name)
                }) =>
            {
                self.layout(ex)
            }
            _ => self.other_subscript(ex, base),
        }
    }

    /// `T.ptx["st.weak.shared::cta.b32"]`: the name of an instruction as PTX spells it, for the one that Python can
    /// spell.
    fn instruction(&mut self, ex: Ex, index: Ex) -> R<Ev> {
        let name = self.eval(index)?;
        let Some(text) = self.const_str(&name.val) else {
            return Ok(self.computed_instruction(ex));
        };
        let mut path = "ptx".to_owned();
        for part in text.split('.') {
            path.push('.');
            path.push_str(&part.replace("::", "__").replace(':', "__colon__"));
            if PYTHON_KEYWORDS.contains(&part) {
                path.push('_');
            }
        }
        let src = self.leaf(ex);
        Ok(Ev { val: Val::Intrinsic(self.s.body.intern(&path)), src })
    }

    /// `T.ptx[f"ld.{space}.s32"]`: an instruction of unknown name, which is called by the text that says it.
    fn computed_instruction(&mut self, ex: Ex) -> Ev {
        if self.expansion.is_some() {
            return self.opaque_ex(ex);
        }
        let range = self.range(ex);
        self.s.unread.push(range);
        let text = self.text(range);
        let src = self.leaf(ex);
        match text.split_once('.') {
            Some((_, name)) => Ev { val: Val::Intrinsic(self.s.body.intern(name)), src },
            None => self.opaque_ex(ex),
        }
    }

    /// `metadata["ir.StringImm"][0]` of printed dumps, and other expressions with brackets.
    fn other_subscript(&mut self, ex: Ex, base: Ex) -> R<Ev> {
        if let Some((head, _)) = self.ast.dotted(base)
            && self.peek(head).is_none()
        {
            self.name(head, base)?;
        }
        Ok(self.opaque_ex(ex))
    }

    /// The dimensions in brackets.
    pub(super) fn dims(&mut self, index: Ex) -> R<Dims> {
        let ast = self.ast;
        let one = [index];
        let items = match ast.kind(index) {
            ExKind::Tuple(run) => ast.exs(*run),
            _ => &one,
        };
        let mut dims = Dims::new();
        for &item in items {
            match *ast.kind(item) {
                ExKind::Slice { lower, upper, step } => {
                    dims.push(self.slice(item, lower, upper, step)?)
                }
                ExKind::Star(inner) => {
                    for ev in self.spread(inner)? {
                        dims.push(self.dim_of(&ev)?);
                    }
                }
                _ => {
                    let ev = self.eval(item)?;
                    match self.items(&ev) {
                        // `A[indices]` with a list of indices.
                        Some(all) if items.len() == 1 => {
                            for it in all {
                                dims.push(self.dim_of(&it)?);
                            }
                        }
                        _ => dims.push(self.dim_of(&ev)?),
                    }
                }
            }
        }
        Ok(dims)
    }

    fn slice(
        &mut self,
        item: Ex,
        lower: Option<Ex>,
        upper: Option<Ex>,
        step: Option<Ex>,
    ) -> R<Dim> {
        let bound = |this: &mut Self, it: Option<Ex>| it.map(|it| this.expr(it)).transpose();
        let (lower, upper) = (bound(self, lower)?, bound(self, upper)?);
        let step = bound(self, step)?;
        let children: SmallVec<[Src; 3]> =
            [lower, upper, step].into_iter().flatten().map(|it| it.src).collect();
        let at = self.node(item, &children);
        Ok(Dim::Slice { at, lower, upper, step })
    }

    pub(super) fn access(&mut self, ex: Ex, buffer: BufferId, dims: Dims) -> R<Ev> {
        let mut dims = dims;
        // One that is not known may be a tuple of several (`SEMANTICS: G4`).
        let is_open = self.s.body.has_unknown_rank(buffer)
            || dims.iter().any(|it| matches!(it, Dim::Point(tx) if self.may_be_several(*tx)));
        let rank = match is_open {
            true => dims.len(),
            false => self.s.body.buffers[buffer].shape.len(),
        };
        if dims.len() > rank {
            self.check_rank(ex, buffer, dims.len())?;
        }
        let is_short = dims.len() < rank;
        while dims.len() < rank {
            // Dimensions left out are whole: a part of the buffer, which is no value by itself.
            let at = At { is_real: false, ..self.at(ex) };
            let at = self.s.sources.leaf(at);
            dims.push(Dim::Slice { at, lower: None, upper: None, step: None });
        }
        // A step says that elements are meant, one a lane; without one a slice is a part of the buffer.
        let has_step = dims.iter().any(|it| matches!(it, Dim::Slice { step: Some(_), .. }));
        if has_step && !is_short {
            return self.vector_load(ex, buffer, &dims);
        }
        if is_short || dims.iter().any(|it| matches!(it, Dim::Slice { .. })) {
            let children: SmallVec<[Src; 4]> = dims.iter().map(|it| dim_src(*it)).collect();
            let src = self.node(ex, &children);
            let dims: Rc<[RegionDim]> = dims.iter().map(Dim::plain).collect();
            return Ok(Ev { val: Val::Region(buffer, dims), src });
        }
        let indices: SmallVec<[Tx; 4]> = dims
            .iter()
            .filter_map(|it| match it {
                Dim::Point(tx) => Some(*tx),
                Dim::Slice { .. } => None,
            })
            .collect();
        let at = self.at(ex);
        let tx = self.load(buffer, &indices, None, at);
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// Returns true if an index is an unknown value of Python, which may be a tuple of indices.
    fn may_be_several(&self, index: Tx) -> bool {
        match self.kind(index) {
            ExprKind::Value(value) => {
                let value = &self.s.body.values[value];
                value.kind == ir::ValueKind::Captured && value.ty == Type::Unknown
            }
            ExprKind::Opaque { .. } => true,
            _ => false,
        }
    }

    /// An access whose slices are vectors of indices.
    fn vector_load(&mut self, ex: Ex, buffer: BufferId, dims: &Dims) -> R<Ev> {
        let indices = self.store_indices(dims)?;
        let at = self.at(ex);
        let tx = self.load(buffer, &indices, None, at);
        Ok(Ev { val: Val::Expr(tx.id), src: tx.src })
    }

    /// The whole right side of an assignment: there slices are vectors also without a step.
    pub(super) fn assigned(&mut self, value: Ex) -> R<Ev> {
        let ev = self.eval(value)?;
        match &ev.val {
            Val::Region(buffer, dims)
                if matches!(self.ast.kind(value), ExKind::Subscript { .. })
                    && !dims.iter().any(is_left_out) =>
            {
                let (buffer, dims) = (*buffer, self.sourced(dims, ev.src));
                self.vector_load(value, buffer, &dims)
            }
            _ => Ok(ev),
        }
    }

    /// The dimensions of a region with their sources, which are the children of the region's.
    pub(super) fn sourced(&mut self, dims: &[RegionDim], whole: Src) -> Dims {
        let mut all = Dims::new();
        for (index, dim) in dims.iter().enumerate() {
            let at = self.s.sources.part(whole, index, dims.len());
            all.push(match *dim {
                RegionDim::Point(id) => Dim::Point(Tx { id, src: at }),
                RegionDim::Slice { lower, upper, step } => {
                    let bounds = [lower, upper, step];
                    let count = bounds.iter().flatten().count();
                    let mut next = 0;
                    let [lower, upper, step] = bounds.map(|it| {
                        let id = it?;
                        let src = self.s.sources.part(at, next, count);
                        next += 1;
                        Some(Tx { id, src })
                    });
                    Dim::Slice { at, lower, upper, step }
                }
            });
        }
        all
    }

    pub(super) fn load(
        &mut self,
        buffer: BufferId,
        indices: &[Tx],
        predicate: Option<Tx>,
        at: At,
    ) -> Tx {
        let ids: SmallVec<[_; 4]> = indices.iter().map(|it| it.id).collect();
        let id = self.s.body.load(buffer, &ids, predicate.map(|it| it.id));
        let children: SmallVec<[Src; 4]> =
            indices.iter().chain(&predicate).map(|it| it.src).collect();
        Tx { id, src: self.s.sources.node(at, &children) }
    }

    /// Refuses indices of which there are too few or too many.
    pub(super) fn check_indices(&mut self, ex: Ex, buffer: BufferId, indices: &[Tx]) -> R<()> {
        match indices.iter().any(|&it| self.may_be_several(it)) {
            true => Ok(()),
            false => self.check_rank(ex, buffer, indices.len()),
        }
    }

    pub(super) fn check_rank(&mut self, ex: Ex, buffer: BufferId, found: usize) -> R<()> {
        let data = &self.s.body.buffers[buffer];
        let rank = data.shape.len();
        if rank == found || self.s.body.has_unknown_rank(buffer) {
            return Ok(());
        }
        let range = self.ast.range(ex);
        Err(self.wrong_rank(range, buffer, found))
    }

    pub(super) fn wrong_rank(
        &mut self,
        range: TextRange,
        buffer: BufferId,
        found: usize,
    ) -> Reported {
        let data = &self.s.body.buffers[buffer];
        let rank = data.shape.len();
        let name = self.s.body.name(data.name).to_owned();
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let message = format!(
            "`{name}` has {rank} dimension{}, this access has {found} ind{}",
            plural(rank),
            if found == 1 { "ex" } else { "ices" }
        );
        let reported = self.error(diagnostics::WRONG_BUFFER_RANK, range, message);
        let first = self
            .s
            .definitions
            .iter()
            .find(|it| it.buffer == Some(buffer))
            .map(|it| (it.range, format!("`{name}` is declared here")));
        if let Some(last) = self.s.diagnostics.last_mut() {
            last.related.extend(first);
        }
        reported
    }

    /// A region as an expression.
    pub(super) fn region(&mut self, buffer: BufferId, dims: &[RegionDim], src: Src) -> Tx {
        let mut ids = Vec::with_capacity(dims.len());
        for dim in dims {
            ids.push(match *dim {
                RegionDim::Point(id) => id,
                RegionDim::Slice { lower, upper, step } => {
                    let kind = ExprKind::Slice { lower, upper, step };
                    self.s.body.make(kind, DataType::HANDLE.into())
                }
            });
        }
        let list = self.s.body.list(&ids);
        let id = self.s.body.make(ExprKind::Region(buffer, list), DataType::HANDLE.into());
        Tx { id, src }
    }

    /// A value as part of a buffer: `T.reads(A[0:16, j])`, `T.match_buffer(A[0:16], …)`.
    pub(super) fn buffer_region(&mut self, ev: &Ev) -> Option<BufferRegion> {
        match &ev.val {
            Val::Buffer(buffer) => {
                let shape = self.s.body.buffers[*buffer].shape.len();
                let whole = RegionDim::Slice { lower: None, upper: None, step: None };
                Some(BufferRegion { buffer: *buffer, dims: vec![whole; shape] })
            }
            Val::Cell(buffer) => {
                let zero = self.s.body.int(0, DataType::INT32);
                Some(BufferRegion { buffer: *buffer, dims: vec![RegionDim::Point(zero)] })
            }
            Val::Region(buffer, dims) => {
                Some(BufferRegion { buffer: *buffer, dims: dims.to_vec() })
            }
            Val::Expr(id) => match self.s.body.expr(*id).kind {
                ExprKind::Load { buffer, indices, predicate: None } => Some(BufferRegion {
                    buffer,
                    dims: self
                        .s
                        .body
                        .items(indices)
                        .iter()
                        .map(|&it| RegionDim::Point(it))
                        .collect(),
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The indices of a store: a slice becomes a ramp.
    pub(super) fn store_indices(&mut self, dims: &Dims) -> R<SmallVec<[Tx; 4]>> {
        let mut indices = SmallVec::new();
        for dim in dims {
            indices.push(match *dim {
                Dim::Point(tx) => tx,
                Dim::Slice { at, lower, upper, step } => self.ramp_of(at, lower, upper, step)?,
            });
        }
        Ok(indices)
    }

    fn ramp_of(
        &mut self,
        at: Src,
        lower: Option<Tx>,
        upper: Option<Tx>,
        step: Option<Tx>,
    ) -> R<Tx> {
        let range = self.s.sources.range(at);
        let lower = match lower {
            Some(it) => it,
            None => self.virtual_int(0, DataType::INT32, range),
        };
        let Some(upper) = upper else {
            return Err(self.error(diagnostics::MALFORMED_FORM, range, "the slice has no end"));
        };
        let step = match step {
            Some(it) => it,
            None => self.virtual_int(1, DataType::INT32, range),
        };
        let Some(extent) = self.constant_difference(upper, lower) else {
            if self.const_int(step) == Some(1)
                && let Some(ramp) = self.scalable_ramp(at, lower, upper, step)?
            {
                return Ok(ramp);
            }
            if [upper, lower].iter().any(|it| self.ty(*it).is_open()) {
                // Nor is its value known here; it may have been read in a statement before.
                self.s.doubt = self.s.doubt.max(super::Doubt::Unknown);
            }
            let message = "the length of the slice is not constant";
            return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
        };
        let stride = i128::from(self.const_int(step).unwrap_or(0));
        if stride == 0 {
            let message = "the step of the slice is not constant";
            return Err(self.error(diagnostics::MALFORMED_FORM, range, message));
        }
        let lanes = (extent + stride - 1).div_euclid(stride);
        if lanes == 1 {
            return Ok(lower);
        }
        self.ramp(lower, step, lanes, At { range, is_real: self.expansion.is_none() })
    }

    /// The indices `lower:upper`, whose number is a multiple of `vscale`.
    fn scalable_ramp(&mut self, at: Src, lower: Tx, upper: Tx, step: Tx) -> R<Option<Tx>> {
        let at = At { range: self.s.sources.range(at), is_real: self.expansion.is_none() };
        let inside = At { is_real: false, ..at };
        let again = Tx { id: lower.id, src: self.s.sources.again(lower.src) };
        let lanes = self.difference(upper, again, inside)?;
        let (Some(n @ Lanes::Scalable(_)), Some(dtype)) =
            (self.written_lanes(lanes), self.dtype(lower))
        else {
            return Ok(None);
        };
        let stride = self.cast_to(step, dtype)?;
        let kind = ExprKind::Ramp { base: lower.id, stride: stride.id, lanes: lanes.id };
        let ty = dtype.with_lanes(n).into();
        Ok(Some(self.make(kind, ty, at, &[lower.src, stride.src, lanes.src])))
    }

    /// `T.Ramp` with a constant number of lanes.
    pub(super) fn ramp(&mut self, base: Tx, stride: Tx, lanes: i128, at: At) -> R<Tx> {
        let Some(dtype) = self.dtype(base) else { return Err(Reported) };
        let stride = self.cast_to(stride, dtype)?;
        let Ok(n) = u16::try_from(lanes) else {
            let message = "a vector has 1 to 65535 lanes";
            return Err(self.error(diagnostics::MALFORMED_FORM, at.range, message));
        };
        let lanes = self.virtual_int(lanes, DataType::INT32, at.range);
        let kind = ExprKind::Ramp { base: base.id, stride: stride.id, lanes: lanes.id };
        let ty = dtype.with_lanes(Lanes::Fixed(n)).into();
        Ok(self.make(kind, ty, at, &[base.src, stride.src, lanes.src]))
    }

    /// `upper - lower`, if it is a constant: the difference of the two as sums of multiples of terms. O(nodes of both).
    pub(super) fn constant_difference(&self, upper: Tx, lower: Tx) -> Option<i128> {
        let body = &self.s.body;
        let mut constant = 0i128;
        let mut terms: FxHashMap<ir::ExprId, i128> = FxHashMap::default();
        let mut stack = vec![(upper.id, 1i128), (lower.id, -1i128)];
        while let Some((at, factor)) = stack.pop() {
            let value = |id: ir::ExprId| match body.expr(id).kind {
                ExprKind::Int(it) => Some(i128::from(it)),
                _ => None,
            };
            match body.expr(at).kind {
                ExprKind::Int(it) => constant += factor.checked_mul(i128::from(it))?,
                ExprKind::Binary(BinaryOp::Add, a, b) => stack.extend([(a, factor), (b, factor)]),
                ExprKind::Binary(BinaryOp::Sub, a, b) => stack.extend([(a, factor), (b, -factor)]),
                ExprKind::Binary(BinaryOp::Mul, a, b) => match (value(a), value(b)) {
                    (_, Some(it)) => stack.push((a, factor.checked_mul(it)?)),
                    (Some(it), _) => stack.push((b, factor.checked_mul(it)?)),
                    _ => *terms.entry(at).or_default() += factor,
                },
                _ => *terms.entry(at).or_default() += factor,
            }
        }
        terms.values().all(|&it| it == 0).then_some(constant)
    }

    /// `xs[0]` of a tuple, list, or a buffer's shape or strides.
    fn item(&mut self, ex: Ex, value: &Ev, index: Ex) -> R<Ev> {
        if let ExKind::Slice { lower, upper, step } = *self.ast.kind(index) {
            if let Some(part) = self.sliced(ex, value, [lower, upper, step])? {
                return Ok(part);
            }
            let item = self.captured_item(ex, value, index)?;
            return Ok(item.unwrap_or_else(|| self.opaque_ex(ex)));
        }
        let at = self.eval(index)?;
        let Val::Const(Constant::Int(n)) = at.val else {
            let item = self.captured_item(ex, value, index)?;
            return Ok(item.unwrap_or_else(|| self.opaque_ex(ex)));
        };
        if let Val::Strides(buffer) = value.val {
            return Ok(self.stride(ex, buffer, n));
        }
        let Some(count) = self.n_items(&value.val) else {
            return Ok(self.item_of_open(ex, value, index)?.unwrap_or_else(|| self.opaque_ex(ex)));
        };
        let n = if n < 0 { n.saturating_add(count as i128) } else { n };
        let item = usize::try_from(n).ok().and_then(|n| self.nth_item(&value.val, n));
        let Some(val) = item else {
            return Err(self.malformed(ex, format!("there is no item {n} among {count}")));
        };
        let src = self.leaf(ex);
        Ok(Ev { val, src })
    }

    /// `A.shape[0]` where the shape is one captured value.
    fn item_of_open(&mut self, ex: Ex, value: &Ev, index: Ex) -> R<Option<Ev>> {
        let Val::Shape(buffer) = value.val else { return Ok(None) };
        let [shape] = self.s.body.buffers[buffer].shape[..] else { return Ok(None) };
        match self.s.body.expr(shape).kind {
            ExprKind::Value(it) if self.s.body.is_captured(it) => {
                let base = Ev { val: Val::Unknown(it), src: value.src };
                self.captured_item(ex, &base, index)
            }
            _ => Ok(None),
        }
    }

    /// Notes that something is read of a name that leaves no use of it: `x.dtype`.
    pub(super) fn asked(&mut self, ex: Ex) {
        if let ExKind::Attr { base, .. } = *self.ast.kind(ex)
            && let ExKind::Name(name) = *self.ast.kind(base)
        {
            let name = self.s.body.intern(name);
            self.s.asked.push(name);
        }
    }

    fn stride(&mut self, ex: Ex, buffer: BufferId, n: i128) -> Ev {
        let strides = self.s.body.buffers[buffer].strides.clone();
        let n = u32::try_from(n).unwrap_or_default();
        let src = self.leaf(ex);
        let ty = strides
            .as_ref()
            .and_then(|it| it.get(n as usize))
            .map_or(DataType::INT32.into(), |&it| self.s.body.ty(it));
        let id = self.s.body.buffer_field(buffer, BufferField::Stride(n), ty);
        Ev { val: Val::Expr(id), src }
    }

    /// `A.name`
    pub(super) fn buffer_attribute(&mut self, ex: Ex, buffer: BufferId, name: &str) -> R<Ev> {
        let src = self.leaf(ex);
        if !matches!(name, "data" | "elem_offset") {
            self.asked(ex);
        }
        let data = self.s.body.buffers[buffer].clone();
        let val = match name {
            "data" => {
                let ty = Type::Pointer { element: data.dtype, scope: data.scope };
                Val::Expr(self.s.body.buffer_field(buffer, BufferField::Data, ty))
            }
            "elem_offset" => {
                let ty = data.elem_offset.map_or(DataType::INT32.into(), |it| self.s.body.ty(it));
                Val::Expr(self.s.body.buffer_field(buffer, BufferField::ElemOffset, ty))
            }
            "dtype" => self.dtype_val(data.dtype),
            // Its type has what it has.
            "ty" => Val::Buffer(buffer),
            "layout" => return self.layout(ex),
            "shape" => Val::Shape(buffer),
            "strides" => Val::Strides(buffer),
            "scope" => Val::Method(buffer, self.s.body.intern("scope")),
            "allocated_addr" => self.allocated_addresses(buffer),
            _ => Val::Method(buffer, self.s.body.intern(name)),
        };
        Ok(Ev { val, src })
    }

    /// The addresses that a buffer was given: `tmem.allocated_addr[0]`.
    fn allocated_addresses(&self, buffer: BufferId) -> Val {
        let attrs = self.s.body.dict(self.s.body.buffers[buffer].attrs);
        let given = attrs.iter().find(|it| &*it.0 == "allocated_addr").map(|it| &it.1);
        let value = |attr: &ir::Attr| match attr {
            ir::Attr::Expr(id) => Some(Val::Expr(*id)),
            ir::Attr::Int(it, None) => Some(Val::Const(Constant::Int(i128::from(*it)))),
            _ => None,
        };
        let all: Option<Vec<Val>> = match given {
            None | Some(ir::Attr::None) => Some(Vec::new()),
            Some(ir::Attr::List(all)) => all.iter().map(value).collect(),
            Some(one) => value(one).map(|it| vec![it]),
        };
        all.map_or(Val::Python, |it| Val::Seq(it.into_iter().collect()))
    }

    /// A shape: a tuple or list of extents, or one extent.
    pub(super) fn shape(&mut self, ex: Ex) -> R<Vec<Tx>> {
        let ev = self.eval(ex)?;
        match self.items(&ev) {
            Some(items) => items.iter().map(|it| self.lift(it)).collect(),
            None => Ok(vec![self.lift(&ev)?]),
        }
    }
}

pub(super) fn dim_src(dim: Dim) -> Src {
    match dim {
        Dim::Point(tx) => tx.src,
        Dim::Slice { at, .. } => at,
    }
}
