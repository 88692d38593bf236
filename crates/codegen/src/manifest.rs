//! The manifest: what was built, and how a launcher calls it. JSON with a schema and a version.
//!
//! The README describes every field. Names are those of the source; where a function uses one name for two things,
//! the later one has a number. Numbers of parameters and kernels count from 0.

use serde::{Deserialize, Serialize};

use crate::host::HostExpr;

/// Name of the schema.
pub const SCHEMA: &str = "tir-analyzer/kernels";
/// Version of the schema: raised when a field changes its meaning or goes.
pub const VERSION: u32 = 1;

/// The file `manifest.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`VERSION`].
    pub version: u32,
    /// What was built, by target, file and place in the file.
    pub functions: Vec<Function>,
    /// What launches threads and was not built.
    pub unsupported: Vec<UnsupportedFunction>,
}

/// One function with kernels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// A name of `Target`: `cuda`, `opencl`, `hip` or `c`.
    pub target: String,
    /// The source file, as given, with `/`.
    pub file: String,
    /// Name of the function in the source.
    pub name: String,
    /// Key of the artifact: equal keys are equal kernels, up to names.
    pub key: String,
    /// Flags that the sources are to be compiled with.
    pub compile_flags: Vec<String>,
    /// The parameters of the function, in order.
    pub params: Vec<Param>,
    /// Shape variables and the like: where a launcher reads them.
    pub symbols: Vec<Symbol>,
    /// Device memory to allocate for the time of the call.
    pub workspaces: Vec<Workspace>,
    /// Kernels, in the order of the program.
    pub kernels: Vec<Kernel>,
    /// What the host does, in order.
    pub host: Vec<Step>,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Name.
    pub name: String,
    /// Buffer, pointer or scalar.
    pub kind: ParamKind,
    /// Element type, or the scalar's own.
    pub dtype: String,
    /// Extents of a buffer; none for a scalar, a pointer and a buffer of one element.
    pub shape: Vec<Expr>,
}

/// Kinds of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamKind {
    /// A buffer.
    Buffer,
    /// A pointer without a shape.
    Pointer,
    /// A scalar.
    Scalar,
}

/// A symbol of host expressions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Type.
    pub dtype: String,
    /// Where its value comes from.
    pub from: SymbolFrom,
}

/// Where the value of a symbol comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants say it")]
pub enum SymbolFrom {
    /// A scalar parameter.
    Param(usize),
    /// An extent of the buffer given for a parameter.
    Shape { param: usize, dim: usize },
    /// A stride, in elements.
    Stride { param: usize, dim: usize },
    /// The offset of the first element from the pointer, in elements.
    ElemOffset { param: usize },
    /// The variable of a loop in `host`.
    Loop,
}

/// Device memory of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Workspace {
    /// Name.
    pub name: String,
    /// Element type.
    pub dtype: String,
    /// Number of elements.
    pub elements: Expr,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// Entry symbol.
    pub entry: String,
    /// Source file, relative to the manifest.
    pub file: String,
    /// Arguments, in order.
    pub arguments: Vec<Argument>,
    /// Blocks along x, y, z.
    pub grid: [Expr; 3],
    /// Threads of a block along x, y, z.
    pub block: [Expr; 3],
    /// Bytes of shared memory that the source declares.
    pub static_shared_bytes: u64,
    /// Bytes of shared memory that the launch has to give.
    pub dynamic_shared_bytes: u64,
    /// Where the lines of the source file come from: `line:line in the source function's file`, from 1, separated by
    /// spaces; an entry holds until the next one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lines: String,
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(missing_docs, reason = "the fields are those of a kernel's parameter")]
pub enum Argument {
    /// The pointer of a parameter of the function.
    Buffer { name: String, param: usize, dtype: String, written: bool },
    /// The pointer of a workspace.
    Workspace { name: String, workspace: usize, dtype: String, written: bool },
    /// A number computed on the host.
    Scalar { name: String, dtype: String, value: Expr },
}

/// An expression of the host: for people, and for launchers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Expr {
    /// Python's spelling.
    pub text: String,
    /// The tree.
    pub tree: HostExpr,
}

impl Expr {
    pub(crate) fn new(tree: &HostExpr) -> Expr {
        Expr { text: tree.text(), tree: tree.clone() }
    }
}

/// A step of the host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields say it")]
pub enum Step {
    /// Launch the kernel of this number; nothing if an extent is not positive.
    Launch(usize),
    /// Repeat.
    Loop { var: String, min: Expr, extent: Expr, steps: Vec<Step> },
    /// Choose.
    If { condition: Expr, then: Vec<Step>, otherwise: Vec<Step> },
    /// Stop with an error unless it holds.
    Assert(Expr),
}

/// A function that launches threads and was not built.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnsupportedFunction {
    /// Target.
    pub target: String,
    /// Source file.
    pub file: String,
    /// Name.
    pub name: String,
    /// Kebab-case code.
    pub reason: String,
    /// Words for a person.
    pub detail: String,
}

impl Manifest {
    /// An empty one.
    pub fn new() -> Manifest {
        Manifest {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            functions: Vec::new(),
            unsupported: Vec::new(),
        }
    }
    /// The text of the file: deterministic, ends with a line's end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data has a JSON form");
        text.push('\n');
        text
    }
    /// Reads the text of the file; `None` for another schema, another version or broken text.
    pub fn from_json(text: &str) -> Option<Manifest> {
        let manifest: Manifest = serde_json::from_str(text).ok()?;
        (manifest.schema == SCHEMA && manifest.version == VERSION).then_some(manifest)
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Manifest::new()
    }
}
