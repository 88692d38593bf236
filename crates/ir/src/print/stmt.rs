//! Statements.

use super::{Printer, attr::quote, has_member};
use crate::{
    AllocKind, BlockId, Body, BufferId, BufferOrigin, BufferRegion, DataType, Expr, ExprId,
    ExprKind, ForKind, IterKind, MemoryScope, OpId, OpKind, RegionDim, SBlockId, Type, ValueKind,
};

impl Printer<'_> {
    pub(super) fn statements(&mut self, block: BlockId) {
        crate::stack::with_room(|| {
            let body = self.body;
            let ops = &body.blocks[block].ops;
            let mut index = 0;
            while index < ops.len() {
                let next = ops.get(index + 1).copied();
                let is_only = ops.len() == 1;
                index += if self.statement(ops[index], next, is_only) { 2 } else { 1 };
            }
        });
    }

    /// The statements of a region, one level deeper; `pass` if there is none.
    fn suite(&mut self, block: BlockId) {
        self.indent += 4;
        let before = self.out.len();
        self.statements(block);
        if self.out.len() == before {
            self.line(format_args!("T.evaluate(0)"));
        }
        self.indent -= 4;
    }

    pub(super) fn region_suite(&mut self, op: OpId, index: usize) {
        self.names.open_scope();
        let region = self.body.ops[op].regions[index];
        let block = self.body.entry(region);
        if self.body.is_static_choice(op) && self.body.blocks[block].ops.is_empty() {
            // Python's own arm, in which nothing becomes IR.
            self.indent += 4;
            self.line(format_args!("pass"));
            self.indent -= 4;
        } else {
            self.suite(block);
        }
        self.names.close_scope();
    }

    /// Prints one statement; true if it took the next one with it.
    fn statement(&mut self, op: OpId, next: Option<OpId>, is_only: bool) -> bool {
        let around = std::mem::take(&mut self.let_names);
        self.declare_lets(op);
        let took_next = self.bare_statement(op, next, is_only);
        self.let_names = around;
        took_next
    }

    /// Prints a statement whose `Let` variables are declared.
    fn bare_statement(&mut self, op: OpId, next: Option<OpId>, is_only: bool) -> bool {
        let body = self.body;
        let data = &body.ops[op];
        match data.kind {
            OpKind::For(kind) => self.for_loop(op, kind),
            OpKind::If => self.if_else(op),
            OpKind::While => {
                let condition = self.expr_string(body.written_condition(op));
                self.line(format_args!("while {condition}:"));
                self.region_suite(op, 0);
            }
            OpKind::SBlock(block) => self.sblock(op, block),
            OpKind::LaunchThread { tag, var } => {
                self.launch_thread(op, body.tag_name(tag), var, is_only)
            }
            OpKind::EnvThread(tag) => {
                let tag = quote(body.tag_name(tag));
                let name = self.define_result(op);
                self.line(format_args!("{name} = T.env_thread({tag})"));
            }
            OpKind::Attr(key) => {
                let node = match &self.body.dict(data.attrs)[..] {
                    [(_, spelling)] => self.attr_text(spelling),
                    _ => self.expr_string(data.operands[0]),
                };
                let value = self.expr_string(data.operands[1]);
                let key = quote(body.name(key));
                self.scoped(op, &format!("T.attr({node}, {key}, {value})"), is_only);
            }
            OpKind::AttrDict => {
                let call = match &body.dict(data.attrs)[..] {
                    [(key, call)] if &**key == crate::SCOPE_CALL => self.attr_text(call),
                    dict => format!("T.attr({})", self.dict_text(dict)),
                };
                self.scoped(op, &call, is_only);
            }
            OpKind::Store { buffer, predicated } => self.store(op, buffer, predicated),
            OpKind::Bind => self.bind(op),
            OpKind::Alloc { buffer, kind } => return self.alloc(op, buffer, kind, next),
            OpKind::DeclBuffer { buffer } => self.decl_buffer(op, buffer),
            OpKind::Evaluate => self.evaluate(data.operands[0]),
            OpKind::Assert => self.assert(op),
            OpKind::Return => match data.operands.first() {
                Some(&value) => {
                    let value = self.expr_string(value);
                    if self.is_legacy() {
                        self.line(format_args!("T.evaluate(T.ret({value}))"));
                    } else {
                        self.line(format_args!("return {value}"));
                    }
                }
                None => self.line(format_args!("return")),
            },
            OpKind::Break => self.line(format_args!("break")),
            OpKind::Continue => self.line(format_args!("continue")),
            OpKind::Opaque(text) | OpKind::Named(text) => self.opaque(op, body.name(text)),
        }
        false
    }

    fn define_result(&mut self, op: OpId) -> String {
        let value = self.body.ops[op].results[0];
        self.names.define_value(value, self.body.name(self.body.values[value].name))
    }

    fn define_block_args(&mut self, op: OpId) -> Vec<String> {
        let block = self.body.entry(self.body.ops[op].regions[0]);
        let args = self.body.blocks[block].args.clone();
        args.iter()
            .map(|&it| self.names.define_value(it, self.body.name(self.body.values[it].name)))
            .collect()
    }

    // ---- loops and branches ----

    fn for_loop(&mut self, op: OpId, kind: ForKind) {
        let nest = self.grid_nest(op);
        self.names.open_scope();
        let extents: Vec<String> =
            nest.iter().map(|&it| self.expr_string(self.body.ops[it].operands[1])).collect();
        if nest.len() > 1 {
            let names: Vec<String> =
                nest.iter().flat_map(|&it| self.define_block_args(it)).collect();
            self.line(format_args!("for {} in T.grid({}):", names.join(", "), extents.join(", ")));
        } else {
            let header = self.loop_header(op, kind);
            let name = self.define_block_args(op).join(", ");
            self.line(format_args!("for {name} in {header}:"));
        }
        let innermost = nest.last().copied().unwrap_or(op);
        self.suite(self.body.entry(self.body.ops[innermost].regions[0]));
        self.names.close_scope();
    }

    /// The loops that one `T.grid` can say: serial from 0 without step and annotations, directly nested, the extents
    /// free of the outer variables. One with a `T.Let` in its extent stands on its own, as the variable is declared
    /// before its statement.
    fn grid_nest(&self, op: OpId) -> Vec<OpId> {
        let body = self.body;
        let mut nest = vec![op];
        let mut vars = Vec::new();
        let mut at = op;
        while self.is_grid_axis(at) {
            let block = body.entry(body.ops[at].regions[0]);
            vars.extend(body.blocks[block].args.iter().copied());
            let [inner] = body.blocks[block].ops[..] else { break };
            if !self.is_grid_axis(inner) {
                break;
            }
            let extent = body.ops[inner].operands[1];
            if body.expr(extent).flags.has_binder || self.mentions(extent, &vars) {
                break;
            }
            nest.push(inner);
            at = inner;
        }
        nest
    }

    fn is_grid_axis(&self, op: OpId) -> bool {
        let data = &self.body.ops[op];
        data.kind == OpKind::For(ForKind::Serial)
            && data.operands.len() == 2
            && data.attrs == Body::no_attrs()
            && self.is_zero(data.operands[0])
    }

    fn mentions(&self, expr: ExprId, vars: &[crate::ValueId]) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let kind = self.body.expr(at).kind;
            if matches!(kind, ExprKind::Value(value) if vars.contains(&value)) {
                return true;
            }
            self.body.each_child(kind, &mut |child| stack.push(child));
        }
        false
    }

    fn is_zero(&self, expr: ExprId) -> bool {
        matches!(self.body.expr(expr).kind, ExprKind::Int(0))
    }

    fn loop_header(&mut self, op: OpId, kind: ForKind) -> String {
        let data = &self.body.ops[op];
        let (min, extent, step) =
            (data.operands[0], data.operands[1], data.operands.get(2).copied());
        let mut args = if self.is_zero(min) {
            vec![self.expr_string(extent)]
        } else {
            vec![self.expr_string(min), self.loop_end(min, extent)]
        };
        if let ForKind::ThreadBinding(tag) = kind {
            args.push(format!("thread={}", quote(self.body.tag_name(tag))));
        }
        let plain = step.is_none() && data.attrs == Body::no_attrs();
        if let Some(step) = step {
            if self.is_zero(min) && kind == ForKind::Serial {
                args.insert(0, self.expr_string(min));
            }
            let step = self.expr_string(step);
            args.push(if kind == ForKind::Serial { step } else { format!("step={step}") });
        }
        if data.attrs != Body::no_attrs() {
            let dict = self.dict_text(self.body.dict(data.attrs));
            args.push(format!("annotations={dict}"));
        }
        let name = match kind {
            ForKind::Serial if plain || self.body.ops[op].attrs == Body::no_attrs() => "range",
            ForKind::Serial => "T.serial",
            ForKind::Parallel => "T.parallel",
            ForKind::Vectorized => "T.vectorized",
            ForKind::Unrolled => "T.unroll",
            ForKind::ThreadBinding(_) => "T.thread_binding",
        };
        if name == "T.serial"
            && let Some(step) = step
        {
            let step = self.expr_string(step);
            args.retain(|it| *it != step);
            args.push(format!("step={step}"));
        }
        format!("{name}({})", args.join(", "))
    }

    /// The end of a loop: `b` when the extent is `b - min`, as the parser makes it; else `min + extent`, folded.
    fn loop_end(&mut self, min: ExprId, extent: ExprId) -> String {
        let body = self.body;
        match (body.expr(min).kind, body.expr(extent).kind) {
            (_, ExprKind::Binary(crate::BinaryOp::Sub, end, start)) if start == min => {
                self.expr_string(end)
            }
            (ExprKind::Int(a), ExprKind::Int(b)) => {
                let end = a.wrapping_add(b);
                match body.dtype(extent) {
                    Some(DataType::INT32) | None => end.to_string(),
                    Some(dtype) => format!("T.{dtype}({end})"),
                }
            }
            _ => format!("{} + ({})", self.summand_string(min), self.expr_string(extent)),
        }
    }

    fn if_else(&mut self, op: OpId) {
        let condition = self.expr_string(self.body.written_condition(op));
        self.line(format_args!("if {condition}:"));
        self.region_suite(op, 0);
        self.otherwise(op);
    }

    /// The other arm of a branch: `elif` where it is a branch alone, as often as that goes on.
    fn otherwise(&mut self, mut branch: OpId) {
        while self.body.ops[branch].regions.len() > 1 {
            let Some((next, clause)) = self.only_branch_of_else(branch) else {
                self.line(format_args!("else:"));
                self.region_suite(branch, 1);
                return;
            };
            self.line(format_args!("{clause}"));
            self.region_suite(next, 0);
            branch = next;
        }
    }

    /// The branch that is all of an `else`, where no line has to stand before it, and its clause.
    fn only_branch_of_else(&mut self, branch: OpId) -> Option<(OpId, String)> {
        let body = self.body;
        let &region = body.ops[branch].regions.get(1)?;
        let &[only] = &body.blocks[body.entry(region)].ops[..] else { return None };
        let data = &body.ops[only];
        match data.kind {
            OpKind::If => {
                let condition = body.written_condition(only);
                let is_plain = !body.expr(condition).flags.has_binder;
                is_plain.then(|| (only, format!("elif {}:", self.expr_string(condition))))
            }
            OpKind::Opaque(text) => {
                let text = body.name(text);
                let is_clause = text.starts_with("elif") && !text.contains('\n');
                (is_clause && !data.regions.is_empty()).then(|| (only, text.to_owned()))
            }
            _ => None,
        }
    }

    // ---- scopes ----

    fn launch_thread(&mut self, op: OpId, tag: &str, var: crate::ValueId, is_only: bool) {
        let extent = self.expr_string(self.body.ops[op].operands[0]);
        if matches!(self.body.values[var].kind, ValueKind::Result(..) | ValueKind::Symbol) {
            let name = self.names.value(self.body, var);
            let attrs = self.body.dict(self.body.ops[op].attrs);
            let call = match attrs.iter().any(|(key, _)| &**key == crate::LAUNCH_ATTR) {
                true => format!("T.attr({name}, \"thread_extent\", {extent})"),
                false => format!("T.launch_thread({name}, {extent})"),
            };
            self.scoped(op, &call, is_only);
            return;
        }
        let call = format!("T.launch_thread({}, {extent})", quote(tag));
        if is_only {
            let name = self.define_block_args(op).join(", ");
            self.line(format_args!("{name} = {call}"));
            self.statements(self.body.entry(self.body.ops[op].regions[0]));
        } else {
            self.names.open_scope();
            let name = self.define_block_args(op).join(", ");
            self.line(format_args!("with {call} as {name}:"));
            self.suite(self.body.entry(self.body.ops[op].regions[0]));
            self.names.close_scope();
        }
    }

    /// `with call:` and its region; without `with` where it is the only statement of its list, as TVM prints it.
    fn scoped(&mut self, op: OpId, call: &str, is_only: bool) {
        if is_only {
            self.line(format_args!("{call}"));
            self.statements(self.body.entry(self.body.ops[op].regions[0]));
        } else {
            self.line(format_args!("with {call}:"));
            self.region_suite(op, 0);
        }
    }

    fn sblock(&mut self, op: OpId, id: SBlockId) {
        let body = self.body;
        let block = &body.sblocks[id];
        let data = &body.ops[op];
        let word = if self.is_legacy() { "block" } else { "sblock" };
        self.line(format_args!("with T.{word}({}):", quote(body.name(block.name))));
        self.names.open_scope();
        self.indent += 4;
        let before = self.out.len();
        for (iter, &binding) in block.iter_vars.iter().zip(&data.operands) {
            let kind = match iter.kind {
                IterKind::Spatial => "spatial",
                IterKind::Reduce => "reduce",
                IterKind::Scan => "scan",
                IterKind::Opaque => "opaque",
            };
            let domain = if self.is_zero(iter.dom_min) {
                self.expr_string(iter.dom_extent)
            } else {
                format!(
                    "({}, {})",
                    self.expr_string(iter.dom_min),
                    self.loop_end(iter.dom_min, iter.dom_extent)
                )
            };
            let binding = self.expr_string(binding);
            let name = self.names.define_value(iter.value, body.name(body.values[iter.value].name));
            self.line(format_args!("{name} = T.axis.{kind}({domain}, {binding})"));
        }
        if block.has_predicate
            && let Some(&predicate) = data.operands.last()
        {
            let predicate = self.expr_string(predicate);
            self.line(format_args!("T.where({predicate})"));
        }
        for (name, regions) in [("reads", &block.reads), ("writes", &block.writes)] {
            if let Some(regions) = regions {
                let regions: Vec<String> = regions.iter().map(|it| self.region_text(it)).collect();
                self.line(format_args!("T.{name}({})", regions.join(", ")));
            }
        }
        if data.attrs != Body::no_attrs() {
            // Of two values of a key Python would keep one; TVM takes them together.
            let mut rest = &body.dict(data.attrs)[..];
            while !rest.is_empty() {
                let is_first = |&it: &usize| rest[..it].iter().all(|(key, _)| *key != rest[it].0);
                let (now, later) = rest.split_at((1..rest.len()).take_while(is_first).count() + 1);
                let dict = self.dict_text(now);
                self.line(format_args!("T.{word}_attr({dict})"));
                rest = later;
            }
        }
        self.sblock_body(op);
        if self.out.len() == before {
            self.line(format_args!("T.evaluate(0)"));
        }
        self.indent -= 4;
        self.names.close_scope();
    }

    /// Allocations and matched buffers of the block stand before its `T.init()`, the rest after.
    fn sblock_body(&mut self, op: OpId) {
        let body = self.body;
        let regions = body.ops[op].regions.clone();
        let block = body.entry(regions[0]);
        let ops = &body.blocks[block].ops;
        let is_declaration = |op: &OpId| match body.ops[*op].kind {
            OpKind::Alloc { kind, .. } => kind == AllocKind::SBlock,
            OpKind::DeclBuffer { buffer } => {
                matches!(body.buffers[buffer].origin, BufferOrigin::MatchRegion(_))
            }
            _ => false,
        };
        let n_declarations = ops.iter().take_while(|op| is_declaration(op)).count();
        for &declaration in &ops[..n_declarations] {
            self.statement(declaration, None, false);
        }
        if let Some(&init) = regions.get(1) {
            self.line(format_args!("with T.init():"));
            self.names.open_scope();
            self.suite(body.entry(init));
            self.names.close_scope();
        }
        let rest = &ops[n_declarations..];
        let mut index = 0;
        while index < rest.len() {
            let next = rest.get(index + 1).copied();
            // Nothing is concise here: the axes and regions above stand in the same list.
            index += if self.statement(rest[index], next, false) { 2 } else { 1 };
        }
    }

    pub(super) fn region_text(&mut self, region: &BufferRegion) -> String {
        let name = self.buffer_name(region.buffer);
        let dims: Vec<String> = region
            .dims
            .iter()
            .map(|dim| match *dim {
                RegionDim::Point(index) => self.expr_string(index),
                RegionDim::Slice { lower, upper, step } => {
                    let mut text = lower.map_or_else(String::new, |it| self.expr_string(it));
                    text.push(':');
                    text.push_str(&upper.map_or_else(String::new, |it| self.expr_string(it)));
                    if let Some(step) = step {
                        text.push(':');
                        text.push_str(&self.expr_string(step));
                    }
                    text
                }
            })
            .collect();
        if dims.is_empty() { format!("{name}[()]") } else { format!("{name}[{}]", dims.join(", ")) }
    }

    // ---- memory ----

    fn store(&mut self, op: OpId, buffer: BufferId, predicated: bool) {
        let data = &self.body.ops[op];
        let name = self.buffer_name(buffer);
        let value = self.stored(data.operands[0]);
        let value = self.expr_string(value);
        if self.is_variable(buffer) {
            self.line(format_args!("{name} = {value}"));
            return;
        }
        let n_indices = data.operands.len() - usize::from(predicated);
        let indices: Vec<String> =
            data.operands[1..n_indices].iter().map(|&it| self.expr_string(it)).collect();
        let index = if indices.is_empty() { "()".to_owned() } else { indices.join(", ") };
        if predicated && let Some(&predicate) = data.operands.last() {
            let predicate = self.expr_string(predicate);
            self.line(format_args!("{name}.vstore([{index}], {value}, predicate={predicate})"));
        } else {
            self.line(format_args!("{name}[{index}] = {value}"));
        }
    }

    /// A stored value without the conversion that a store makes by itself, where the types are not known: one that is
    /// written would be there also where they are equal.
    pub(super) fn stored(&self, value: ExprId) -> ExprId {
        match self.body.expr(value) {
            Expr { kind: ExprKind::Cast(operand), ty, .. }
                if (ty.is_open() || self.body.ty(operand).is_open())
                    && self.is_of_python(operand, ty)
                        == self.is_of_python(operand, Type::Unknown) =>
            {
                operand
            }
            _ => value,
        }
    }

    /// `x, y = T.cta_id([2, 4])`: one statement for the bindings of all axes, where the first of them stands.
    fn scope_indices(&mut self, op: OpId, count: usize) {
        let body = self.body;
        let data = &body.ops[op];
        if self.names.has_value(data.results[0]) {
            return;
        }
        let operands = |it: OpId| match body.ops[it].kind {
            OpKind::Bind => match body.expr(body.ops[it].operands[0]).kind {
                ExprKind::Call { callee, args, .. } => Some((callee, args)),
                _ => None,
            },
            _ => None,
        };
        let call = operands(op);
        let mut names = vec![None; count];
        for &it in body.blocks[data.parent].ops.iter().skip_while(|&&it| it != op) {
            if operands(it) != call {
                continue;
            }
            let axis = body.scope_axis(body.ops[it].operands[0]).map(|it| it.0);
            match axis.and_then(|axis| names.get_mut(axis)) {
                Some(name) if name.is_none() => *name = Some(self.define_result(it)),
                _ => break,
            }
        }
        let names: Vec<String> = names.into_iter().map(|it| it.unwrap_or("_".to_owned())).collect();
        let value = self.expr_string(data.operands[0]);
        self.line(format_args!("{} = {value}", names.join(", ")));
    }

    fn bind(&mut self, op: OpId) {
        if let Some((_, count)) = self.body.scope_axis(self.body.ops[op].operands[0]) {
            return self.scope_indices(op, count);
        }
        let data = &self.body.ops[op];
        let value = self.expr_string(data.operands[0]);
        let ty = data.results.first().map_or(Type::Unknown, |&it| self.body.values[it].ty);
        if data.regions.is_empty() {
            let name = self.define_result(op);
            match ty {
                _ if self.body.is_plain_name(op) => self.line(format_args!("{name} = {value}")),
                Type::Unknown | Type::Named(_) if !self.is_legacy() => {
                    self.line(format_args!("{name} = T.bind({value})"))
                }
                // An annotation must be the very type that TVM finds, to what and in which scope the pointer points
                // included.
                Type::Prim(DataType::HANDLE)
                    if !self.is_legacy() && self.body.ty(data.operands[0]) == ty =>
                {
                    self.line(format_args!("{name} = T.bind({value})"))
                }
                // What has no name has no annotation.
                ty if ty.is_open() => match self.is_legacy() {
                    true => self.line(format_args!("{name} = {value}")),
                    false => self.line(format_args!("{name} = T.bind({value})")),
                },
                // `T` has no attribute for some vectors, and a scope may be known by its text only: the value says it.
                Type::Prim(dtype) if !has_member(dtype) && !self.is_legacy() => {
                    self.line(format_args!("{name}: T.let = {value}"))
                }
                Type::Pointer { scope: MemoryScope::Unknown, .. } => {
                    self.line(format_args!("{name} = T.bind({value})"))
                }
                ty if !self.body.dialect.has_cells() => {
                    let ty = self.type_text(ty);
                    self.line(format_args!("{name}: {ty} = {value}"));
                }
                ty => {
                    let ty = self.type_text(ty);
                    self.line(format_args!("{name}: T.let[{ty}] = {value}"));
                }
            }
        } else {
            self.names.open_scope();
            let name = self.define_result(op);
            self.line(format_args!("with T.LetStmt({value}) as {name}:"));
            self.suite(self.body.entry(data.regions[0]));
            self.names.close_scope();
        }
    }

    // ---- effects ----

    fn evaluate(&mut self, expr: ExprId) {
        let text = self.expr_string(expr);
        if matches!(
            self.body.expr(expr).kind,
            ExprKind::Call { .. } | ExprKind::IfThenElse(..) | ExprKind::Opaque { .. }
        ) {
            self.line(format_args!("{text}"));
        } else {
            self.line(format_args!("T.evaluate({text})"));
        }
    }

    fn assert(&mut self, op: OpId) {
        let data = &self.body.ops[op];
        let condition = self.expr_string(data.operands[0]);
        let dict = self.body.dict(data.attrs);
        let kind =
            dict.iter().find(|(key, _)| &**key == "kind").map(|(_, value)| self.attr_text(value));
        let message = dict
            .iter()
            .find(|(key, _)| &**key == "message")
            .map(|(_, value)| self.attr_text(value));
        match (kind, message) {
            (Some(kind), Some(message)) => {
                self.line(format_args!("assert {condition}, ({kind}, {message})"))
            }
            (None, Some(message)) => self.line(format_args!("assert {condition}, {message}")),
            _ => self.line(format_args!("assert {condition}")),
        }
    }

    /// A statement kept by its text: its lines, at this indentation; then its arms.
    fn opaque(&mut self, op: OpId, text: &str) {
        for line in text.lines() {
            self.line(format_args!("{line}"));
        }
        if !self.body.ops[op].regions.is_empty() {
            self.region_suite(op, 0);
        }
        self.otherwise(op);
    }
}
