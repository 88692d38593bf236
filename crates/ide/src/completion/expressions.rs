//! The names of functions of statements: members of the script's namespaces (`T.`, `Tx.`), names of the function that
//! are in scope, and rules in comments that allow them. Names of the Python around are left to Python's own servers.

use std::collections::BTreeMap;

use db::{RootDatabase, SourceFile};
use frontend::tvmscript::{
    Capture, Definition, DefinitionKind, Namespace,
    diagnostics::{INTERNAL_ERROR, SYNTAX_ERROR},
    script_names::{self, ScriptNameKind},
    script_words,
};
use ir::plan::{COMMON_SUBEXPRESSION, simplify::SimplificationKind};
use syntax::{SyntaxKind as K, SyntaxNode, TextRange, TextSize};
use transform::findings::FindingKind;

use super::{Completion, CompletionKind, Completions, MAX_ITEMS, is_completion};
use crate::{hover, plan_text::PlanText, shortened::shortened, units::function_at};

/// More of a detail is not shown.
const MAX_DETAIL: usize = 80;

/// The text before the rules of a comment.
const ALLOW: &str = "allow(";

pub(super) fn completions(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Completions> {
    let root = db::parse(db, file).syntax();
    let token = root.token_at_offset(offset).left_biased()?;
    let before = &token.text()[..usize::from(offset - token.text_range().start())];
    let (prefix, items) = match token.kind() {
        K::COMMENT => (rule_prefix(before)?, rules_to_allow()),
        K::STRING => return None,
        _ => {
            let line = line_before(&root, offset);
            let (path, prefix) = dotted(&line);
            if prefix.starts_with(|it: char| it.is_ascii_digit()) {
                return None;
            }
            let items = match path {
                Some(path) => members(db, file, offset, path)?,
                None => names(db, file, offset)?,
            };
            (prefix.to_owned(), items)
        }
    };
    Some(completed(offset, &prefix, items))
}

/// The items that a prefix begins, best first.
fn completed(offset: TextSize, prefix: &str, mut items: Vec<Completion>) -> Completions {
    items.retain(|it| it.label != prefix && is_completion(&it.label, prefix));
    // Equally good ones stay in their order.
    items.sort_by_key(|it| !it.label.starts_with(prefix));
    let is_incomplete = items.len() > MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    let replaced = TextRange::new(offset - TextSize::of(prefix), offset);
    Completions { replaced, items, is_incomplete }
}

/// The text of the line before an offset.
fn line_before(root: &SyntaxNode, offset: TextSize) -> String {
    /// Longer lines are not looked at from their beginning.
    const MAX_LINE: u32 = 1000;
    let mut token = root.token_at_offset(offset).left_biased();
    let start = u32::from(offset).saturating_sub(MAX_LINE).into();
    // A token is a whole: its first byte is a place where a text can be cut.
    let mut from = offset;
    while let Some(it) = token {
        from = it.text_range().start();
        if from <= start || it.text().contains('\n') {
            break;
        }
        token = it.prev_token();
    }
    let text = root.text_in(TextRange::new(from, offset));
    text.rsplit('\n').next().unwrap_or_default().to_owned()
}

/// The name that ends a line, and what stands before its dot: `T.ptx.m` is `T.ptx` and `m`.
fn dotted(line: &str) -> (Option<&str>, &str) {
    let is_of_name = |it: char| it.is_alphanumeric() || it == '_';
    let path = &line[line.trim_end_matches(|it| is_of_name(it) || it == '.').len()..];
    match path.rsplit_once('.') {
        Some((path, prefix)) => (Some(path), prefix),
        None => (None, path),
    }
}

// ---- rules ----

/// The name of a rule that ends a comment: `# tir: allow(dead-store, may`.
fn rule_prefix(comment: &str) -> Option<String> {
    let (_, rest) = comment.rsplit_once("tir:")?;
    let (_, list) = rest.rsplit_once(ALLOW)?;
    let name = list.rsplit(',').next()?.trim_start();
    (!list.contains(')')).then(|| name.to_owned())
}

/// The rules that can be allowed, by name: all that is told of a function, but for text that cannot be read and
/// mistakes of ours.
fn rules_to_allow() -> Vec<Completion> {
    let of_findings = FindingKind::ALL.iter().map(|it| it.rule());
    let simplifications = SimplificationKind::ALL.iter().map(|it| it.rule());
    let simplifications = simplifications.filter(|it| it.level.is_some());
    let diagnostics = frontend::tvmscript::diagnostics::ALL.iter();
    let diagnostics = diagnostics.filter(|it| ![INTERNAL_ERROR, SYNTAX_ERROR].contains(&it.name));
    let all = [&COMMON_SUBEXPRESSION].into_iter().chain(of_findings);
    let all = all.chain(simplifications).chain(diagnostics);
    let by_name: BTreeMap<&str, &str> = all.map(|it| (it.name, it.summary)).collect();
    let item = |(name, summary): (&str, &str)| Completion {
        label: name.to_owned(),
        kind: CompletionKind::Rule,
        detail: Some(shortened(summary, MAX_DETAIL)),
        documentation: None,
    };
    by_name.into_iter().map(item).collect()
}

// ---- members of namespaces ----

/// The names behind `T.` or a part of it; none if the path means no namespace of the script.
fn members(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    path: &str,
) -> Option<Vec<Completion>> {
    let (at, _) = function_at(db, file, offset)?;
    let (head, part) = path.split_once('.').unwrap_or((path, ""));
    let Capture::Namespace(space) = db::meaning(db, at.unit, head) else { return None };
    let names = script_names::names(space);
    let mut items: BTreeMap<&str, Completion> = BTreeMap::new();
    for (name, kind) in &names {
        let inside = match part {
            "" => Some(&**name),
            part => name.strip_prefix(part).and_then(|it| it.strip_prefix('.')),
        };
        let Some(inside) = inside.filter(|it| !it.is_empty()) else { continue };
        let (label, is_part) = match inside.split_once('.') {
            Some((label, _)) => (label, true),
            None => (inside, false),
        };
        if is_part && items.contains_key(label) {
            continue;
        }
        let kind = if is_part { CompletionKind::Dialect } else { kind_of(*kind) };
        let detail = (!is_part).then(|| signature(space, name)).flatten();
        let documentation = (!is_part).then(|| script_words::sentence(space, name)).flatten();
        items.insert(label, Completion { label: label.to_owned(), kind, detail, documentation });
    }
    Some(items.into_values().collect())
}

fn kind_of(kind: ScriptNameKind) -> CompletionKind {
    match kind {
        ScriptNameKind::Form => CompletionKind::Form,
        ScriptNameKind::Type => CompletionKind::Type,
        ScriptNameKind::Operator => CompletionKind::Operation,
    }
}

/// `(a, b)`
fn signature(space: Namespace, name: &str) -> Option<String> {
    let parameters = script_names::parameters(space, name)?;
    Some(shortened(&format!("({})", parameters.join(", ")), MAX_DETAIL))
}

// ---- names in scope ----

/// The names that the function defines and that can be used at an offset, the nearest first.
fn names(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<Vec<Completion>> {
    let (at, inner) = function_at(db, file, offset)?;
    let text = PlanText::new(db, at.unit);
    let root = at.unit.green(db).syntax();
    let is_ours = |it: &&Definition| it.kind != DefinitionKind::Captured && !it.name.is_empty();
    let visible =
        text.map.definitions().iter().filter(is_ours).filter(|it| {
            it.range.end() < inner && scope_of(&root, it.range).contains_inclusive(inner)
        });
    let mut nearest: Vec<&Definition> = visible.collect();
    nearest.sort_by_key(|it| std::cmp::Reverse(it.range.start()));
    let mut items: Vec<Completion> = Vec::new();
    for it in nearest {
        if items.iter().any(|other| other.label == *it.name) {
            continue;
        }
        let detail = hover::type_of(&text, it).map(|it| shortened(&it, MAX_DETAIL));
        let kind = match it.buffer {
            Some(_) => CompletionKind::Buffer,
            None => CompletionKind::Value,
        };
        items.push(Completion { label: it.name.to_string(), kind, detail, documentation: None });
    }
    Some(items)
}

/// The part of a function in which a name is known that is defined in it: the block, the loop, the `with`, or all.
fn scope_of(root: &SyntaxNode, definition: TextRange) -> TextRange {
    let is_scope = |it: &SyntaxNode| {
        matches!(it.kind(), K::BLOCK | K::FOR_STMT | K::WITH_STMT | K::FUNCTION_DEF)
    };
    let element = root.covering_element(definition);
    let node = element.as_node().cloned().or_else(|| element.parent());
    let around = node.into_iter().flat_map(|it| it.ancestors()).find(is_scope);
    around.map_or(root.text_range(), |it| it.text_range())
}
