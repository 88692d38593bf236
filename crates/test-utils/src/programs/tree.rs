//! The shape of a program: a tree with one kind of node for expressions and one for statements, so that the shrinker
//! need not know the meaning of a node.

/// The type of an expression or an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false.
    Bool,
    /// Signed, by width.
    Int(u8),
    /// Unsigned, by width.
    UInt(u8),
    /// IEEE float, by width.
    Float(u8),
}

impl Type {
    pub(super) const I32: Type = Type::Int(32);

    /// As TVMScript writes it.
    pub fn name(self) -> String {
        match self {
            Type::Bool => "bool".to_owned(),
            Type::Int(bits) => format!("int{bits}"),
            Type::UInt(bits) => format!("uint{bits}"),
            Type::Float(bits) => format!("float{bits}"),
        }
    }

    pub(super) fn is_integer(self) -> bool {
        matches!(self, Type::Int(_) | Type::UInt(_))
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Type::Float(_))
    }

    pub(super) fn bits(self) -> u8 {
        match self {
            Type::Bool => 8,
            Type::Int(bits) | Type::UInt(bits) | Type::Float(bits) => bits,
        }
    }
}

/// A variable: its number is its name.
pub(super) type VarId = u32;
/// An index into the buffers of the program.
pub(super) type BufferId = u32;
/// An index into the names that the program captures.
pub(super) type CaptureId = usize;

/// A text with holes: `{t}` is the name of its own type, `{0}` an operand, `{c0}` a captured name, `{b0}` a buffer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) text: Box<str>,
    pub(super) captures: Vec<CaptureId>,
    pub(super) buffers: Vec<BufferId>,
}

impl Form {
    pub(super) fn new(text: &str) -> Form {
        Form { text: text.into(), captures: Vec::new(), buffers: Vec::new() }
    }

    /// A form that names one captured name, as `{c0}`.
    pub(super) fn of_capture(text: &str, capture: CaptureId) -> Form {
        Form { captures: vec![capture], ..Form::new(text) }
    }
}

/// The kind of a captured name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaptureKind {
    /// A data type.
    DataType,
    /// A data type of 32 bits.
    Word,
    /// A positive integer.
    Int,
    /// The name of a function of C.
    Text,
    /// A function of Python.
    Callable,
    /// A number of lanes.
    Lanes,
}

/// A name of the Python around the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capture {
    pub(super) kind: CaptureKind,
    /// A parameter of the function of Python that makes this one; else a name of the module with an unknown value.
    pub(super) is_parameter: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ExprKind {
    /// A literal, as written.
    Literal(String),
    Var(VarId),
    /// Two operands.
    Infix(&'static str),
    /// One operand; the text before it.
    Prefix(&'static str),
    /// `T.name(operands)`
    Call(&'static str),
    /// `T.Cast(type, operand)`
    Cast,
    /// The operands are the indices.
    Load(BufferId),
    /// `T.Let(operands[1], where={var: operands[0]})`
    Let(VarId),
    /// A call of an unknown function, which gets the address of a buffer.
    Unknown(BufferId),
    /// Anything that only some kinds of programs have.
    Form(Box<Form>),
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expr {
    pub(super) ty: Type,
    pub(super) kind: ExprKind,
    pub(super) operands: Vec<Expr>,
}

impl Expr {
    pub(super) fn new(ty: Type, kind: ExprKind, operands: Vec<Expr>) -> Expr {
        Expr { ty, kind, operands }
    }

    pub(super) fn int(value: i64) -> Expr {
        Expr::literal(Type::I32, value.to_string())
    }

    pub(super) fn literal(ty: Type, text: String) -> Expr {
        Expr::new(ty, ExprKind::Literal(text), Vec::new())
    }

    pub(super) fn var(ty: Type, var: VarId) -> Expr {
        Expr::new(ty, ExprKind::Var(var), Vec::new())
    }

    pub(super) fn infix(ty: Type, op: &'static str, left: Expr, right: Expr) -> Expr {
        Expr::new(ty, ExprKind::Infix(op), vec![left, right])
    }

    pub(super) fn call(ty: Type, name: &'static str, operands: Vec<Expr>) -> Expr {
        Expr::new(ty, ExprKind::Call(name), operands)
    }

    pub(super) fn size(&self) -> usize {
        1 + self.operands.iter().map(Expr::size).sum::<usize>()
    }

    /// Returns true if `test` holds for this node or one below it.
    pub(super) fn any(&self, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
        test(self) || self.operands.iter().any(|it| it.any(test))
    }
}

/// How a loop is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loop {
    /// `range(extent)`
    Range,
    /// `T.serial(min, min + extent)`
    Serial,
    Unroll,
    Parallel,
    Vectorized,
    /// `T.thread_binding` of the tag.
    Thread(&'static str),
}

/// The kind of a statement. Its expressions and bodies are beside it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StmtKind {
    /// `[value, indices…]`
    Store(BufferId),
    /// `x: T.let[…] = value`
    Let(VarId, Type),
    /// `x: T.int32 = value`: a new cell.
    Cell(VarId, Type),
    /// `x = value`: an assignment to a cell.
    Assign(VarId),
    /// `[extent]` or `[min, max]`; one body.
    For(Loop, VarId),
    /// `[condition]`; one or two bodies.
    If,
    /// `[condition]`, of which the loop makes at most so many rounds; one body. The variable counts them.
    While(VarId, u8),
    Break,
    Continue,
    /// `return value`
    Return,
    /// `[condition]`
    Assert,
    /// An allocation of the buffer.
    Alloc(BufferId),
    /// A second name for the memory of another buffer.
    View(BufferId),
    /// A barrier of the block's threads.
    Sync,
    /// `[extent]`; one body.
    Launch(&'static str, VarId),
    /// A block: `[value of each variable…, predicate?]`; `[body]`, `[body, init]` or `[body, init, declarations]`.
    Block(Vec<BlockVar>),
    /// A call of an unknown function for its effect.
    Evaluate,
    /// Anything that only some kinds of programs have.
    Form(Box<Form>),
}

/// A variable of a block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BlockVar {
    pub(super) var: VarId,
    pub(super) extent: i64,
    pub(super) is_reduction: bool,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) exprs: Vec<Expr>,
    pub(super) bodies: Vec<Vec<Stmt>>,
}

impl Stmt {
    pub(super) fn new(kind: StmtKind, exprs: Vec<Expr>) -> Stmt {
        Stmt { kind, exprs, bodies: Vec::new() }
    }

    pub(super) fn with_bodies(kind: StmtKind, exprs: Vec<Expr>, bodies: Vec<Vec<Stmt>>) -> Stmt {
        Stmt { kind, exprs, bodies }
    }
}

/// An extent of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Const(i64),
    /// An `int32` parameter.
    Var(VarId),
    /// A multiple by a captured integer.
    Times(CaptureId, i64),
}

/// The place where the memory of a buffer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Param,
    /// `global`, `shared` or `local`.
    Alloc(&'static str),
    /// The same, of a block.
    Block(&'static str),
    /// The memory of another buffer.
    View(BufferId),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Buffer {
    pub(super) ty: Type,
    pub(super) shape: Vec<Extent>,
    pub(super) home: Home,
    /// True if an element is a vector of `vscale * 4` lanes.
    pub(super) is_scalable: bool,
}

/// A parameter, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Param {
    Buffer(BufferId),
    Scalar(VarId, Type),
}

/// A function, well-typed and without races.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    pub(super) is_noalias: bool,
    pub(super) captures: Vec<Capture>,
    pub(super) params: Vec<Param>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) statements: Vec<Stmt>,
}
