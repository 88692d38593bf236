//! The manifest: the built kernels, and how a launcher calls them. JSON with a schema and a version. JSON with a schema
//! and a version.
//!
//! `manifest.json` in the folder of a target ([`Index`]) names a `module.json` ([`Module`]) for each source file, so
//! that an edit of one file writes a manifest of its size. [`Manifest::read`] puts them together and checks their
//! hashes. The README describes every field. Names are those of the source; where a function uses one name for two
//! things, the later one has a number. Numbers of parameters and kernels count from 0.

use std::{io, path::Path};

use rules::Reason;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Target, kernel::host::HostExpr, reasons};

/// Name of the schema of `manifest.json`.
pub const SCHEMA: &str = "tir-analyzer/kernels";
/// Name of the schema of `module.json`.
pub const MODULE_SCHEMA: &str = "tir-analyzer/kernels/module";
/// Version of both: raised when a field changes its meaning or goes.
pub const VERSION: u32 = 2;

/// All that was built for a target.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Manifest {
    /// The built functions, by file and place in the file.
    pub functions: Vec<Function>,
    /// The functions that launch threads and were not built.
    pub unsupported: Vec<UnsupportedFunction>,
    /// Functions that are equal up to names.
    pub aliases: Vec<Alias>,
}

/// The file `manifest.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Index {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`VERSION`].
    pub version: u32,
    /// `cuda` or `opencl`.
    pub target: String,
    /// The source files that launch threads, by name.
    pub modules: Vec<ModuleEntry>,
    /// Functions that are equal up to names, by the place of the first.
    pub aliases: Vec<Alias>,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModuleEntry {
    /// Its name, as given, with `/`.
    pub file: String,
    /// Its `module.json`, relative to the index.
    pub manifest: String,
    /// BLAKE3 hash of that file's bytes: another one is of another build.
    pub hash: String,
}

/// Functions whose kernels are the same up to names: code that was compiled for the first serves all.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Alias {
    /// Their key.
    pub key: String,
    /// At least two, by place.
    pub functions: Vec<AliasFunction>,
}

/// A function of an [`Alias`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AliasFunction {
    /// Source file.
    pub file: String,
    /// Name.
    pub name: String,
    /// Entry symbols of its kernels, in order.
    pub entries: Vec<String>,
}

/// The file `module.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Module {
    /// [`MODULE_SCHEMA`].
    pub schema: String,
    /// [`VERSION`].
    pub version: u32,
    /// The source file.
    pub file: String,
    /// The built functions, by place in the file.
    pub functions: Vec<Function>,
    /// The functions that launch threads and were not built.
    pub unsupported: Vec<UnsupportedFunction>,
}

/// One function with kernels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// A name of `Target`: `cuda`, `opencl`, `hip`, `c`, `spirv`, `wgsl` or `metal`.
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
    /// The steps of the host, in order.
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
    /// The place where its value comes from.
    pub from: SymbolFrom,
}

/// The place where the value of a symbol comes from.
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

/// Figures that a compiler gives of a kernel.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// Bytes of the stack of a thread.
    pub stack_bytes: u32,
    /// Bytes of registers that are stored to memory for want of registers.
    pub spill_store_bytes: u32,
    /// Bytes of them that are loaded again.
    pub spill_load_bytes: u32,
    /// Machine instructions, if a disassembler was there; padding is none.
    pub instructions: Option<u32>,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// Entry symbol.
    pub entry: String,
    /// Source file, relative to `manifest.json`.
    pub file: String,
    /// BLAKE3 hash of the source's bytes: another one is of another build.
    pub hash: String,
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
    /// The place where the lines of the source file come from: `line:line in the source function's file`, from 1,
    /// separated by spaces; an entry holds until the next one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lines: String,
    /// The output of a vendor's compiler for the source, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub binaries: Vec<Binary>,
    /// The compiler's metrics, if it was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Metrics>,
    /// The place where arguments are bound, for `spirv`, `wgsl` and `metal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bindings: Option<Bindings>,
    /// The required device features, by the names of WebGPU where it has one: `shader-f16`, `shader-f64`,
    /// `shader-int16`, `shader-int64`; for `cuda` the least architecture of each instruction, and its name:
    /// `sm_80 cp.async`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}

/// The output of a vendor's compiler for a source. It contains no name of the user, so equal functions share it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Binary {
    /// `ptx` or `cubin`.
    pub kind: String,
    /// The file, relative to `manifest.json`.
    pub file: String,
    /// BLAKE3 hash of its bytes.
    pub hash: String,
    /// The entry symbol in it.
    pub entry: String,
    /// The architecture that it is for: `sm_80`.
    pub arch: String,
    /// The compiler, with versions.
    pub compiler: String,
}

/// The place where arguments are bound: numbers of group 0; of buffers for Metal.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Bindings {
    /// Of the arguments that are no scalars, in their order.
    pub buffers: Vec<u32>,
    /// The uniform buffer with the scalars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scalars: Option<Scalars>,
    /// Of the arguments that are scalars, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<ScalarField>,
    /// Metal only: a buffer of `uint`, the bytes of each buffer argument whose length the source does not write, in
    /// their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<u32>,
}

/// A uniform buffer with scalars.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scalars {
    /// Number.
    pub binding: u32,
    /// Size.
    pub bytes: u32,
}

/// A scalar in a uniform buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScalarField {
    /// Bytes from the start.
    pub offset: u32,
    /// The stored type: the argument's type, or one that holds its values.
    pub dtype: String,
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
    /// The place where the reason stands in the file: the line, from 1; 0 if that is not known.
    pub line: u32,
    /// The character of that line, from 1; 0 if that is not known.
    pub column: u32,
    /// Name.
    pub name: String,
    /// Kebab-case code.
    pub reason: String,
    /// Words for a person.
    pub detail: String,
}

impl UnsupportedFunction {
    /// `models/net.py:12:9`, or the file alone if more is not known.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}:{}", self.file, self.column),
        }
    }

    /// Returns the advice for the user.
    pub fn help(&self) -> &'static str {
        reasons::find(&self.reason).map_or("Please report the function.", Reason::help)
    }
}

impl Index {
    /// One without files.
    pub fn new(target: Target) -> Index {
        Index {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            target: target.name().to_owned(),
            modules: Vec::new(),
            aliases: Vec::new(),
        }
    }

    /// The text of the file: deterministic, ends with a line's end.
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// Reads the file of a target's folder.
    ///
    /// # Errors
    /// If there is none, or one of another version.
    pub fn read(folder: &Path) -> io::Result<Index> {
        let path = folder.join("manifest.json");
        let index: Index = from_json(&files::read(&path, files::ARTIFACT)?, &path)?;
        match index.schema == SCHEMA && index.version == VERSION {
            true => Ok(index),
            false => Err(other_version(&path)),
        }
    }
}

impl Module {
    /// One without functions.
    pub fn new(file: &str) -> Module {
        Module {
            schema: MODULE_SCHEMA.to_owned(),
            version: VERSION,
            file: file.to_owned(),
            functions: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    /// The text of the file: deterministic, ends with a line's end.
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// Reads one, and the hash of its bytes.
    pub(crate) fn read(path: &Path) -> io::Result<(Module, [u8; 32])> {
        let bytes = files::read(path, files::ARTIFACT)?;
        let module: Module = from_json(&bytes, path)?;
        match module.schema == MODULE_SCHEMA && module.version == VERSION {
            true => Ok((module, *blake3::hash(&bytes).as_bytes())),
            false => Err(other_version(path)),
        }
    }
}

impl Manifest {
    /// Reads all manifests of a target's folder.
    ///
    /// # Errors
    /// If one is missing, of another version, or not of the same build as the others: then a build was interrupted,
    /// or is going on.
    pub fn read(folder: &Path) -> io::Result<Manifest> {
        let index = Index::read(folder)?;
        let mut manifest = Manifest { aliases: index.aliases, ..Manifest::default() };
        for entry in index.modules {
            let path = folder.join(&entry.manifest);
            let bytes = checked(&path, &entry.hash)?;
            let module: Module = from_json(&bytes, &path)?;
            if module.schema != MODULE_SCHEMA || module.version != VERSION {
                return Err(other_version(&path));
            }
            manifest.functions.extend(module.functions);
            manifest.unsupported.extend(module.unsupported);
        }
        Ok(manifest)
    }

    /// The function of a file.
    pub fn function(&self, file: &str, name: &str) -> Option<&Function> {
        self.functions.iter().find(|it| it.file == file && it.name == name)
    }
}

impl Kernel {
    /// The source, from the folder of the target.
    ///
    /// # Errors
    /// If it is missing, or not of the same build as the manifest.
    pub fn source(&self, folder: &Path) -> io::Result<String> {
        let bytes = checked(&folder.join(&self.file), &self.hash)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
}

/// The bytes of a file with this hash.
fn checked(path: &Path, hash: &str) -> io::Result<Vec<u8>> {
    let bytes = files::read(path, files::ARTIFACT)?;
    match blake3::hash(&bytes).to_hex().as_str() == hash {
        true => Ok(bytes),
        false => {
            let text = format!("{} is not of the same build as its manifest", path.display());
            Err(io::Error::new(io::ErrorKind::InvalidData, text))
        }
    }
}

fn to_json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("plain data has a JSON form");
    text.push('\n');
    text
}

fn from_json<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> io::Result<T> {
    let named = |error| {
        let text = format!("{}: {error}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    serde_json::from_slice(bytes).map_err(named)
}

fn other_version(path: &Path) -> io::Error {
    let text = format!("{} is of another version; build again", path.display());
    io::Error::new(io::ErrorKind::InvalidData, text)
}
