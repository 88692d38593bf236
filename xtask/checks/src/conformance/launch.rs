//! A launcher by the manifest: the host work of a function, as launches for the workers of devices.
//!
//! Input: a function of a manifest, the values of its parameters, the folder with the bytes. Output: launches in order,
//! with sizes and scalar arguments evaluated. Everything comes from the manifest, nothing from the IR: this is also the
//! test that a manifest is complete for a launcher. Sources are numbered as the function's kernels are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codegen::host::HostExpr;
use codegen::manifest::{Argument, Expr, Function, Step, SymbolFrom, Workspace};
use ir::DataType;
use serde_json::{Value, json};

use crate::conformance::inputs::Input as Made;

/// More launches than this are a mistake in the program or in us.
const MAX_LAUNCHES: usize = 10_000;

/// The launches of one call, whose arrays are the files of a folder.
pub(crate) fn launches(
    function: &Function,
    inputs: &[Made],
    dir: &Path,
) -> Result<Vec<Value>, String> {
    let (launches, workspaces) = launches_of(function, inputs, &|it| {
        json!({ "path": match it {
            Memory::Param(param) => dir.join(format!("{param}.bin")),
            Memory::Workspace(index) => workspace(dir, index),
        }})
    })?;
    for (index, size) in workspaces.into_iter().enumerate() {
        std::fs::write(workspace(dir, index), vec![0u8; size]).map_err(|it| it.to_string())?;
    }
    Ok(launches)
}

fn workspace(dir: &Path, index: usize) -> PathBuf {
    dir.join(format!("workspace{index}.bin"))
}

/// The memory that a kernel takes a pointer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The array of a parameter, by position.
    Param(usize),
    /// The memory for the time of a call, by number.
    Workspace(usize),
}

/// The launches of one call with pointers as `place` describes them, and the bytes of each workspace. Of arrays, only
/// the shapes are looked at.
pub(crate) fn launches_of(
    function: &Function,
    inputs: &[Made],
    place: &dyn Fn(Memory) -> Value,
) -> Result<(Vec<Value>, Vec<usize>), String> {
    let mut host = Host { function, inputs, place, symbols: BTreeMap::new(), launches: Vec::new() };
    host.bind_symbols()?;
    let workspaces = host.workspaces()?;
    host.run(&function.host)?;
    Ok((host.launches, workspaces))
}

struct Host<'a> {
    function: &'a Function,
    inputs: &'a [Made],
    place: &'a dyn Fn(Memory) -> Value,
    symbols: BTreeMap<String, i64>,
    launches: Vec<Value>,
}

impl Host<'_> {
    fn bind_symbols(&mut self) -> Result<(), String> {
        for symbol in &self.function.symbols {
            let value = match symbol.from {
                SymbolFrom::Param(param) => match self.inputs.get(param) {
                    Some(Made::Scalar(_, value)) => *value as i64,
                    _ => return Err(format!("{} is no number", symbol.name)),
                },
                SymbolFrom::Shape { param, dim } => match self.inputs.get(param) {
                    Some(Made::Array(array)) => *array.shape.get(dim).ok_or("no such extent")?,
                    _ => return Err(format!("{} has no extents", symbol.name)),
                },
                SymbolFrom::Stride { .. } => return Err("a stride as a symbol".to_owned()),
                SymbolFrom::ElemOffset { .. } => 0,
                SymbolFrom::Loop => continue,
            };
            self.symbols.insert(symbol.name.clone(), value);
        }
        Ok(())
    }

    fn workspaces(&self) -> Result<Vec<usize>, String> {
        let size = |workspace: &Workspace| {
            let elements = self.evaluate(&workspace.elements)?;
            let bytes = DataType::parse(&workspace.dtype).ok_or("an unknown type")?.bytes();
            Ok(usize::try_from(elements).map_err(|_| "a negative size")? * bytes)
        };
        self.function.workspaces.iter().map(size).collect()
    }

    fn run(&mut self, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Launch(index) => self.launch(*index)?,
                Step::Loop { var, min, extent, steps } => {
                    let (min, extent) = (self.evaluate(min)?, self.evaluate(extent)?);
                    for value in min..min.saturating_add(extent) {
                        self.symbols.insert(var.clone(), value);
                        self.run(steps)?;
                    }
                }
                Step::If { condition, then, otherwise } => {
                    let is_true = self.evaluate(condition)? != 0;
                    self.run(if is_true { then } else { otherwise })?;
                }
                Step::Assert(condition) => {
                    if self.evaluate(condition)? == 0 {
                        return Err(format!("the host stops: {}", condition.text));
                    }
                }
            }
        }
        Ok(())
    }

    fn launch(&mut self, index: usize) -> Result<(), String> {
        let kernel = self.function.kernels.get(index).ok_or("no such kernel")?;
        let mut global = Vec::new();
        let mut local = Vec::new();
        for (grid, block) in kernel.grid.iter().zip(&kernel.block) {
            let (grid, block) = (self.evaluate(grid)?, self.evaluate(block)?);
            if grid <= 0 || block <= 0 {
                return Ok(());
            }
            global.push(grid * block);
            local.push(block);
        }
        let mut arguments = Vec::new();
        for argument in &kernel.arguments {
            arguments.push(self.argument(argument)?);
        }
        if self.launches.len() >= MAX_LAUNCHES {
            return Err("too many launches".to_owned());
        }
        self.launches.push(json!({
            "kernel": kernel.entry,
            "source": index,
            "arguments": arguments,
            "global": global,
            "local": local,
            "shared_bytes": kernel.dynamic_shared_bytes,
        }));
        Ok(())
    }

    fn argument(&self, argument: &Argument) -> Result<Value, String> {
        Ok(match argument {
            Argument::Buffer { param, .. } => (self.place)(Memory::Param(*param)),
            Argument::Workspace { workspace, .. } => (self.place)(Memory::Workspace(*workspace)),
            Argument::Scalar { dtype, value, .. } => match self.float(value) {
                Some(number) => json!({ "dtype": dtype, "value": number }),
                None => json!({ "dtype": dtype, "value": self.evaluate(value)? }),
            },
        })
    }

    /// A float parameter that is passed on unchanged: the only floats a host computes with.
    fn float(&self, value: &Expr) -> Option<f64> {
        let HostExpr::Var { var, dtype } = &value.tree else { return None };
        if !DataType::parse(dtype)?.is_float() {
            return None;
        }
        let symbol = self.function.symbols.iter().find(|it| it.name == *var)?;
        match (&symbol.from, &self.inputs) {
            (SymbolFrom::Param(param), inputs) => match inputs.get(*param)? {
                Made::Scalar(_, number) => Some(*number),
                Made::Array(_) => None,
            },
            _ => None,
        }
    }

    fn evaluate(&self, value: &Expr) -> Result<i64, String> {
        value
            .tree
            .evaluate(&|name| self.symbols.get(name).copied())
            .ok_or_else(|| format!("the host cannot evaluate {}", value.text))
    }
}
