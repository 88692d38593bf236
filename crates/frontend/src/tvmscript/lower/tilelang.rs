//! TileLang's script: its operators, and the parts of buffers that they are given.
//!
//! In: calls `T.copy(…)` of operators that TileLang registers, with operands `T.region(A[i, j], access, extents…)`.
//! Out: calls of `tl.copy` on regions, which every other part of the program knows. An access that is not the one of
//! its operator is kept as an attribute of the call. O(length of the text).

use std::rc::Rc;

use ir::{
    BinaryOp, Dialect, ExprKind, RegionDim,
    effects::{EffectTable, TileLangOp},
};
use smallvec::SmallVec;

use super::{
    Lowerer, R,
    intrinsics::is_known,
    source_tree::{At, Src},
    value::{Tx, Val},
};
use crate::tvmscript::ast::{Ast, Ex, ExKind};

/// The call by which TileLang prints a part of a buffer.
const REGION: &str = "region";

/// The operator of TileLang that a name behind `T.` is, unless TVM has one of this name, or had.
pub(super) fn operator(name: &str) -> Option<&'static TileLangOp> {
    let is_of_tvm = || is_known(name, EffectTable::builtin());
    ir::effects::tilelang_op(name).filter(|_| !is_of_tvm())
}

/// Returns true if a text is TileLang's script: it calls an operator that only TileLang has, or a key begins
/// as its keys do.
pub(super) fn is_script(ast: &Ast<'_>) -> bool {
    ast.exprs.iter().any(|node| {
        ir::interrupt::check();
        match node.kind {
            ExKind::Attr { name, base, .. } => {
                matches!(ast.kind(base), ExKind::Name("T")) && operator(name).is_some()
            }
            ExKind::Str(text) => ast.string(text).starts_with("tl."),
            _ => false,
        }
    })
}

impl Lowerer<'_, '_, '_> {
    /// Returns true if a name that is given a value is memory, which another assignment stores into.
    pub(super) fn has_cells(&self) -> bool {
        self.s.body.dialect.has_cells()
    }

    pub(super) fn is_tilelang(&self) -> bool {
        self.s.body.dialect == Dialect::TileLang
    }

    /// `T.region(A[i, j], access, extents…)` as an operand: the part of the buffer, and the access.
    pub(super) fn region_operand(&mut self, arg: Ex) -> R<Option<(Tx, Option<i64>)>> {
        let ExKind::Call { .. } = self.ast.kind(arg) else { return Ok(None) };
        let Some((form, args)) = self.form_call(arg) else { return Ok(None) };
        let [place, access, extents @ ..] = &args.positional[..] else { return Ok(None) };
        if form != REGION || !args.keywords.is_empty() {
            return Ok(None);
        }
        let place = self.eval(*place)?;
        let Val::Expr(load) = place.val else { return Ok(None) };
        let ExprKind::Load { buffer, indices, predicate: None } = self.s.body.expr(load).kind
        else {
            return Ok(None);
        };
        let indices: SmallVec<[_; 4]> = self.s.body.items(indices).into();
        if indices.len() != extents.len() {
            return Ok(None);
        }
        let access = self.expr(*access)?;
        let mut dims: Vec<RegionDim> = Vec::with_capacity(indices.len());
        let mut children: SmallVec<[Src; 4]> = SmallVec::new();
        for (at, (&index, &extent)) in indices.iter().zip(extents).enumerate() {
            let src = self.s.sources.part(place.src, at, indices.len());
            let extent = self.expr(extent)?;
            let (dim, src) = self.region_dim(Tx { id: index, src }, extent)?;
            dims.push(dim);
            children.push(src);
        }
        let src = self.node(arg, &children);
        let dims: Rc<[RegionDim]> = dims.into();
        Ok(Some((self.region(buffer, &dims, src), self.const_int(access))))
    }

    /// A dimension that begins at an index and has an extent.
    fn region_dim(&mut self, index: Tx, extent: Tx) -> R<(RegionDim, Src)> {
        if self.const_int(extent) == Some(1) {
            return Ok((RegionDim::Point(index.id), index.src));
        }
        let at = At { range: self.s.sources.range(index.src), is_real: false };
        let again = Tx { id: index.id, src: self.s.sources.again(index.src) };
        let upper = self.arithmetic(BinaryOp::Add, again, extent, at)?;
        let src = self.s.sources.node(at, &[index.src, upper.src]);
        Ok((RegionDim::Slice { lower: Some(index.id), upper: Some(upper.id), step: None }, src))
    }
}
