//! scf: loops, conditions, parallel loops one iteration after the other.

use super::super::RunErrorKind;
use super::{
    attrs::{DYNAMIC, Decoded, OpView},
    decode::{Code, nest},
    frames::{Nest, Next},
    machine::{Machine, Run},
    types::{INDEX, Ty},
    value::{Value, int},
};
use ir::DataType;

/// Reads an operation of scf.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "yield" | "condition" | "reduce.return" => Code::End,
        "forall.in_parallel" => {
            if !is_empty(view, 0) {
                return view.unsupported("slices that are written in parallel");
            }
            Code::End
        }
        "for" => {
            view.need(3)?;
            let dtype = view.operand_dtype(0)?;
            nest(move |machine, operands| {
                let bounds = machine.ints(&operands[..3])?;
                begin_loop(
                    machine,
                    dtype,
                    [bounds[0], bounds[1], bounds[2]],
                    operands[3..].to_vec(),
                )
            })
        }
        "if" => {
            view.need(1)?;
            let has_else = !is_empty(view, 1);
            nest(move |machine, operands| {
                let region = usize::from(!machine.truth(&operands[0])?);
                Ok((Once, either(region, has_else)))
            })
        }
        "while" => {
            nest(|_, operands| Ok((While { is_before: true }, Next::enter(0, operands.to_vec()))))
        }
        "execute_region" => nest(|_, _| Ok((Once, Next::enter(0, Vec::new())))),
        "index_switch" => {
            view.need(1)?;
            let cases = view.ints("cases")?;
            nest(move |machine, operands| {
                let value = machine.int(&operands[0])?;
                let region = cases.iter().position(|it| *it == value).map_or(0, |at| at + 1);
                Ok((Once, Next::enter(region, Vec::new())))
            })
        }
        "parallel" => parallel(view)?,
        "reduce" => reduce(view),
        "forall" => forall(view)?,
        _ => return Ok(None),
    }))
}

/// Returns true if a region is absent or has no operations.
pub(super) fn is_empty(view: &OpView<'_>, region: usize) -> bool {
    let Some(&region) = view.body.ops[view.op].regions.get(region) else { return true };
    let blocks = &view.body.regions[region].blocks;
    blocks.iter().all(|&it| view.body.blocks[it].ops.is_empty())
}

/// The region of a condition: 0 if it holds, else 1, which may not be there.
pub(super) fn either(region: usize, has_else: bool) -> Next {
    if region == 0 || has_else { Next::enter(region, Vec::new()) } else { Next::Done(Vec::new()) }
}

/// A region that is executed once.
pub(super) struct Once;

impl Nest for Once {
    fn ended(&mut self, _: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        Ok(Next::Done(values))
    }
}

/// A loop with one variable.
pub(super) struct Loop {
    dtype: DataType,
    next: i64,
    upper: i64,
    step: i64,
}

/// Begins a loop from a lower to an upper bound.
pub(super) fn begin_loop(
    machine: &Machine<'_>,
    dtype: DataType,
    [lower, upper, step]: [i64; 3],
    inits: Vec<Value>,
) -> Run<(Loop, Next)> {
    if step <= 0 {
        return machine.fail(RunErrorKind::Program, "the step of a loop is not positive");
    }
    let mut state = Loop { dtype, next: lower, upper, step };
    let next = state.iteration(inits);
    Ok((state, next))
}

impl Loop {
    fn iteration(&mut self, carried: Vec<Value>) -> Next {
        if self.next >= self.upper {
            return Next::Done(carried);
        }
        let mut args = vec![int(self.dtype.wrap_int(self.next.into()))];
        args.extend(carried);
        // Beyond the largest integer the bound is passed too.
        self.next = self.next.saturating_add(self.step);
        Next::enter(0, args)
    }
}

impl Nest for Loop {
    fn ended(&mut self, _: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        Ok(self.iteration(values))
    }
}

struct While {
    is_before: bool,
}

impl Nest for While {
    fn ended(&mut self, machine: &mut Machine<'_>, mut values: Vec<Value>) -> Run<Next> {
        if !self.is_before {
            self.is_before = true;
            return Ok(Next::enter(0, values));
        }
        if values.is_empty() {
            return machine.unsupported("the condition of a loop is not there");
        }
        let condition = values.remove(0);
        self.is_before = false;
        let goes_on = machine.truth(&condition)?;
        Ok(if goes_on { Next::enter(1, values) } else { Next::Done(values) })
    }
}

// ---- parallel loops ----

/// Loops with several variables, in row-major order.
pub(super) struct Grid {
    lower: Vec<i64>,
    upper: Vec<i64>,
    step: Vec<i64>,
    at: Vec<i64>,
}

impl Grid {
    /// Begins; the results hold `inits` meanwhile.
    pub(super) fn begin(
        machine: &Machine<'_>,
        lower: Vec<i64>,
        upper: Vec<i64>,
        step: Vec<i64>,
        inits: Vec<Value>,
    ) -> Run<(Grid, Next)> {
        if step.iter().any(|it| *it <= 0) {
            return machine.fail(RunErrorKind::Program, "the step of a loop is not positive");
        }
        if lower.iter().zip(&upper).any(|(lower, upper)| lower >= upper) {
            return Ok((Grid { at: lower.clone(), lower, upper, step }, Next::Done(inits)));
        }
        let grid = Grid { at: lower.clone(), lower, upper, step };
        let next = grid.iteration(inits);
        Ok((grid, next))
    }

    fn iteration(&self, carried: Vec<Value>) -> Next {
        let args = self.at.iter().map(|&it| int(it)).collect();
        Next::Enter { region: 0, args, carried: Some(carried) }
    }

    /// The next position; whether there is one.
    fn advance(&mut self) -> bool {
        for dim in (0..self.at.len()).rev() {
            self.at[dim] = self.at[dim].saturating_add(self.step[dim]);
            if self.at[dim] < self.upper[dim] {
                return true;
            }
            self.at[dim] = self.lower[dim];
        }
        false
    }
}

impl Nest for Grid {
    fn ended(&mut self, _: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        Ok(if self.advance() { self.iteration(values) } else { Next::Done(values) })
    }
}

fn parallel(view: &OpView<'_>) -> Decoded<Code> {
    let n = n_arguments(view);
    view.need(3 * n)?;
    Ok(nest(move |machine, operands| {
        let lower = machine.ints(&operands[..n])?;
        let upper = machine.ints(&operands[n..2 * n])?;
        let step = machine.ints(&operands[2 * n..3 * n])?;
        Grid::begin(machine, lower, upper, step, operands[3 * n..].to_vec())
    }))
}

/// Arguments of the first block of the first region.
fn n_arguments(view: &OpView<'_>) -> usize {
    let region = view.body.ops[view.op].regions.first();
    let block = region.and_then(|&it| view.body.regions[it].blocks.first());
    block.map_or(0, |&it| view.body.blocks[it].args.len())
}

/// Combines each operand with the interim value, region by region.
struct Reduce {
    operands: Vec<Value>,
    carried: Vec<Value>,
    at: usize,
}

impl Reduce {
    fn next(&self) -> Next {
        match (self.carried.get(self.at), self.operands.get(self.at)) {
            (Some(carried), Some(operand)) => {
                Next::enter(self.at, vec![carried.clone(), operand.clone()])
            }
            _ => Next::Done(self.carried.clone()),
        }
    }
}

impl Nest for Reduce {
    fn ended(&mut self, _: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        if let (Some(slot), Some(value)) =
            (self.carried.get_mut(self.at), values.into_iter().next())
        {
            *slot = value;
        }
        self.at += 1;
        Ok(self.next())
    }
}

fn reduce(view: &OpView<'_>) -> Code {
    let n = view.n_operands();
    Code::Reduce(Box::new(move |_, operands| {
        let (own, carried) = operands.split_at(n.min(operands.len()));
        let state = Reduce { operands: own.to_vec(), carried: carried.to_vec(), at: 0 };
        let next = state.next();
        Ok((Box::new(state), next))
    }))
}

fn forall(view: &OpView<'_>) -> Decoded<Code> {
    let lower = view.ints("staticLowerBound")?;
    let upper = view.ints("staticUpperBound")?;
    let step = view.ints("staticStep")?;
    if !view.body.ops[view.op].results.is_empty() {
        return view.unsupported("tensors that are written in parallel");
    }
    let bounds = [lower, upper, step];
    let n_dynamic = bounds.iter().flatten().filter(|it| **it == DYNAMIC).count();
    view.need(n_dynamic)?;
    if bounds.iter().any(|it| it.len() != bounds[0].len()) || view.operand_is_tensor() {
        return view.unsupported("its bounds");
    }
    Ok(nest(move |machine, operands| {
        let mut rest = operands;
        let lower = machine.sizes(&bounds[0], &mut rest)?;
        let upper = machine.sizes(&bounds[1], &mut rest)?;
        let step = machine.sizes(&bounds[2], &mut rest)?;
        Grid::begin(machine, lower, upper, step, Vec::new())
    }))
}

impl OpView<'_> {
    fn operand_is_tensor(&self) -> bool {
        (0..self.n_operands()).any(|at| matches!(self.operand_ty(at), Ty::Tensor(..)))
    }
}

/// The type of the variable of loops that do not say it.
pub(super) const VARIABLE: DataType = INDEX;
