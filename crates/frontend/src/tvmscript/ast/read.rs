//! From the green tree to the tables, bottom-up.

mod statements;

use std::borrow::Cow;

use syntax::{Green, LeafStep, SyntaxKind, TextRange, TextSize};

use super::{
    ArgNode, Ast, Clause, CompareKind, Comprehended, Ex, ExKind, ExNode, ItemNode, ParamNode, Run,
    St, StKind, StNode, Words, literal, room_for, size,
};

/// Reads a tree whose text begins at a column: strings lose as many characters of each of their lines but the first.
pub(crate) fn read_at(green: &Green, column: usize) -> Ast<'_> {
    let mut reader = Reader {
        column,
        ast: Ast { tree: Some(green), ..Ast::default() },
        frames: Vec::new(),
        children: Vec::new(),
        names: Vec::new(),
        params: Vec::new(),
        begun: 0,
        offset: TextSize::new(0),
        end: TextSize::new(0),
        line: Line { indent: TextRange::empty(TextSize::new(0)), is_blank: false },
    };
    let len = usize::from(green.text_len());
    reader.ast.text.reserve(len);
    reader.ast.exprs.reserve(room_for(len));
    green.walk_leaves(|step| match step {
        LeafStep::Leaf(kind, inner, token) => reader.leaf(kind, inner, token),
        LeafStep::Enter(kind) => reader.enter(kind),
        LeafStep::Token(kind, text) => reader.token(kind, text),
        LeafStep::Leave => reader.leave(),
    });
    reader.ast.errors.sort_unstable_by_key(|it| (it.start(), it.end()));
    for child in std::mem::take(&mut reader.children) {
        match child {
            Child::Stmt(it) => reader.ast.root.push(it),
            Child::Expr(it) => reader.ast.root_exprs.push(it),
            _ => {}
        }
    }
    reader.ast
}

/// A part of a node that is still being read. Copied and forgotten without further ado.
#[derive(Clone, Copy)]
enum Child<'a> {
    Token(SyntaxKind, &'a str, TextRange),
    Expr(Ex),
    Stmt(St),
    Name(&'a str, TextRange),
    Args(Run),
    Arg(ArgNode<'a>),
    /// A number in [`Reader::params`].
    Param(usize),
    Params(Run),
    /// A part of [`Reader::names`].
    TypeParams(usize, usize),
    Item(ItemNode),
    Decorator(Ex),
    Block(Run),
    Elif {
        range: TextRange,
        condition: Ex,
        then: Run,
    },
    Else(Run),
    Pair(Option<Ex>, Ex),
    /// A clause of a comprehension; `None` if it is asynchronous.
    Clause(Option<Clause>),
    Compare(CompareKind),
    Op(SyntaxKind),
}

struct Frame {
    kind: SyntaxKind,
    /// First of its children.
    mark: usize,
    /// The place where its first token that is not trivia begins, if it has one so far.
    start: TextSize,
    indent: Option<TextRange>,
}

/// The line that is being read.
struct Line {
    indent: TextRange,
    is_blank: bool,
}

struct Reader<'a> {
    /// How many characters at the beginning of lines do not belong to strings.
    column: usize,
    ast: Ast<'a>,
    frames: Vec<Frame>,
    children: Vec<Child<'a>>,
    names: Vec<(&'a str, TextRange)>,
    params: Vec<ParamNode<'a>>,
    /// The number of frames that have a token: those inside have none so far.
    begun: usize,
    offset: TextSize,
    /// The end of the last token that is not trivia.
    end: TextSize,
    line: Line,
}

impl<'a> Reader<'a> {
    fn enter(&mut self, kind: SyntaxKind) {
        let mark = self.children.len();
        self.frames.push(Frame { kind, mark, start: TextSize::new(0), indent: None });
    }

    fn token(&mut self, kind: SyntaxKind, text: &'a str) {
        if kind.is_trivia() {
            return self.trivia(kind, text);
        }
        let range = self.begin(text);
        if kind == SyntaxKind::ERROR {
            self.ast.errors.push(range);
        }
        if !is_separator(kind) {
            self.children.push(Child::Token(kind, text, range));
        }
    }

    /// A node with nothing in it but a token, or a node with a token. The frequent ones are read at once.
    fn leaf(
        &mut self,
        kind: SyntaxKind,
        inner: Option<SyntaxKind>,
        (token, text): (SyntaxKind, &'a str),
    ) {
        use SyntaxKind as K;
        match (kind, inner, token) {
            (K::NAME_EXPR, Some(K::NAME_REF), K::IDENT) => {
                let range = self.begin(text);
                let id = self.new_expr(range, ExKind::Name(text));
                self.children.push(Child::Expr(id));
            }
            (K::NAME | K::NAME_REF, None, K::IDENT) => {
                let range = self.begin(text);
                self.children.push(Child::Name(text, range));
            }
            (K::LITERAL, None, K::INT | K::FLOAT | K::TRUE_KW | K::FALSE_KW | K::NONE_KW) => {
                let range = self.begin(text);
                let id = self.new_expr(range, literal::of_token(token, text));
                self.children.push(Child::Expr(id));
            }
            (
                K::BINARY_OP,
                None,
                K::PLUS | K::MINUS | K::STAR | K::SLASH | K::SLASH2 | K::PERCENT,
            ) => {
                self.begin(text);
                self.children.push(Child::Op(token));
            }
            _ => {
                self.enter(kind);
                if let Some(inner) = inner {
                    self.enter(inner);
                    self.token(token, text);
                    self.leave();
                } else {
                    self.token(token, text);
                }
                self.leave();
            }
        }
    }

    fn trivia(&mut self, kind: SyntaxKind, text: &'a str) {
        let range = self.take(text);
        match kind {
            SyntaxKind::NEWLINE => {
                self.line = Line { indent: TextRange::empty(range.end()), is_blank: true };
            }
            SyntaxKind::WHITESPACE if self.line.is_blank => {
                self.line.indent = TextRange::new(self.line.indent.start(), range.end());
            }
            SyntaxKind::WHITESPACE => {}
            // After a continuation or a comment nothing is first on its line.
            _ => self.line.is_blank = false,
        }
    }

    fn take(&mut self, text: &str) -> TextRange {
        let range = TextRange::at(self.offset, size(text));
        self.offset = range.end();
        self.ast.text.push_str(text);
        range
    }

    /// Takes a token that is not trivia. The frames that have none yet begin with it.
    fn begin(&mut self, text: &str) -> TextRange {
        let range = self.take(text);
        self.end = range.end();
        let indent = self.line.is_blank.then_some(self.line.indent);
        self.line.is_blank = false;
        for frame in &mut self.frames[self.begun..] {
            frame.start = range.start();
            frame.indent = indent;
        }
        self.begun = self.frames.len();
        range
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let range = if self.begun > self.frames.len() {
            self.begun = self.frames.len();
            TextRange::new(frame.start, self.end)
        } else {
            TextRange::empty(self.offset)
        };
        self.reduce(&frame, range);
    }

    fn reduce(&mut self, frame: &Frame, range: TextRange) {
        use SyntaxKind as K;
        let mark = frame.mark;
        match frame.kind {
            K::SOURCE_FILE => {
                let kept = self.children.split_off(mark);
                self.children.extend(kept.into_iter().filter(|it| matches!(it, Child::Stmt(_))));
            }
            K::NAME | K::NAME_REF => {
                let name = self.first_token(mark).unwrap_or(("", range));
                self.done(mark, Child::Name(name.0, name.1));
            }
            K::DOTTED_NAME | K::IMPORT_ALIAS => self.children.truncate(mark),
            K::AUG_OP | K::UNARY_OP | K::BINARY_OP => {
                let kind = self.first_kind(mark).unwrap_or(K::ERROR);
                self.done(mark, Child::Op(kind));
            }
            K::COMPARE_OP => {
                let kind = self.compare_op(mark);
                self.done(mark, Child::Compare(kind));
            }
            K::BLOCK | K::UNEXPECTED_INDENT => {
                let run = self.statements(mark);
                if frame.kind == K::BLOCK {
                    self.done(mark, Child::Block(run));
                } else {
                    self.ast.errors.push(range);
                    self.stmt(frame, range, StKind::Error(run));
                }
            }
            kind if is_part(kind) => self.part(frame, range),
            kind if is_stmt(kind) => self.statement(frame, range),
            K::ERROR_NODE | K::TOO_DEEP => self.error(frame, range),
            _ => {
                let kind = self.expression(frame);
                match kind {
                    Ok(kind) => self.expr(mark, range, kind),
                    // Parentheses: the expression inside, with its own range.
                    Err(inner) => self.done(mark, Child::Expr(inner)),
                }
            }
        }
    }

    // ---- pieces ----

    fn done(&mut self, mark: usize, child: Child<'a>) {
        self.children.truncate(mark);
        self.children.push(child);
    }

    fn expr(&mut self, mark: usize, range: TextRange, kind: ExKind<'a>) {
        let id = self.new_expr(range, kind);
        self.done(mark, Child::Expr(id));
    }

    fn new_expr(&mut self, range: TextRange, kind: ExKind<'a>) -> Ex {
        self.ast.exprs.push(ExNode { range, kind });
        Ex(self.ast.exprs.len() as u32 - 1)
    }

    fn stmt(&mut self, frame: &Frame, range: TextRange, kind: StKind) {
        let id = self.new_stmt(range, kind, frame.indent);
        self.done(frame.mark, Child::Stmt(id));
    }

    fn new_stmt(&mut self, range: TextRange, kind: StKind, indent: Option<TextRange>) -> St {
        self.ast.stmts.push(StNode { range, kind, indent });
        St(self.ast.stmts.len() as u32 - 1)
    }

    fn first_token(&self, mark: usize) -> Option<(&'a str, TextRange)> {
        self.children[mark..].iter().find_map(|it| match it {
            Child::Token(_, text, range) => Some((*text, *range)),
            _ => None,
        })
    }

    fn first_kind(&self, mark: usize) -> Option<SyntaxKind> {
        self.children[mark..].iter().find_map(|it| match it {
            Child::Token(kind, ..) => Some(*kind),
            _ => None,
        })
    }

    fn has_token(&self, mark: usize, kind: SyntaxKind) -> bool {
        self.children[mark..].iter().any(|it| matches!(it, Child::Token(k, ..) if *k == kind))
    }

    fn compare_op(&self, mark: usize) -> CompareKind {
        use ir::BinaryOp as B;
        let mut kinds = self.children[mark..].iter().filter_map(|it| match it {
            Child::Token(kind, ..) => Some(*kind),
            _ => None,
        });
        let first = kinds.next();
        match (first, kinds.next()) {
            (Some(SyntaxKind::EQ2), _) => CompareKind::Binary(B::Eq),
            (Some(SyntaxKind::NEQ), _) => CompareKind::Binary(B::Ne),
            (Some(SyntaxKind::LT), _) => CompareKind::Binary(B::Lt),
            (Some(SyntaxKind::LE), _) => CompareKind::Binary(B::Le),
            (Some(SyntaxKind::GT), _) => CompareKind::Binary(B::Gt),
            (Some(SyntaxKind::GE), _) => CompareKind::Binary(B::Ge),
            (Some(SyntaxKind::IN_KW), _) => CompareKind::In,
            (Some(SyntaxKind::NOT_KW), _) => CompareKind::NotIn,
            (_, Some(SyntaxKind::NOT_KW)) => CompareKind::IsNot,
            _ => CompareKind::Is,
        }
    }

    fn exprs(&self, mark: usize) -> impl Iterator<Item = Ex> + '_ {
        self.children[mark..].iter().filter_map(|it| match it {
            Child::Expr(it) => Some(*it),
            _ => None,
        })
    }

    fn nth_expr(&self, mark: usize, n: usize) -> Option<Ex> {
        self.exprs(mark).nth(n)
    }

    /// The `n`-th expression, or an error node in its place.
    fn need_expr(&mut self, mark: usize, n: usize) -> Ex {
        match self.nth_expr(mark, n) {
            Some(it) => it,
            None => self.new_expr(TextRange::empty(self.offset), ExKind::Error),
        }
    }

    fn expr_run(&mut self, mark: usize) -> Run {
        let start = self.ast.ex_pool.len() as u32;
        for child in &self.children[mark..] {
            if let Child::Expr(it) = child {
                self.ast.ex_pool.push(*it);
            }
        }
        Run { start, len: self.ast.ex_pool.len() as u32 - start }
    }

    fn statements(&mut self, mark: usize) -> Run {
        let start = self.ast.st_pool.len() as u32;
        for child in &self.children[mark..] {
            if let Child::Stmt(it) = child {
                self.ast.st_pool.push(*it);
            }
        }
        Run { start, len: self.ast.st_pool.len() as u32 - start }
    }

    fn one_stmt(&mut self, it: St) -> Run {
        self.ast.st_pool.push(it);
        Run { start: self.ast.st_pool.len() as u32 - 1, len: 1 }
    }

    fn block(&self, mark: usize) -> Run {
        self.children[mark..]
            .iter()
            .find_map(|it| match it {
                Child::Block(run) => Some(*run),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The statements of an `else`.
    fn otherwise(&self, mark: usize) -> Run {
        let run = self.children[mark..].iter().find_map(|it| match it {
            Child::Else(run) => Some(*run),
            _ => None,
        });
        run.unwrap_or_default()
    }

    /// An error node in the place of a statement or an expression; its parent decides.
    fn error(&mut self, frame: &Frame, range: TextRange) {
        self.ast.errors.push(range);
        let parent = self.frames.last().map(|it| it.kind);
        let in_list = matches!(
            parent,
            None | Some(
                SyntaxKind::BLOCK | SyntaxKind::SOURCE_FILE | SyntaxKind::UNEXPECTED_INDENT
            )
        );
        if in_list {
            let run = self.statements(frame.mark);
            self.stmt(frame, range, StKind::Error(run));
        } else {
            self.expr(frame.mark, range, ExKind::Error);
        }
    }

    // ---- expressions ----

    fn expression(&mut self, frame: &Frame) -> Result<ExKind<'a>, Ex> {
        use SyntaxKind as K;
        let mark = frame.mark;
        Ok(match frame.kind {
            K::NAME_EXPR => match self.children[mark..].first() {
                Some(Child::Name(name, _)) => ExKind::Name(name),
                _ => ExKind::Error,
            },
            K::LITERAL => self.literal(mark),
            K::STRING_EXPR => self.string(mark),
            K::ATTRIBUTE_EXPR => {
                let base = self.need_expr(mark, 0);
                let (name, name_range) = self.name(mark);
                ExKind::Attr { base, name, name_range }
            }
            K::SUBSCRIPT_EXPR => {
                ExKind::Subscript { base: self.need_expr(mark, 0), index: self.need_expr(mark, 1) }
            }
            K::CALL_EXPR => {
                let args = self.children[mark..]
                    .iter()
                    .find_map(|it| match it {
                        Child::Args(run) => Some(*run),
                        _ => None,
                    })
                    .unwrap_or_default();
                ExKind::Call { callee: self.need_expr(mark, 0), args }
            }
            K::UNARY_EXPR => ExKind::Unary { op: self.op(mark), operand: self.need_expr(mark, 0) },
            K::BINARY_EXPR => ExKind::Binary {
                op: self.op(mark),
                lhs: self.need_expr(mark, 0),
                rhs: self.need_expr(mark, 1),
            },
            K::BOOL_EXPR => {
                let op = if self.has_token(mark, K::OR_KW) { K::OR_KW } else { K::AND_KW };
                ExKind::Logic { op, operands: self.expr_run(mark) }
            }
            K::COMPARE_EXPR => {
                let start = self.ast.op_pool.len() as u32;
                for child in &self.children[mark..] {
                    if let Child::Compare(kind) = child {
                        self.ast.op_pool.push(*kind);
                    }
                }
                let ops = Run { start, len: self.ast.op_pool.len() as u32 - start };
                let operands = self.expr_run(mark);
                if operands.len() != ops.len() + 1 {
                    ExKind::Error
                } else {
                    ExKind::Compare { operands, ops }
                }
            }
            K::CONDITIONAL_EXPR => ExKind::Conditional {
                then: self.need_expr(mark, 0),
                condition: self.need_expr(mark, 1),
                otherwise: self.need_expr(mark, 2),
            },
            K::LAMBDA_EXPR => {
                let params = self.children[mark..]
                    .iter()
                    .find_map(|it| match it {
                        Child::Params(run) => Some(*run),
                        _ => None,
                    })
                    .unwrap_or_default();
                ExKind::Lambda { params, body: self.need_expr(mark, 0) }
            }
            K::PAREN_EXPR => match self.nth_expr(mark, 0) {
                Some(inner) => return Err(inner),
                None => ExKind::Error,
            },
            K::TUPLE_EXPR => ExKind::Tuple(self.expr_run(mark)),
            K::LIST_EXPR => ExKind::List(self.expr_run(mark)),
            K::DICT_EXPR => self.dict(mark),
            K::STAR_EXPR => ExKind::Star(self.need_expr(mark, 0)),
            K::SLICE_EXPR => self.slice(mark),
            K::WALRUS_EXPR => {
                let name = self.children[mark..].iter().find_map(|it| match it {
                    Child::Name(name, range) => Some((*name, *range)),
                    _ => None,
                });
                self.ast.named_inside.extend(name);
                match (name, self.nth_expr(mark, 0)) {
                    (Some((name, _)), Some(value)) => ExKind::Named { name, value },
                    _ => ExKind::Error,
                }
            }
            K::SET_EXPR => ExKind::Set(self.expr_run(mark)),
            K::LIST_COMP => self.comprehension(mark, Comprehended::List),
            K::SET_COMP => self.comprehension(mark, Comprehended::Set),
            K::DICT_COMP => self.comprehension(mark, Comprehended::Dict),
            K::GENERATOR_EXPR => self.comprehension(mark, Comprehended::Generator),
            _ => ExKind::Other,
        })
    }

    fn string(&mut self, mark: usize) -> ExKind<'a> {
        let mut value: Option<Cow<'a, str>> = None;
        let mut is_text = true;
        let start = self.ast.strings.len() as u32;
        let mut is_formatted = false;
        for child in &self.children[mark..] {
            if let Child::Token(SyntaxKind::STRING, text, _) = child {
                is_formatted |= literal::is_formatted(text);
                self.ast.strings.push(text);
                match (literal::string(text, self.column), value.as_mut()) {
                    (Some(part), Some(before)) => before.to_mut().push_str(&part),
                    (Some(part), None) => value = Some(part),
                    (None, _) => is_text = false,
                }
            }
        }
        if is_formatted {
            return ExKind::FString(Run { start, len: self.ast.strings.len() as u32 - start });
        }
        self.ast.strings.truncate(start as usize);
        match value {
            _ if !is_text => ExKind::OtherLiteral,
            None => ExKind::Error,
            Some(Cow::Borrowed(text)) => ExKind::Str(Words::Written(text)),
            Some(Cow::Owned(text)) => {
                self.ast.made.push(text.into());
                ExKind::Str(Words::Made(self.ast.made.len() as u32 - 1))
            }
        }
    }

    fn comprehension(&mut self, mark: usize, of: Comprehended) -> ExKind<'a> {
        let start = self.ast.clauses.len() as u32;
        let mut element = None;
        for child in &self.children[mark..] {
            match child {
                Child::Expr(it) if element.is_none() => element = Some((*it, None)),
                Child::Pair(Some(key), value) => element = Some((*key, Some(*value))),
                Child::Clause(Some(it)) => self.ast.clauses.push(*it),
                Child::Clause(None) => return ExKind::Other,
                _ => {}
            }
        }
        let clauses = Run { start, len: self.ast.clauses.len() as u32 - start };
        match element {
            Some((element, value)) if value.is_some() == (of == Comprehended::Dict) => {
                ExKind::Comprehension { of, element, value, clauses }
            }
            _ => ExKind::Other,
        }
    }

    fn op(&self, mark: usize) -> SyntaxKind {
        self.children[mark..]
            .iter()
            .find_map(|it| match it {
                Child::Op(kind) => Some(*kind),
                _ => None,
            })
            .unwrap_or(SyntaxKind::ERROR)
    }

    fn name(&self, mark: usize) -> (&'a str, TextRange) {
        self.children[mark..]
            .iter()
            .find_map(|it| match it {
                Child::Name(name, range) => Some((*name, *range)),
                _ => None,
            })
            .unwrap_or(("", TextRange::empty(self.offset)))
    }

    fn literal(&self, mark: usize) -> ExKind<'a> {
        match self.children[mark..].first() {
            Some(Child::Token(kind, text, _)) => literal::of_token(*kind, text),
            _ => ExKind::Error,
        }
    }

    fn dict(&mut self, mark: usize) -> ExKind<'a> {
        let start = self.ast.ex_pool.len() as u32;
        let mut is_plain = true;
        for child in &self.children[mark..] {
            match child {
                Child::Pair(Some(key), value) => self.ast.ex_pool.extend([*key, *value]),
                Child::Pair(None, _) => is_plain = false,
                _ => {}
            }
        }
        let run = Run { start, len: self.ast.ex_pool.len() as u32 - start };
        if is_plain { ExKind::Dict(run) } else { ExKind::Other }
    }

    fn slice(&self, mark: usize) -> ExKind<'a> {
        let mut bounds = [None; 3];
        let mut at = 0;
        for child in &self.children[mark..] {
            match child {
                Child::Token(SyntaxKind::COLON, ..) => at += 1,
                Child::Expr(it) if at < 3 => bounds[at] = Some(*it),
                _ => {}
            }
        }
        ExKind::Slice { lower: bounds[0], upper: bounds[1], step: bounds[2] }
    }

    // ---- parts of expressions and statements ----

    fn part(&mut self, frame: &Frame, range: TextRange) {
        use SyntaxKind as K;
        let mark = frame.mark;
        match frame.kind {
            K::ARG => {
                let keyword = self.children[mark..].iter().find_map(|it| match it {
                    Child::Name(name, range) => Some((*name, *range)),
                    _ => None,
                });
                let is_splat = self.has_token(mark, K::STAR2);
                let value = self.need_expr(mark, 0);
                self.done(mark, Child::Arg(ArgNode { keyword, is_splat, value }));
            }
            K::ARG_LIST => {
                let start = self.ast.args.len() as u32;
                for child in &self.children[mark..] {
                    if let Child::Arg(arg) = child {
                        self.ast.args.push(*arg);
                    }
                }
                let run = Run { start, len: self.ast.args.len() as u32 - start };
                self.done(mark, Child::Args(run));
            }
            K::PARAM => self.param(frame),
            K::PARAM_LIST | K::LAMBDA_PARAMS => {
                let start = self.ast.params.len() as u32;
                for child in &self.children[mark..] {
                    if let Child::Param(param) = *child {
                        self.ast.params.push(self.params[param]);
                    }
                }
                let run = Run { start, len: self.ast.params.len() as u32 - start };
                self.done(mark, Child::Params(run));
            }
            K::TYPE_PARAM => {
                let (name, range) = self.name(mark);
                self.done(mark, Child::Name(name, range));
            }
            K::TYPE_PARAM_LIST => {
                let start = self.names.len();
                for child in &self.children[mark..] {
                    if let Child::Name(name, range) = *child {
                        self.names.push((name, range));
                    }
                }
                let end = self.names.len();
                self.done(mark, Child::TypeParams(start, end));
            }
            K::WITH_ITEM => {
                let context = self.need_expr(mark, 0);
                let target = self.nth_expr(mark, 1);
                self.done(mark, Child::Item(ItemNode { context, target }));
            }
            K::DECORATOR => {
                let it = self.need_expr(mark, 0);
                self.done(mark, Child::Decorator(it));
            }
            K::COMP_FOR => {
                let is_async = self.has_token(mark, K::ASYNC_KW);
                let (target, iterable) = (self.need_expr(mark, 0), self.need_expr(mark, 1));
                let clause = Clause::For { target, iterable };
                self.done(mark, Child::Clause((!is_async).then_some(clause)));
            }
            K::COMP_IF => {
                let condition = self.need_expr(mark, 0);
                self.done(mark, Child::Clause(Some(Clause::If(condition))));
            }
            K::ELIF_CLAUSE => {
                let (condition, then) = (self.need_expr(mark, 0), self.block(mark));
                self.done(mark, Child::Elif { range, condition, then });
            }
            K::ELSE_CLAUSE => {
                let run = self.block(mark);
                self.done(mark, Child::Else(run));
            }
            K::DICT_ITEM => {
                let (first, second) = (self.need_expr(mark, 0), self.nth_expr(mark, 1));
                let pair = match second {
                    Some(value) => Child::Pair(Some(first), value),
                    None => Child::Pair(None, first),
                };
                self.done(mark, pair);
            }
            _ => self.children.truncate(mark),
        }
    }

    fn param(&mut self, frame: &Frame) {
        let mark = frame.mark;
        let (name, name_range) = self.name(mark);
        let is_double = self.has_token(mark, SyntaxKind::STAR2);
        let is_slash = self.has_token(mark, SyntaxKind::SLASH);
        let is_star = self.has_token(mark, SyntaxKind::STAR) || is_double || is_slash;
        let mut annotation = None;
        let mut default = None;
        let mut after = SyntaxKind::COLON;
        for child in &self.children[mark..] {
            match child {
                Child::Token(kind @ (SyntaxKind::COLON | SyntaxKind::EQ), ..) => after = *kind,
                Child::Expr(it) if after == SyntaxKind::EQ => default = Some(*it),
                Child::Expr(it) => annotation = Some(*it),
                _ => {}
            }
        }
        let param =
            ParamNode { name, name_range, is_star, is_double, is_slash, annotation, default };
        self.params.push(param);
        self.done(mark, Child::Param(self.params.len() - 1));
    }
}

/// Separators say nothing that the nodes do not say.
fn is_separator(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::COMMA
            | SyntaxKind::DOT
            | SyntaxKind::L_PAREN
            | SyntaxKind::R_PAREN
            | SyntaxKind::L_BRACK
            | SyntaxKind::R_BRACK
    )
}

fn is_part(kind: SyntaxKind) -> bool {
    use SyntaxKind as K;
    matches!(
        kind,
        K::ARG
            | K::ARG_LIST
            | K::PARAM
            | K::PARAM_LIST
            | K::LAMBDA_PARAMS
            | K::TYPE_PARAM
            | K::TYPE_PARAM_LIST
            | K::WITH_ITEM
            | K::DECORATOR
            | K::ELIF_CLAUSE
            | K::ELSE_CLAUSE
            | K::DICT_ITEM
            | K::EXCEPT_CLAUSE
            | K::FINALLY_CLAUSE
            | K::CASE_CLAUSE
            | K::CASE_GUARD
            | K::COMP_FOR
            | K::COMP_IF
    )
}

fn is_stmt(kind: SyntaxKind) -> bool {
    use SyntaxKind as K;
    matches!(
        kind,
        K::EXPR_STMT
            | K::ASSIGN_STMT
            | K::AUG_ASSIGN_STMT
            | K::ANN_ASSIGN_STMT
            | K::RETURN_STMT
            | K::RAISE_STMT
            | K::ASSERT_STMT
            | K::DEL_STMT
            | K::GLOBAL_STMT
            | K::NONLOCAL_STMT
            | K::PASS_STMT
            | K::BREAK_STMT
            | K::CONTINUE_STMT
            | K::IMPORT_STMT
            | K::FROM_IMPORT_STMT
            | K::TYPE_ALIAS_STMT
            | K::IF_STMT
            | K::WHILE_STMT
            | K::FOR_STMT
            | K::WITH_STMT
            | K::TRY_STMT
            | K::MATCH_STMT
            | K::FUNCTION_DEF
            | K::CLASS_DEF
    )
}
