//! The state of a run: memory, events, steps, decoded operations.

use std::{collections::BTreeMap, rc::Rc};

use rustc_hash::FxHashMap;

use super::super::{
    Event, EventKind, OnError, Options, RunError, RunErrorKind,
    memory::Storage,
    ops::{Fault, Val},
};
use super::{
    Program,
    decode::{self, Code},
    gpu::Place,
    value::{Value, View},
};
use ir::OpId;

/// A result, or the reason why the run ended.
pub(super) type Run<T> = Result<T, Box<RunError>>;

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program<'p>,
    pub(super) options: Options,
    pub(super) storages: Vec<Storage>,
    /// True for each storage that was deallocated.
    pub(super) freed: Vec<bool>,
    /// Bytes of all storages.
    pub(super) allocated: usize,
    /// Memory that a runtime binds, by its number.
    pub(super) bound: BTreeMap<i64, usize>,
    pub(super) globals: FxHashMap<String, Rc<View>>,
    /// The points at which operations of linalg are, the innermost last.
    pub(super) points: Vec<Vec<i64>>,
    /// The place where the thread that runs is in a launch.
    pub(super) place: Option<Place>,
    /// The operation that is executed: its body and number.
    pub(super) at: (usize, OpId),
    pub(super) steps: u64,
    events: BTreeMap<(usize, OpId, EventKind), (u64, String)>,
    codes: Vec<Vec<Option<Rc<Code>>>>,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program<'p>, options: Options) -> Self {
        let codes = program.bodies.iter().map(|body| vec![None; body.ops.len()]).collect();
        Machine {
            program,
            options,
            storages: Vec::new(),
            freed: Vec::new(),
            allocated: 0,
            bound: BTreeMap::new(),
            globals: FxHashMap::default(),
            points: Vec::new(),
            place: None,
            at: (0, ir::arena::Id::new(0)),
            steps: 0,
            events: BTreeMap::new(),
            codes,
        }
    }

    /// Returns the executable form of an operation, decoded from its attributes the first time.
    pub(super) fn code(&mut self, body: usize, op: OpId) -> Rc<Code> {
        let slot = &mut self.codes[body][ir::arena::Id::index(op)];
        let program = self.program;
        slot.get_or_insert_with(|| Rc::new(decode::decode(program.bodies[body], op))).clone()
    }

    pub(super) fn fail<T>(&self, kind: RunErrorKind, message: impl Into<String>) -> Run<T> {
        let (function, op) = self.at;
        Err(Box::new(RunError { op: Some(op), function, kind, message: message.into() }))
    }

    pub(super) fn unsupported<T>(&self, message: impl Into<String>) -> Run<T> {
        self.fail(RunErrorKind::Unsupported, message)
    }

    /// Converts an error of the TIR interpreter's operators.
    pub(super) fn fault<T>(&self, (kind, message): Fault) -> Run<T> {
        self.fail(kind, message)
    }

    /// Counts work; an error at the limit.
    pub(super) fn step(&mut self, n: u64) -> Run<()> {
        self.steps += n;
        if self.steps > self.options.max_steps {
            return self.fail(RunErrorKind::StepLimit, "the limit of steps is reached");
        }
        Ok(())
    }

    /// Records an event at the operation that is executed.
    pub(super) fn event(&mut self, kind: EventKind, detail: impl FnOnce() -> String) {
        let (body, op) = self.at;
        let entry = self.events.entry((body, op, kind)).or_insert_with(|| (0, detail()));
        entry.0 += 1;
    }

    /// An error without a value: it ends the run, or is an event.
    pub(super) fn error(&mut self, kind: EventKind, detail: impl FnOnce() -> String) -> Run<()> {
        match self.options.on_error {
            OnError::Stop => self.fail(RunErrorKind::Program, detail()),
            OnError::Event => {
                self.event(kind, detail);
                Ok(())
            }
        }
    }

    pub(super) fn take_events(&mut self) -> Vec<(usize, Event)> {
        let event = |((body, op, kind), (count, detail))| (body, Event { kind, op, count, detail });
        std::mem::take(&mut self.events).into_iter().map(event).collect()
    }

    // ---- what values must be ----

    /// An integer that decides something: poison is an error, as an event it is 0.
    pub(super) fn int(&mut self, value: &Value) -> Run<i64> {
        match value {
            Value::Scalar(value) => self.int_of(value),
            _ => self.unsupported("a value that is no integer where one is needed"),
        }
    }

    pub(super) fn int_of(&mut self, value: &Val) -> Run<i64> {
        match value {
            Val::Int(value, _) => Ok(*value),
            Val::Unit => {
                self.error(EventKind::PoisonUse, || EventKind::PoisonUse.message().to_owned())?;
                Ok(0)
            }
            _ => self.unsupported("a value that is no integer where one is needed"),
        }
    }

    /// A condition.
    pub(super) fn truth(&mut self, value: &Value) -> Run<bool> {
        Ok(self.int(value)? != 0)
    }

    /// Integers that decide something.
    pub(super) fn ints(&mut self, values: &[Value]) -> Run<Vec<i64>> {
        values.iter().map(|it| self.int(it)).collect()
    }

    pub(super) fn view(&self, value: &Value) -> Run<Rc<View>> {
        match value {
            Value::View(view) => Ok(view.clone()),
            _ => self.unsupported("a value that is no memory where memory is needed"),
        }
    }

    /// Sizes that are numbers or, where a number is not known, the next operand.
    pub(super) fn sizes(&mut self, numbers: &[i64], operands: &mut &[Value]) -> Run<Vec<i64>> {
        let mut res = Vec::with_capacity(numbers.len());
        for &number in numbers {
            if number != super::attrs::DYNAMIC {
                res.push(number);
                continue;
            }
            let Some((first, rest)) = operands.split_first() else {
                return self.unsupported("fewer operands than sizes that are not known");
            };
            res.push(self.int(first)?);
            *operands = rest;
        }
        Ok(res)
    }
}
