//! The instances of a program: values of captured names, and of `vscale`.
//!
//! In: a program that captures names. Out: for each of a few instances a value for each name, and the file in which the
//! function is with these values. In the first one all names of a kind are equal, and integers are 1; in the second all
//! are different. Functions stay unknown. A text is put into an instance as it is, so that one that was edited without
//! any knowledge of the values is run with them; only `vscale`, which no name of Python can be, is replaced in it.

use std::fmt::Write as _;

use super::{
    any,
    print::made_by,
    tree::{CaptureId, CaptureKind, Expr, ExprKind, Extent, Form, Program, StmtKind},
};

/// The number of instances of a program.
const INSTANCES: usize = 4;
const VSCALES: [u32; INSTANCES] = [1, 2, 4, 3];

/// Values for the unknown names of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Captured names and their values.
    values: Vec<(String, String)>,
    /// Captured names that stay unknown; none if nothing is captured.
    functions: Option<Vec<String>>,
    vscale: u32,
}

impl Program {
    /// Values for its unknown names; empty if there are none.
    pub fn instances(&self) -> Vec<Instance> {
        let captured = self.captured();
        if captured.is_empty() && !self.buffers.iter().any(|it| it.is_scalable) {
            return Vec::new();
        }
        (0..INSTANCES).map(|at| self.instance(&captured, at)).collect()
    }

    fn instance(&self, captured: &[CaptureId], at: usize) -> Instance {
        let is_function = |it: &&CaptureId| self.captures[**it].kind == CaptureKind::Callable;
        let value = |&it: &CaptureId| (self.capture(it), value(self.captures[it].kind, it, at));
        let functions = captured.iter().filter(is_function).map(|it| self.capture(*it)).collect();
        Instance {
            values: captured.iter().filter(|it| !is_function(it)).map(value).collect(),
            functions: (!captured.is_empty()).then_some(functions),
            vscale: VSCALES[at],
        }
    }

    /// The captured names that something uses.
    pub(super) fn captured(&self) -> Vec<CaptureId> {
        let mut is_used = vec![false; self.captures.len()];
        for extent in self.buffers.iter().flat_map(|it| &it.shape) {
            if let Extent::Times(capture, _) = extent {
                is_used[*capture] = true;
            }
        }
        let mut mark = |form: &Form| form.captures.iter().for_each(|it| is_used[*it] = true);
        any(&self.statements, &mut |stmt| {
            if let StmtKind::Form(form) = &stmt.kind {
                mark(form);
            }
            let mut of_expr = |it: &Expr| {
                if let ExprKind::Form(form) = &it.kind {
                    mark(form);
                }
                false
            };
            stmt.exprs.iter().for_each(|it| {
                it.any(&mut of_expr);
            });
            false
        });
        (0..is_used.len()).filter(|it| is_used[*it]).collect()
    }
}

impl Instance {
    /// The text of the function alone, each name replaced by its value: for readers that see no Python around a
    /// function.
    pub fn inlined(&self, function: &str) -> String {
        let mut text = String::new();
        let lines = self.with_vscale(function);
        for line in lines.trim_end().lines() {
            let line = match self.functions {
                Some(_) => line.strip_prefix("    ").unwrap_or(line),
                None => line,
            };
            let value = |word: &str| self.values.iter().find(|it| it.0 == word).map(|it| &*it.1);
            push_words(&mut text, line, value);
            text.push('\n');
        }
        text
    }

    fn with_vscale(&self, function: &str) -> String {
        let text = function.replace("T.vscale()", &self.vscale.to_string());
        text.replace("xvscalex4", &format!("x{}", 4 * self.vscale))
    }

    /// The file in which the text of a function is, with these values.
    pub fn file(&self, function: &str) -> String {
        let function = self.with_vscale(function);
        let mut text = String::from("from tvm.script import tirx as T\n");
        for (name, value) in &self.values {
            let _ = writeln!(text, "{name} = {value}");
        }
        match &self.functions {
            Some(functions) => made_by(&mut text, functions, &function),
            None => text = text + "\n" + &function + "\n",
        }
        text
    }
}

/// Writes a line, with other texts for some of its words.
fn push_words<'v>(text: &mut String, line: &str, value: impl Fn(&str) -> Option<&'v str>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |it| start + it);
        text.push_str(&rest[..start]);
        text.push_str(value(&rest[start..end]).unwrap_or(&rest[start..end]));
        rest = &rest[end..];
    }
    text.push_str(rest);
}

/// The value of a captured name in an instance.
fn value(kind: CaptureKind, id: CaptureId, instance: usize) -> String {
    let values: &[&str] = match kind {
        CaptureKind::DataType => {
            &["int8", "int16", "uint8", "int64", "float32", "uint32", "int32", "float64"]
        }
        CaptureKind::Word => &["uint32", "float32", "int32"],
        CaptureKind::Int => &["1", "2", "3", "4", "8"],
        CaptureKind::Text => &["first", "second", "third"],
        CaptureKind::Lanes => &["2", "4"],
        CaptureKind::Callable => &[],
    };
    let at = match instance {
        0 => 0,
        1 => id,
        2 => values.len() - 1 - id % values.len(),
        _ => values.len() - 1,
    };
    let value = values[at % values.len()];
    match kind {
        CaptureKind::Int | CaptureKind::Lanes => value.to_owned(),
        _ => format!("\"{value}\""),
    }
}
