//! Vectors of `T.vscale() * 4` lanes: buffers of them, vectors at consecutive elements, and one value in all lanes.

use super::{
    generate::{Access, Generator},
    tree::{BufferId, Expr, ExprKind, Extent, Form, Home, Param, Stmt, StmtKind, Type},
};

const FLOAT: Type = Type::Float(32);
/// Elements of a buffer of vectors.
const VECTORS: i64 = 4;
/// How the number of lanes is written.
const LANES: [&str; 2] = ["T.vscale() * 4", "4 * T.vscale()"];

impl Generator<'_> {
    /// Two buffers of vectors, and one that is long enough for vectors of its elements.
    pub(super) fn scalable_parameters(&mut self) {
        for (shape, is_scalable) in [(VECTORS, true), (VECTORS, true), (16, false)] {
            let id = self.new_buffer(FLOAT, vec![Extent::Const(shape)], Home::Param);
            self.program.buffers[id as usize].is_scalable = is_scalable;
            if is_scalable {
                // Statements on scalars do not know it.
                self.buffers.retain(|it| it.0 != id);
            }
            self.program.params.push(Param::Buffer(id));
        }
    }

    /// A store of a vector.
    pub(super) fn vector_store(&mut self, list: &mut Vec<Stmt>) -> bool {
        if self.in_kernel || self.owner.is_some() {
            return false;
        }
        let value = self.vector(2);
        let lanes = *self.rng.pick(&LANES);
        let (text, target, index) = match self.scalar_buffer() {
            Some(target) if self.rng.one_in(2) => {
                let index = self.start();
                (format!("{{b0}}[T.Ramp({{1}}, 1, {lanes})] = {{0}}"), target, index)
            }
            _ => {
                let (target, index) = self.vector_place();
                ("{b0}[{1}] = {0}".to_owned(), target, index)
            }
        };
        let form = Form { buffers: vec![target], ..Form::new(&text) };
        list.push(Stmt::new(StmtKind::Form(Box::new(form)), vec![value, index]));
        true
    }

    /// A buffer of which consecutive elements make vectors.
    fn scalar_buffer(&mut self) -> Option<BufferId> {
        let can = |it: &&(BufferId, Access)| {
            let buffer = &self.program.buffers[it.0 as usize];
            it.1 == Access::Free && buffer.ty == FLOAT && buffer.shape == [Extent::Const(16)]
        };
        let found: Vec<BufferId> = self.buffers.iter().filter(can).map(|it| it.0).collect();
        (!found.is_empty()).then(|| *self.rng.pick(&found))
    }

    /// The first element of a vector.
    fn start(&mut self) -> Expr {
        let vars: Vec<u32> =
            self.vars.iter().filter(|it| it.below.is_some()).map(|it| it.id).collect();
        match self.rng.below(4) {
            0 => Expr::int(self.rng.below(5) as i64),
            1 if !vars.is_empty() => Expr::var(Type::I32, *self.rng.pick(&vars)),
            2 if !vars.is_empty() => {
                let var = Expr::var(Type::I32, *self.rng.pick(&vars));
                let text = "({0} * 4 * T.vscale())";
                Expr::new(Type::I32, ExprKind::Form(Box::new(Form::new(text))), vec![var])
            }
            _ => Expr::int(0),
        }
    }

    /// An element of a buffer of vectors.
    fn vector_place(&mut self) -> (BufferId, Expr) {
        let buffers = &self.program.buffers;
        let of_vectors: Vec<BufferId> =
            (0..buffers.len() as BufferId).filter(|it| buffers[*it as usize].is_scalable).collect();
        let at = self.rng.below(VECTORS as usize) as i64;
        let inner = self.expr(Type::I32, 1);
        let index = if self.rng.one_in(3) {
            Expr::infix(Type::I32, "%", inner, Expr::int(VECTORS))
        } else {
            Expr::int(at)
        };
        (*self.rng.pick(&of_vectors), index)
    }

    /// A vector, often one that has been made before.
    fn vector(&mut self, depth: usize) -> Expr {
        if self.rng.one_in(2) && !self.made.is_empty() {
            let again = self.rng.pick(&self.made).clone();
            if self.is_allowed(&again) {
                return again;
            }
        }
        let vector = self.fresh_vector(depth);
        self.made.push(vector.clone());
        vector
    }

    fn fresh_vector(&mut self, depth: usize) -> Expr {
        let lanes = *self.rng.pick(&LANES);
        let form =
            |form: Form, operands| Expr::new(FLOAT, ExprKind::Form(Box::new(form)), operands);
        match self.rng.below(6) {
            0..=2 if depth > 0 => {
                let op = *self.rng.pick(&["+", "*", "-"]);
                let (left, right) = (self.vector(depth - 1), self.vector(depth - 1));
                Expr::infix(FLOAT, op, left, right)
            }
            3 => {
                let (buffer, index) = self.vector_place();
                form(Form { buffers: vec![buffer], ..Form::new("{b0}[{0}]") }, vec![index])
            }
            4 => {
                let Some(buffer) = self.scalar_buffer() else { return self.fresh_vector(0) };
                let index = self.start();
                let text = format!("{{b0}}[T.Ramp({{0}}, 1, {lanes})]");
                form(Form { buffers: vec![buffer], ..Form::new(&text) }, vec![index])
            }
            _ => {
                let value = self.expr(FLOAT, 2);
                form(Form::new(&format!("T.Broadcast({{0}}, {lanes})")), vec![value])
            }
        }
    }
}
