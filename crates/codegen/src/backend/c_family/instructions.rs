//! Instructions of a warp and of the copy engine, in the one dialect that has them ([`Dialect::has_ptx`]).
//!
//! In: a statement that is an [`Instruction`]. Out: a call of a function with inline PTX
//! ([`crate::backend::cuda::ptx`]), or of `nvcuda::wmma` for fragments, which have a type of their own: shape and
//! layout are those of the loads, fills and stores of their buffer, so these are looked for first. The device
//! requirement of an instruction is recorded as a feature of the kernel. Linear in the kernel.

use ir::{
    Body, BufferField, BufferId, DataType, ExprId, ExprKind, Intrinsic, MemoryScope, OpKind,
    TypeCode,
};

use super::{
    expr::{Place, prec},
    helpers::{Helper, Scalar},
    writer::Writer,
};
use crate::{
    backend::{
        Feature,
        cuda::ptx::{Mma, Ptx},
    },
    kernel::{Refusal, Result, Root, access::is_fragment, split::nest},
    reasons,
};
use barriers::instructions::{At, Copy, Fragment, Instruction, fragment_extents, instruction};

/// The fragments of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FragmentType {
    shape: [i64; 3],
    /// Of matrices A and B; none for accumulators.
    layout: Option<&'static str>,
}

fn malformed(what: &str) -> Refusal {
    Refusal::new(reasons::INSTRUCTION_FORM, what.to_owned())
}

/// The buffer whose memory a pointer is of, without an offset.
fn pointed(body: &Body, pointer: ExprId) -> Option<BufferId> {
    match body.expr(pointer).kind {
        ExprKind::BufferField(buffer, BufferField::Data) => Some(buffer),
        _ => None,
    }
}

impl Writer<'_> {
    /// Writes a statement that is an instruction.
    pub(super) fn instruction(&mut self, known: &Instruction<'_>) -> Result<()> {
        match known {
            Instruction::Mma(mma) => {
                let saturates = match mma.saturates {
                    Some(it) => self.known(it, "whether an `mma` saturates")? != 0,
                    None => false,
                };
                let form = Mma::find(mma.shape, mma.layouts, mma.types, saturates, mma.bits);
                let form = form.ok_or_else(|| {
                    let [a, b, c] = mma.types;
                    let what = format!("no `mma` of {} of {a}, {b}, {c}", mma.shape);
                    malformed(&format!("{what} ({}) exists", mma.layouts.join(", ")))
                })?;
                let [a, b, c] = mma.registers;
                let [a, b, c] = [self.at(a)?, self.at(b)?, self.at(c)?];
                self.ptx(Ptx::Mma(form), &[c, a, b])
            }
            &Instruction::LoadMatrix { transposed, number, to, from } => {
                self.load_matrix(transposed, number, to, from)
            }
            &Instruction::Fill { size, to } => {
                let size = self.known(size, "the number of registers")?;
                let (dtype, to) = (self.pointee(to)?, self.at(to)?);
                self.memory_type(dtype)?;
                let name = self.helper(Helper::MmaFill(Scalar::of(dtype)));
                self.line(&format!("{name}({to}, {size});"));
                Ok(())
            }
            &Instruction::Store { shape, to, from, stride } => {
                let [m, n] = shape;
                if [self.constant(m), self.constant(n)] != [Some(16); 2] {
                    return Err(malformed("a store of a tile that is not 16 × 16"));
                }
                let to = At { pointer: to, offset: None };
                let dtype = self.pointee(to)?;
                if self.pointee(from)? != dtype {
                    return Err(malformed("a store of registers as another type"));
                }
                self.memory_type(dtype)?;
                let (to, from, stride) = (self.at(to)?, self.at(from)?, self.text(stride)?);
                let name = self.helper(Helper::MmaStore(Scalar::of(dtype)));
                self.line(&format!("{name}({to}, {from}, {stride});"));
                Ok(())
            }
            Instruction::Copy(copy) => self.copy(copy),
            Instruction::Commit => self.ptx(Ptx::Commit, &[]),
            &Instruction::Wait(newest) => {
                let newest = self.known(newest, "the number of groups that a wait leaves")?;
                let newest = u8::try_from(newest).map_err(|_| malformed("a wait"))?;
                self.ptx(Ptx::Wait(newest), &[])
            }
            Instruction::WaitAll => self.ptx(Ptx::WaitAll, &[]),
            Instruction::LoadFragment(copy) => {
                self.wmma(None)?;
                let fragment = self.fragment(copy.fragment)?;
                let memory = self.typed(copy.memory, copy.fragment.pointer)?;
                let stride = self.text(copy.stride)?;
                let is_result = self.scope(copy.fragment.pointer)? == MemoryScope::Accumulator;
                let layout = match is_result {
                    true => format!(", nvcuda::wmma::mem_{}", layout_name(copy.layout)?),
                    false => String::new(),
                };
                self.line(&format!(
                    "nvcuda::wmma::load_matrix_sync({fragment}, {memory}, {stride}{layout});"
                ));
                Ok(())
            }
            Instruction::StoreFragment(copy) => {
                self.wmma(None)?;
                let fragment = self.fragment(copy.fragment)?;
                let memory = self.typed(copy.memory, copy.fragment.pointer)?;
                let (stride, layout) = (self.text(copy.stride)?, layout_name(copy.layout)?);
                self.line(&format!(
                    "nvcuda::wmma::store_matrix_sync({memory}, {fragment}, {stride}, nvcuda::wmma::mem_{layout});"
                ));
                Ok(())
            }
            &Instruction::FillFragment { fragment, value, .. } => {
                self.wmma(None)?;
                let (pointer, fragment) = (fragment.pointer, self.fragment(fragment)?);
                let ty = self.fragment_element(pointer)?;
                let value = self.text(value)?;
                self.line(&format!("nvcuda::wmma::fill_fragment({fragment}, ({ty})({value}));"));
                Ok(())
            }
            Instruction::MultiplyFragments { fragments, is_bits } => {
                self.wmma(is_bits.then_some(75))?;
                let mut texts = Vec::new();
                for fragment in fragments {
                    texts.push(self.fragment(*fragment)?);
                }
                let name = if *is_bits { "bmma_sync" } else { "mma_sync" };
                self.line(&format!("nvcuda::wmma::{name}({});", texts.join(", ")));
                Ok(())
            }
        }
    }

    fn load_matrix(&mut self, transposed: ExprId, number: ExprId, to: At, from: At) -> Result<()> {
        let is_transposed = self.known(transposed, "whether an `ldmatrix` is transposed")? != 0;
        let number = match self.constant(number) {
            Some(it @ (1 | 2 | 4)) => it as u8,
            _ => return Err(malformed("an `ldmatrix` of other than 1, 2 or 4 matrices")),
        };
        if is_transposed && self.pointee(from)?.bits == 8 {
            let stride = from.offset.map(|it| self.text(it)).transpose()?.unwrap_or_default();
            let from = self.at(At { offset: None, ..from })?;
            let to = self.at(to)?;
            return self.ptx(Ptx::LoadBytes, &[to, from, stride]);
        }
        let (to, from) = (self.at(to)?, self.at(from)?);
        self.ptx(Ptx::LoadMatrix { number, is_transposed }, &[to, from])
    }

    fn copy(&mut self, copy: &Copy) -> Result<()> {
        let bytes = match self.constant(copy.bytes) {
            Some(it @ (4 | 8 | 16)) => it as u8,
            _ => return Err(malformed("an asynchronous copy of other than 4, 8 or 16 bytes")),
        };
        // The cache of a multiprocessor can be left out by copies of 16 bytes only; these do it unless they say
        // otherwise.
        let is_global_only = copy.is_global_only.unwrap_or(bytes == 16);
        if is_global_only && bytes != 16 {
            return Err(malformed("a copy `.cg` of other than 16 bytes"));
        }
        let mut args = vec![self.at(copy.to)?, self.at(copy.from)?];
        match (copy.predicate, copy.source_bytes) {
            (Some(predicate), _) => {
                let predicate = self.text_at(predicate, prec::OR)?;
                args.push(format!("{predicate} ? {bytes} : 0"));
            }
            (None, Some(size)) => args.push(self.text(size)?),
            (None, None) => {}
        }
        let has_size = args.len() > 2;
        self.ptx(Ptx::Copy { bytes, is_global_only, has_size }, &args)
    }

    /// A call of a function with inline PTX.
    fn ptx(&mut self, ptx: Ptx, args: &[String]) -> Result<()> {
        self.ask_for(ptx.arch(), &ptx.what());
        let name = self.helper(Helper::Ptx(ptx));
        self.line(&format!("{name}({});", args.join(", ")));
        Ok(())
    }

    fn wmma(&mut self, arch: Option<u32>) -> Result<()> {
        self.needs.wmma = true;
        self.ask_for(arch.unwrap_or(70), "nvcuda::wmma");
        Ok(())
    }

    /// Notes the architecture that an instruction asks for.
    fn ask_for(&mut self, arch: u32, what: &str) {
        let name = format!("sm_{arch} {what}");
        if self.features.iter().all(|it| it.name != name) {
            self.features.push(Feature { name, op: self.current_op() });
        }
    }

    // ---- operands ----

    fn known(&mut self, expr: ExprId, what: &str) -> Result<i64> {
        self.constant(expr).ok_or_else(|| malformed(&format!("{what} is no constant")))
    }

    fn text(&mut self, expr: ExprId) -> Result<String> {
        self.text_at(expr, prec::ANY)
    }

    /// The text of an expression, as an operand of this strength.
    fn text_at(&mut self, expr: ExprId, prec: u8) -> Result<String> {
        let start = self.out.len();
        self.expr(expr, &Place { prec, ..Place::lane(0) })?;
        Ok(self.out.split_off(start))
    }

    /// Returns the target of an address: the buffer, the first element and its type.
    fn address_of(&mut self, pointer: ExprId) -> Result<(BufferId, Option<ExprId>, DataType)> {
        let body = self.body;
        let computed =
            || Refusal::new(reasons::BUFFER_POINTER, "an instruction is given a computed pointer");
        if let Some(buffer) = pointed(body, pointer) {
            return Ok((buffer, None, body.buffers[buffer].dtype));
        }
        match body.operands_of(pointer, Intrinsic::AccessPtr) {
            Some(&[element, data, offset, _, _]) => {
                let buffer = pointed(body, data).ok_or_else(computed)?;
                let dtype = self.dtype(element)?;
                if dtype != body.buffers[buffer].dtype {
                    return Err(Refusal::new(
                        reasons::BUFFER_POINTER,
                        "a pointer to another type than its buffer's",
                    ));
                }
                Ok((buffer, Some(offset), dtype))
            }
            _ => Err(computed()),
        }
    }

    fn pointee(&mut self, at: At) -> Result<DataType> {
        let body = self.body;
        if let Some((buffer, _)) = element_address(body, at.pointer) {
            return Ok(body.buffers[buffer].dtype);
        }
        Ok(self.address_of(at.pointer)?.2)
    }

    /// The text of an address.
    fn at(&mut self, at: At) -> Result<String> {
        let body = self.body;
        let sum = &Place { prec: prec::PRODUCT, ..Place::lane(0) };
        if let Some((buffer, indices)) = element_address(body, at.pointer) {
            let mut text = self.pointer_text(buffer)?;
            let start = self.out.len();
            self.address(buffer, &indices, &Place::lane(0))?;
            text.push_str(&format!(" + ({})", self.out.split_off(start)));
            if let Some(offset) = at.offset {
                let start = self.out.len();
                self.expr(offset, sum)?;
                text.push_str(&format!(" + {}", self.out.split_off(start)));
            }
            return Ok(text);
        }
        let (buffer, first, _) = self.address_of(at.pointer)?;
        if is_fragment(body, buffer) {
            return Err(malformed("registers of an instruction are in a fragment"));
        }
        let mut text = self.pointer_text(buffer)?;
        for index in first.into_iter().chain(at.offset) {
            if self.constant(index) == Some(0) {
                continue;
            }
            let start = self.out.len();
            self.expr(index, sum)?;
            text.push_str(&format!(" + {}", self.out.split_off(start)));
        }
        Ok(text)
    }

    /// A pointer with the element type of a fragment.
    fn typed(&mut self, pointer: ExprId, fragment: ExprId) -> Result<String> {
        let at = At { pointer, offset: None };
        let wanted = pointed(self.body, fragment).map(|it| self.body.buffers[it].dtype);
        let dtype = self.pointee(at)?;
        if wanted != Some(dtype) {
            return Err(malformed("a fragment is loaded or stored as another type"));
        }
        let ty = self.memory_type(dtype)?;
        let text = self.at(at)?;
        Ok(format!("({ty}*)({text})"))
    }

    // ---- fragments ----

    fn fragment(&mut self, fragment: Fragment) -> Result<String> {
        let buffer = pointed(self.body, fragment.pointer)
            .filter(|it| is_fragment(self.body, *it))
            .ok_or_else(|| malformed("a fragment in other memory than a `wmma` scope"))?;
        let root = self.root(buffer)?;
        let name = self.root_slot(root);
        let index = self.text(fragment.index)?;
        Ok(format!("{name}[{index}]"))
    }

    fn scope(&self, pointer: ExprId) -> Result<MemoryScope> {
        let buffer = pointed(self.body, pointer).ok_or_else(|| malformed("a fragment"))?;
        Ok(self.body.buffers[buffer].scope)
    }

    /// The C++ type of the elements of a fragment.
    fn fragment_element(&mut self, pointer: ExprId) -> Result<&'static str> {
        let buffer = pointed(self.body, pointer).ok_or_else(|| malformed("a fragment"))?;
        let dtype = self.body.buffers[buffer].dtype;
        self.memory_type(dtype)
    }

    /// The declaration of a buffer of fragments.
    pub(super) fn fragment_array(&mut self, buffer: BufferId) -> Result<()> {
        let body = self.body;
        let data = &body.buffers[buffer];
        let found = self.fragment_type(buffer)?;
        let layout = found.layout.unwrap_or("row_major");
        let [m, n, k] = found.shape;
        let [rows, columns] =
            fragment_extents(data.scope, found.shape, layout).ok_or_else(|| {
                let scope = body.scope_name(data.scope);
                Refusal::new(reasons::MEMORY_SCOPE, format!("memory scope `{scope}`"))
            })?;
        let len = self.array_len(buffer)?;
        let elements = u64::try_from(rows * columns).unwrap_or(u64::MAX).max(1);
        if len % elements != 0 {
            return Err(malformed("a buffer of fragments does not hold a whole number of them"));
        }
        let role = body.scope_name(data.scope).trim_start_matches("wmma.");
        let is_factor = data.scope != MemoryScope::Accumulator;
        let ty = match (data.dtype.code, data.dtype.bits) {
            (TypeCode::Float, 32) if is_factor => "nvcuda::wmma::precision::tf32",
            _ => self.memory_type(data.dtype)?,
        };
        let layout = match is_factor {
            true => format!(", nvcuda::wmma::{layout}"),
            false => String::new(),
        };
        let name = self.root_slot(Root::Alloc(buffer));
        self.needs.wmma = true;
        self.line(&format!(
            "nvcuda::wmma::fragment<nvcuda::wmma::{role}, {m}, {n}, {k}, {ty}{layout}> {name}[{}];",
            len / elements
        ));
        Ok(())
    }

    /// Returns the type that the instructions of the kernel imply for the fragments of a buffer.
    fn fragment_type(&mut self, buffer: BufferId) -> Result<FragmentType> {
        let body = self.body;
        let root = self.root(buffer)?;
        let mut found: Option<FragmentType> = None;
        let mut relatives: Vec<ExprId> = Vec::new();
        for op in nest(body, self.kernel.op) {
            if body.ops[op].kind != OpKind::Evaluate {
                continue;
            }
            let Some(known) = instruction(body, body.ops[op].operands[0]) else { continue };
            let (pointer, shape, layout) = match known {
                Instruction::LoadFragment(copy) => {
                    (copy.fragment.pointer, copy.shape, Some(copy.layout))
                }
                Instruction::StoreFragment(copy) => (copy.fragment.pointer, copy.shape, None),
                Instruction::FillFragment { fragment, shape, .. } => {
                    (fragment.pointer, shape, None)
                }
                Instruction::MultiplyFragments { fragments, .. } => {
                    relatives.extend(fragments.iter().map(|it| it.pointer));
                    continue;
                }
                _ => continue,
            };
            let Some(other) = pointed(body, pointer) else { continue };
            if self.root(other)? != root {
                continue;
            }
            let [m, n, k] = shape.map(|it| self.constant(it).filter(|it| (1..=256).contains(it)));
            let (Some(m), Some(n), Some(k)) = (m, n, k) else {
                return Err(malformed("the shape of a fragment is no constant"));
            };
            let layout = layout.map(layout_name).transpose()?;
            let layout = layout.map(|it| if it == "row_major" { it } else { "col_major" });
            match &mut found {
                None => found = Some(FragmentType { shape: [m, n, k], layout }),
                Some(it) if it.shape == [m, n, k] && (it.layout == layout || layout.is_none()) => {}
                Some(it) if it.shape == [m, n, k] && it.layout.is_none() => it.layout = layout,
                Some(_) => {
                    return Err(malformed("fragments of two shapes or layouts in one buffer"));
                }
            }
        }
        found.ok_or_else(|| malformed("a fragment that nothing is loaded into or stored from"))
    }
}

/// `T.address_of(buffer[indices])`
fn element_address(body: &Body, pointer: ExprId) -> Option<(BufferId, Vec<ExprId>)> {
    let &[of, ..] = body.operands_of(pointer, Intrinsic::AddressOf)? else { return None };
    match body.expr(of).kind {
        ExprKind::Load { buffer, indices, predicate: None } => {
            Some((buffer, body.items(indices).to_vec()))
        }
        _ => None,
    }
}

fn layout_name(layout: &str) -> Result<&'static str> {
    match layout {
        "row_major" => Ok("row_major"),
        "col_major" => Ok("col_major"),
        other => Err(malformed(&format!("the layout `{other}`"))),
    }
}
