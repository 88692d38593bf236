//! Stored artifacts of a function: canonical sources and the canonical part of its manifest entry.
//!
//! An artifact calls entities `$i` and leaves the function without a name: two functions that differ in names,
//! comments, places and files have one artifact. [`Artifact::join`] and [`Artifact::function`] put the names of the
//! current text in, so the output is the same bytes whether the artifact was just made or read from the store.

pub mod action;
pub mod canonical;
pub(crate) mod key;
pub mod manifest;
pub mod names;
pub mod store;

use rules::Reason;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use self::{
    manifest::{Argument, Expr, Step},
    names::{FreeNames, Names},
};
use crate::{
    Options, Target,
    backend::DeviceCode,
    device::Source,
    kernel::{
        self, Axis, HostStep, KernelParam, KernelSet, Root, Space, SymbolSource, Unsupported,
        host::HostExpr,
    },
    reasons,
    target::limits::{self, Exceeded},
};

/// The entry symbol of binaries.
pub(crate) const BINARY_ENTRY: &str = "tir_kernel";

/// The result of generating code for one function and target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Artifact {
    kernels: Vec<CanonicalKernel>,
    params: Vec<manifest::Param>,
    symbols: Vec<manifest::Symbol>,
    workspaces: Vec<manifest::Workspace>,
    host: Vec<Step>,
    refused: Vec<Refused>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CanonicalKernel {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    binary: Vec<u32>,
    made: Vec<String>,
    /// Lines of the text, and the canonical number of the operation that each begins.
    lines: Vec<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shared: Vec<SharedLine>,
    entry: manifest::Kernel,
    /// The operation that launches it.
    launch: Option<u32>,
    /// The operation that asks for each feature of the entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    feature_ops: Vec<Option<u32>>,
}

/// A line of code that computes a value that the function computes several times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedLine {
    /// Of the text, from 1.
    pub line: u32,
    /// Numbers of the operations of the function that use the value.
    pub uses: Vec<u32>,
    /// Evaluations that are saved.
    pub saved: u32,
}

/// The reason why a function has no code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Refused {
    #[serde(with = "reasons::by_name")]
    pub(crate) reason: Reason,
    pub(crate) detail: String,
    /// The canonical number of the operation that it is about, if it is one.
    pub(crate) op: Option<u32>,
}

impl Artifact {
    pub(crate) fn new(
        set: &KernelSet,
        (ops, origins): (&[ir::OpId], &[(ir::OpId, ir::OpId)]),
        sources: Vec<DeviceCode>,
        refused: Vec<Unsupported>,
    ) -> Artifact {
        let mut numbers: FxHashMap<ir::OpId, u32> = ops.iter().copied().zip(0..).collect();
        // What was made of others later is behind them in the list.
        for (made, of) in origins.iter().chain(&set.origins) {
            if let Some(&number) = numbers.get(of) {
                numbers.entry(*made).or_insert(number);
            }
        }
        let number = |op: &ir::OpId| numbers.get(op).copied();
        let refused: Vec<Refused> = refused
            .into_iter()
            .map(|it| Refused {
                reason: it.reason,
                detail: it.detail,
                op: it.op.as_ref().and_then(number),
            })
            .collect();
        if !refused.is_empty() {
            return Artifact {
                kernels: Vec::new(),
                params: Vec::new(),
                symbols: Vec::new(),
                workspaces: Vec::new(),
                host: Vec::new(),
                refused,
            };
        }
        let checks: Vec<Vec<HostExpr>> = sources.iter().map(|it| it.checks.clone()).collect();
        let kernels = set
            .kernels
            .iter()
            .zip(sources)
            .map(|(kernel, code)| CanonicalKernel {
                entry: kernel_entry(set, kernel, &code),
                launch: number(&kernel.op),
                feature_ops: code
                    .features
                    .iter()
                    .map(|it| it.op.as_ref().and_then(number))
                    .collect(),
                lines: code
                    .lines
                    .iter()
                    .filter_map(|(line, op)| Some((*line, number(op)?)))
                    .collect(),
                shared: code
                    .shared
                    .iter()
                    .map(|it| SharedLine {
                        line: it.line,
                        uses: it.uses.iter().filter_map(number).collect(),
                        saved: it.saved,
                    })
                    .collect(),
                text: code.text,
                binary: code.binary,
                made: code.made,
            })
            .collect();
        Artifact {
            kernels,
            params: set.params.iter().map(|it| param(set, it)).collect(),
            symbols: set.symbols.iter().map(symbol).collect(),
            workspaces: set.workspaces.iter().map(|it| workspace(set, it)).collect(),
            host: steps(set, &set.host, &checks),
            refused,
        }
    }

    /// Returns true if there is no code because of a mistake of ours: it is reported and never stored.
    pub(crate) fn is_mistaken(&self) -> bool {
        self.refused.iter().any(|it| it.reason == reasons::INTERNAL)
    }

    /// Returns the reason why there is no code, or why it is not for these devices, with the names of the source.
    pub(crate) fn refused(
        &self,
        names: &[String],
        target: Target,
        options: &Options,
    ) -> Vec<Refused> {
        let named = |it: &Refused| Refused {
            reason: it.reason,
            detail: put_names(&it.detail, names),
            op: it.op,
        };
        let exceeded = self.kernels.iter().filter_map(|it| {
            let Exceeded { reason, detail, feature } =
                limits::exceeded(&it.entry, target, options)?;
            let op = feature.and_then(|at| it.feature_ops.get(at).copied().flatten());
            Some(Refused { reason, detail, op: op.or(it.launch) })
        });
        self.refused.iter().map(named).chain(exceeded).collect()
    }

    /// The sources with the names of the current text. [`Self::refused`] tells whether there are any.
    pub(crate) fn join(
        &self,
        source_names: &[String],
        function: &str,
        target: Target,
    ) -> Vec<Source> {
        let entries = entries(function, self.kernels.len());
        self.kernels
            .iter()
            .zip(entries)
            .map(|(kernel, entry)| {
                let reserved = target.reserved(&kernel.text);
                let names = Names {
                    source: source_names,
                    made: &kernel.made,
                    entry: &entry,
                    reserved: &reserved,
                };
                Source {
                    text: names::join(&kernel.text, &names),
                    binary: kernel.binary.clone(),
                    lines: kernel.lines.clone(),
                    shared: kernel.shared.clone(),
                    entry,
                }
            })
            .collect()
    }

    /// Number of kernels.
    pub(crate) fn n_kernels(&self) -> usize {
        self.kernels.len()
    }

    /// The source of a kernel as a vendor's compiler gets it: without a name of the user, so that the output is that of
    /// all functions that are equal up to names. Its entry symbol is [`BINARY_ENTRY`].
    pub(crate) fn compiled_text(&self, index: usize) -> String {
        let Some(kernel) = self.kernels.get(index) else { return String::new() };
        let reserved = Target::Cuda.reserved(&kernel.text);
        let names =
            Names { source: &[], made: &kernel.made, entry: BINARY_ENTRY, reserved: &reserved };
        names::join(&kernel.text, &names)
    }

    /// The manifest entry with the names of the current text; files of kernels are left to the caller.
    pub(crate) fn function(
        &self,
        source_names: &[String],
        function: &str,
        op_lines: &[u32],
        target: Target,
        options: &Options,
    ) -> manifest::Function {
        let unique = unique(source_names);
        let put = |text: &str| put_names(text, &unique);
        let expr = |it: &Expr| Expr::new(&it.tree.map_vars(&mut |var| put_names(var, &unique)));
        let entries = entries(function, self.kernels.len());
        manifest::Function {
            target: target.name().to_owned(),
            file: String::new(),
            name: function.to_owned(),
            key: String::new(),
            compile_flags: target.compile_flags(options),
            params: self
                .params
                .iter()
                .map(|it| manifest::Param {
                    name: put(&it.name),
                    shape: it.shape.iter().map(expr).collect(),
                    ..it.clone()
                })
                .collect(),
            symbols: self
                .symbols
                .iter()
                .map(|it| manifest::Symbol { name: put(&it.name), ..it.clone() })
                .collect(),
            workspaces: self
                .workspaces
                .iter()
                .map(|it| manifest::Workspace {
                    name: put(&it.name),
                    elements: expr(&it.elements),
                    ..it.clone()
                })
                .collect(),
            kernels: self
                .kernels
                .iter()
                .zip(entries)
                .map(|(kernel, entry)| manifest::Kernel {
                    lines: source_lines(&kernel.lines, op_lines),
                    ..named_kernel(&kernel.entry, entry, &put, &expr)
                })
                .collect(),
            host: self.host.iter().map(|it| named_step(it, &put, &expr)).collect(),
        }
    }
}

/// Entry symbols: that of a single kernel has no number.
fn entries(function: &str, n: usize) -> Vec<String> {
    let function = names::identifier(function);
    (0..n)
        .map(|index| match index {
            0 => format!("{function}_kernel"),
            _ => format!("{function}_kernel_{index}"),
        })
        .collect()
}

/// `device line:source line`, where the source line changes.
fn source_lines(lines: &[(u32, u32)], op_lines: &[u32]) -> String {
    let mut out = String::new();
    let mut last = None;
    for (line, op) in lines {
        let Some(&source) = op_lines.get(*op as usize) else { continue };
        if last.replace(source) != Some(source) {
            let space = if out.is_empty() { "" } else { " " };
            out.push_str(&format!("{space}{line}:{source}"));
        }
    }
    out
}

/// `text` with `$i` replaced.
fn put_names(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(names::MARK);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.find(|it: char| !it.is_ascii_digit()).unwrap_or(part.len());
        match part[..digits].parse::<usize>().ok().and_then(|it| names.get(it)) {
            Some(name) => out.push_str(name),
            None => out.push_str(&part[..digits]),
        }
        out.push_str(&part[digits..]);
    }
    out
}

/// The names, each once: a later one gets a number.
fn unique(names: &[String]) -> Vec<String> {
    let mut free = FreeNames::default();
    names.iter().map(|it| free.give_any(it.clone())).collect()
}

// ---- from a kernel set ----

fn buffer_name(set: &KernelSet, buffer: ir::BufferId) -> String {
    set.body.name(set.body.buffers[buffer].name).to_owned()
}

fn root_name(set: &KernelSet, root: Root) -> String {
    match root {
        Root::Param(it) | Root::Alloc(it) => buffer_name(set, it),
        Root::Handle(it) => set.body.name(set.body.values[it].name).to_owned(),
    }
}

fn param(set: &KernelSet, it: &kernel::FunctionParam) -> manifest::Param {
    let value = set.body.name(set.body.values[it.value].name).to_owned();
    let kind = match it.buffer {
        Some(_) => manifest::ParamKind::Buffer,
        None if it.dtype == ir::DataType::HANDLE => manifest::ParamKind::Pointer,
        None => manifest::ParamKind::Scalar,
    };
    manifest::Param {
        name: it.buffer.map_or(value, |buffer| buffer_name(set, buffer)),
        kind,
        dtype: it.dtype.to_string(),
        shape: it.shape.iter().map(Expr::new).collect(),
    }
}

fn symbol(it: &kernel::Symbol) -> manifest::Symbol {
    manifest::Symbol {
        name: it.name.clone(),
        dtype: it.dtype.to_string(),
        from: match it.source {
            SymbolSource::Param(param) => manifest::SymbolFrom::Param(param),
            SymbolSource::Shape { param, dim } => manifest::SymbolFrom::Shape { param, dim },
            SymbolSource::Stride { param, dim } => manifest::SymbolFrom::Stride { param, dim },
            SymbolSource::ElemOffset { param } => manifest::SymbolFrom::ElemOffset { param },
            SymbolSource::Loop => manifest::SymbolFrom::Loop,
        },
    }
}

fn workspace(set: &KernelSet, it: &kernel::Workspace) -> manifest::Workspace {
    manifest::Workspace {
        name: buffer_name(set, it.buffer),
        dtype: it.dtype.to_string(),
        elements: Expr::new(&it.elements),
    }
}

fn kernel_entry(set: &KernelSet, kernel: &kernel::Kernel, code: &DeviceCode) -> manifest::Kernel {
    let extent = |axis: Axis| match kernel.dim(axis) {
        Some(dim) => Expr::new(&dim.extent),
        None => Expr::new(&crate::kernel::host::HostExpr::int(1, ir::DataType::INT32)),
    };
    manifest::Kernel {
        entry: String::new(),
        file: String::new(),
        hash: String::new(),
        arguments: kernel.params.iter().map(|it| argument(set, kernel, it)).collect(),
        grid: [Axis::BlockX, Axis::BlockY, Axis::BlockZ].map(extent),
        block: [Axis::ThreadX, Axis::ThreadY, Axis::ThreadZ].map(extent),
        static_shared_bytes: code.static_shared,
        dynamic_shared_bytes: code.dynamic_shared,
        binaries: Vec::new(),
        figures: None,
        bindings: code.bindings.clone(),
        features: code.features.iter().map(|it| it.name.clone()).collect(),
        lines: String::new(),
    }
}

fn argument(set: &KernelSet, kernel: &kernel::Kernel, param: &KernelParam) -> Argument {
    match param {
        KernelParam::Scalar { value, dtype, host } => Argument::Scalar {
            name: match value {
                kernel::ScalarSource::Value(it) => {
                    set.body.name(set.body.values[*it].name).to_owned()
                }
                kernel::ScalarSource::Field(_) => host.text(),
            },
            dtype: dtype.to_string(),
            value: Expr::new(host),
        },
        KernelParam::Pointer(root) => {
            let usage = kernel.root_use(*root);
            let written = usage.is_none_or(|it| it.written);
            let dtype = usage.map_or_else(|| "uint8".to_owned(), |it| it.dtypes[0].to_string());
            let name = root_name(set, *root);
            match root {
                Root::Alloc(buffer) if usage.is_none_or(|it| it.space == Space::Global) => {
                    let workspace = set.workspaces.iter().position(|it| it.buffer == *buffer);
                    Argument::Workspace { name, workspace: workspace.unwrap_or(0), dtype, written }
                }
                _ => {
                    let param = set.params.iter().position(|it| match root {
                        Root::Param(buffer) => it.buffer == Some(*buffer),
                        Root::Handle(value) => it.value == *value,
                        Root::Alloc(_) => false,
                    });
                    Argument::Buffer { name, param: param.unwrap_or(0), dtype, written }
                }
            }
        }
    }
}

/// The steps of the host; the checks that a kernel's code needs come before its launch.
fn steps(set: &KernelSet, steps: &[HostStep], checks: &[Vec<HostExpr>]) -> Vec<Step> {
    let mut out = Vec::new();
    for it in steps {
        let made = match it {
            HostStep::Launch(index) => {
                let checks = checks.get(*index).into_iter().flatten();
                out.extend(checks.map(|it| Step::Assert(Expr::new(it))));
                Step::Launch(*index)
            }
            HostStep::Loop { var, min, extent, steps } => Step::Loop {
                var: set.body.name(set.body.values[*var].name).to_owned(),
                min: Expr::new(min),
                extent: Expr::new(extent),
                steps: self::steps(set, steps, checks),
            },
            HostStep::If { condition, then, otherwise } => Step::If {
                condition: Expr::new(condition),
                then: self::steps(set, then, checks),
                otherwise: self::steps(set, otherwise, checks),
            },
            HostStep::Assert(condition) => Step::Assert(Expr::new(condition)),
        };
        out.push(made);
    }
    out
}

// ---- names put in ----

fn named_kernel(
    kernel: &manifest::Kernel,
    entry: String,
    put: &dyn Fn(&str) -> String,
    expr: &dyn Fn(&Expr) -> Expr,
) -> manifest::Kernel {
    let argument = |it: &Argument| {
        let mut it = it.clone();
        match &mut it {
            Argument::Buffer { name, .. } | Argument::Workspace { name, .. } => *name = put(name),
            Argument::Scalar { name, value, .. } => {
                *name = put(name);
                *value = expr(value);
            }
        }
        it
    };
    manifest::Kernel {
        entry,
        arguments: kernel.arguments.iter().map(argument).collect(),
        grid: kernel.grid.each_ref().map(expr),
        block: kernel.block.each_ref().map(expr),
        ..kernel.clone()
    }
}

fn named_step(step: &Step, put: &dyn Fn(&str) -> String, expr: &dyn Fn(&Expr) -> Expr) -> Step {
    let all = |steps: &[Step]| steps.iter().map(|it| named_step(it, put, expr)).collect();
    match step {
        Step::Launch(index) => Step::Launch(*index),
        Step::Loop { var, min, extent, steps } => {
            Step::Loop { var: put(var), min: expr(min), extent: expr(extent), steps: all(steps) }
        }
        Step::If { condition, then, otherwise } => {
            Step::If { condition: expr(condition), then: all(then), otherwise: all(otherwise) }
        }
        Step::Assert(condition) => Step::Assert(expr(condition)),
    }
}
