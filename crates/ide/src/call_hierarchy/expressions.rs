//! Calls of Python's names: in the files of the host, and from those that only the index of the workspace knows.

use db::{Database as _, ModuleText, SourceFile};
use frontend::tvmscript::{
    self,
    discover::callees::{Callable, Callee, FileCalls},
};
use syntax::{LineIndex, TextRange, TextSize};

use super::{CallEdge, CallFile, CallItem, CallPlace, CallTarget, World, add};
use crate::{
    FileId,
    outline::{ClosedCall, Spot},
    shortened::shown_name,
};

/// The function whose name, or a call of which, is at an offset.
pub(super) fn item_at(
    world: World<'_>,
    (id, file): (FileId, SourceFile),
    offset: TextSize,
) -> Option<CallItem> {
    let calls = db::calls(world.db, file);
    if let Some(number) = calls.named_at(offset) {
        return Some(own_item(id, &calls.callables[number]));
    }
    let site = calls.sites.iter().find(|it| it.range.contains_inclusive(offset))?;
    let words: Vec<&str> = site.words.iter().map(|it| &**it).collect();
    let callee = db::callee(world.db, file, site.scope, &words)?;
    item_of(world, (id, &calls), &callee)
}

/// A function of a file of the host.
fn own_item(id: FileId, it: &Callable) -> CallItem {
    CallItem {
        file: CallFile::Open(id),
        name: shown_name(it.name()).into(),
        path: it.path.clone(),
        kind: Some(it.kind),
        is_file: false,
        range: CallPlace::Range(it.range),
        selection: CallPlace::Range(it.name_range),
    }
}

/// A file itself: the caller of what stands outside of functions.
fn file_item(file: CallFile, start: CallPlace, all: CallPlace) -> CallItem {
    CallItem {
        file,
        name: "<file>".into(),
        path: "".into(),
        kind: None,
        is_file: true,
        range: all,
        selection: start,
    }
}

/// The function that a call in a file means.
fn item_of(
    world: World<'_>,
    (id, calls): (FileId, &FileCalls),
    callee: &Callee,
) -> Option<CallItem> {
    let named = |calls: &FileCalls| {
        let at = calls.callables.iter().rposition(|it| it.path == callee.path)?;
        Some(calls.callables[at].clone())
    };
    if callee.file.is_empty() {
        return Some(own_item(id, &named(calls)?));
    }
    match db::module_text(world.db, &callee.file)? {
        ModuleText::Open(file) => {
            let calls = db::calls(world.db, file);
            Some(own_item(world.id(file)?, &named(&calls)?))
        }
        ModuleText::Closed(text) => {
            let parse = syntax::parse(&text);
            let found = named(&tvmscript::functions(&parse).calls(&parse.syntax()))?;
            let spot = CallPlace::Spot(Spot::new(&LineIndex::new(&text), found.name_range));
            Some(CallItem {
                file: CallFile::Path(callee.file.clone()),
                name: shown_name(found.name()).into(),
                path: found.path.clone(),
                kind: Some(found.kind),
                is_file: false,
                range: spot,
                selection: spot,
            })
        }
    }
}

/// The functions that call a function.
pub(super) fn callers(world: World<'_>, target: &CallTarget) -> Vec<CallEdge> {
    let World { db, files, index } = world;
    // Its file, the path of that, and its own path.
    let (own, number, path) = match target {
        CallTarget::Elsewhere(number, path) => (None, Some(number.clone()), path.clone()),
        CallTarget::At(id, offset) => {
            let Some(&file) = files.get(id) else { return Vec::new() };
            let calls = db::calls(db, file);
            let Some(at) = calls.named_at(*offset) else { return Vec::new() };
            (Some(*id), file.path(db).clone(), calls.callables[at].path.clone())
        }
    };
    let name = path.rsplit('.').next().unwrap_or_default();
    let mut edges = Vec::new();
    for (id, file) in world.sorted() {
        db.unwind_if_revision_cancelled();
        let is_own = own == Some(id);
        let calls = db::calls(db, file);
        for site in &calls.sites {
            // An import may give it another name, but most calls are of something else.
            let words: Vec<&str> = site.words.iter().map(|it| &**it).collect();
            let is_candidate = words.contains(&name) || !is_own;
            let Some(callee) =
                is_candidate.then(|| db::callee(db, file, site.scope, &words)).flatten()
            else {
                continue;
            };
            let is_it = callee.path == path
                && match callee.file.is_empty() {
                    true => is_own,
                    false => number.as_ref() == Some(&callee.file),
                };
            if !is_it {
                continue;
            }
            let item = match site.caller {
                Some(caller) => own_item(id, &calls.callables[caller]),
                None => {
                    let all = db::parse(db, file).syntax().text_range();
                    let start = TextRange::empty(all.start());
                    let (start, all) = (CallPlace::Range(start), CallPlace::Range(all));
                    file_item(CallFile::Open(id), start, all)
                }
            };
            add(&mut edges, item, CallPlace::Range(site.range));
        }
    }
    if let Some(number) = number {
        for (id, closed) in index.closed() {
            let calls = closed.outline().calls;
            for call in calls.iter().filter(|it| means(it.path, &number, &path)) {
                edges_of_closed(&mut edges, id, call);
            }
        }
    }
    edges
}

/// Adds a call in a file that the host does not have.
fn edges_of_closed(edges: &mut Vec<CallEdge>, id: FileId, call: &ClosedCall<&str>) {
    let Some(caller) = &call.caller else {
        let start = CallPlace::Spot(Spot::start());
        let item = file_item(CallFile::Closed(id), start, start);
        return add(edges, item, CallPlace::Spot(call.spot));
    };
    let path = match caller.container {
        "" => caller.name.into(),
        around => format!("{around}.{}", caller.name).into(),
    };
    let spot = CallPlace::Spot(caller.spot);
    let item = CallItem {
        file: CallFile::Closed(id),
        name: shown_name(caller.name).into(),
        path,
        kind: None,
        is_file: false,
        range: spot,
        selection: spot,
    };
    add(edges, item, CallPlace::Spot(call.spot));
}

/// Returns true if the words of an import, with what is behind, can mean a function of a file: `ops.gemm.matmul` the
/// function `matmul` of `/src/ops/gemm.py`.
fn means(words: &str, file: &str, function: &str) -> bool {
    let module = file.strip_suffix(".py").unwrap_or(file);
    let module = module.strip_suffix("/__init__").unwrap_or(module);
    let Some(words) = words.strip_suffix(function).and_then(|it| it.strip_suffix('.')) else {
        return false;
    };
    let words = words.trim_start_matches('.').replace('.', "/");
    module.strip_suffix(&*words).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The functions that a function calls.
pub(super) fn callees(world: World<'_>, target: &CallTarget) -> Vec<CallEdge> {
    let CallTarget::At(id, offset) = target else { return Vec::new() };
    let Some(&file) = world.files.get(id) else { return Vec::new() };
    let calls = db::calls(world.db, file);
    let Some(caller) = calls.named_at(*offset) else { return Vec::new() };
    let mut edges = Vec::new();
    for site in calls.sites.iter().filter(|it| it.caller == Some(caller)) {
        let words: Vec<&str> = site.words.iter().map(|it| &**it).collect();
        let callee = db::callee(world.db, file, site.scope, &words);
        if let Some(item) = callee.and_then(|it| item_of(world, (*id, &calls), &it)) {
            add(&mut edges, item, CallPlace::Range(site.range));
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::means;

    #[test]
    fn words_of_an_import_mean_files_by_their_ends() {
        assert!(means("ops.gemm.matmul", "/w/ops/gemm.py", "matmul"));
        assert!(means(".gemm.matmul", "/w/ops/gemm.py", "matmul"));
        assert!(means("ops.matmul", "/w/ops/__init__.py", "matmul"));
        assert!(!means("ops.gemm.matmul", "/w/ops/hgemm.py", "matmul"));
        assert!(!means("ops.gemm.other", "/w/ops/gemm.py", "matmul"));
    }
}
