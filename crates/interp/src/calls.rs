//! Calls: choice between operands, pointers, atomics, functions of other libraries, values of the operands.

use smallvec::SmallVec;

use super::{
    EventKind, OnError, RunError, RunErrorKind, UnknownCalls,
    exec::Machine,
    intrinsics,
    library::{self, Function},
    memory::{read_scalar, scalar_bits, write_scalar},
    ops::{self, Val},
    table::is_executed,
    wrapped,
};
use ir::{
    AttrDictId, BinaryOp, Body, Callee, DataType, ExprId, ExprKind, Intrinsic, Type,
    effects::{OpEffects, has_keyword_operands},
};

type Result<T> = std::result::Result<T, Box<RunError>>;
type Values = SmallVec<[Val; 4]>;
type Types = SmallVec<[Option<DataType>; 4]>;

fn is_element(body: &Body, place: ExprId) -> bool {
    matches!(body.expr(place).kind, ExprKind::Load { .. })
}

impl Machine<'_> {
    pub(super) fn call(&mut self, call: ExprKind, ty: Type, lane: usize) -> Result<Val> {
        let body = self.body;
        let ExprKind::Call { callee, args, attrs, .. } = call else {
            unreachable!("only calls are called")
        };
        let (name, it) = match callee {
            Callee::Intrinsic(name, it) => (body.name(name), it),
            Callee::Function(name) | Callee::Unknown(name) => {
                if self.options.unknown_calls == UnknownCalls::Model {
                    let given = (body.items(args), attrs);
                    let row = OpEffects::unknown();
                    return self.modelled_call(body.name(name), row, given, ty, lane);
                }
                let message = format!("a call of another function, `{}`", body.name(name));
                return self.fail(RunErrorKind::Unsupported, message);
            }
        };
        let args = body.items(args);
        let dtype = ty.prim().unwrap_or(DataType::HANDLE);
        let is_model = self.options.unknown_calls == UnknownCalls::Model;
        if has_keyword_operands(body, attrs) || is_model && !is_executed(name) {
            return self.unexecuted_intrinsic(name, (args, attrs), ty, lane);
        }
        if it == Intrinsic::LaunchThreadIdx {
            return self.thread_index(args, lane);
        }
        if let Some(value) = self.phase_call(name, args, lane) {
            return value;
        }
        if let Some(value) = self.pointer_call((name, it), args, lane) {
            return value;
        }
        if let Some(value) = self.warp_call(name, args, ty, lane) {
            return value;
        }
        if let Some(value) = self.async_call(name, args, dtype, lane) {
            return value;
        }
        match *args {
            [value] if it.is_transparent() => self.eval(value, lane),
            _ if it.calls_by_name() => self.library_call((name, it), args, dtype, lane),
            _ => {
                let (values, types) = self.operands(args, lane)?;
                match self.known_intrinsic(name, dtype, &values, &types) {
                    Some(value) => value,
                    None => self.unexecuted_intrinsic(name, (args, attrs), ty, lane),
                }
            }
        }
    }

    /// The values and types of operands. A data type in front (`T.reinterpret("float32", x)`) is no operand.
    fn operands(&mut self, args: &[ExprId], lane: usize) -> Result<(Values, Types)> {
        let (mut values, mut types) = (Values::new(), Types::new());
        for &operand in args {
            if text(self.body, operand).is_none() {
                types.push(self.body.dtype(operand));
                values.push(self.eval(operand, lane)?);
            }
        }
        Ok((values, types))
    }

    /// The value of a call of numbers; none if the name is no such call.
    fn known_intrinsic(
        &mut self,
        name: &str,
        dtype: DataType,
        values: &[Val],
        types: &[Option<DataType>],
    ) -> Option<Result<Val>> {
        let mut is_known = true;
        let result = self.operator(|events| {
            intrinsics::call(name, dtype, values, types, events).unwrap_or_else(|| {
                is_known = false;
                Ok(Val::Unit)
            })
        });
        let is_wrapped = values.iter().any(wrapped::is_wrapped);
        is_known.then(|| result.map(|it| self.carry(is_wrapped, it)))
    }

    /// A call without a meaning here: it has the effects that its row allows.
    fn unexecuted_intrinsic(
        &mut self,
        name: &str,
        (args, attrs): (&[ExprId], AttrDictId),
        ty: Type,
        lane: usize,
    ) -> Result<Val> {
        if self.options.unknown_calls == UnknownCalls::Model {
            return self.modelled_call(name, self.effects.tir(name), (args, attrs), ty, lane);
        }
        let types: Types = args.iter().map(|it| self.body.dtype(*it)).collect();
        self.unsupported_intrinsic(name, &types)
    }

    fn unsupported_intrinsic(&mut self, name: &str, types: &[Option<DataType>]) -> Result<Val> {
        let operands: Vec<String> =
            types.iter().map(|it| it.map_or("?".to_owned(), |it| it.to_string())).collect();
        let message = format!("the call T.{name} of {}", operands.join(", "));
        self.fail(RunErrorKind::Unsupported, message)
    }

    /// `T.call_pure_extern("float32", "expf", x)`, `T.call_llvm_pure_intrin("float32", "llvm.exp.f32", x)`
    fn library_call(
        &mut self,
        (by, it): (&str, Intrinsic),
        args: &[ExprId],
        dtype: DataType,
        lane: usize,
    ) -> Result<Val> {
        let body = self.body;
        let texts: SmallVec<[&str; 2]> =
            args.iter().map_while(|it| text(body, *it)).take(2).collect();
        let name = match texts[..] {
            [first, second] if DataType::parse(first).is_some() => second,
            [first, ..] => first,
            [] => "",
        };
        if name.starts_with("atomicAdd") {
            let operands: SmallVec<[ExprId; 2]> =
                args.iter().copied().filter(|it| text(body, *it).is_none()).collect();
            if let [pointer, value] = operands[..] {
                return self.atomic_add(pointer, value, lane);
            }
        }
        let function = match it {
            Intrinsic::CallLlvm | Intrinsic::CallPureLlvm => library::llvm_function(name),
            _ => library::c_function(name),
        };
        let (values, types) = self.operands(args, lane)?;
        let value = match function {
            Some(Function::Intrinsic(name)) => {
                let value = self.known_intrinsic(name, dtype, &values, &types);
                return value.unwrap_or_else(|| self.unsupported_intrinsic(name, &types));
            }
            Some(function) => library::value(function, dtype, &values),
            None => None,
        };
        match value {
            Some(value) => Ok(self.carry(values.iter().any(wrapped::is_wrapped), value)),
            None if self.options.unknown_calls == UnknownCalls::Model => {
                Ok(self.modelled_call_of(name, self.effects.tir(by), &values, dtype.into()))
            }
            None => {
                let message = format!("the function `{name}` of another library");
                self.fail(RunErrorKind::Unsupported, message)
            }
        }
    }

    /// Calls that make or use pointers; none if the name is no such call.
    fn pointer_call(
        &mut self,
        (name, it): (&str, Intrinsic),
        args: &[ExprId],
        lane: usize,
    ) -> Option<Result<Val>> {
        Some(match (it, args) {
            (Intrinsic::AddressOf, [place, ..]) => self.address_of(*place, lane),
            (Intrinsic::ElementPtr, [place, ..]) if is_element(self.body, *place) => {
                self.address_of(*place, lane)
            }
            (Intrinsic::ByteOffset, [pointer, offset, ..]) => {
                self.moved(*pointer, *offset, 1, lane)
            }
            (Intrinsic::AccessPtr, [element, pointer, offset, ..]) => {
                let element = self.body.dtype(*element).map_or(1, DataType::bytes);
                self.moved(*pointer, *offset, element as i64, lane)
            }
            (Intrinsic::IsNullPtr, [pointer]) => {
                self.eval(*pointer, lane).map(|_| Val::Int(0, false))
            }
            _ => return self.memory_call(name, args, lane),
        })
    }

    /// Calls that access memory through a pointer; none if the name is no such call.
    fn memory_call(&mut self, name: &str, args: &[ExprId], lane: usize) -> Option<Result<Val>> {
        Some(match (name, args) {
            ("atomic_add" | "cuda.atomic_add", [pointer, value, ..]) => {
                self.atomic_add(*pointer, *value, lane)
            }
            ("tl.atomic_add_elem_op" | "tl.atomic_add_ret_elem_op", [pointer, value, ..]) => {
                self.atomic_element(BinaryOp::Add, *pointer, *value, lane)
            }
            ("tl.atomic_max_elem_op" | "tl.atomic_max_ret_elem_op", [pointer, value, ..]) => {
                self.atomic_element(BinaryOp::Max, *pointer, *value, lane)
            }
            ("tl.atomic_min_elem_op" | "tl.atomic_min_ret_elem_op", [pointer, value, ..]) => {
                self.atomic_element(BinaryOp::Min, *pointer, *value, lane)
            }
            ("tl.atomic_or_elem_op", [pointer, value, ..]) => {
                self.atomic_element(BinaryOp::BitOr, *pointer, *value, lane)
            }
            ("cuda.atomic_cas", [pointer, compare, value]) => {
                self.atomic_cas(*pointer, *compare, *value, lane)
            }
            ("cuda.ldg" | "s_tir.ldg32", [pointer]) => self.through(*pointer, lane),
            _ => return None,
        })
    }

    fn address_of(&mut self, place: ExprId, lane: usize) -> Result<Val> {
        let ExprKind::Load { buffer, indices, .. } = self.body.expr(place).kind else {
            let message = "the address of something that is no element".to_owned();
            return self.fail(RunErrorKind::Unsupported, message);
        };
        let (storage, offset) = self.address(buffer, self.body.items(indices), lane)?;
        Ok(Val::Pointer { storage, offset })
    }

    fn moved(&mut self, pointer: ExprId, by: ExprId, bytes: i64, lane: usize) -> Result<Val> {
        let (storage, offset) = self.pointer(pointer, lane)?;
        let by = self.int(by, lane)?;
        Ok(Val::Pointer { storage, offset: offset.wrapping_add(by.wrapping_mul(bytes)) })
    }

    pub(super) fn pointer(&mut self, expr: ExprId, lane: usize) -> Result<(usize, i64)> {
        match self.eval(expr, lane)? {
            Val::Pointer { storage, offset } => Ok((storage, offset)),
            other => self.fail(RunErrorKind::Unsupported, format!("a pointer {other:?}")),
        }
    }

    /// The element that an address expression names.
    fn through(&mut self, pointer: ExprId, lane: usize) -> Result<Val> {
        if let ExprKind::Call { args, .. } = self.body.expr(pointer).kind
            && let [place, ..] = *self.body.items(args)
            && matches!(self.body.expr(place).kind, ExprKind::Load { .. })
        {
            return self.eval(place, lane);
        }
        self.fail(RunErrorKind::Unsupported, "a load through a computed pointer".to_owned())
    }

    /// Reads a cell, and writes the result of `f` for it; returns the old value (SEMANTICS: P9).
    fn exchange(
        &mut self,
        pointer: ExprId,
        dtype: DataType,
        lane: usize,
        f: impl FnOnce(&mut Self, &Val) -> Result<Option<Val>>,
    ) -> Result<Val> {
        let (storage, offset) = self.pointer(pointer, lane)?;
        let (bytes, thread) = (dtype.bytes(), self.frame.threads[lane] as usize);
        let Some(at) = self.storages[storage].locate(offset, bytes, thread) else {
            self.error(EventKind::OutOfBounds, |_| "an atomic access out of bounds".to_owned())?;
            return Ok(ops::zero(dtype));
        };
        if self.flights.is_any() {
            self.check_traffic(storage, at, bytes, true);
        }
        let memory = &self.storages[storage];
        let is_written =
            memory.written.get(at..at + bytes).is_none_or(|it| it.iter().all(|it| *it));
        let old = read_scalar(dtype, &memory.bytes[at..at + bytes]);
        if !is_written {
            self.event(EventKind::UninitializedRead);
        }
        let Some(old) = old else {
            return self.fail(RunErrorKind::Unsupported, format!("an atomic access to {dtype}"));
        };
        if let Some(new) = f(self, &old)? {
            self.mark_used(&new);
            let memory = &mut self.storages[storage];
            write_scalar(dtype, &new, &mut memory.bytes[at..at + bytes]);
            if let Some(written) = memory.written.get_mut(at..at + bytes) {
                written.fill(true);
            }
        }
        Ok(old)
    }

    fn atomic_add(&mut self, pointer: ExprId, value: ExprId, lane: usize) -> Result<Val> {
        let dtype = self.body.dtype(value).unwrap_or(DataType::INT32);
        let more = self.eval(value, lane)?;
        self.exchange(pointer, dtype, lane, |machine, old| {
            machine
                .operator(|events| ops::binary(BinaryOp::Add, dtype, old, &more, events))
                .map(Some)
        })
    }

    /// An atomic update of TileLang: the value is brought to the type of the element.
    fn atomic_element(
        &mut self,
        op: BinaryOp,
        pointer: ExprId,
        value: ExprId,
        lane: usize,
    ) -> Result<Val> {
        let from = self.body.dtype(value).unwrap_or(DataType::INT32);
        let place = self.body.operands_of(pointer, Intrinsic::ElementPtr).and_then(|it| it.first());
        let dtype = place.and_then(|&it| self.body.dtype(it)).unwrap_or(from);
        let more = self.eval(value, lane)?;
        let more = self.operator(|events| ops::cast(&more, from, dtype, events))?;
        self.exchange(pointer, dtype, lane, |machine, old| {
            machine.operator(|events| ops::binary(op, dtype, old, &more, events)).map(Some)
        })
    }

    fn atomic_cas(
        &mut self,
        pointer: ExprId,
        compare: ExprId,
        value: ExprId,
        lane: usize,
    ) -> Result<Val> {
        let dtype = self.body.dtype(value).unwrap_or(DataType::INT32);
        let (compare, value) = (self.eval(compare, lane)?, self.eval(value, lane)?);
        // By bits: zeros of either sign differ, a NaN equals itself.
        let compare = scalar_bits(dtype, &compare);
        self.exchange(pointer, dtype, lane, |_, old| {
            Ok((scalar_bits(dtype, old) == compare).then_some(value))
        })
    }

    /// Runs an operator, recording its events.
    pub(super) fn operator(
        &mut self,
        f: impl FnOnce(ops::Events<'_>) -> std::result::Result<Val, ops::Fault>,
    ) -> Result<Val> {
        let stops = self.options.on_error == OnError::Stop;
        let mut events: SmallVec<[EventKind; 2]> = SmallVec::new();
        let result = f(&mut |kind| {
            if stops && kind.ends_run() {
                return Err((RunErrorKind::Program, kind.message().to_owned()));
            }
            events.push(kind);
            Ok(())
        });
        for kind in events {
            self.event(kind);
        }
        result.or_else(|(kind, message)| self.fail(kind, message))
    }
}

/// The text of a string.
fn text(body: &Body, expr: ExprId) -> Option<&str> {
    match body.expr(expr).kind {
        ExprKind::Str(name) => Some(body.name(name)),
        _ => None,
    }
}
