//! A program as TVMScript.

use std::fmt::Write as _;

use super::tree::{
    BlockVar, CaptureId, CaptureKind, Expr, ExprKind, Extent, Form, Home, Loop, Param, Program,
    Stmt, StmtKind, Type,
};

impl Program {
    /// The text of a file with this function. One that captures names is made by a function of Python.
    pub fn text(&self) -> String {
        let captured = self.captured();
        let mut text = String::from("from tvm.script import tirx as T\n");
        if captured.is_empty() {
            return text + "\n" + &self.function();
        }
        let (inner, outer): (Vec<_>, Vec<_>) =
            captured.into_iter().partition(|it| self.captures[*it].is_parameter);
        for name in outer.into_iter().map(|it| self.capture(it)) {
            let _ = writeln!(text, "{name} = settings[\"{name}\"]");
        }
        let parameters: Vec<String> = inner.into_iter().map(|it| self.capture(it)).collect();
        made_by(&mut text, &parameters, &self.function());
        text
    }

    /// The text of the function alone, as it stands in [`Program::text`].
    pub fn function(&self) -> String {
        let depth = usize::from(!self.captured().is_empty());
        let mut text = String::from("@T.prim_func(s_tir=True)\n");
        let params: Vec<String> = self.params.iter().map(|it| self.param(*it)).collect();
        line(&mut text, depth, &format!("def f({}):", params.join(", ")));
        if self.is_noalias {
            line(&mut text, depth + 1, "T.func_attr({\"tirx.noalias\": True})");
        }
        self.list(&self.statements, depth + 1, &mut text);
        text
    }

    /// A captured name: a letter for its kind, and its number.
    pub(super) fn capture(&self, id: CaptureId) -> String {
        let letter = match self.captures[id].kind {
            CaptureKind::DataType => 'd',
            CaptureKind::Word => 'w',
            CaptureKind::Int => 'k',
            CaptureKind::Text => 's',
            CaptureKind::Callable => 'g',
            CaptureKind::Lanes => 'n',
        };
        format!("{letter}{id}")
    }

    fn param(&self, param: Param) -> String {
        match param {
            Param::Scalar(var, ty) => format!("v{var}: T.{}", ty.name()),
            Param::Buffer(id) => {
                let buffer = &self.buffers[id as usize];
                let lanes = if buffer.is_scalable { "xvscalex4" } else { "" };
                let ty = buffer.ty.name();
                format!("b{id}: T.Buffer({}, \"{ty}{lanes}\")", self.shape(id))
            }
        }
    }

    fn shape(&self, buffer: u32) -> String {
        let extents = self.buffers[buffer as usize].shape.iter().map(|extent| match extent {
            Extent::Const(n) => format!("{n},"),
            Extent::Var(var) => format!("v{var},"),
            Extent::Times(capture, n) => format!("{} * {n},", self.capture(*capture)),
        });
        let list: Vec<String> = extents.collect();
        format!("({})", list.join(" ").trim_end_matches(if list.len() > 1 { ',' } else { ' ' }))
    }

    fn list(&self, statements: &[Stmt], depth: usize, text: &mut String) {
        if statements.is_empty() {
            line(text, depth, "pass");
        }
        for statement in statements {
            self.statement(statement, depth, text);
        }
    }

    fn statement(&self, stmt: &Stmt, depth: usize, text: &mut String) {
        let expr = |at: usize| self.expr(&stmt.exprs[at]);
        let mut header = |header: &str| line(text, depth, header);
        match &stmt.kind {
            StmtKind::Store(id) => {
                let indices: Vec<String> = (1..stmt.exprs.len()).map(expr).collect();
                header(&format!("b{id}[{}] = {}", indices.join(", "), expr(0)));
            }
            StmtKind::Let(var, ty) => {
                header(&format!("v{var}: T.let[T.{}] = {}", ty.name(), expr(0)));
            }
            StmtKind::Cell(var, ty) => header(&format!("v{var}: T.{} = {}", ty.name(), expr(0))),
            StmtKind::Assign(var) => header(&format!("v{var} = {}", expr(0))),
            StmtKind::For(kind, var) => {
                header(&format!("for v{var} in {}:", self.range(*kind, stmt)))
            }
            StmtKind::If => header(&format!("if {}:", expr(0))),
            StmtKind::While(count, limit) => {
                header(&format!("v{count}: T.int32 = 0"));
                header(&format!("while v{count} < {limit} and {}:", expr(0)));
                line(text, depth + 1, &format!("v{count} = v{count} + 1"));
            }
            StmtKind::Break => header("break"),
            StmtKind::Continue => header("continue"),
            StmtKind::Return => header(&format!("return {}", expr(0))),
            StmtKind::Assert => header(&format!("assert {}, \"no\"", expr(0))),
            StmtKind::Alloc(id) => header(&self.allocation(*id)),
            StmtKind::View(id) => header(&self.view(*id)),
            StmtKind::Sync => header("T.tvm_storage_sync(\"shared\")"),
            StmtKind::Launch(tag, var) => {
                header(&format!("with T.launch_thread(\"{tag}\", {}) as v{var}:", expr(0)));
            }
            StmtKind::Evaluate => header(&format!("T.evaluate({})", expr(0))),
            StmtKind::Form(form) => header(&self.form(form, "", &stmt.exprs)),
            StmtKind::Block(vars) => {
                header("with T.sblock(\"block\"):");
                self.block_header(vars, stmt, depth + 1, text);
                for declaration in stmt.bodies.get(2).into_iter().flatten() {
                    self.statement(declaration, depth + 1, text);
                }
                if let Some(init) = stmt.bodies.get(1).filter(|it| !it.is_empty()) {
                    line(text, depth + 1, "with T.init():");
                    self.list(init, depth + 2, text);
                }
            }
        }
        if let Some(body) = stmt.bodies.first() {
            self.list(body, depth + 1, text);
        }
        if let (StmtKind::If, Some(otherwise)) = (&stmt.kind, stmt.bodies.get(1)) {
            line(text, depth, "else:");
            self.list(otherwise, depth + 1, text);
        }
    }

    fn allocation(&self, id: u32) -> String {
        let buffer = &self.buffers[id as usize];
        let (make, scope) = match buffer.home {
            Home::Alloc(scope) => ("alloc_buffer", scope),
            Home::Block(scope) => ("sblock_alloc_buffer", scope),
            Home::Param | Home::View(_) => ("alloc_buffer", "global"),
        };
        let ty = buffer.ty.name();
        format!("b{id} = T.{make}({}, \"{ty}\", scope=\"{scope}\")", self.shape(id))
    }

    fn view(&self, id: u32) -> String {
        let buffer = &self.buffers[id as usize];
        let Home::View(of) = buffer.home else { return "pass".to_owned() };
        let mut scope = String::new();
        let mut root = of;
        while let Home::View(next) = self.buffers[root as usize].home {
            root = next;
        }
        if let Home::Alloc(name) | Home::Block(name) = self.buffers[root as usize].home
            && name != "global"
        {
            scope = format!(", scope=\"{name}\"");
        }
        let ty = buffer.ty.name();
        format!("b{id} = T.decl_buffer({}, \"{ty}\", data=b{of}.data{scope})", self.shape(id))
    }

    fn range(&self, kind: Loop, stmt: &Stmt) -> String {
        let args: Vec<String> = stmt.exprs.iter().map(|it| self.expr(it)).collect();
        let args = args.join(", ");
        match kind {
            Loop::Range => format!("range({args})"),
            Loop::Serial => format!("T.serial({args})"),
            Loop::Unroll => format!("T.unroll({args})"),
            Loop::Parallel => format!("T.parallel({args})"),
            Loop::Vectorized => format!("T.vectorized({args})"),
            Loop::Thread(tag) => format!("T.thread_binding({args}, thread=\"{tag}\")"),
        }
    }

    fn block_header(&self, vars: &[BlockVar], stmt: &Stmt, depth: usize, text: &mut String) {
        for (at, BlockVar { var, extent, is_reduction }) in vars.iter().enumerate() {
            let kind = if *is_reduction { "reduce" } else { "spatial" };
            let value = self.expr(&stmt.exprs[at]);
            line(text, depth, &format!("v{var} = T.axis.{kind}({extent}, {value})"));
        }
        if let Some(predicate) = stmt.exprs.get(vars.len()) {
            line(text, depth, &format!("T.where({})", self.expr(predicate)));
        }
    }

    /// The text of an expression, in parentheses where it has operators.
    fn expr(&self, node: &Expr) -> String {
        let mut text = String::new();
        self.write_expr(node, &mut text);
        match text.strip_prefix('(') {
            Some(inner) if matches!(node.kind, ExprKind::Infix(_) | ExprKind::Prefix(_)) => {
                inner[..inner.len() - 1].to_owned()
            }
            _ => text,
        }
    }

    fn write_expr(&self, node: &Expr, text: &mut String) {
        match &node.kind {
            ExprKind::Literal(literal) => text.push_str(literal),
            ExprKind::Var(var) => {
                let _ = write!(text, "v{var}");
            }
            ExprKind::Infix(op) => {
                text.push('(');
                self.write_expr(&node.operands[0], text);
                let _ = write!(text, " {op} ");
                self.write_expr(&node.operands[1], text);
                text.push(')');
            }
            ExprKind::Prefix(op) => {
                text.push('(');
                text.push_str(op);
                self.write_expr(&node.operands[0], text);
                text.push(')');
            }
            ExprKind::Call(name) => {
                let first = match *name {
                    "reinterpret" => format!("\"{}\", ", node.ty.name()),
                    _ => String::new(),
                };
                let _ = write!(text, "T.{name}({first}");
                self.write_list(&node.operands, text);
                text.push(')');
            }
            ExprKind::Cast => {
                let _ = write!(text, "T.Cast(\"{}\", ", node.ty.name());
                self.write_list(&node.operands, text);
                text.push(')');
            }
            ExprKind::Load(id) => {
                let _ = write!(text, "b{id}[");
                self.write_list(&node.operands, text);
                text.push(']');
            }
            ExprKind::Let(var) => {
                text.push_str("T.Let(");
                self.write_expr(&node.operands[1], text);
                let _ = write!(text, ", where={{v{var}: ");
                self.write_expr(&node.operands[0], text);
                text.push_str("})");
            }
            ExprKind::Form(form) => {
                text.push_str(&self.form(form, &node.ty.name(), &node.operands));
            }
            ExprKind::Unknown(id) => {
                let _ = write!(text, "T.call_extern(\"{}\", \"g\", b{id}.data", node.ty.name());
                for operand in &node.operands {
                    text.push_str(", ");
                    self.write_expr(operand, text);
                }
                text.push(')');
            }
        }
    }

    fn write_list(&self, nodes: &[Expr], text: &mut String) {
        for (at, node) in nodes.iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            self.write_expr(node, text);
        }
    }

    /// The text of a form, with its holes filled.
    fn form(&self, form: &Form, ty: &str, operands: &[Expr]) -> String {
        let mut text = form.text.replace("{t}", ty);
        for (at, operand) in operands.iter().enumerate() {
            let mut inner = String::new();
            self.write_expr(operand, &mut inner);
            text = text.replace(&format!("{{{at}}}"), &inner);
        }
        for (at, capture) in form.captures.iter().enumerate() {
            text = text.replace(&format!("{{c{at}}}"), &self.capture(*capture));
        }
        for (at, buffer) in form.buffers.iter().enumerate() {
            text = text.replace(&format!("{{b{at}}}"), &format!("b{buffer}"));
        }
        text
    }
}

/// Writes a function of Python that makes the function of this text.
pub(super) fn made_by(text: &mut String, parameters: &[String], function: &str) {
    let _ = writeln!(text, "\ndef make({}):", parameters.join(", "));
    let _ = writeln!(text, "    {}\n    return f", function.trim_end());
}

fn line(text: &mut String, depth: usize, line: &str) {
    let _ = writeln!(text, "{:1$}{line}", "", depth * 4);
}

impl Type {
    /// A literal of this type.
    pub(super) fn literal_of(self, digits: &str) -> String {
        match self {
            Type::Int(32) => digits.to_owned(),
            Type::Bool => format!("T.bool({digits})"),
            _ => format!("T.{}({digits})", self.name()),
        }
    }
}
