//! The inputs of a run: the parameters of a function, and values of the symbols in their shapes.
//!
//! In: a body, the shapes of array arguments. Out: a value for each symbol that a shape determines. Terms: a *symbol*
//! is a variable of the signature (`n` in `T.Buffer((n, 4),)`); a dimension determines it if the symbol is the only one
//! in it without a value and the dimension is linear in it (`n`, `n * 2 + 1`, `4 * m - n` once `m` is known). An
//! undetermined symbol (`n // 32`, a free variable) must be given. Linear in the signature for each round; a round more
//! is needed only where one dimension waits for another.

use std::collections::BTreeMap;

use super::{
    Options,
    bind::compact_strides,
    exec::{Machine, Slot},
    ops::Val,
};
use ir::{
    Body, BufferId, BufferOrigin, DataType, ExprId, ExprKind, Type, ValueId, ValueKind, arena::Id,
    effects::EffectTable,
};

/// Values of symbols and integer parameters.
pub type Symbols = BTreeMap<ValueId, i64>;

/// The requirement of one argument.
#[derive(Clone, PartialEq, Debug)]
pub enum ArgumentNeed {
    /// An array of this element type and shape.
    Array {
        /// Element type.
        dtype: DataType,
        /// Extents.
        shape: Vec<i64>,
    },
    /// One value.
    Scalar(DataType),
}

/// The reason why the requirement of an argument is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolError {
    /// The parameter.
    pub parameter: String,
    /// Names of symbols without a value, if that is the reason.
    pub symbols: Vec<String>,
}

impl std::fmt::Display for SymbolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.symbols.is_empty() {
            return write!(f, "nothing says what the parameter `{}` is", self.parameter);
        }
        let names: Vec<String> = self.symbols.iter().map(|it| format!("`{it}`")).collect();
        let names = names.join(", ");
        write!(f, "the shape of `{}` depends on {names}, without a value", self.parameter)
    }
}

impl std::error::Error for SymbolError {}

/// The variables of a signature that have no value of their own: symbols of shapes, and integer parameters.
pub fn free_symbols(body: &Body) -> Vec<ValueId> {
    let is_free = |id: &ValueId| match body.values[*id].kind {
        ValueKind::Symbol | ValueKind::Captured => true,
        ValueKind::Param(_) => body.values[*id].ty.prim().is_some_and(DataType::is_integer),
        _ => false,
    };
    body.values.ids().filter(is_free).collect()
}

/// The buffer that a parameter is: its own, one matched to it, or the first one declared on its pointer.
pub fn buffer_of(body: &Body, index: usize) -> Option<BufferId> {
    let param = body.params.get(index)?;
    let is_of_param = |expr: ExprId| body.expr(expr).kind == ExprKind::Value(param.value);
    let is_here = |buffer: &ir::Buffer| match buffer.origin {
        BufferOrigin::Match { handle } => is_of_param(handle),
        BufferOrigin::Decl { data: Some(data) } => is_of_param(data),
        _ => false,
    };
    param
        .buffer
        .or_else(|| body.buffers.iter().find_map(|(id, buffer)| is_here(buffer).then_some(id)))
}

/// The values of the symbols that the shapes of arrays determine (`None` for an argument without a known shape) or that
/// are given.
pub fn solve(body: &Body, shapes: &[Option<Vec<i64>>], given: &Symbols) -> Symbols {
    let mut machine = Machine::new(body, EffectTable::builtin(), Options::default());
    for (&symbol, &value) in given {
        machine.set(symbol, Val::Int(value, false));
    }
    let known = shapes
        .iter()
        .enumerate()
        .filter_map(|(index, shape)| Some((buffer_of(body, index)?, 0, shape.clone()?)));
    machine.solve_symbols(&known.collect::<Vec<_>>());
    let value = |id: ValueId| match machine.frame.slots[id.index()] {
        Slot::Uniform(Val::Int(value, _)) => Some((id, value)),
        _ => None,
    };
    free_symbols(body).into_iter().filter_map(value).collect()
}

/// Returns the requirements of the arguments, given values of symbols.
pub fn needs(body: &Body, symbols: &Symbols) -> Result<Vec<ArgumentNeed>, SymbolError> {
    let mut machine = Machine::new(body, EffectTable::builtin(), Options::default());
    for (&symbol, &value) in symbols {
        machine.set(symbol, Val::Int(value, false));
    }
    (0..body.params.len()).map(|index| machine.need(index)).collect()
}

impl Machine<'_> {
    fn need(&mut self, index: usize) -> Result<ArgumentNeed, SymbolError> {
        let body = self.body;
        let value = body.params[index].value;
        let buffer = buffer_of(body, index);
        let name = buffer.map_or(body.values[value].name, |it| body.buffers[it].name);
        let error =
            |symbols: Vec<String>| SymbolError { parameter: body.name(name).to_owned(), symbols };
        let Some(buffer) = buffer else {
            return match body.values[value].ty {
                Type::Prim(dtype) if dtype != DataType::HANDLE => Ok(ArgumentNeed::Scalar(dtype)),
                _ => Err(error(Vec::new())),
            };
        };
        let mut shape = Vec::new();
        for &dim in &body.buffers[buffer].shape {
            let unknown = self.unknowns(dim);
            match self.int(dim, 0) {
                Ok(extent) if unknown.is_empty() => shape.push(extent),
                _ => {
                    let name = |it: &ValueId| body.name(body.values[*it].name).to_owned();
                    return Err(error(unknown.iter().map(name).collect()));
                }
            }
        }
        Ok(ArgumentNeed::Array { dtype: body.buffers[buffer].dtype, shape })
    }

    /// The variables of an expression that have no value.
    fn unknowns(&self, expr: ExprId) -> Vec<ValueId> {
        let (mut stack, mut found) = (vec![expr], Vec::new());
        while let Some(expr) = stack.pop() {
            let kind = self.body.expr(expr).kind;
            if let ExprKind::Value(value) = kind
                && matches!(self.frame.slots[value.index()], Slot::Empty)
                && !found.contains(&value)
            {
                found.push(value);
            }
            self.body.each_child(kind, &mut |child| stack.push(child));
        }
        found
    }

    /// Gives symbols the values that the shapes of arguments tell (SEMANTICS: B6).
    pub(super) fn solve_symbols(&mut self, arguments: &[(BufferId, usize, Vec<i64>)]) {
        let body = self.body;
        let mut open: Vec<(ExprId, i64)> = Vec::new();
        for (buffer, _, shape) in arguments {
            let data = &body.buffers[*buffer];
            open.extend(data.shape.iter().copied().zip(shape.iter().copied()));
            // The array is compact: strides and offset that are symbols are so too.
            let strides = data.strides.iter().flatten().copied();
            open.extend(strides.zip(compact_strides(shape)));
            open.extend(data.elem_offset.map(|it| (it, 0)));
        }
        loop {
            let n_before = open.len();
            open.retain(|&(expr, value)| !self.solve(expr, value));
            if open.len() == n_before {
                return;
            }
        }
    }

    /// Finds the one unknown of an expression that is linear in it; true if nothing is left to find.
    fn solve(&mut self, expr: ExprId, value: i64) -> bool {
        let unknown = match self.unknowns(expr)[..] {
            [] => return true,
            [one] => one,
            _ => return false,
        };
        let mut at = |x: i64| {
            self.set(unknown, Val::Int(x, false));
            let value = self.eval(expr, 0).ok();
            self.frame.slots[unknown.index()] = Slot::Empty;
            match value {
                Some(Val::Int(value, false)) => Some(value),
                _ => None,
            }
        };
        let (Some(zero), Some(one), Some(two)) = (at(0), at(1), at(2)) else { return false };
        let (slope, rest) = (one.wrapping_sub(zero), value.wrapping_sub(zero));
        if slope == 0 || two.wrapping_sub(one) != slope || rest.wrapping_rem(slope) != 0 {
            return false;
        }
        let solution = rest.wrapping_div(slope);
        if at(solution) != Some(value) {
            return false;
        }
        self.set(unknown, Val::Int(solution, false));
        true
    }
}
