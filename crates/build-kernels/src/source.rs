//! From the text of a file to its functions, for a build.
//!
//! In: text of TVMScript. Out: each function with a hash of all that its body depends on, and a way to its body. A
//! function depends on its own text and on the rest of its file: its possible captures are hashed with it. Where a file
//! imports others of the workspace, its functions are lowered once to see which of these they ask for; those are hashed
//! too. Nothing of the Python around functions is executed. Linear in the text; else a body is lowered only when it is
//! asked for.

use std::sync::Arc;

use codegen::{
    build::{Broken, Place, SourceBody, SourceFunction, hash_of},
    reasons::HAS_ERRORS,
};
use frontend::tvmscript::{
    Context, FileFunctions, ForeignCall, FunctionItem, FunctionKind, Instance, Request,
};
use ir::effects::EffectTable;
use pipeline::expressions;
use syntax::{ColumnEncoding, LineIndex, TextSize};

use crate::imports::Imports;

/// Version of this crate and those below it that read texts.
pub(crate) const READER: &str = env!("READER_SOURCES");

/// A file that was parsed.
pub(crate) struct Module {
    lines: LineIndex,
    functions: FileFunctions,
    /// For each function, the hash of all that its body depends on.
    hashes: Vec<[u8; 32]>,
    /// The instances of factories, in the order of the calls; then those that other files call for, then those that are
    /// asked for.
    instances: Vec<Instance>,
    /// A hash of what it imports, if it imports files of the workspace.
    pub(crate) imported: Option<[u8; 32]>,
}

/// The knowledge besides the text of a file.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) effects: &'a Arc<EffectTable>,
    /// The instances that are asked for.
    pub(crate) requests: &'a [Request],
    /// The instances that calls in other files make.
    pub(crate) called: &'a [Request],
    pub(crate) imports: Option<&'a Arc<Imports>>,
}

impl Module {
    /// Reads a text; an error is about the arguments of an instance that is asked for.
    pub(crate) fn read(text: &str, around: Surroundings<'_>) -> Result<Module, String> {
        let Surroundings { effects, requests, called, imports } = around;
        let mut functions = expressions::functions(&syntax::parse(text), effects);
        if let Some(imports) = imports {
            functions = functions.with_modules(imports.clone());
        }
        let instances = instances(&functions, called, requests)?;
        let imported = imports.and_then(|it| imported(&functions, &instances, it));
        let rest = hash_of_the_rest(&functions, text);
        let hash = |item: &FunctionItem| {
            hash_of(&[
                READER.as_bytes(),
                effects.rows_of_user().as_bytes(),
                &rest,
                &[item.source.dialect as u8],
                text[item.range].as_bytes(),
                imported.as_ref().map_or(&[], |it| &it[..]),
            ])
        };
        let hashes = functions.functions.iter().map(hash).collect();
        Ok(Module { lines: LineIndex::new(text), functions, hashes, instances, imported })
    }

    /// The calls of factories of other files: the file, and the call.
    pub(crate) fn calls_with(&self, imports: &Imports) -> Vec<(String, String)> {
        let calls = self.functions.foreign_calls(Context { modules: imports, instance: None });
        let call = |it: &ForeignCall| {
            let (file, request) = it.target()?;
            let text = request.to_string();
            // A call that cannot be written is none.
            (Request::parse(&text).ok()? == request).then(|| (file.to_string(), text))
        };
        calls.iter().filter_map(call).collect()
    }

    /// Returns true if nothing that it imports is in the workspace.
    pub(crate) fn is_alone(&self, imports: &Imports) -> bool {
        n_known(&self.functions, imports) == 0
    }

    /// The functions of TIR, in the order of their places: of one in a factory that has instances, these.
    pub(crate) fn functions(&self) -> Vec<SourceFunction<'_>> {
        let mut found = Vec::new();
        for (item, hash) in self.functions.functions.iter().zip(&self.hashes) {
            if item.source.kind != FunctionKind::PrimFunc {
                continue;
            }
            let before = found.len();
            for instance in instances_around(&self.instances, &item.source.key.path) {
                let shown = instance.to_string();
                found.push(SourceFunction {
                    name: format!("{}[{}]", item.source.name, instance.arguments()),
                    text: hash_of(&[hash, shown.as_bytes()]),
                    ..self.function(item, hash, Some(instance))
                });
            }
            if found.len() == before {
                found.push(self.function(item, hash, None));
            }
        }
        found
    }

    fn function<'a>(
        &'a self,
        item: &'a FunctionItem,
        hash: &[u8; 32],
        instance: Option<&'a Instance>,
    ) -> SourceFunction<'a> {
        SourceFunction {
            name: item.source.name.to_string(),
            text: *hash,
            first_line: self.line(item.range.start()) + 1,
            name_at: self.place(item, item.source.name_range.start()),
            body: Box::new(move || self.body(item, instance)),
        }
    }

    fn line(&self, offset: TextSize) -> u32 {
        self.lines.line_col(offset, ColumnEncoding::Utf8).line
    }

    /// The place of an offset from the start of a function.
    fn place(&self, item: &FunctionItem, offset: TextSize) -> Place {
        let start = item.range.start();
        place(&self.lines, self.line(start), start + offset)
    }

    fn body(&self, item: &FunctionItem, instance: Option<&Instance>) -> Result<SourceBody, Broken> {
        let environment = self.functions.environment_in(item, instance);
        let lowered = expressions::try_lower(&item.source, &environment)
            .map_err(|panicked| Broken::of_panic(&panicked))?;
        if let Some(error) = expressions::first_error(&lowered) {
            return Err(Broken {
                reason: HAS_ERRORS,
                detail: error.message.clone(),
                place: Some(self.place(item, error.range.start())),
            });
        }
        let place = |op| self.place(item, lowered.source_map.op_range(op).start());
        let places = lowered.body.ops_preorder().map(|op| (op, place(op))).collect();
        Ok(SourceBody { body: lowered.body, places })
    }
}

/// The instances of the factories of a file.
fn instances(
    functions: &FileFunctions,
    called: &[Request],
    requests: &[Request],
) -> Result<Vec<Instance>, String> {
    let factories = functions.factories(functions.context());
    let asked = functions.asked_instances(&factories, functions.context());
    let mut instances = [asked.called, asked.tested].concat();
    let more = functions.instances_of_calls(&factories, called).into_iter().map(Ok);
    for asked in more.chain(functions.requested_instances(&factories, requests)) {
        let asked = asked?;
        if !instances.contains(&asked) {
            instances.push(asked);
        }
    }
    Ok(instances)
}

/// The instances of the factories around a function, but for those that others are made in.
fn instances_around<'a>(instances: &'a [Instance], path: &str) -> Vec<&'a Instance> {
    let all: Vec<&Instance> = instances.iter().filter(|it| it.is_around(path)).collect();
    let is_last = |it: &&&Instance| !all.iter().any(|inner| inner.is_made_in(it));
    all.iter().filter(is_last).copied().collect()
}

/// The number of imports of a file that mean something of the workspace. Each is asked for, so that it is noticed when
/// one appears.
fn n_known(functions: &FileFunctions, imports: &Imports) -> usize {
    functions.scopes().imports().into_iter().filter(|it| imports.is_known(it)).count()
}

/// A hash of what the functions of a file import; none if nothing that it imports is in the workspace.
fn imported(
    functions: &FileFunctions,
    instances: &[Instance],
    imports: &Imports,
) -> Option<[u8; 32]> {
    (n_known(functions, imports) > 0).then_some(())?;
    for item in functions.functions.iter().filter(|it| it.source.kind == FunctionKind::PrimFunc) {
        let around = instances_around(instances, &item.source.key.path);
        let mut all: Vec<Option<&Instance>> = around.into_iter().map(Some).collect();
        if all.is_empty() {
            all.push(None);
        }
        for instance in all {
            // A function that cannot be read is reported when its body is asked for.
            let _ = expressions::try_lower(&item.source, &functions.environment_in(item, instance));
        }
    }
    Some(imports.digest())
}

/// The place of an offset in the file, in a function that begins in the line `first`.
pub(crate) fn place(lines: &LineIndex, first: u32, offset: TextSize) -> Place {
    let at = lines.line_col(offset, ColumnEncoding::Utf32);
    Place { line: at.line.saturating_sub(first), column: at.col + 1 }
}

/// Hashes the inputs of functions besides their own text: everything of the file outside its TIR functions, the macros,
/// and the signatures of the functions.
fn hash_of_the_rest(functions: &FileFunctions, text: &str) -> [u8; 32] {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut done = 0;
    for item in &functions.functions {
        if item.source.kind != FunctionKind::PrimFunc || usize::from(item.range.start()) < done {
            continue;
        }
        parts.push(text.as_bytes()[done..item.range.start().into()].to_vec());
        let seen = functions.capture(item.scope, &item.source.name).capture;
        parts.push(format!("{seen:?}").into_bytes());
        done = item.range.end().into();
    }
    parts.push(text.as_bytes()[done..].to_vec());
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    hash_of(&parts)
}
