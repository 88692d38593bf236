//! The function under construction: expressions in order, blocks, variables.
//!
//! naga wants each expression emitted in the block that uses it, before that. [`Function::add`] emits at once into the
//! innermost open block, so expressions are evaluated in the order of writing. naga's writers recurse over expressions
//! that are written in place, so a tree is cut by a name where it grows deep.

use ::naga::Range;
use ::naga::{
    BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, MathFunction, Scalar,
    ScalarKind, Span, Statement, Type, TypeInner,
};
use ir::OpId;

use super::{lines::MARKER, names::Placeholders};
use crate::kernel::{Refusal, Result};
use crate::reasons;

/// An expression of naga.
pub(super) type Node = Handle<Expression>;

/// Nodes that one kernel may have.
const MAX_NODES: usize = 1_000_000;
/// Depth of a tree that is written in place.
const MAX_DEPTH: u8 = 24;

/// A function under construction.
#[derive(Default)]
pub(super) struct Function {
    pub(super) module: ::naga::Module,
    pub(super) function: ::naga::Function,
    pub(super) names: Placeholders,
    /// The operations whose statements have a marker before them ([`super::lines`]).
    pub(super) marked: Vec<OpId>,
    /// Open blocks, innermost last.
    blocks: Vec<Block>,
    depths: Vec<u8>,
}

impl Function {
    /// Adds an expression and emits it.
    pub(super) fn add(&mut self, expression: Expression) -> Result<Node> {
        if self.depths.len() >= MAX_NODES {
            let text = "a kernel has too many operations";
            return Err(Refusal::new(reasons::EXPRESSION_TOO_LARGE, text));
        }
        let emitted = !expression.needs_pre_emit();
        let is_pointer =
            matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. });
        let mut depth = self.depth_of(&expression);
        let node = self.function.expressions.append(expression, Span::UNDEFINED);
        if emitted {
            self.emit(node);
        }
        if depth > MAX_DEPTH && !is_pointer {
            let name = self.names.made("t".to_owned());
            self.function.named_expressions.insert(node, name);
            depth = 0;
        }
        self.depths.push(depth);
        Ok(node)
    }

    /// Adds the result of a statement, which the statement itself emits.
    pub(super) fn add_result(&mut self, expression: Expression) -> Result<Node> {
        let node = self.function.expressions.append(expression, Span::UNDEFINED);
        self.depths.push(0);
        Ok(node)
    }

    fn emit(&mut self, node: Node) {
        let Some(block) = self.blocks.last_mut() else { return };
        if let Some(Statement::Emit(range)) = block.last_mut()
            && let Some((first, last)) = range.first_and_last()
            && last.index() + 1 == node.index()
        {
            *range = Range::new_from_bounds(first, node);
            return;
        }
        block.push(Statement::Emit(Range::new_from_bounds(node, node)), Span::UNDEFINED);
    }

    fn depth_of(&self, expression: &Expression) -> u8 {
        let of = |node: Node| self.depths.get(node.index()).copied().unwrap_or(0);
        let deepest = match *expression {
            Expression::Access { base, index } => of(base).max(of(index)),
            Expression::AccessIndex { base, .. } => of(base),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => of(expr),
            Expression::Binary { left, right, .. } => of(left).max(of(right)),
            Expression::Select { condition, accept, reject } => {
                of(condition).max(of(accept)).max(of(reject))
            }
            Expression::Math { arg, arg1, .. } => of(arg).max(arg1.map_or(0, of)),
            // Loads have a name of their own.
            _ => return 0,
        };
        deepest.saturating_add(1)
    }

    /// Gives a value a name, if it has none and is no constant or parameter.
    pub(super) fn name(&mut self, node: Node, name: String) {
        if !self.function.expressions[node].needs_pre_emit()
            && !self.function.named_expressions.contains_key(&node)
        {
            self.function.named_expressions.insert(node, name);
            self.depths[node.index()] = 0;
        }
    }

    // ---- statements ----

    /// Opens a block: later statements stand in it.
    pub(super) fn open_block(&mut self) {
        self.blocks.push(Block::new());
    }
    /// Ends the innermost block.
    pub(super) fn close_block(&mut self) -> Block {
        self.blocks.pop().unwrap_or_default()
    }
    /// Adds a statement to the innermost block.
    pub(super) fn push(&mut self, statement: Statement) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement, Span::UNDEFINED);
        }
    }
    /// Marks where the statements of an operation begin.
    pub(super) fn mark(&mut self, op: OpId) {
        self.marked.push(op);
        self.push(MARKER);
    }
    /// Takes the innermost marker out if no statement followed it.
    pub(super) fn drop_idle_mark(&mut self) {
        let Some(block) = self.blocks.last_mut() else { return };
        if matches!(block.last(), Some(Statement::Kill)) {
            block.cull(block.len() - 1..);
            self.marked.pop();
        }
    }
    /// `pointer = value`
    pub(super) fn store(&mut self, pointer: Node, value: Node) {
        self.push(Statement::Store { pointer, value });
    }

    // ---- types and variables ----

    /// The type of a scalar.
    pub(super) fn scalar_type(&mut self, scalar: Scalar) -> Handle<Type> {
        self.type_of(TypeInner::Scalar(scalar))
    }
    /// An unnamed type.
    pub(super) fn type_of(&mut self, inner: TypeInner) -> Handle<Type> {
        self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }
    /// A variable of the function: the pointer to it.
    pub(super) fn variable(&mut self, wanted: String, ty: Handle<Type>) -> Result<Node> {
        let variable = LocalVariable { name: Some(wanted), ty, init: None };
        let variable = self.function.local_variables.append(variable, Span::UNDEFINED);
        self.add(Expression::LocalVariable(variable))
    }

    // ---- short forms ----

    pub(super) fn literal(&mut self, literal: Literal) -> Result<Node> {
        self.add(Expression::Literal(literal))
    }
    pub(super) fn u32(&mut self, value: u32) -> Result<Node> {
        self.literal(Literal::U32(value))
    }
    pub(super) fn i32(&mut self, value: i32) -> Result<Node> {
        self.literal(Literal::I32(value))
    }
    pub(super) fn f32(&mut self, value: f32) -> Result<Node> {
        self.literal(Literal::F32(value))
    }
    pub(super) fn load(&mut self, pointer: Node) -> Result<Node> {
        self.add(Expression::Load { pointer })
    }
    pub(super) fn binary(&mut self, op: BinaryOperator, left: Node, right: Node) -> Result<Node> {
        self.add(Expression::Binary { op, left, right })
    }
    pub(super) fn select(&mut self, condition: Node, accept: Node, reject: Node) -> Result<Node> {
        self.add(Expression::Select { condition, accept, reject })
    }
    pub(super) fn math(
        &mut self,
        fun: MathFunction,
        arg: Node,
        arg1: Option<Node>,
    ) -> Result<Node> {
        self.add(Expression::Math { fun, arg, arg1, arg2: None, arg3: None })
    }
    /// The value converted to a scalar.
    pub(super) fn convert(&mut self, expr: Node, to: Scalar) -> Result<Node> {
        self.add(Expression::As { expr, kind: to.kind, convert: Some(to.width) })
    }
    /// The bits as those of another kind of the same width.
    pub(super) fn bits(&mut self, expr: Node, kind: ScalarKind) -> Result<Node> {
        self.add(Expression::As { expr, kind, convert: None })
    }
}
