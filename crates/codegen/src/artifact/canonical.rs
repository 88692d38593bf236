//! Names taken out before code generation, so that generated code depends on structure alone.
//!
//! The variables and buffers of a body are its *entities*; their canonical number is their place in program order.
//! [`Canonical::of`] renames entity `i` to `$i`, a spelling that no source and no pass can make. Everything after it
//! works on that body: it cannot see a name of the user, so its output is canonical by construction, and two functions
//! that differ in names only have one artifact. [`crate::artifact::names`] puts the names of the current text back.
//!
//! Linear in the nodes of the body.

use ir::{Body, BufferId, ExprId, ExprKind, OpKind, ValueId};
use rustc_hash::FxHashSet;

/// A body without the user's names, and those names.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The body; entity `i` is called `$i`, the function `$F`.
    pub body: Body,
    /// The name of entity `i` as the source writes it.
    pub names: Vec<String>,
    /// The name of the function as the source writes it.
    pub function: String,
    /// The operations in program order: an operation's canonical number is its place.
    pub ops: Vec<ir::OpId>,
}

impl Canonical {
    /// Takes the names out of `body`.
    pub fn of(body: &Body) -> Canonical {
        let entities = entities(body);
        let ops = body.ops_preorder().collect();
        let mut body = body.clone();
        let names = entities
            .iter()
            .map(|entity| match *entity {
                Entity::Value(it) => body.name(body.values[it].name).to_owned(),
                Entity::Buffer(it) => body.name(body.buffers[it].name).to_owned(),
            })
            .collect();
        for (index, entity) in entities.iter().enumerate() {
            let name = body.intern(&format!("${index}"));
            match *entity {
                Entity::Value(it) => body.values[it].name = name,
                Entity::Buffer(it) => body.buffers[it].name = name,
            }
        }
        let function = std::mem::replace(&mut body.name, "$F".into()).into_string();
        Canonical { body, names, function, ops }
    }
}

#[derive(Clone, Copy)]
enum Entity {
    Value(ValueId),
    Buffer(BufferId),
}

/// The entities of a body in program order.
fn entities(body: &Body) -> Vec<Entity> {
    let mut walk = Walk { body, ..Walk::new(body) };
    for param in &body.params {
        walk.value(param.value);
        param.buffer.into_iter().for_each(|it| walk.buffer(it));
    }
    for op in body.ops_preorder() {
        let operation = &body.ops[op];
        operation.operands.iter().for_each(|&it| walk.expr(it));
        match operation.kind {
            OpKind::Store { buffer, .. }
            | OpKind::Alloc { buffer, .. }
            | OpKind::DeclBuffer { buffer } => walk.buffer(buffer),
            OpKind::LaunchThread { var, .. } => walk.value(var),
            _ => {}
        }
        operation.results.iter().for_each(|&it| walk.value(it));
        for &region in &operation.regions {
            for &block in &body.regions[region].blocks {
                body.blocks[block].args.iter().for_each(|&it| walk.value(it));
            }
        }
    }
    walk.found
}

struct Walk<'a> {
    body: &'a Body,
    found: Vec<Entity>,
    values: FxHashSet<ValueId>,
    buffers: FxHashSet<BufferId>,
    exprs: FxHashSet<ExprId>,
}

impl<'a> Walk<'a> {
    fn new(body: &'a Body) -> Walk<'a> {
        Walk {
            body,
            found: Vec::new(),
            values: FxHashSet::default(),
            buffers: FxHashSet::default(),
            exprs: FxHashSet::default(),
        }
    }

    fn value(&mut self, value: ValueId) {
        if self.values.insert(value) {
            self.found.push(Entity::Value(value));
        }
    }

    fn buffer(&mut self, buffer: BufferId) {
        let mut pending = Some(buffer);
        while let Some(buffer) = pending.take() {
            if !self.buffers.insert(buffer) {
                return;
            }
            self.found.push(Entity::Buffer(buffer));
            let data = &self.body.buffers[buffer];
            if let ir::BufferOrigin::View { source, .. } = data.origin {
                pending = Some(source);
            }
            data.operands().for_each(|it| self.expr(it));
        }
    }

    fn expr(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if !self.exprs.insert(expr) {
                continue;
            }
            let kind = self.body.expr(expr).kind;
            match kind {
                ExprKind::Value(it) => self.value(it),
                ExprKind::Buffer(it)
                | ExprKind::BufferField(it, _)
                | ExprKind::Load { buffer: it, .. }
                | ExprKind::Region(it, _) => self.note_buffer(it, &mut stack),
                _ => {}
            }
            let mark = stack.len();
            self.body.each_child(kind, &mut |child| stack.push(child));
            stack[mark..].reverse();
        }
    }

    /// A buffer met inside an expression: its own expressions are pushed, not walked, so that nothing recurses.
    fn note_buffer(&mut self, buffer: BufferId, stack: &mut Vec<ExprId>) {
        if self.buffers.insert(buffer) {
            self.found.push(Entity::Buffer(buffer));
            stack.extend(self.body.buffers[buffer].operands());
        }
    }
}
