//! The question, as a function of the language: one statement a condition, and one for the expression.

use anyhow::{Context as _, anyhow, bail};
use frontend::tvmscript::{self, Lowered, Severity};
use ir::{Body, ExprId, OpKind, guard::Stage};
use syntax::{SyntaxKind, TextRange, TextSize, syntax_errors};

use crate::cli::driver::unit::with_function;

/// An expression and the conditions at its place.
pub(super) struct Question {
    pub(super) body: Body,
    pub(super) given: Vec<ExprId>,
    pub(super) expr: ExprId,
}

/// One argument, and its code: names of functions have their `T.`.
struct Part {
    /// The name in messages.
    what: String,
    text: String,
    code: String,
    /// The place where in the code `T.` was put in, in bytes.
    inserted: Vec<usize>,
    /// Variables, in the order of the text.
    names: Vec<String>,
    /// The place where its code starts in the function's file; set when that is written.
    start: usize,
}

const BEFORE: &str = "    T.evaluate(";
const PREFIX: &str = "T.";

impl Question {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// The mistake in an argument, with its column.
    pub(super) fn read(
        expr: &str,
        given: &[String],
        vars: &[String],
        sizes: &[String],
    ) -> anyhow::Result<Question> {
        if expr.trim().is_empty() {
            bail!("there is no expression; write one, as `min(n, n + 1)`");
        }
        let mut parts: Vec<Part> = Vec::new();
        for name in sizes {
            let name = variable("--size", name)?;
            parts.push(Part::new(format!("--size {name}"), &format!("{name} >= 0")));
        }
        for (n, text) in given.iter().enumerate() {
            parts.push(Part::new(format!("condition {}", n + 1), text));
        }
        parts.push(Part::new("expression".to_owned(), expr));
        let text = function(&mut parts, &declarations(vars)?);
        let (lowered, start) = lower(&parts, &text)?;
        if let Some(it) = lowered.diagnostics.iter().find(|it| it.severity <= Severity::Warning) {
            return Err(refuse(&parts, it.range + start, &it.message, it.help.as_deref()));
        }
        let mut exprs = operands(&lowered.body, parts.len())?;
        let expr = exprs.pop().context("there is no expression")?;
        for (part, &condition) in parts.iter().zip(&exprs) {
            if !lowered.body.ty(condition).is_bool() {
                bail!("{}: `{}` is no condition; write a comparison", part.what, part.text);
            }
        }
        Ok(Question { body: lowered.body, given: exprs, expr })
    }
}

/// The name of an option's variable.
fn variable<'a>(option: &str, name: &'a str) -> anyhow::Result<&'a str> {
    let name = name.trim();
    let is_name = name.chars().all(|it| it.is_alphanumeric() || it == '_')
        && name.chars().next().is_some_and(|it| !it.is_numeric());
    if !is_name || name == "T" {
        bail!("{option}: `{name}` is no name of a variable");
    }
    Ok(name)
}

/// Names and types of `--var`.
fn declarations(vars: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let read = |it: &String| {
        let Some((name, dtype)) = it.split_once(':') else {
            bail!("--var: `{it}` says no type; write NAME:DTYPE, as `n:int64`");
        };
        let dtype = dtype.trim();
        if ir::DataType::parse(dtype).is_none() {
            bail!("--var: `{dtype}` is no type; write one as int32, int64, uint8, bool, float32");
        }
        Ok((variable("--var", name)?.to_owned(), dtype.to_owned()))
    };
    vars.iter().map(read).collect()
}

impl Part {
    fn new(what: String, text: &str) -> Part {
        let text = text.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
        let mut part = Part {
            what,
            text,
            code: String::new(),
            inserted: Vec::new(),
            names: Vec::new(),
            start: 0,
        };
        let tree = syntax::parse(&part.text);
        let tokens: Vec<_> =
            tree.syntax().tokens().filter(|it| it.kind() != SyntaxKind::WHITESPACE).collect();
        let mut copied = 0;
        for (n, token) in tokens.iter().enumerate() {
            let name = token.text();
            let is_after_dot = n > 0 && tokens[n - 1].kind() == SyntaxKind::DOT;
            if token.kind() != SyntaxKind::IDENT || is_after_dot || name == "T" {
                continue;
            }
            match tokens.get(n + 1).map(|it| it.kind()) {
                Some(SyntaxKind::L_PAREN) => {
                    let at = usize::from(token.text_range().start());
                    part.code.push_str(&part.text[copied..at]);
                    part.inserted.push(part.code.len());
                    part.code.push_str(PREFIX);
                    copied = at;
                }
                // The name of an argument.
                Some(SyntaxKind::EQ) => {}
                _ if !part.names.iter().any(|it| it == name) => {
                    part.names.push(name.to_owned());
                }
                _ => {}
            }
        }
        part.code.push_str(&part.text[copied..]);
        part
    }

    /// Characters of its text before a place of its code.
    fn column(&self, in_code: usize) -> usize {
        let inserted = self.inserted.iter().filter(|it| **it < in_code).count() * PREFIX.len();
        let at = in_code.saturating_sub(inserted).min(self.text.len());
        self.text.char_indices().take_while(|it| it.0 < at).count()
    }
}

/// The file: a function whose parameters are the variables.
fn function(parts: &mut [Part], declared: &[(String, String)]) -> String {
    let mut parameters: Vec<(&str, &str)> =
        declared.iter().map(|(name, dtype)| (name.as_str(), dtype.as_str())).collect();
    for name in parts.iter().flat_map(|it| &it.names) {
        if !parameters.iter().any(|it| it.0 == name) {
            parameters.push((name, "int32"));
        }
    }
    let parameters: Vec<String> =
        parameters.iter().map(|(name, dtype)| format!("{name}: T.{dtype}")).collect();
    let mut text = format!(
        "from tvm.script import tirx as T\n\n\n@T.prim_func\ndef expression({}):\n",
        parameters.join(", ")
    );
    for part in parts {
        text.push_str(BEFORE);
        part.start = text.len();
        text.push_str(&part.code);
        text.push_str(")\n");
    }
    text
}

fn lower(parts: &[Part], text: &str) -> anyhow::Result<(Lowered, TextSize)> {
    let tree = syntax::parse(text);
    if let Some(error) = syntax_errors(&tree.syntax()).first() {
        return Err(refuse(parts, error.range, &error.message, error.help));
    }
    let functions = tvmscript::functions(&tree);
    let [item] = &functions.functions[..] else {
        bail!("the expression is more than an expression");
    };
    let lowered = with_function(&functions, item, Stage::Reading, |it| it.lowered.clone());
    Ok((lowered.map_err(|failed| anyhow!(failed.report))?, item.range.start()))
}

/// The operands of the statements, if there is one for each part.
fn operands(body: &Body, n: usize) -> anyhow::Result<Vec<ExprId>> {
    let ops = &body.blocks[body.entry(body.root)].ops;
    let operand = |it: &ir::OpId| match (body.ops[*it].kind, &body.ops[*it].operands[..]) {
        (OpKind::Evaluate, &[operand]) => Some(operand),
        _ => None,
    };
    let exprs: Option<Vec<ExprId>> = ops.iter().map(operand).collect();
    exprs.filter(|it| it.len() == n).context("one of the arguments is more than one expression")
}

/// The number of characters that are shown on each side of a mistake.
const SHOWN: usize = 60;

/// Returns the part of a text around a column, and the number of characters in it before that column.
fn around(text: &str, column: usize) -> (String, usize) {
    let first = column.saturating_sub(SHOWN);
    let mut chars = text.chars().skip(first);
    let middle: String = chars.by_ref().take(column - first + SHOWN).collect();
    let (start, end) = (if first > 0 { "…" } else { "" }, chars.next().map_or("", |_| "…"));
    (format!("{start}{middle}{end}"), column - first + usize::from(first > 0))
}

/// An error at a range of the file, as one in the argument that it is in.
fn refuse(parts: &[Part], range: TextRange, message: &str, help: Option<&str>) -> anyhow::Error {
    let at = usize::from(range.start());
    let part = parts.iter().rev().find(|it| it.start <= at).or(parts.first());
    let help = help.map(|it| format!("\n  {it}")).unwrap_or_default();
    match part {
        Some(part) => {
            let column = part.column(at.saturating_sub(part.start));
            let (shown, before) = around(&part.text, column);
            let caret = " ".repeat(before);
            anyhow::anyhow!(
                "{}, column {}: {message}\n  {shown}\n  {caret}^{help}",
                part.what,
                column + 1,
            )
        }
        None => anyhow::anyhow!("{message}{help}"),
    }
}
