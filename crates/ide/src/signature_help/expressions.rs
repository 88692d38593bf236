//! Signatures of calls in Python: forms and operators of the script, macros and helpers in kernels; factories and
//! macros of the file also outside of them. All else is left to Python tools.

use std::ops::Range;

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::{
    Capture,
    discover::callees::{CallableKind, words},
    script_names, script_words,
};
use syntax::{Green, SyntaxKind as K, SyntaxNode, TextSize};

use super::SignatureHelp;
use crate::{script_name, units::function_at};

/// A call whose arguments are being written.
struct Call {
    callee: SyntaxNode,
    arguments: SyntaxNode,
}

pub(super) fn signature_help(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<SignatureHelp> {
    let call = call_at(&db::parse(db, file).syntax(), offset)?;
    let (words, range) = words(&call.callee)?;
    let words: Vec<&str> = words.iter().map(|it| &**it).collect();
    let (parameters, documentation) = match function_at(db, file, offset) {
        Some((at, _)) => match db::meaning(db, at.unit, words[0]) {
            Capture::Namespace(space) => {
                let name = words[1..].join(".");
                let form = script_names::form(space, &name);
                let table = file.configuration(db).dialects(db).effects.as_ref();
                let effects = form.and_then(|form| script_name::effects(table, &form));
                let said = script_words::sentence(space, &name).into_iter().chain(effects);
                let said: Vec<String> = said.collect();
                let documentation = (!said.is_empty()).then(|| said.join("\n\n"));
                (script_names::parameters(space, &name)?, documentation)
            }
            _ => (parameters_of(&db::callee_in(db, at.unit, &words)?.green), None),
        },
        None => {
            let calls = db::calls(db, file);
            let site = calls.sites.iter().find(|it| it.range == range)?;
            let callee = db::callee(db, file, site.scope, &words)?;
            let ours = calls.callables.iter().filter(|it| it.kind != CallableKind::Helper);
            ours.filter(|_| callee.file.is_empty()).find(|it| it.path == callee.path)?;
            (parameters_of(&callee.green), None)
        }
    };
    let mut help = with_label(&words.join("."), &parameters, documentation);
    help.active = active(&call.arguments, offset, &parameters);
    Some(help)
}

/// The innermost call whose parentheses are around an offset, closed or not.
fn call_at(root: &SyntaxNode, offset: TextSize) -> Option<Call> {
    let mut token = root.token_at_offset(offset).left_biased()?;
    if token.kind() == K::COMMENT {
        return None;
    }
    // Space behind an open parenthesis may belong to the statement.
    while token.kind().is_trivia() || token.text_range().start() >= offset {
        token = token.prev_token()?;
    }
    token.parent()?.ancestors().find_map(|arguments| {
        let range = arguments.text_range();
        let is_closed = arguments.last_token().is_some_and(|it| it.text() == ")");
        let is_around = range.start() < offset && (!is_closed || offset < range.end());
        let callee = arguments.parent().filter(|it| it.kind() == K::CALL_EXPR)?.first_child()?;
        (arguments.kind() == K::ARG_LIST && is_around).then_some(Call { callee, arguments })
    })
}

/// The parameters of a `def`, as they are written.
fn parameters_of(definition: &Green) -> Vec<String> {
    let root = definition.syntax();
    let list = root.children().find(|it| it.kind() == K::PARAM_LIST);
    let text = |it: SyntaxNode| it.text().split_whitespace().collect::<Vec<_>>().join(" ");
    list.iter().flat_map(SyntaxNode::children).map(text).collect()
}

fn with_label(name: &str, parameters: &[String], documentation: Option<String>) -> SignatureHelp {
    let mut label = format!("{name}(");
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (number, it) in parameters.iter().enumerate() {
        if number > 0 {
            label.push_str(", ");
        }
        let start = label.len();
        label.push_str(it);
        if is_parameter(it) {
            ranges.push(start..label.len());
        }
    }
    label.push(')');
    SignatureHelp { label, parameters: ranges, active: None, documentation }
}

/// Returns true if it is no mark between parameters.
fn is_parameter(text: &str) -> bool {
    !matches!(text, "*" | "/")
}

/// The name of a parameter by its text.
fn name_of(parameter: &str) -> &str {
    parameter.trim_start_matches('*').split([':', '=', ' ']).next().unwrap_or_default()
}

/// The number of the parameter that is written at an offset.
fn active(arguments: &SyntaxNode, offset: TextSize, parameters: &[String]) -> Option<usize> {
    let is_here = |it: &SyntaxNode| it.text_range().contains_inclusive(offset);
    let argument = arguments.children().find(|it| it.kind() == K::ARG && is_here(it));
    let keyword = argument.and_then(|it| {
        let has_mark = it.children_with_tokens().any(|it| it.kind() == K::EQ);
        it.first_child().filter(|name| has_mark && name.kind() == K::NAME_REF)
    });
    let real = || parameters.iter().filter(|it| is_parameter(it));
    if let Some(keyword) = keyword {
        let keyword = keyword.text();
        return real().position(|it| name_of(it) == keyword);
    }
    let commas = arguments.children_with_tokens().filter(|it| it.kind() == K::COMMA);
    let number = commas.filter(|it| it.text_range().start() < offset).count();
    let rest = real().position(|it| it.starts_with('*') && !it.starts_with("**"));
    let mark = parameters.iter().filter(|it| *it != "/").position(|it| it == "*");
    let n_positions = rest.or(mark).unwrap_or_else(|| real().count());
    match number < n_positions {
        true => Some(number),
        false => rest,
    }
}
