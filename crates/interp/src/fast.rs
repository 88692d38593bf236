//! The compiled path for statements that are executed often: straight-line code on machine words.
//!
//! In: a statement that has been executed a few times. Out: a [`Program`] for its expressions, kept with the statement;
//! none if they hold something that only the general evaluator knows (vectors, pointers, most calls). A program
//! computes plain values only. Where anything else comes up (an overflow, a division by zero, an access out of bounds,
//! a cell never written, a variable that holds a wrapped value) it *gives up*: nothing has been written or counted by
//! then, and the general evaluator executes the statement from the start, with all events. So the general evaluator
//! defines the meaning of a statement, and programs only repeat it where no event happens. Terms: *uniform* code is the
//! same in all lanes: it runs once a statement, *varying* code once a lane. A register holds an integer, or the bits of
//! a float as a double. Compiling is linear in the nodes, with each shared node once (those with lazy operands once a
//! use, up to a limit); running allocates nothing.

mod compile;
mod run;

use super::{
    RunError,
    counts::Counts,
    exec::{Machine, Slot},
    ops::Val,
};
use ir::{BinaryOp, BufferId, DataType, ExprId, OpId, TypeCode, ValueId, arena::Id};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// Executions of a statement, times lanes, before it is worth a program.
const WARM: u32 = 20;
/// The cost of one bail-out, in successful runs.
const REGRET: u8 = 16;

/// How a scalar lies in memory and in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    /// Width in bits, of whole bytes.
    Int(u8),
    UInt(u8),
    F16,
    BF16,
    F32,
    F64,
}

impl Kind {
    pub(super) fn of(dtype: DataType) -> Option<Kind> {
        if !dtype.is_scalar() {
            return None;
        }
        Some(match (dtype.code, dtype.bits) {
            (TypeCode::Bool, _) => Kind::Bool,
            (TypeCode::Int, bits @ (8 | 16 | 32 | 64)) => Kind::Int(bits),
            (TypeCode::UInt, bits @ (8 | 16 | 32 | 64)) => Kind::UInt(bits),
            (TypeCode::Float, 16) => Kind::F16,
            (TypeCode::BFloat, _) => Kind::BF16,
            (TypeCode::Float, 32) => Kind::F32,
            (TypeCode::Float, 64) => Kind::F64,
            _ => return None,
        })
    }

    fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::BF16 | Kind::F32 | Kind::F64)
    }

    fn value(self, register: u64) -> Val {
        if self.is_float() {
            Val::Float(f64::from_bits(register))
        } else {
            Val::Int(register as i64, false)
        }
    }
}

/// A register of a program.
type Reg = u32;

/// One step. The first register of each is where the result goes.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A variable.
    Value(Reg, ValueId, Kind),
    /// An element of a buffer: its indices are in as many registers from the second one on.
    Load {
        to: Reg,
        buffer: BufferId,
        indices: Reg,
        rank: u32,
        kind: Kind,
    },
    /// A copy.
    Copy(Reg, Reg),
    /// `+ - *` of int32.
    Int32(Reg, BinaryOp, Reg, Reg),
    /// Any operator on integers but comparisons and logic.
    Int(Reg, BinaryOp, DataType, Reg, Reg),
    /// A comparison of signed integers.
    Compare(Reg, BinaryOp, Reg, Reg),
    /// A comparison of unsigned integers.
    CompareUnsigned(Reg, BinaryOp, Reg, Reg),
    /// A comparison of floats.
    CompareFloat(Reg, BinaryOp, Reg, Reg),
    /// An operator on float32.
    Float32(Reg, BinaryOp, Reg, Reg),
    /// An operator on other floats.
    Float(Reg, BinaryOp, DataType, Reg, Reg),
    /// Both of two bools, or one of them.
    Logic(Reg, BinaryOp, Reg, Reg),
    Not(Reg, Reg),
    BitNot(Reg, DataType, Reg),
    /// Between integers.
    Wrap(Reg, Reg, DataType, DataType),
    /// From an integer to a float.
    ToFloat(Reg, Reg, DataType, DataType),
    /// From a float to an integer or bool.
    ToInt(Reg, Reg, DataType),
    /// Between floats.
    Round(Reg, Reg, DataType),
    Select(Reg, Reg, Reg, Reg),
    /// A function of one float.
    Call1(Reg, fn(f64) -> f64, DataType, Reg),
    /// A function of two floats.
    Call2(Reg, fn(f64, f64) -> f64, DataType, Reg, Reg),
    /// `isnan` and its relatives.
    Test(Reg, fn(f64) -> bool, Reg),
    /// Goes on at another step.
    Jump(u32),
    /// Goes on at another step if a bool is false.
    JumpUnless(Reg, u32),
    /// Goes on at another step if a bool is true.
    JumpIf(Reg, u32),
    /// The counts of the steps of an arm, and the number of nodes.
    Count(u32),
}

/// The straight code of a statement's expressions.
#[derive(Debug, Default)]
pub(super) struct Program {
    uniform: Vec<Step>,
    varying: Vec<Step>,
    /// Constants are there from the start, and no step writes to them.
    registers: Vec<u64>,
    /// The results: register and kind, one an expression.
    results: Vec<(Reg, Kind)>,
    /// The counts that every lane has in any case.
    counts: Counts,
    /// The counts of arms.
    arms: Vec<Counts>,
    /// Nodes of the straight part, for each lane.
    n_steps: u64,
    /// The cost of its recent bail-outs.
    regret: u8,
}

/// The program of a statement.
#[derive(Debug)]
pub(super) enum Cached {
    /// Executed in so many lanes so far.
    Warm(u32),
    /// There is none.
    No,
    Yes(Box<Program>),
}

/// The programs of a body's statements.
pub(super) struct Programs {
    by_op: Vec<Cached>,
    /// The target and the value of each write of a statement.
    writes: Vec<(usize, u64)>,
}

impl Programs {
    pub(super) fn new(n_ops: usize) -> Programs {
        let mut by_op = Vec::new();
        by_op.resize_with(n_ops, || Cached::Warm(0));
        Programs { by_op, writes: Vec::new() }
    }
}

/// A program has given up.
struct GiveUp;

impl Machine<'_> {
    /// The program of a statement, taken out while it runs; made from `exprs` when the statement is warm.
    fn take_program(&mut self, op: OpId, exprs: &[ExprId], lanes: usize) -> Option<Box<Program>> {
        if !self.options.fast {
            return None;
        }
        if let Cached::Warm(so_far) = &mut self.programs.by_op[op.index()]
            && lanes >= WARM as usize
        {
            *so_far = WARM;
        }
        match &mut self.programs.by_op[op.index()] {
            Cached::No => None,
            Cached::Warm(so_far) if *so_far < WARM => {
                *so_far = so_far.saturating_add(u32::try_from(lanes).unwrap_or(u32::MAX));
                None
            }
            Cached::Warm(_) => {
                let made = self.compile(exprs);
                if made.is_none() {
                    self.programs.by_op[op.index()] = Cached::No;
                }
                made.map(Box::new)
            }
            cached @ Cached::Yes(_) => match std::mem::replace(cached, Cached::No) {
                Cached::Yes(program) => Some(program),
                _ => None,
            },
        }
    }

    /// Keeps the program of a statement, unless it gives up too often.
    fn put_back(&mut self, op: OpId, mut program: Box<Program>, has_run: bool) {
        program.regret = if has_run {
            program.regret.saturating_sub(1)
        } else {
            program.regret.saturating_add(REGRET)
        };
        self.programs.by_op[op.index()] =
            if program.regret > u8::MAX - REGRET { Cached::No } else { Cached::Yes(program) };
    }

    /// Executes a store of one element a lane; false if the general evaluator must.
    pub(super) fn fast_store(
        &mut self,
        op: OpId,
        buffer: BufferId,
        active: &[u32],
    ) -> Result<bool> {
        let body = self.body;
        let Some(kind) = Kind::of(body.buffers[buffer].dtype) else { return Ok(false) };
        // Loads of what a copy in flight writes give up by themselves: it counts as never written.
        if self.agent.is_some() || self.flights.is_any() {
            return Ok(false);
        }
        let Some(mut program) = self.take_program(op, &body.ops[op].operands, active.len()) else {
            return Ok(false);
        };
        let mut writes = std::mem::take(&mut self.programs.writes);
        writes.clear();
        let ran = self.run_store(&mut program, buffer, kind, active, &mut writes);
        self.put_back(op, program, ran.is_ok());
        let outcome = match ran {
            Ok((counts, steps, storage)) => {
                self.account(counts, steps)?;
                if !body.buffers[buffer].is_cell() {
                    self.counts.stores += active.len() as u64;
                }
                let memory = &mut self.storages[storage];
                for &(at, value) in &writes {
                    run::write(kind, value, &mut memory.bytes, at);
                    if let Some(written) = memory.written.get_mut(at..at + run::bytes(kind)) {
                        written.fill(true);
                    }
                }
                true
            }
            Err(GiveUp) => false,
        };
        self.programs.writes = writes;
        Ok(outcome)
    }

    /// The value and place of each lane's write.
    fn run_store(
        &self,
        program: &mut Program,
        buffer: BufferId,
        kind: Kind,
        active: &[u32],
        writes: &mut Vec<(usize, u64)>,
    ) -> std::result::Result<(Counts, u64, usize), GiveUp> {
        let mut counts = Counts::default();
        let mut steps = self.run_uniform(program, active)?;
        let mut into = None;
        for &lane in active {
            steps += self.run_lane(program, lane as usize, &mut counts)?;
            let (value, found) = program.results[0];
            if found.is_float() != kind.is_float() {
                return Err(GiveUp);
            }
            let indices =
                program.results[1..].iter().map(|(it, _)| program.registers[*it as usize]);
            let (storage, at) = self.element(buffer, indices, kind, lane as usize)?;
            let is_marked = !self.storages[storage].wrapped.is_empty();
            if *into.get_or_insert(storage) != storage || is_marked {
                return Err(GiveUp);
            }
            writes.push((at, program.registers[value as usize]));
        }
        Ok((counts, steps, into.ok_or(GiveUp)?))
    }

    /// Gives a variable its value in each lane; false if the general evaluator must.
    pub(super) fn fast_define(
        &mut self,
        op: OpId,
        value: ValueId,
        expr: ExprId,
        active: &[u32],
    ) -> Result<bool> {
        if self.agent.is_some() {
            return Ok(false);
        }
        let Some(mut program) = self.take_program(op, &[expr], active.len()) else {
            return Ok(false);
        };
        let ran = self.run_define(&mut program, value, expr, active);
        self.put_back(op, program, ran.is_ok());
        match ran {
            Ok((counts, steps, slot)) => {
                self.account(counts, steps)?;
                self.frame.slots[value.index()] = slot;
                self.uniformity.forget();
                Ok(true)
            }
            Err(GiveUp) => Ok(false),
        }
    }

    fn run_define(
        &self,
        program: &mut Program,
        value: ValueId,
        expr: ExprId,
        active: &[u32],
    ) -> std::result::Result<(Counts, u64, Slot), GiveUp> {
        let mut counts = Counts::default();
        let mut steps = self.run_uniform(program, active)?;
        let (register, kind) = program.results[0];
        if self.frame.threads.len() == 1 || self.uniformity.is_uniform(expr) {
            steps += self.run_lane(program, active[0] as usize, &mut counts)?;
            let mut all = Counts::default();
            all.add(counts, active.len() as u64);
            let one = kind.value(program.registers[register as usize]);
            return Ok((all, steps, Slot::Uniform(one)));
        }
        let mut values = self.lanes_of(value);
        let Some(lanes) = std::rc::Rc::get_mut(&mut values) else { return Err(GiveUp) };
        for &lane in active {
            steps += self.run_lane(program, lane as usize, &mut counts)?;
            lanes[lane as usize] = kind.value(program.registers[register as usize]);
        }
        Ok((counts, steps, Slot::Lanes(values)))
    }

    /// Returns the place where a condition holds; none if the general evaluator must say.
    pub(super) fn fast_partition(
        &mut self,
        op: OpId,
        condition: ExprId,
        active: &[u32],
    ) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
        if self.agent.is_some() {
            return Ok(None);
        }
        let Some(mut program) = self.take_program(op, &[condition], active.len()) else {
            return Ok(None);
        };
        let ran = self.run_partition(&mut program, condition, active);
        self.put_back(op, program, ran.is_ok());
        match ran {
            Ok((counts, steps, parts)) => {
                self.account(counts, steps)?;
                Ok(Some(parts))
            }
            Err(GiveUp) => Ok(None),
        }
    }

    #[expect(clippy::type_complexity, reason = "what one statement computes, used once")]
    fn run_partition(
        &self,
        program: &mut Program,
        condition: ExprId,
        active: &[u32],
    ) -> std::result::Result<(Counts, u64, (Vec<u32>, Vec<u32>)), GiveUp> {
        let mut counts = Counts::default();
        let mut steps = self.run_uniform(program, active)?;
        let (register, kind) = program.results[0];
        if kind.is_float() {
            return Err(GiveUp);
        }
        if self.frame.threads.len() == 1 || self.uniformity.is_uniform(condition) {
            steps += self.run_lane(program, active[0] as usize, &mut counts)?;
            let mut all = Counts::default();
            all.add(counts, active.len() as u64);
            let holds = program.registers[register as usize] != 0;
            let parts =
                if holds { (active.to_vec(), Vec::new()) } else { (Vec::new(), active.to_vec()) };
            return Ok((all, steps, parts));
        }
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for &lane in active {
            steps += self.run_lane(program, lane as usize, &mut counts)?;
            if program.registers[register as usize] != 0 { yes.push(lane) } else { no.push(lane) }
        }
        Ok((counts, steps, (yes, no)))
    }

    /// Adds the counts of a program.
    fn account(&mut self, counts: Counts, steps: u64) -> Result<()> {
        self.counts.add(counts, 1);
        self.steps += steps;
        self.check_steps()
    }
}
