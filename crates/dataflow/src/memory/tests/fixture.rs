//! Bodies from text in a small language, a statement a line, nested by indentation.
//!
//! ```text
//! noalias                       parameters do not overlap
//! param A / local A / shared A / global A / cell A / pointer A     a buffer; `pointer`: on an unknown address
//! view A B                      A shows B's memory
//! A = B C+1                     stores the sum of these to A[0]; `+1` reads B at index 1
//! use A B                       evaluates loads
//! call f A &B A.data            evaluates a call with loads, addresses and pointers
//! let f A                       a store-free statement that binds a call's value
//! for / parallel / vectorized / while A / if A / else / launch / attr / block / where / reduction / init / opaque
//! ```

use ir::{
    AllocKind, Attr, BinaryOp, BlockId, Body, Buffer, BufferField, BufferId, BufferOrigin, Callee,
    DataType, Dialect, ExprId, ExprKind, ForKind, OpId, OpKind, Param, SBlock, Type, ValueKind,
};
use std::collections::BTreeMap;

pub(crate) struct Fixture {
    pub(crate) body: Body,
    pub(crate) buffers: BTreeMap<String, BufferId>,
    /// Line (from 1) of each operation.
    pub(crate) lines: Vec<usize>,
}

impl Fixture {
    pub(crate) fn line(&self, op: OpId) -> usize {
        use ir::arena::Id;
        self.lines[op.index()]
    }
    /// An expression in the language of the fixture.
    pub(crate) fn show(&self, expr: ExprId) -> String {
        let body = &self.body;
        match body.expr(expr).kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Load { buffer, indices, .. } => {
                let name = self.name(buffer).to_owned();
                match body.expr(body.items(indices)[0]).kind {
                    ExprKind::Int(0) => name,
                    _ => format!("{name}+{}", self.show(body.items(indices)[0])),
                }
            }
            ExprKind::Binary(_, a, b) => format!("({} {})", self.show(a), self.show(b)),
            ExprKind::Call { callee: Callee::Intrinsic(name, _), args, .. } => {
                let args: Vec<String> = body.items(args).iter().map(|&it| self.show(it)).collect();
                format!("{}({})", body.name(name), args.join(" "))
            }
            kind => format!("{kind:?}"),
        }
    }
    pub(crate) fn name(&self, buffer: BufferId) -> &str {
        self.body.name(self.body.buffers[buffer].name)
    }
}

/// Reads a program.
#[track_caller]
pub(crate) fn parse(text: &str) -> Fixture {
    let fixture =
        Fixture { body: Body::new("f", Dialect::Tirx), buffers: Default::default(), lines: vec![] };
    let mut parser = Parser { fixture, line: 0 };
    let root = parser.fixture.body.root;
    let block = parser.fixture.body.entry(root);
    // Open blocks by the indentation of their statements.
    let mut open: Vec<(usize, BlockId)> = vec![(0, block)];
    for (index, line) in text.lines().enumerate() {
        parser.line = index + 1;
        let code = line.split('#').next().unwrap_or_default();
        if code.trim().is_empty() {
            continue;
        }
        let indent = code.len() - code.trim_start().len();
        let words: Vec<&str> = code.split_whitespace().collect();
        while indent < open.last().expect("the function is open").0 {
            open.pop();
        }
        let (at, block) = *open.last().expect("the function is open");
        if indent > at {
            let inner = parser.inner(block);
            open.push((indent, inner));
        }
        let block = open.last().expect("just looked at").1;
        parser.statement(block, &words);
        parser.fixture.lines.resize(parser.fixture.body.ops.len(), index + 1);
    }
    parser.fixture
}

struct Parser {
    fixture: Fixture,
    line: usize,
}

impl Parser {
    /// The block that statements below the last operation of a block go to.
    fn inner(&mut self, block: BlockId) -> BlockId {
        let body = &mut self.fixture.body;
        let op = *body.blocks[block].ops.last().expect("something to be inside of");
        let region = *body.ops[op].regions.last().expect("a statement with a body");
        body.entry(region)
    }

    fn int(&mut self, value: i64) -> ExprId {
        self.fixture.body.make(ExprKind::Int(value), DataType::INT32.into())
    }

    fn buffer(&mut self, name: &str, scope: &str, origin: BufferOrigin) -> BufferId {
        let extent = self.int(16);
        let body = &mut self.fixture.body;
        let buffer = Buffer {
            name: body.intern(name),
            dtype: DataType::INT32,
            shape: vec![extent],
            strides: None,
            elem_offset: None,
            scope: body.memory_scope(scope),
            origin,
            attrs: Body::no_attrs(),
        };
        let id = body.buffers.push(buffer);
        self.fixture.buffers.insert(name.to_owned(), id);
        id
    }

    fn load(&mut self, word: &str) -> ExprId {
        let (name, index) = word.split_once('+').unwrap_or((word, "0"));
        let index = self.int(index.parse().expect("an index"));
        let buffer =
            *self.fixture.buffers.get(name).unwrap_or_else(|| panic!("line {}: {name}", self.line));
        self.fixture.body.load(buffer, &[index], None)
    }

    fn sum(&mut self, words: &[&str]) -> ExprId {
        let mut sum = None;
        for word in words {
            let term = match word.parse() {
                Ok(value) => self.int(value),
                Err(_) => self.load(word),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.fixture.body.binary(BinaryOp::Add, sum, term),
            });
        }
        sum.unwrap_or_else(|| self.int(1))
    }

    fn call(&mut self, words: &[&str], fresh: bool) -> ExprId {
        let args: Vec<ExprId> = words[1..]
            .iter()
            .map(|word| {
                if let Some(name) = word.strip_prefix('&') {
                    let load = self.load(name);
                    let body = &mut self.fixture.body;
                    let callee = body.operator("address_of");
                    let ty = DataType::HANDLE.into();
                    body.call(callee, &[load], Body::no_attrs(), ty, false)
                } else if let Some(name) = word.strip_suffix(".data") {
                    let buffer = self.fixture.buffers[name];
                    let ty = DataType::HANDLE.into();
                    self.fixture.body.buffer_field(buffer, BufferField::Data, ty)
                } else {
                    self.load(word)
                }
            })
            .collect();
        let body = &mut self.fixture.body;
        let callee = body.operator(words[0]);
        let ty: Type = DataType::INT32.into();
        body.call(callee, &args, Body::no_attrs(), ty, fresh)
    }

    fn nest(&mut self, block: BlockId, kind: OpKind, operands: &[ExprId]) -> OpId {
        let op = self.fixture.body.push_op(block, kind, operands);
        self.fixture.body.push_region(op);
        op
    }

    fn looped(&mut self, block: BlockId, kind: ForKind) {
        let (zero, n) = (self.int(0), self.int(4));
        let op = self.nest(block, OpKind::For(kind), &[zero, n]);
        let body = &mut self.fixture.body;
        let inner = body.entry(body.ops[op].regions[0]);
        body.new_block_arg(inner, "i", DataType::INT32.into());
    }

    fn sblock(&mut self, block: BlockId, guarded: bool) {
        let body = &mut self.fixture.body;
        let name = body.intern("b");
        let data = SBlock {
            name,
            iter_vars: Vec::new(),
            has_predicate: guarded,
            reads: None,
            writes: None,
        };
        let id = body.sblocks.push(data);
        let predicate = guarded.then(|| self.int(1));
        let operands: Vec<ExprId> = predicate.into_iter().collect();
        self.nest(block, OpKind::SBlock(id), &operands);
    }

    fn statement(&mut self, block: BlockId, words: &[&str]) {
        match words {
            ["noalias"] => {
                self.fixture.body.attrs.push(("tirx.noalias".into(), Attr::Bool(true)));
            }
            ["param", name] => {
                let buffer = self.buffer(name, "global", BufferOrigin::Param);
                let body = &mut self.fixture.body;
                let kind = ValueKind::Param(body.params.len() as u32);
                let value = body.new_value(name, DataType::HANDLE.into(), kind);
                body.params.push(Param { value, buffer: Some(buffer) });
            }
            [scope @ ("local" | "shared" | "global" | "cell"), name] => {
                let origin =
                    if *scope == "cell" { BufferOrigin::Cell } else { BufferOrigin::Alloc };
                let scope = if *scope == "cell" { "local" } else { scope };
                let buffer = self.buffer(name, scope, origin);
                let one = self.int(1);
                let kind = OpKind::Alloc { buffer, kind: AllocKind::Flat };
                self.fixture.body.push_op(block, kind, &[one]);
            }
            ["pointer", name] => {
                let buffer = self.buffer(name, "global", BufferOrigin::Decl { data: None });
                self.fixture.body.push_op(block, OpKind::DeclBuffer { buffer }, &[]);
            }
            ["view", name, source] => {
                let source = self.fixture.buffers[*source];
                let method = self.fixture.body.intern("view");
                let scope = self.fixture.body.buffers[source].scope;
                let scope = self.fixture.body.scope_name(scope).to_owned();
                let buffer = self.buffer(name, &scope, BufferOrigin::View { source, method });
                self.fixture.body.push_op(block, OpKind::DeclBuffer { buffer }, &[]);
            }
            ["use", words @ ..] => {
                let sum = self.sum(words);
                self.fixture.body.push_op(block, OpKind::Evaluate, &[sum]);
            }
            ["call", words @ ..] => {
                let call = self.call(words, true);
                self.fixture.body.push_op(block, OpKind::Evaluate, &[call]);
            }
            ["let", words @ ..] => {
                let call = self.call(words, false);
                let op = self.fixture.body.push_op(block, OpKind::Bind, &[call]);
                self.fixture.body.push_result(op, "v", DataType::INT32.into());
            }
            ["for"] => self.looped(block, ForKind::Serial),
            ["parallel"] => self.looped(block, ForKind::Parallel),
            ["vectorized"] => self.looped(block, ForKind::Vectorized),
            ["while", words @ ..] => {
                let sum = self.sum(words);
                self.nest(block, OpKind::While, &[sum]);
            }
            ["if", words @ ..] => {
                let sum = self.sum(words);
                self.nest(block, OpKind::If, &[sum]);
            }
            ["else"] | ["init"] => {
                let body = &mut self.fixture.body;
                let op = *body.blocks[block].ops.last().expect("an `if` before its `else`");
                body.push_region(op);
            }
            ["attr"] => {
                let one = self.int(1);
                let key = self.fixture.body.intern("pragma");
                self.nest(block, OpKind::Attr(key), &[one, one]);
            }
            ["launch"] => {
                let n = self.int(4);
                let ty = DataType::INT32.into();
                let op = self.nest(block, OpKind::Return, &[n]);
                let body = &mut self.fixture.body;
                let inner = body.entry(body.ops[op].regions[0]);
                let var = body.new_block_arg(inner, "t", ty);
                let tag = body.thread_tag("threadIdx.x");
                body.ops[op].kind = OpKind::LaunchThread { tag, var };
            }
            ["block"] => self.sblock(block, false),
            ["where"] => self.sblock(block, true),
            ["break"] => {
                self.fixture.body.push_op(block, OpKind::Break, &[]);
            }
            ["opaque"] => {
                let text = self.fixture.body.intern("?");
                self.fixture.body.push_op(block, OpKind::Opaque(text), &[]);
            }
            [name, "=", words @ ..] => {
                let sum = self.sum(words);
                let (name, index) = name.split_once('+').unwrap_or((name, "0"));
                let index = self.int(index.parse().expect("an index"));
                let buffer = self.fixture.buffers[name];
                let kind = OpKind::Store { buffer, predicated: false };
                self.fixture.body.push_op(block, kind, &[sum, index]);
            }
            _ => panic!("line {}: {words:?}", self.line),
        }
    }
}
