//! Executes operations one after the other, with frames of its own.
//!
//! In: a thread. Out: why it stopped. Values of block arguments and results are set here and nowhere else.

use smallvec::SmallVec;

use super::super::{Argument, RunError, RunErrorKind, ops::Val};
use super::{
    Final, Launch, Outcome, arguments_error,
    decode::Code,
    frames::{Activation, Frame, Next, Stop, Thread},
    gpu,
    machine::{Machine, Run},
    types::Ty,
    value::{self, Value},
};
use ir::{BlockId, Body, ExprId, ExprKind, OpId, ValueId, arena::Id};

/// Calls and regions inside of each other; a program that nests deeper ends with an error.
const MAX_FRAMES: usize = 100_000;

/// Memory of each block of a launch that a kernel declares beside its parameters.
pub(super) fn n_attributions(body: &Body) -> usize {
    let inputs = match body.func_attr("function_type") {
        Some(ir::Attr::Text(text)) => {
            ir::text::types::function_parts(text).map_or(usize::MAX, |(inputs, _)| inputs.len())
        }
        _ => usize::MAX,
    };
    body.blocks[body.entry(body.root)].args.len().saturating_sub(inputs)
}

/// Runs a function: its arguments in, its arguments and results out.
pub(super) fn run(
    mut machine: Machine<'_>,
    function: usize,
    arguments: Vec<Argument>,
    launch: Launch,
) -> Run<Outcome> {
    let Some(&body) = machine.program.bodies.get(function) else {
        return arguments_error("there is no such function".to_owned());
    };
    let params = &body.blocks[body.entry(body.root)].args;
    let n = params.len() - n_attributions(body);
    if arguments.len() != n {
        return arguments_error(format!("{} arguments for {n} parameters", arguments.len()));
    }
    let mut values = Vec::with_capacity(n);
    for (&param, argument) in params.iter().zip(&arguments) {
        let ty = Ty::of(body, body.values[param].ty);
        let value = match (&ty, argument) {
            (Ty::Memref(memref), Argument::Array(array)) => machine.argument(memref, array)?,
            _ => value::of_argument(argument, &ty),
        };
        match value {
            Some(value) => values.push(value),
            None => {
                let name = body.name(body.values[param].name);
                return arguments_error(format!("the argument for {name} does not fit its type"));
            }
        }
    }
    let returned = gpu::run_kernel(&mut machine, function, values.clone(), launch)?;
    let types: Vec<Option<Ty>> = result_types(body);
    let mut ends = Vec::new();
    for (at, value) in returned.iter().enumerate() {
        ends.push(machine.finish(value, types.get(at).and_then(Option::as_ref), None)?);
    }
    let mut left = Vec::new();
    for (value, argument) in values.iter().zip(&arguments) {
        left.push(machine.finish(value, None, Some(argument))?);
    }
    let events = machine.take_events();
    let bound = machine.changed_bindings();
    Ok(Outcome { arguments: left, returned: ends, bound, events, steps: machine.steps })
}

fn result_types(body: &Body) -> Vec<Option<Ty>> {
    let Some(ir::Attr::Text(text)) = body.func_attr("function_type") else { return Vec::new() };
    let parts = ir::text::types::function_parts(text);
    parts
        .map(|(_, results)| results.into_iter().map(|it| Some(Ty::read(it))).collect())
        .unwrap_or_default()
}

impl Machine<'_> {
    /// A value as the caller sees it.
    fn finish(&mut self, value: &Value, ty: Option<&Ty>, given: Option<&Argument>) -> Run<Final> {
        let alone = |value, is_defined| Ok(Final { value, defined: vec![is_defined] });
        match value {
            Value::Scalar(Val::Int(value, _)) => alone(Argument::Int(*value), true),
            Value::Scalar(Val::Float(value)) => alone(Argument::Float(*value), true),
            Value::Scalar(_) => alone(Argument::Int(0), false),
            Value::Elements(elements) => {
                let dtype = match (ty.and_then(Ty::dtype), given) {
                    (Some(dtype), _) => dtype,
                    (None, Some(Argument::Array(array))) => array.dtype,
                    _ => return self.unsupported("a result of a type without values here"),
                };
                let (array, defined) = value::to_array(dtype, &elements.shape, &elements.values);
                Ok(Final { value: Argument::Array(array), defined })
            }
            Value::View(view) => {
                let (array, defined) = self.snapshot(view)?;
                Ok(Final { value: Argument::Array(array), defined })
            }
            Value::Function(_) | Value::Token => alone(Argument::Int(0), false),
        }
    }
}

/// The value an operand is.
fn value_of(body: &Body, operand: ExprId) -> Option<ValueId> {
    match body.expr(operand).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

impl Activation {
    fn get(&self, value: Option<ValueId>) -> Option<Value> {
        self.values.get(value?.index())?.clone()
    }

    pub(super) fn set(&mut self, value: ValueId, to: Value) {
        if let Some(slot) = self.values.get_mut(value.index()) {
            *slot = Some(to);
        }
    }
}

impl Thread {
    /// The body of the function that is executed.
    fn activation(&mut self) -> Option<&mut Activation> {
        self.activations.last_mut()
    }
}

impl<'p> Machine<'p> {
    /// A thread at the start of a function.
    pub(super) fn enter_function(&self, function: usize, values: Vec<Value>) -> Thread {
        let body = self.program.bodies[function];
        let mut activation =
            Activation { body: function, values: vec![None; body.values.len()], call: None };
        let block = body.entry(body.root);
        for (&param, value) in body.blocks[block].args.iter().zip(values) {
            activation.set(param, value);
        }
        Thread {
            activations: vec![activation],
            frames: vec![Frame { block, next: 0, owner: None }],
            waiting: None,
        }
    }

    fn body(&self, thread: &Thread) -> Run<&'p Body> {
        match thread.activations.last() {
            Some(activation) => Ok(self.program.bodies[activation.body]),
            None => Err(Box::new(RunError {
                op: None,
                function: 0,
                kind: RunErrorKind::Unsupported,
                message: "no function is executed".to_owned(),
            })),
        }
    }

    /// Executes a thread until it ends or waits for others.
    pub(super) fn resume(&mut self, thread: &mut Thread) -> Run<Stop> {
        loop {
            let body = self.body(thread)?;
            let Some(frame) = thread.frames.last_mut() else { return Ok(Stop::Done(Vec::new())) };
            let Some(&op) = body.blocks[frame.block].ops.get(frame.next) else {
                return self.unsupported("a block without a terminator");
            };
            frame.next += 1;
            let Some(activation) = thread.activations.last() else {
                return Ok(Stop::Done(Vec::new()));
            };
            self.at = (activation.body, op);
            self.step(1)?;
            let code = self.code(activation.body, op);
            let mut operands: SmallVec<[Value; 4]> = SmallVec::new();
            for &operand in &body.ops[op].operands {
                match activation.get(value_of(body, operand)) {
                    Some(value) => operands.push(value),
                    None => return self.unsupported("a value that nothing defines before its use"),
                }
            }
            match &*code {
                Code::Compute(run) => {
                    let value = run(self, &operands)?;
                    if let (Some(activation), [result]) =
                        (thread.activation(), &body.ops[op].results[..])
                    {
                        activation.set(*result, value);
                    }
                }
                Code::Many(run) => {
                    let values = run(self, &operands)?;
                    self.results(thread, op, values)?;
                }
                Code::Nest(begin) => {
                    if thread.frames.len() > MAX_FRAMES {
                        return self.fail(
                            RunErrorKind::StepLimit,
                            format!("regions nest more than {MAX_FRAMES} levels deep"),
                        );
                    }
                    let (nest, next) = begin(self, &operands)?;
                    let block = body.ops[op].parent;
                    thread.frames.push(Frame { block, next: 0, owner: Some((op, nest)) });
                    self.follow(thread, next)?;
                }
                Code::Reduce(begin) => {
                    let carried = self.carried(thread)?;
                    operands.extend(carried);
                    let (nest, next) = begin(self, &operands)?;
                    let block = body.ops[op].parent;
                    thread.frames.push(Frame { block, next: 0, owner: Some((op, nest)) });
                    self.follow(thread, next)?;
                }
                Code::End => self.end(thread, operands.into_vec())?,
                Code::Branch(choose) => {
                    let successor = choose(self, &operands)?;
                    self.branch(thread, op, successor)?;
                }
                Code::Call(callee) => self.call(thread, op, callee, operands.into_vec())?,
                Code::CallIndirect => {
                    let Some(Value::Function(callee)) = operands.first().cloned() else {
                        return self.unsupported("a call of a value that is no function");
                    };
                    self.call(thread, op, &callee, operands[1..].to_vec())?;
                }
                Code::Return => {
                    if let Some(values) = self.leave(thread, operands.into_vec())? {
                        return Ok(Stop::Done(values));
                    }
                }
                Code::Launch(shape) => self.launch(thread, op, shape, &operands)?,
                Code::Barrier => {
                    if self.place.is_some() {
                        return Ok(Stop::Barrier);
                    }
                }
                Code::Collective => {
                    thread.waiting = Some(op);
                    return Ok(Stop::Collective(op, operands.into_vec()));
                }
                Code::Unsupported(why) => return self.unsupported(why.clone()),
            }
            if thread.frames.is_empty() {
                return Ok(Stop::Done(Vec::new()));
            }
        }
    }

    /// Gives a waiting thread the results of its operation.
    pub(super) fn deliver(&self, thread: &mut Thread, values: Vec<Value>) -> Run<()> {
        match thread.waiting.take() {
            Some(op) => self.results(thread, op, values),
            None => Ok(()),
        }
    }

    fn results(&self, thread: &mut Thread, op: OpId, values: Vec<Value>) -> Run<()> {
        let body = self.body(thread)?;
        let results = &body.ops[op].results;
        if results.len() != values.len() {
            return self.unsupported(format!(
                "{} values for {} results",
                values.len(),
                results.len()
            ));
        }
        if let Some(activation) = thread.activation() {
            for (&result, value) in results.iter().zip(values) {
                activation.set(result, value);
            }
        }
        Ok(())
    }

    /// Returns the interim values of the results of the operation around.
    fn carried(&self, thread: &Thread) -> Run<Vec<Value>> {
        let body = self.body(thread)?;
        let owner = thread.frames.last().and_then(|it| it.owner.as_ref());
        let (Some((op, _)), Some(activation)) = (owner, thread.activations.last()) else {
            return Ok(Vec::new());
        };
        Ok(body.ops[*op].results.iter().filter_map(|&it| activation.get(Some(it))).collect())
    }

    /// Executes the next step of the innermost frame's operation.
    fn follow(&mut self, thread: &mut Thread, next: Next) -> Run<()> {
        let body = self.body(thread)?;
        let Some((op, _)) = thread.frames.last().and_then(|it| it.owner.as_ref()) else {
            return self.unsupported("the end of a region of no operation");
        };
        let op = *op;
        match next {
            Next::Enter { region, args, carried } => {
                if let Some(carried) = carried {
                    self.results(thread, op, carried)?;
                }
                let region = body.ops[op].regions.get(region).copied();
                let block = region.and_then(|it| body.regions[it].blocks.first().copied());
                match block {
                    Some(block) => self.enter_block(thread, block, args),
                    None => self.unsupported("a region without a block"),
                }
            }
            Next::Done(values) => {
                thread.frames.pop();
                self.at.1 = op;
                let is_reduce = matches!(&*self.code(self.at.0, op), Code::Reduce(_));
                if is_reduce { self.end(thread, values) } else { self.results(thread, op, values) }
            }
        }
    }

    /// A region has ended.
    fn end(&mut self, thread: &mut Thread, values: Vec<Value>) -> Run<()> {
        let Some(frame) = thread.frames.last_mut() else { return Ok(()) };
        let Some((op, nest)) = &mut frame.owner else {
            // The body of a launch in this thread.
            thread.frames.pop();
            return Ok(());
        };
        self.at.1 = *op;
        let next = nest.ended(self, values)?;
        self.follow(thread, next)
    }

    fn enter_block(&self, thread: &mut Thread, block: BlockId, args: Vec<Value>) -> Run<()> {
        let params = &self.body(thread)?.blocks[block].args;
        if params.len() != args.len() {
            return self.unsupported(format!(
                "{} values for {} arguments",
                args.len(),
                params.len()
            ));
        }
        if let Some(activation) = thread.activations.last_mut() {
            for (&param, arg) in params.iter().zip(args) {
                activation.set(param, arg);
            }
        }
        if let Some(frame) = thread.frames.last_mut() {
            (frame.block, frame.next) = (block, 0);
        }
        Ok(())
    }

    fn branch(&self, thread: &mut Thread, op: OpId, successor: usize) -> Run<()> {
        let body = self.body(thread)?;
        let Some(successor) = body.ops[op].successors.get(successor) else {
            return self.unsupported("a branch to a block that is not there");
        };
        let activation = thread.activations.last();
        let value = |&it: &ExprId| activation.and_then(|all| all.get(value_of(body, it)));
        let args: Option<Vec<Value>> = body.items(successor.args).iter().map(value).collect();
        match args {
            Some(args) => self.enter_block(thread, successor.block, args),
            None => self.unsupported("a value that nothing defines before its use"),
        }
    }

    fn call(&mut self, thread: &mut Thread, op: OpId, callee: &str, args: Vec<Value>) -> Run<()> {
        let Some(function) = self.program.function(callee) else {
            return self.unsupported(format!("func.call of @{callee}, which has no body here"));
        };
        if thread.frames.len() > MAX_FRAMES {
            return self.fail(
                RunErrorKind::StepLimit,
                format!("calls nest more than {MAX_FRAMES} levels deep"),
            );
        }
        let mut inner = self.enter_function(function, args);
        if let Some(mut activation) = inner.activations.pop() {
            activation.call = Some(op);
            thread.activations.push(activation);
        }
        thread.frames.append(&mut inner.frames);
        Ok(())
    }

    /// Returns from a function; gives the results of the thread, if it was the outermost.
    fn leave(&mut self, thread: &mut Thread, values: Vec<Value>) -> Run<Option<Vec<Value>>> {
        while let Some(frame) = thread.frames.pop() {
            if frame.owner.is_none() {
                break;
            }
        }
        let Some(activation) = thread.activations.pop() else { return Ok(Some(values)) };
        match activation.call {
            Some(op) => {
                self.results(thread, op, values)?;
                Ok(None)
            }
            None => Ok(Some(values)),
        }
    }
}
