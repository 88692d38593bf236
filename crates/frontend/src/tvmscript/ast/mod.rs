//! A function's tree in the form for lowering: dense tables of expressions and statements, as Python has them.
//!
//! Lowering looks at a node many times (a call by its name, its keywords, its arguments), and a cursor costs an
//! allocation a step. So [`read`] goes once over the green tree and builds this; parentheses, `elif` and trivia are
//! gone, texts are borrowed from the tree, ranges are relative to the tree's start. O(text), no recursion: the tree is
//! read bottom-up with an explicit stack.

mod literal;
mod read;

use rustc_hash::FxHashMap;
use syntax::{Green, SyntaxKind, TextRange, TextSize};

pub(crate) use read::read_at;

macro_rules! ids {
    ($($(#[$attr:meta])* $name:ident,)*) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);
    )*};
}
ids! {
    /// An expression of an [`Ast`].
    Ex,
    /// A statement of an [`Ast`].
    St,
}

/// A run in one of the pools of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Run {
    start: u32,
    len: u32,
}

impl Run {
    pub(crate) fn len(self) -> usize {
        self.len as usize
    }
    pub(crate) fn is_empty(self) -> bool {
        self.len == 0
    }
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// The value of an integer, in two words: a table of these is as dense as one of addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole([u64; 2]);

impl Whole {
    pub(crate) fn new(value: i128) -> Whole {
        Whole([value as u64, (value >> 64) as u64])
    }

    pub(crate) fn get(self) -> i128 {
        i128::from(self.0[1] as i64) << 64 | i128::from(self.0[0])
    }
}

impl std::fmt::Debug for Whole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// The value of a string; [`Ast::string`] has its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Words<'a> {
    /// It stands in the tree like this.
    Written(&'a str),
    /// A number among the texts that were made: with escapes, of several tokens, without an indentation.
    Made(u32),
}

/// The kind of an expression. It owns nothing: a table of a million of them is given back at once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ExKind<'a> {
    Name(&'a str),
    Int(Whole),
    Float(f64),
    Bool(bool),
    None,
    Ellipsis,
    Str(Words<'a>),
    /// Adjacent string tokens, one of them an f-string.
    FString(Run),
    /// Bytes, an imaginary number, an integer beyond 128 bits.
    OtherLiteral,
    Attr {
        base: Ex,
        name: &'a str,
        name_range: TextRange,
    },
    Subscript {
        base: Ex,
        index: Ex,
    },
    Call {
        callee: Ex,
        args: Run,
    },
    Unary {
        op: SyntaxKind,
        operand: Ex,
    },
    Binary {
        op: SyntaxKind,
        lhs: Ex,
        rhs: Ex,
    },
    /// `and`, `or` over two or more operands.
    Logic {
        op: SyntaxKind,
        operands: Run,
    },
    /// One more operand than operators.
    Compare {
        operands: Run,
        ops: Run,
    },
    Conditional {
        then: Ex,
        condition: Ex,
        otherwise: Ex,
    },
    Lambda {
        params: Run,
        body: Ex,
    },
    Tuple(Run),
    List(Run),
    /// Keys and values in turn.
    Dict(Run),
    Set(Run),
    /// A comprehension or generator expression; `value` is that of a pair of a dictionary.
    Comprehension {
        of: Comprehended,
        element: Ex,
        value: Option<Ex>,
        clauses: Run,
    },
    /// `name := value`
    Named {
        name: &'a str,
        value: Ex,
    },
    Star(Ex),
    Slice {
        lower: Option<Ex>,
        upper: Option<Ex>,
        step: Option<Ex>,
    },
    /// Anything else that Python has.
    Other,
    /// An expression with a syntax error.
    Error,
}

/// The result of a comprehension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comprehended {
    List,
    Set,
    Dict,
    Generator,
}

/// A clause of a comprehension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Clause {
    For { target: Ex, iterable: Ex },
    If(Ex),
}

/// An expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ExNode<'a> {
    pub(crate) range: TextRange,
    pub(crate) kind: ExKind<'a>,
}

/// A table of them is freed in one step, and has few pages.
const _: () = assert!(size_of::<ExNode<'_>>() <= 40 && !std::mem::needs_drop::<ExNode<'_>>());

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ArgNode<'a> {
    /// `k=`
    pub(crate) keyword: Option<(&'a str, TextRange)>,
    /// `**x`
    pub(crate) is_splat: bool,
    pub(crate) value: Ex,
}

/// A parameter of a function or lambda.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ParamNode<'a> {
    pub(crate) name: &'a str,
    pub(crate) name_range: TextRange,
    pub(crate) is_star: bool,
    /// `**named`
    pub(crate) is_double: bool,
    /// `/`, before which names are no keywords.
    pub(crate) is_slash: bool,
    pub(crate) annotation: Option<Ex>,
    pub(crate) default: Option<Ex>,
}

/// One `context as target` of a `with`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ItemNode {
    pub(crate) context: Ex,
    pub(crate) target: Option<Ex>,
}

/// A `def`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DefNode<'a> {
    pub(crate) decorators: Vec<Ex>,
    pub(crate) name: &'a str,
    pub(crate) name_range: TextRange,
    /// `def f[n]`
    pub(crate) type_params: Vec<(&'a str, TextRange)>,
    pub(crate) params: Vec<ParamNode<'a>>,
    pub(crate) returns: Option<Ex>,
    pub(crate) body: Run,
}

/// A `class`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ClassNode<'a> {
    pub(crate) decorators: Vec<Ex>,
    pub(crate) name: &'a str,
    /// Bases and keywords.
    pub(crate) args: Run,
    pub(crate) body: Run,
}

/// The kind of a statement.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StKind {
    Expr(Ex),
    Assign {
        targets: Run,
        value: Ex,
    },
    AugAssign {
        target: Ex,
        op: SyntaxKind,
        value: Ex,
    },
    AnnAssign {
        target: Ex,
        annotation: Ex,
        value: Option<Ex>,
    },
    Return(Option<Ex>),
    Assert {
        condition: Ex,
        message: Option<Ex>,
    },
    Pass,
    Break,
    Continue,
    /// An `elif` is an `If` alone in `otherwise`.
    If {
        condition: Ex,
        then: Run,
        otherwise: Run,
    },
    While {
        condition: Ex,
        body: Run,
        otherwise: Run,
    },
    For {
        target: Ex,
        iterable: Ex,
        body: Run,
        otherwise: Run,
    },
    With {
        items: Run,
        body: Run,
    },
    Def(u32),
    Class(u32),
    Import,
    Raise,
    /// `try`, `del`, `match` … with no meaning in TVMScript.
    Other,
    /// A statement with a syntax error, with the statements inside it that could be read.
    Error(Run),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StNode {
    pub(crate) range: TextRange,
    pub(crate) kind: StKind,
    /// The white space before it, if it is the first on its line.
    pub(crate) indent: Option<TextRange>,
}

/// Reads a tree: a function, a statement, a file or an expression.
pub(crate) fn read(green: &Green) -> Ast<'_> {
    read_at(green, 0)
}

/// The tables of one tree.
#[derive(Default, Debug)]
pub(crate) struct Ast<'a> {
    /// The tree that was read.
    pub(crate) tree: Option<&'a Green>,
    pub(crate) exprs: Vec<ExNode<'a>>,
    pub(crate) stmts: Vec<StNode>,
    pub(crate) defs: Vec<DefNode<'a>>,
    pub(crate) classes: Vec<ClassNode<'a>>,
    ex_pool: Vec<Ex>,
    st_pool: Vec<St>,
    op_pool: Vec<CompareKind>,
    args: Vec<ArgNode<'a>>,
    params: Vec<ParamNode<'a>>,
    items: Vec<ItemNode>,
    clauses: Vec<Clause>,
    strings: Vec<&'a str>,
    /// The texts of strings that do not stand in the tree.
    made: Vec<Box<str>>,
    /// Statements of the outermost level.
    pub(crate) root: Vec<St>,
    /// Expressions of the outermost level, where the tree is one.
    pub(crate) root_exprs: Vec<Ex>,
    /// All of the text.
    pub(crate) text: String,
    /// Names that are given inside of expressions, `x := e`, in order.
    pub(crate) named_inside: Vec<(&'a str, TextRange)>,
    /// Error nodes and unreadable tokens, by where they begin.
    pub(crate) errors: Vec<TextRange>,
    /// The last mention of each name, made when it is first asked for.
    last_mentions: std::cell::OnceCell<FxHashMap<Box<str>, TextSize>>,
    /// How often each name is assigned, made when it is first asked for.
    assignments: std::cell::OnceCell<FxHashMap<Box<str>, u32>>,
}

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompareKind {
    Binary(ir::BinaryOp),
    In,
    NotIn,
    Is,
    IsNot,
}

impl<'a> Ast<'a> {
    /// Returns true if an assignment of the text gives a name a value.
    pub(crate) fn is_assigned(&self, name: &str) -> bool {
        self.assignments().contains_key(name)
    }

    /// Returns true if at most one assignment of the text gives a name a value.
    pub(crate) fn is_assigned_once(&self, name: &str) -> bool {
        self.assignments().get(name).is_none_or(|&it| it <= 1)
    }

    /// How many assignments give each name a value.
    fn assignments(&self) -> &FxHashMap<Box<str>, u32> {
        self.assignments.get_or_init(|| {
            let mut counts: FxHashMap<Box<str>, u32> = FxHashMap::default();
            let mut targets: Vec<Ex> = Vec::new();
            for node in &self.stmts {
                match node.kind {
                    StKind::Assign { targets: run, .. } => targets.extend(self.exs(run)),
                    StKind::AugAssign { target, .. } | StKind::AnnAssign { target, .. } => {
                        targets.push(target);
                    }
                    _ => {}
                }
            }
            while let Some(target) = targets.pop() {
                match self.kind(target) {
                    ExKind::Name(name) => *counts.entry((*name).into()).or_default() += 1,
                    ExKind::Tuple(run) | ExKind::List(run) => targets.extend(self.exs(*run)),
                    ExKind::Star(inner) => targets.push(*inner),
                    _ => {}
                }
            }
            counts
        })
    }

    /// Where a name is mentioned last as an expression.
    pub(crate) fn last_mention(&self, name: &str) -> Option<TextSize> {
        let mentions = self.last_mentions.get_or_init(|| {
            let mut last: FxHashMap<Box<str>, TextSize> = FxHashMap::default();
            for node in &self.exprs {
                if let ExKind::Name(name) = node.kind {
                    let at = last.entry(name.into()).or_default();
                    *at = (*at).max(node.range.start());
                }
            }
            last
        });
        mentions.get(name).copied()
    }
    pub(crate) fn kind(&self, id: Ex) -> &ExKind<'a> {
        &self.exprs[id.0 as usize].kind
    }
    pub(crate) fn range(&self, id: Ex) -> TextRange {
        self.exprs[id.0 as usize].range
    }
    pub(crate) fn stmt(&self, id: St) -> &StNode {
        &self.stmts[id.0 as usize]
    }
    pub(crate) fn exs(&self, run: Run) -> &[Ex] {
        &self.ex_pool[run.range()]
    }
    pub(crate) fn sts(&self, run: Run) -> &[St] {
        &self.st_pool[run.range()]
    }
    pub(crate) fn ops(&self, run: Run) -> &[CompareKind] {
        &self.op_pool[run.range()]
    }
    pub(crate) fn args(&self, run: Run) -> &[ArgNode<'a>] {
        &self.args[run.range()]
    }
    pub(crate) fn params(&self, run: Run) -> &[ParamNode<'a>] {
        &self.params[run.range()]
    }
    pub(crate) fn items(&self, run: Run) -> &[ItemNode] {
        &self.items[run.range()]
    }
    pub(crate) fn clauses(&self, run: Run) -> &[Clause] {
        &self.clauses[run.range()]
    }
    /// The value of a string.
    pub(crate) fn string(&self, words: Words<'a>) -> &str {
        match words {
            Words::Written(text) => text,
            Words::Made(at) => &self.made[at as usize],
        }
    }
    /// The tokens of a string.
    pub(crate) fn strings(&self, run: Run) -> &[&'a str] {
        &self.strings[run.range()]
    }
    /// The outermost class.
    pub(crate) fn class(&self) -> Option<&ClassNode<'a>> {
        self.root.iter().find_map(|&it| match self.stmt(it).kind {
            StKind::Class(class) => Some(&self.classes[class as usize]),
            _ => None,
        })
    }
    /// The outermost function.
    pub(crate) fn function(&self) -> Option<&DefNode<'a>> {
        self.root.iter().find_map(|&it| match self.stmt(it).kind {
            StKind::Def(def) => Some(&self.defs[def as usize]),
            _ => None,
        })
    }
    /// The name at the start of `a.b.c`, and the rest from the inside out.
    pub(crate) fn dotted(&self, id: Ex) -> Option<(&'a str, Vec<&'a str>)> {
        let mut rest = Vec::new();
        let mut at = id;
        loop {
            match *self.kind(at) {
                ExKind::Name(name) => {
                    rest.reverse();
                    return Some((name, rest));
                }
                ExKind::Attr { base, name, .. } => {
                    rest.push(name);
                    at = base;
                }
                _ => return None,
            }
        }
    }
}

fn size(text: &str) -> TextSize {
    TextSize::of(text)
}

/// How much text an expression has, about: names are expressions.
const BYTES_OF_AN_EXPRESSION: usize = 5;

/// How much text it has at least, about: of a large text, the table of expressions is to stand where it is. To copy it
/// takes longer than a computation may go on that nobody wants any more. Memory that is not used costs nothing there.
const FEWEST_BYTES: usize = 2;

/// Texts with more bytes are large.
const LARGE: usize = 1 << 18;

/// How many expressions to make room for in a text of this length.
fn room_for(len: usize) -> usize {
    len / if len < LARGE { BYTES_OF_AN_EXPRESSION } else { FEWEST_BYTES }
}
