//! Names of functions of Python: what a kernel, macro, factory or helper is, where it is defined and where it is used.

use std::sync::Arc;

use db::{Db as _, ModuleText, RootDatabase, SourceFile};
use frontend::tvmscript::{
    self,
    discover::callees::{Callable, CallableKind, FileCalls},
};
use syntax::{SyntaxKind as K, SyntaxNode, TextRange, TextSize};

use super::Hover;
use crate::shortened::shortened;

/// More of a signature is not shown.
const MAX_SIGNATURE: usize = 400;

/// Returns what the function is whose name is at an offset, as far as it is told in one place: where a kernel uses it,
/// and where a kernel, macro or factory is defined. Other functions of Python are left to Python tools.
pub(super) fn function_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<Hover> {
    let root = db::parse(db, file).syntax();
    let token = root.token_at_offset(offset).find(|it| it.kind() == K::IDENT)?;
    let range = token.text_range();
    let is_named = token.parent().is_some_and(|it| it.kind() == K::NAME);
    let calls = db::calls(db, file);
    if is_named {
        let it = &calls.callables[calls.named_at(offset)?];
        let markdown = (it.kind != CallableKind::Helper).then(|| text_of(&root, it, None))?;
        return Some(Hover { range, markdown });
    }
    let [place] = &db::name_places(db, file, offset)[..] else { return None };
    let markdown = match place.file.is_empty() {
        true => text_of(&root, named(&calls, place.range)?, None),
        false => {
            let (root, calls) = of_module(db, &place.file)?;
            let shown = db.modules().shown(&place.file);
            text_of(&root, named(&calls, place.range)?, Some(shown))
        }
    };
    Some(Hover { range, markdown })
}

/// The tree of another file, and the functions in it.
fn of_module(db: &RootDatabase, number: &Arc<str>) -> Option<(SyntaxNode, FileCalls)> {
    match db::module_text(db, number)? {
        ModuleText::Open(file) => Some((db::parse(db, file).syntax(), db::calls(db, file))),
        ModuleText::Closed(text) => {
            let parse = syntax::parse(&text);
            let calls = tvmscript::functions(&parse).calls(&parse.syntax());
            Some((parse.syntax(), calls))
        }
    }
}

/// The function whose name has a range.
fn named(calls: &FileCalls, range: TextRange) -> Option<&Callable> {
    calls.callables.iter().find(|it| it.name_range == range)
}

/// The signature of a function, and what it is.
fn text_of(root: &SyntaxNode, it: &Callable, file: Option<&str>) -> String {
    let covering = root.covering_element(it.name_range).parent();
    let definition = covering.and_then(|it| it.ancestors().find(|it| it.kind() == K::FUNCTION_DEF));
    let list = definition.and_then(|it| it.children().find(|it| it.kind() == K::PARAM_LIST));
    let list = list.map_or_else(String::new, |it| it.text());
    let list = shortened(&list, MAX_SIGNATURE);
    let what = match it.kind {
        CallableKind::Kernel => "kernel",
        CallableKind::Macro => "macro",
        CallableKind::Factory => "factory",
        CallableKind::Helper => "function of Python",
    };
    let around = it.path.rsplit_once('.').map(|it| it.0);
    let place = match (file, around) {
        (Some(file), _) => format!("imported from `{file}`"),
        (None, Some(around)) => format!("in `{around}`"),
        (None, None) => "of this file".to_owned(),
    };
    let more = match it.kind {
        CallableKind::Macro => ": its statements stand in the place of each call",
        CallableKind::Factory => ": a call of it makes the kernels inside",
        CallableKind::Kernel | CallableKind::Helper => "",
    };
    format!("```python\ndef {}{list}\n```\n{what} {place}{more}", it.name())
}
