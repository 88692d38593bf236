//! The accesses of calls through their pointer arguments: `T.tvm_access_ptr`, `T.address_of`, `buffer.data`.
//!
//! In: a call. Out: for each pointer into shared memory whether the call reads or writes there, and which elements, by
//! thread. Instructions that are understood ([`crate::instructions`]) have exact extents: rows of `ldmatrix`, the tile
//! of a fragment, the bytes of a copy. For other calls the mask and extent of an `access_ptr` are trusted as the
//! program's word; any other pointer may be used to read and write all of its memory. A pointer of unknown origin is a
//! pointer into all shared memory.
//!
//! The 32 threads of a warp execute its instruction together: the access that one of them declares counts for all, so
//! that only other addresses, not the same thread, separate it from other accesses. O(operands) a call, and threads ×
//! elements for the addresses.

use std::rc::Rc;

use ir::{
    BufferField, BufferId, Callee, ExprId, ExprKind, Intrinsic, MemoryScope, Type, ValueKind,
    arena::Id as _,
    effects::{Asynchrony, MemoryEffect},
};

use super::{Addresses, Planner, WARP};
use crate::instructions::{At, Instruction, fragment_extents, instruction};

/// The elements that an access touches from its pointer on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// These, counted from the pointer.
    Elements(Vec<i64>),
    /// This number of bytes.
    Bytes(i64),
    /// The number of elements that an expression gives.
    Declared(ExprId),
    /// Any of the memory.
    Unknown,
}

/// An access through a pointer.
#[derive(Clone, Debug)]
pub(super) struct PointerAccess {
    pub(super) at: At,
    pub(super) extent: Extent,
    pub(super) write: bool,
    /// Threads of a warp execute it together, or the executing threads are unknown.
    pub(super) is_collective: bool,
    /// Every thread of a warp gives the same address.
    pub(super) is_one_a_warp: bool,
    /// Begins here, and ends at a wait.
    pub(super) is_asynchronous: bool,
    /// True if all of the extent, if it is known, is accessed.
    pub(super) is_exact: bool,
}

/// The memory behind a pointer.
enum Pointee {
    /// The memory of a buffer from its start, or from an element on.
    Buffer {
        buffer: BufferId,
        first: Option<ExprId>,
        unit: Option<usize>,
    },
    /// Memory that is not shared.
    Elsewhere,
    Unknown,
}

/// Elements that are enumerated for an access, over all threads.
const MOST_ELEMENTS: usize = 1 << 18;

/// Returns true if a call only makes a pointer.
pub(super) fn makes_address(callee: Callee) -> bool {
    matches!(callee, Callee::Intrinsic(_, it) if it.makes_address())
}

impl Planner<'_> {
    /// Returns the accesses of a call through pointers into shared memory. Calls inside it are queried by themselves.
    pub(super) fn pointer_accesses(&self, call: ExprId) -> Vec<PointerAccess> {
        let body = self.body;
        let kind = body.expr(call).kind;
        let ExprKind::Call { args, .. } = kind else { return Vec::new() };
        if let Some(known) = instruction(body, call) {
            return self.of_instruction(&known);
        }
        let effects = self.effects.call(body, kind);
        let waits = matches!(effects.asynchrony, Asynchrony::Wait | Asynchrony::Commit);
        if effects.memory_effect == MemoryEffect::None || waits {
            return Vec::new();
        }
        // What a copy that is not understood does at once, and what later, is not known.
        let when: &[bool] =
            if effects.asynchrony == Asynchrony::Copy { &[false, true] } else { &[false] };
        let mut found = Vec::new();
        for pointer in self.pointers(body.items(args)) {
            let (mask, extent) = self.declared(pointer);
            for write in [false, true] {
                if mask & (1 + i64::from(write)) == 0 {
                    continue;
                }
                found.extend(when.iter().map(|&is_asynchronous| PointerAccess {
                    at: At { pointer, offset: None },
                    extent: extent.clone(),
                    write,
                    is_collective: true,
                    is_one_a_warp: false,
                    is_asynchronous,
                    is_exact: false,
                }));
            }
        }
        found
    }

    /// The pointers among the operands of a call, also those in calls that make other values of them.
    fn pointers(&self, args: &[ExprId]) -> Vec<ExprId> {
        let body = self.body;
        let mut found = Vec::new();
        let mut stack: Vec<ExprId> = args.to_vec();
        while let Some(expr) = stack.pop() {
            let node = body.expr(expr);
            match node.kind {
                ExprKind::BufferField(_, BufferField::Data) => found.push(expr),
                ExprKind::Call { callee, .. } if makes_address(callee) => found.push(expr),
                ExprKind::Value(value) => match self.definitions.get(&value) {
                    Some(&definition) if is_pointer(node.ty) => stack.push(definition),
                    _ if is_pointer(node.ty) => found.push(expr),
                    _ => {}
                },
                ExprKind::Opaque { .. } => found.push(expr),
                // What is read is a value; a pointer in memory is of unknown origin.
                ExprKind::Load { .. } if is_pointer(node.ty) => found.push(expr),
                ExprKind::Load { .. } => {}
                kind => body.each_child(kind, &mut |child| stack.push(child)),
            }
        }
        found
    }

    /// Returns the use that a pointer declares: a mask of reads (1) and writes (2), and an extent.
    fn declared(&self, pointer: ExprId) -> (i64, Extent) {
        let body = self.body;
        if let Some(&[_, _, _, extent, mask]) = body.operands_of(pointer, Intrinsic::AccessPtr)
            && let ExprKind::Int(mask) = body.expr(mask).kind
        {
            return (mask, Extent::Declared(extent));
        }
        (3, Extent::Unknown)
    }

    fn of_instruction(&self, known: &Instruction<'_>) -> Vec<PointerAccess> {
        let access = |at, extent, write| PointerAccess {
            at,
            extent,
            write,
            is_collective: true,
            is_one_a_warp: false,
            is_asynchronous: false,
            is_exact: true,
        };
        let unknown = |at, write| access(at, Extent::Unknown, write);
        let plain = |pointer| At { pointer, offset: None };
        match known {
            // Registers are no shared memory; where they are, nothing is known of their layout.
            Instruction::Mma(mma) => {
                let [a, b, c] = mma.registers;
                vec![unknown(a, false), unknown(b, false), unknown(c, false), unknown(c, true)]
            }
            Instruction::Fill { to, .. } => vec![unknown(*to, true)],
            &Instruction::LoadMatrix { transposed, number, to, from } => {
                let bytes = self.pointee_bytes(from.pointer);
                let is_transposed = !matches!(self.body.expr(transposed).kind, ExprKind::Int(0));
                // TVM's loop for transposed bytes has a stride for an offset.
                let extent = match bytes {
                    Some(1) if is_transposed => Extent::Unknown,
                    Some(_) => Extent::Bytes(16),
                    None => Extent::Unknown,
                };
                // Fewer matrices ask fewer threads for an address.
                let is_exact = self.constant(number) == Some(4);
                vec![PointerAccess { is_exact, ..access(from, extent, false) }, unknown(to, true)]
            }
            &Instruction::Store { shape, to, from, stride } => {
                let [m, n] = shape.map(|it| self.constant(it));
                let tile = self.tile(m.zip(n).map(|(m, n)| [m, n]), stride);
                vec![
                    PointerAccess { is_one_a_warp: true, ..access(plain(to), tile, true) },
                    unknown(from, false),
                ]
            }
            Instruction::Copy(copy) => {
                let extent = match self.constant(copy.bytes) {
                    Some(bytes) => Extent::Bytes(bytes),
                    None => Extent::Unknown,
                };
                let own = |at, write| PointerAccess {
                    is_collective: false,
                    is_asynchronous: true,
                    ..access(at, extent.clone(), write)
                };
                vec![own(copy.to, true), own(copy.from, false)]
            }
            Instruction::Commit | Instruction::Wait(_) | Instruction::WaitAll => Vec::new(),
            Instruction::LoadFragment(copy) | Instruction::StoreFragment(copy) => {
                let is_load = matches!(known, Instruction::LoadFragment(_));
                let shape = copy.shape.map(|it| self.constant(it));
                let extents = match shape {
                    [Some(m), Some(n), Some(k)] => {
                        fragment_extents(self.scope(copy.fragment.pointer), [m, n, k], copy.layout)
                    }
                    _ => None,
                };
                let tile = self.tile(extents, copy.stride);
                let fragment = plain(copy.fragment.pointer);
                vec![
                    PointerAccess {
                        is_one_a_warp: true,
                        ..access(plain(copy.memory), tile, !is_load)
                    },
                    unknown(fragment, is_load),
                ]
            }
            Instruction::FillFragment { fragment, .. } => {
                vec![unknown(plain(fragment.pointer), true)]
            }
            Instruction::MultiplyFragments { fragments, .. } => {
                let mut all: Vec<_> =
                    fragments.iter().map(|it| unknown(plain(it.pointer), false)).collect();
                all.push(unknown(plain(fragments[0].pointer), true));
                all
            }
        }
    }

    /// The elements of a tile whose rows are `stride` apart.
    fn tile(&self, extents: Option<[i64; 2]>, stride: ExprId) -> Extent {
        let (Some([rows, columns]), Some(stride)) = (extents, self.constant(stride)) else {
            return Extent::Unknown;
        };
        let is_small = |it: i64| (1..=256).contains(&it);
        if !is_small(rows) || !is_small(columns) || !(0..1 << 20).contains(&stride) {
            return Extent::Unknown;
        }
        let elements = (0..rows).flat_map(|row| (0..columns).map(move |it| row * stride + it));
        Extent::Elements(elements.collect())
    }

    /// The storage scope behind a pointer.
    fn scope(&self, pointer: ExprId) -> MemoryScope {
        match self.pointee(pointer) {
            Pointee::Buffer { buffer, .. } => self.body.buffers[buffer].scope,
            _ => MemoryScope::Unknown,
        }
    }

    fn pointee_bytes(&self, pointer: ExprId) -> Option<usize> {
        match self.pointee(pointer) {
            Pointee::Buffer { unit, .. } => unit,
            _ => None,
        }
    }

    fn pointee(&self, pointer: ExprId) -> Pointee {
        let body = self.body;
        let mut pointer = pointer;
        // A chain of names is no longer than there are values.
        for _ in 0..=body.values.len() {
            let node = body.expr(pointer);
            match node.kind {
                ExprKind::BufferField(buffer, BufferField::Data) => {
                    let dtype = body.buffers[buffer].dtype;
                    let unit = dtype.is_scalar().then(|| dtype.bytes());
                    return Pointee::Buffer { buffer, first: None, unit };
                }
                ExprKind::Value(value) => match self.definitions.get(&value) {
                    Some(&definition) => {
                        pointer = definition;
                        continue;
                    }
                    None if matches!(body.values[value].kind, ValueKind::Param(_)) => {
                        return Pointee::Elsewhere;
                    }
                    None => return Pointee::Unknown,
                },
                ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => {
                    return match (it, body.items(args)) {
                        (Intrinsic::AccessPtr, &[element, data, offset, _, _]) => {
                            let ExprKind::BufferField(buffer, BufferField::Data) =
                                body.expr(data).kind
                            else {
                                return Pointee::Unknown;
                            };
                            let dtype = body.dtype(element).filter(|it| it.is_scalar());
                            let unit = dtype.map(|it| it.bytes());
                            Pointee::Buffer { buffer, first: Some(offset), unit }
                        }
                        (Intrinsic::AddressOf, &[of, ..]) => match body.expr(of).kind {
                            ExprKind::Load { buffer, indices, predicate: None } => {
                                let data = &body.buffers[buffer];
                                let is_plain = data.strides.is_none()
                                    && data.elem_offset.is_none_or(|it| {
                                        matches!(body.expr(it).kind, ExprKind::Int(0))
                                    });
                                let scalar = data.dtype.is_scalar() && is_plain;
                                let unit = scalar.then(|| data.dtype.bytes());
                                match body.items(indices) {
                                    &[index] => {
                                        Pointee::Buffer { buffer, first: Some(index), unit }
                                    }
                                    _ => Pointee::Buffer { buffer, first: None, unit: None },
                                }
                            }
                            _ => Pointee::Unknown,
                        },
                        _ => Pointee::Unknown,
                    };
                }
                _ => return Pointee::Unknown,
            }
        }
        Pointee::Unknown
    }

    /// The shared memory that an access may touch; several for a pointer of unknown origin.
    pub(super) fn roots_of(&self, access: &PointerAccess) -> Vec<u32> {
        match self.pointee(access.at.pointer) {
            Pointee::Buffer { buffer, .. } => {
                self.kernel.shared[buffer.index()].into_iter().collect()
            }
            Pointee::Elsewhere => Vec::new(),
            Pointee::Unknown => {
                let mut all: Vec<u32> = self.kernel.shared.iter().flatten().copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        }
    }

    /// The addresses that an access touches, by thread; none if they are not known.
    pub(super) fn pointer_addresses(
        &mut self,
        access: &PointerAccess,
        active: &Option<Rc<[bool]>>,
    ) -> Option<Addresses> {
        let Pointee::Buffer { first, unit: Some(unit), .. } = self.pointee(access.at.pointer)
        else {
            return None;
        };
        let offsets: Rc<[i64]> = match &access.extent {
            Extent::Elements(elements) => elements.as_slice().into(),
            Extent::Bytes(bytes) if bytes % unit as i64 == 0 => (0..bytes / unit as i64).collect(),
            Extent::Declared(extent) => {
                let extent = self.constant(*extent).filter(|it| (0..1 << 16).contains(it))?;
                (0..extent).collect()
            }
            Extent::Bytes(_) | Extent::Unknown => return None,
        };
        let terms: Vec<ExprId> = first.into_iter().chain(access.at.offset).collect();
        let mut addresses = self.sum_addresses(&terms, offsets, unit, active)?;
        if access.is_one_a_warp {
            // One thread speaks for its warp.
            let is_active = |thread: usize| active.as_ref().is_none_or(|it| it[thread]);
            let n = addresses.of_thread.len();
            let mask = (0..n).map(|it| it % WARP as usize == 0 && is_active(it)).collect();
            addresses.active = Some(mask);
        }
        let speakers = match &addresses.active {
            Some(mask) => mask.iter().filter(|it| **it).count(),
            None => addresses.of_thread.len(),
        };
        (speakers * addresses.offsets.len() <= MOST_ELEMENTS).then_some(addresses)
    }

    /// Returns true if an evaluated call waits for copies: this thread sees their writes from then on.
    pub(super) fn is_wait(&self, expr: ExprId) -> bool {
        let body = self.body;
        let kind = body.expr(expr).kind;
        let ExprKind::Call { .. } = kind else { return false };
        match instruction(body, expr) {
            Some(it) => matches!(it, Instruction::Wait(_) | Instruction::WaitAll),
            None => {
                let effects = self.effects.call(body, kind);
                effects.asynchrony == Asynchrony::Wait
                    || effects.memory_effect == MemoryEffect::Unknown
            }
        }
    }

    /// Returns true if no copy is in flight after the wait.
    pub(super) fn is_wait_for_all(&self, expr: ExprId) -> bool {
        match instruction(self.body, expr) {
            Some(Instruction::WaitAll) => true,
            Some(Instruction::Wait(newest)) => self.constant(newest) == Some(0),
            _ => false,
        }
    }
}

fn is_pointer(ty: Type) -> bool {
    match ty {
        Type::Pointer { .. } | Type::Unknown | Type::Named(_) => true,
        Type::Prim(dtype) => dtype == ir::DataType::HANDLE,
    }
}
