//! Loads, stores and addresses.
//!
//! The address of an element is computed in 32 bits, whatever the type of its indices: a buffer has fewer elements
//! than 2^31, and the low half of a sum of products is made of low halves (`SEMANTICS: M2`).

use ::naga::{AtomicFunction, BinaryOperator as Op, Expression, Scalar, ScalarKind, Statement};
use ir::{BufferId, DataType, ExprId, ExprListId};

use super::{
    expr::Place,
    function::Node,
    types::{self, Stored},
    writer::{Writer, lanes},
};
use crate::{
    kernel::{Refusal, Result, access, split::has_free_offset},
    reasons,
};

/// Memory that can be accessed.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    /// The pointer to its array.
    pub(super) base: Node,
    pub(super) stored: Stored,
    /// True if words that elements share are atomic.
    pub(super) atomic: bool,
}

/// One element of it.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pointer: Node,
    stored: Stored,
    atomic: bool,
    /// Bits to the element in its word.
    shift: Option<Node>,
}

impl Writer<'_> {
    /// One lane of a load, as a register.
    pub(super) fn load(
        &mut self,
        buffer: BufferId,
        indices: ExprListId,
        place: &Place,
    ) -> Result<Node> {
        let indices = self.body.items(indices);
        let element = self.element_at(buffer, indices, place)?;
        let dtype = self.body.buffers[buffer].dtype.element();
        self.read(element, dtype)
    }

    /// The element that one lane of an access touches.
    pub(super) fn element_at(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        place: &Place,
    ) -> Result<Element> {
        let root = self.root(buffer)?;
        let missing =
            || Refusal::new(reasons::BUFFER_POINTER, "a buffer has no memory in this kernel");
        let Memory { base, stored, atomic } = *self.memory.get(&root).ok_or_else(missing)?;
        let index = self.scalar_number(buffer, indices, place)?;
        let Stored::Packed(bits) = stored else {
            let pointer = self.out.add(Expression::Access { base, index })?;
            return Ok(Element { pointer, stored, atomic, shift: None });
        };
        let index = self.out.convert(index, Scalar::U32)?;
        let per_word = stored.per_word();
        let (log, mask) = (self.out.u32(per_word.trailing_zeros())?, self.out.u32(per_word - 1)?);
        let word = self.out.binary(Op::ShiftRight, index, log)?;
        let number = self.out.binary(Op::And, index, mask)?;
        let width = self.out.u32(u32::from(bits))?;
        let shift = self.out.binary(Op::Multiply, number, width)?;
        let pointer = self.out.add(Expression::Access { base, index: word })?;
        Ok(Element { pointer, stored, atomic, shift: Some(shift) })
    }

    fn read(&mut self, element: Element, dtype: DataType) -> Result<Node> {
        let register = types::register(dtype, self.language)?;
        let raw = self.out.load(element.pointer)?;
        match element.stored {
            Stored::Scalar(scalar) if scalar == register => Ok(raw),
            // A view of another type with the same bits.
            Stored::Scalar(scalar) if scalar.width == register.width && scalar.width >= 4 => {
                self.out.bits(raw, register.kind)
            }
            Stored::Scalar(scalar) if scalar.kind == register.kind => {
                self.out.convert(raw, register)
            }
            Stored::Scalar(_) => Err(types::no_type(dtype)),
            Stored::BfloatBits => {
                let word = self.out.convert(raw, Scalar::U32)?;
                self.bfloat(word)
            }
            Stored::Packed(bits) => {
                let shift = element.shift.map_or_else(|| self.out.u32(0), Ok)?;
                let word = self.out.binary(Op::ShiftRight, raw, shift)?;
                let mask = self.out.u32(mask(bits))?;
                let word = self.out.binary(Op::And, word, mask)?;
                match dtype.code {
                    ir::TypeCode::Bool => self.not_zero_node(word, Scalar::U32),
                    ir::TypeCode::BFloat => self.bfloat(word),
                    ir::TypeCode::UInt => Ok(word),
                    _ => {
                        let word = self.out.bits(word, ScalarKind::Sint)?;
                        self.wrapped(word, dtype)
                    }
                }
            }
        }
    }

    /// Sixteen bits as the upper half of a `float32`.
    fn bfloat(&mut self, word: Node) -> Result<Node> {
        let sixteen = self.out.u32(16)?;
        let word = self.out.binary(Op::ShiftLeft, word, sixteen)?;
        self.out.bits(word, ScalarKind::Float)
    }

    /// Writes a register to an element.
    pub(super) fn write(&mut self, element: Element, value: Node, dtype: DataType) -> Result<()> {
        let register = types::register(dtype, self.language)?;
        let value = match element.stored {
            Stored::Scalar(scalar) if scalar == register => value,
            Stored::Scalar(scalar) if scalar.width == register.width && scalar.width >= 4 => {
                self.out.bits(value, scalar.kind)?
            }
            Stored::Scalar(scalar) if scalar.kind == register.kind => {
                self.out.convert(value, scalar)?
            }
            Stored::Scalar(_) => return Err(types::no_type(dtype)),
            Stored::BfloatBits => {
                let word = self.bfloat_bits(value)?;
                self.out.convert(word, types::U16)?
            }
            Stored::Packed(bits) => return self.write_packed(element, value, dtype, bits),
        };
        self.out.store(element.pointer, value);
        Ok(())
    }

    /// Clears the element's bits of the word, then sets them: other threads may write its other bits at any time.
    fn write_packed(
        &mut self,
        element: Element,
        value: Node,
        dtype: DataType,
        bits: u8,
    ) -> Result<()> {
        let word = match dtype.code {
            ir::TypeCode::BFloat => self.bfloat_bits(value)?,
            ir::TypeCode::UInt => value,
            ir::TypeCode::Bool => self.out.convert(value, Scalar::U32)?,
            _ => self.out.bits(value, ScalarKind::Uint)?,
        };
        let shift = element.shift.map_or_else(|| self.out.u32(0), Ok)?;
        let mask = self.out.u32(mask(bits))?;
        let word = self.out.binary(Op::And, word, mask)?;
        let word = self.out.binary(Op::ShiftLeft, word, shift)?;
        let hole = self.out.binary(Op::ShiftLeft, mask, shift)?;
        let op = ::naga::UnaryOperator::BitwiseNot;
        let rest = self.out.add(Expression::Unary { op, expr: hole })?;
        for (fun, value) in [(AtomicFunction::And, rest), (AtomicFunction::InclusiveOr, word)] {
            let ty = self.out.scalar_type(Scalar::U32);
            let result = self.out.add_result(Expression::AtomicResult { ty, comparison: false })?;
            let pointer = element.pointer;
            self.out.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        }
        debug_assert!(element.atomic, "words of written memory are atomic");
        Ok(())
    }

    /// The upper half of a `float32` that holds a `bfloat16`.
    fn bfloat_bits(&mut self, value: Node) -> Result<Node> {
        let word = self.out.bits(value, ScalarKind::Uint)?;
        let sixteen = self.out.u32(16)?;
        self.out.binary(Op::ShiftRight, word, sixteen)
    }

    // ---- addresses ----

    /// The number of the scalar that one lane of an access touches.
    fn scalar_number(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        place: &Place,
    ) -> Result<Node> {
        let per_element = lanes(self.body.buffers[buffer].dtype)?;
        let (index_lane, inner) = (place.lane / per_element, place.lane % per_element);
        let element = self.element_number(buffer, indices, &place.at(index_lane))?;
        if per_element == 1 {
            return Ok(element);
        }
        let factor = self.out.i32(per_element as i32)?;
        let number = self.out.binary(Op::Multiply, element, factor)?;
        let inner = self.out.i32(inner as i32)?;
        self.out.binary(Op::Add, number, inner)
    }

    fn element_number(
        &mut self,
        buffer: BufferId,
        indices: &[ExprId],
        place: &Place,
    ) -> Result<Node> {
        let body = self.body;
        let data = &body.buffers[buffer];
        if indices.len() != data.shape.len() {
            return Err(Refusal::new(
                reasons::BUFFER_RANK,
                "an access has another rank than its buffer",
            ));
        }
        let root = match self.root(buffer)? {
            crate::kernel::Root::Param(it) | crate::kernel::Root::Alloc(it) => it,
            crate::kernel::Root::Handle(_) => buffer,
        };
        if has_free_offset(body, root) && access::inherits_offset(body, buffer) {
            let text = "the offset of a buffer is not written in its accesses";
            return Err(Refusal::new(reasons::BUFFER_OFFSET, text));
        }
        let mut sum = None;
        if let Some(offset) = access::offset(body, buffer)? {
            self.add_term(&mut sum, offset, &[], place)?;
        }
        for (dim, &index) in indices.iter().enumerate() {
            let factors = match &data.strides {
                Some(strides) => strides
                    .get(dim..=dim)
                    .ok_or_else(|| Refusal::new(reasons::BUFFER_RANK, "a buffer lacks a stride"))?,
                None => &data.shape[dim + 1..],
            };
            self.add_term(&mut sum, index, factors, place)?;
        }
        sum.map_or_else(|| self.out.i32(0), Ok)
    }

    /// `sum + index * factor * factor …`; constant factors are multiplied.
    fn add_term(
        &mut self,
        sum: &mut Option<Node>,
        index: ExprId,
        factors: &[ExprId],
        place: &Place,
    ) -> Result<()> {
        if self.constant(index) == Some(0) && (sum.is_some() || factors.is_empty()) {
            return Ok(());
        }
        let mut term = self.low_half(index, place)?;
        let mut constant = 1i32;
        for &factor in factors {
            let value = self.constant(factor).and_then(|it| i32::try_from(it).ok());
            match value.and_then(|it| constant.checked_mul(it)) {
                Some(product) => constant = product,
                None => {
                    let factor = self.low_half(factor, &place.at(0))?;
                    term = self.out.binary(Op::Multiply, term, factor)?;
                }
            }
        }
        if constant != 1 {
            let factor = self.out.i32(constant)?;
            term = self.out.binary(Op::Multiply, term, factor)?;
        }
        *sum = Some(match *sum {
            Some(sum) => self.out.binary(Op::Add, sum, term)?,
            None => term,
        });
        Ok(())
    }

    /// The low 32 bits of an integer, as an `i32`.
    fn low_half(&mut self, expr: ExprId, place: &Place) -> Result<Node> {
        let value = self.expr(expr, place)?;
        let dtype = self.dtype(expr)?;
        match types::register(dtype, self.language)? {
            Scalar::I32 => Ok(value),
            Scalar::BOOL | Scalar::I64 | Scalar::U64 => self.out.convert(value, Scalar::I32),
            Scalar::U32 => self.out.bits(value, ScalarKind::Sint),
            _ => Err(Refusal::new(reasons::EXPRESSION, "an index is no integer")),
        }
    }
}

/// The low `bits` bits.
fn mask(bits: u8) -> u32 {
    (1u32 << bits) - 1
}
