//! Parts of buffers as operands of tile operations. Where only the start is written (`A[i, j]`), the extents are those
//! of the other operand, from the last dimension on (TileLang's `legalize_pairwise_extents`).

use std::rc::Rc;

use ir::{BinaryOp, BufferId, DataType, ExprId, ExprKind, RegionDim, Type};

use super::super::{
    Lowerer, R,
    source_tree::{At, Src},
    value::{Ev, Tx, Val},
};
use crate::tvmscript::ast::Ex;

/// An operand of a tile operation.
pub(super) struct Tile {
    ex: Ex,
    ev: Ev,
    /// The buffer, the first index and the extent of each dimension; none if that is not known.
    part: Option<Part>,
}

struct Part {
    buffer: BufferId,
    /// Nothing of it is written: it is all of the buffer.
    is_whole: bool,
    starts: Vec<Tx>,
    /// None where only the start is written.
    extents: Option<Vec<ExprId>>,
}

impl Tile {
    /// The buffer that it is a part of.
    pub(super) fn buffer(&self) -> Option<BufferId> {
        self.part.as_ref().map(|it| it.buffer)
    }

    /// The indices of the element that it is, if it is one.
    pub(super) fn element(&self) -> Option<(BufferId, &[Tx])> {
        let part = self.part.as_ref().filter(|it| it.extents.is_none())?;
        Some((part.buffer, &part.starts))
    }

    /// The extents, where they are known.
    pub(super) fn extents(&self) -> Option<&[ExprId]> {
        self.part.as_ref()?.extents.as_deref()
    }

    /// The extents of a part that is written with its ends.
    fn written_extents(&self) -> Option<Vec<ExprId>> {
        self.part.as_ref().filter(|it| !it.is_whole)?.extents.clone()
    }

    /// The first indices, where they are known.
    pub(super) fn starts(&self) -> Option<&[Tx]> {
        self.part.as_ref().map(|it| &*it.starts)
    }

    pub(super) fn value(&self) -> &Ev {
        &self.ev
    }
}

impl Lowerer<'_, '_, '_> {
    /// Evaluates an operand.
    pub(super) fn tile(&mut self, ex: Ex) -> R<Tile> {
        let ev = self.eval(ex)?;
        let at = At { range: self.range(ex), is_real: false };
        let part = match &ev.val {
            Val::Buffer(buffer) if !self.s.body.has_unknown_rank(*buffer) => {
                let buffer = *buffer;
                let shape: Vec<ExprId> = self.s.body.buffers[buffer].shape.to_vec();
                let starts = shape.iter().map(|_| self.int(0, DataType::INT32, at)).collect();
                Some(Part { buffer, is_whole: true, starts, extents: Some(shape) })
            }
            Val::Region(buffer, dims) if !self.s.body.has_unknown_rank(*buffer) => {
                let (buffer, dims) = (*buffer, Rc::clone(dims));
                self.written_part(buffer, &dims, ev.src, at)?
            }
            Val::Cell(buffer) => {
                let zero = self.int(0, DataType::INT32, at);
                let part =
                    Part { buffer: *buffer, is_whole: false, starts: vec![zero], extents: None };
                Some(part)
            }
            Val::Expr(id) => match self.s.body.expr(*id).kind {
                ExprKind::Load { buffer, indices, predicate: None } => {
                    let ids = self.s.body.items(indices).to_vec();
                    let count = ids.len();
                    let start = |(index, id): (usize, ExprId)| Tx {
                        id,
                        src: self.s.sources.part(ev.src, index, count),
                    };
                    let starts = ids.into_iter().enumerate().map(start).collect();
                    Some(Part { buffer, is_whole: false, starts, extents: None })
                }
                _ => None,
            },
            _ => None,
        };
        Ok(Tile { ex, ev, part })
    }

    /// A written part; none if a dimension of it is not known, or has a step.
    fn written_part(
        &mut self,
        buffer: BufferId,
        dims: &[RegionDim],
        src: Src,
        at: At,
    ) -> R<Option<Part>> {
        use super::super::value::Dim;
        let shape = self.s.body.buffers[buffer].shape.to_vec();
        let (mut starts, mut extents) = (Vec::new(), Vec::new());
        for (index, dim) in self.sourced(dims, src).into_iter().enumerate() {
            match dim {
                Dim::Point(tx) => {
                    starts.push(tx);
                    extents.push(self.s.body.int(1, DataType::INT32));
                }
                Dim::Slice { step: Some(_), .. } => return Ok(None),
                Dim::Slice { lower, upper, .. } => {
                    let Some(&extent) = shape.get(index) else { return Ok(None) };
                    let upper = match upper {
                        Some(it) => Tx { id: it.id, src: self.s.sources.again(it.src) },
                        None => self.tx(extent, at),
                    };
                    let extent = match lower {
                        None => upper,
                        Some(it) => {
                            let again = Tx { id: it.id, src: self.s.sources.again(it.src) };
                            self.difference(upper, again, at)?
                        }
                    };
                    starts.push(match lower {
                        Some(it) => it,
                        None => self.int(0, DataType::INT32, at),
                    });
                    extents.push(extent.id);
                }
            }
        }
        Ok(Some(Part { buffer, is_whole: false, starts, extents: Some(extents) }))
    }

    /// The operands of an operation of two tiles, with the extents that follow from each other.
    pub(super) fn tile_pair(&mut self, first: Tile, second: Tile) -> R<(Tx, Tx)> {
        let (a, b) = match (&first.part, &second.part) {
            (Some(a), Some(b)) => {
                let ones = |n: usize, this: &mut Self| vec![this.s.body.int(1, DataType::INT32); n];
                match (a.extents.clone(), b.extents.clone()) {
                    (Some(a), Some(b)) => (Some(a), Some(b)),
                    (Some(a), None) => (Some(a.clone()), Some(ones(a.len(), self))),
                    (None, Some(b)) => (Some(ones(b.len(), self)), Some(b)),
                    (None, None) => (None, None),
                }
            }
            _ => (None, None),
        };
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => {
                let (a, b) = self.matched(a, b);
                // A part that is written has no more than that.
                (first.written_extents().or(Some(a)), second.written_extents().or(Some(b)))
            }
            _ => (None, None),
        };
        Ok((self.tile_operand(first, a)?, self.tile_operand(second, b)?))
    }

    /// Two lists of extents, each with those of the other where it has a one. Extents that may differ stay as they are.
    fn matched(&self, mut a: Vec<ExprId>, mut b: Vec<ExprId>) -> (Vec<ExprId>, Vec<ExprId>) {
        let is_one = |it: &ExprId| matches!(self.s.body.expr(*it).kind, ExprKind::Int(1));
        let count = |all: &[ExprId]| all.iter().filter(|it| !is_one(it)).count();
        if count(&a) == count(&b) {
            return (a, b);
        }
        for (x, y) in a.iter_mut().rev().zip(b.iter_mut().rev()) {
            match (is_one(x), is_one(y)) {
                (true, false) => *x = *y,
                (false, true) => *y = *x,
                _ => {}
            }
        }
        (a, b)
    }

    /// One tile by itself.
    pub(super) fn tile_alone(&mut self, tile: Tile) -> R<Tx> {
        let extents = tile.part.as_ref().map(|it| match &it.extents {
            Some(extents) => extents.clone(),
            None => vec![self.s.body.int(1, DataType::INT32); it.starts.len()],
        });
        self.tile_operand(tile, extents)
    }

    /// The operand that a tile of these extents is.
    fn tile_operand(&mut self, tile: Tile, extents: Option<Vec<ExprId>>) -> R<Tx> {
        if let (Some(part), None) = (&tile.part, &extents)
            && part.extents.is_none()
        {
            // From an element on, as much as the other side has.
            let starts = part.starts.clone();
            return Ok(self.open_region(tile.ex, part.buffer, &starts));
        }
        let (Some(part), Some(mut extents)) = (tile.part, extents) else {
            if let Val::Region(buffer, dims) = &tile.ev.val {
                return Ok(self.region(*buffer, dims, tile.ev.src));
            }
            return match tile.ev.val {
                Val::Python => {
                    self.note_kept(self.range(tile.ex));
                    Ok(self.opaque_operand(tile.ex))
                }
                _ => self.lift(&tile.ev),
            };
        };
        let rank = part.starts.len();
        if extents.len() > rank {
            extents.drain(..extents.len() - rank);
        }
        while extents.len() < rank {
            extents.insert(0, self.s.body.int(1, DataType::INT32));
        }
        if part.is_whole && part.extents.as_deref() == Some(&extents[..]) {
            return self.lift(&tile.ev);
        }
        let mut dims = Vec::with_capacity(rank);
        let mut sources = Vec::with_capacity(rank);
        for (start, extent) in part.starts.into_iter().zip(extents) {
            if matches!(self.s.body.expr(extent).kind, ExprKind::Int(1)) {
                dims.push(RegionDim::Point(start.id));
                sources.push(start.src);
                continue;
            }
            let at = At { range: self.tx_range(start), is_real: false };
            let again = Tx { id: start.id, src: self.s.sources.again(start.src) };
            let extent = self.tx(extent, at);
            let upper = self.upper_of(again, extent, at)?;
            let (lower, upper_id) = (Some(start.id), Some(upper.id));
            dims.push(RegionDim::Slice { lower, upper: upper_id, step: None });
            sources.push(self.s.sources.node(at, &[start.src, upper.src]));
        }
        let src = self.node(tile.ex, &sources);
        Ok(self.region(part.buffer, &dims, src))
    }

    /// A part of a buffer of which only the start is known.
    fn open_region(&mut self, ex: Ex, buffer: BufferId, starts: &[Tx]) -> Tx {
        let mut sources = Vec::with_capacity(starts.len());
        let mut dims = Vec::with_capacity(starts.len());
        for start in starts {
            let at = At { range: self.tx_range(*start), is_real: false };
            dims.push(RegionDim::Slice { lower: Some(start.id), upper: None, step: None });
            sources.push(self.s.sources.node(at, &[start.src]));
        }
        let src = self.node(ex, &sources);
        self.region(buffer, &dims, src)
    }

    /// `start + extent`, folded.
    fn upper_of(&mut self, start: Tx, extent: Tx, at: At) -> R<Tx> {
        if self.const_int(start) == Some(0) {
            return Ok(extent);
        }
        if self.ty(start) == Type::Unknown || self.ty(extent) == Type::Unknown {
            let kind = ExprKind::Binary(BinaryOp::Add, start.id, extent.id);
            return Ok(self.make(kind, Type::Unknown, at, &[start.src, extent.src]));
        }
        self.arithmetic(BinaryOp::Add, start, extent, at)
    }
}
