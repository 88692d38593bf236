//! The device code of the function at a place.

use codegen::{Options, Source, Target};
use db::{RootDatabase, SourceFile};
use frontend::tvmscript::SourceMap;
use syntax::{TextRange, TextSize};

use crate::function_at::{FunctionAt, function_at, functions_in};

/// Device code as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceCodeView {
    /// The kernels, or comments that say why there are none.
    pub text: String,
    /// The editor's name of the language.
    pub language_id: &'static str,
    /// Name of the function.
    pub function: String,
    /// Names of the kernels.
    pub kernels: Vec<String>,
    /// What could not be lowered, and why.
    pub notes: Vec<String>,
    /// Lines of the text, from 0, with the place of the statement that each begins; one holds until the next.
    pub lines: Vec<(u32, TextSize)>,
    /// Lines that compute what the function computes several times.
    pub shared: Vec<SharedValue>,
}

/// A line of device code that computes what the function computes several times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedValue {
    /// Of the text, from 0.
    pub line: u32,
    /// Where the statements start that use the value.
    pub places: Vec<TextSize>,
    /// What was done, in words.
    pub text: String,
}

pub(crate) fn view_device_code(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    target: Target,
    options: Options,
) -> Option<DeviceCodeView> {
    let (at, _) = function_at(db, file, offset)?;
    let name = &at.function.source(db).name;
    let mut view = DeviceCodeView {
        text: String::new(),
        language_id: match target {
            Target::Cuda => "cuda-cpp",
            Target::OpenCl => "opencl",
            Target::Hip => "hip",
            Target::C => "c",
            // SPIR-V is binary: its text is that of the same module in WGSL.
            Target::Spirv | Target::Wgsl => "wgsl",
            Target::Metal => "metal",
        },
        function: name.to_string(),
        kernels: Vec::new(),
        notes: Vec::new(),
        lines: Vec::new(),
        shared: Vec::new(),
    };
    match db::device_code(db, at.function, target, options) {
        Ok(sources) if sources.is_empty() => {
            view.notes.push(format!("`{name}` launches no threads: it has no kernel"));
        }
        Ok(sources) => {
            let texts: Vec<&str> = sources.iter().map(|it| it.text.as_str()).collect();
            view.text = texts.join("\n");
            view.kernels = sources.iter().map(|it| it.entry.clone()).collect();
            add_places(db, at, sources, &mut view);
        }
        Err(reasons) => {
            let place = Places::new(db, at);
            for (it, row) in reasons.iter().zip(0..) {
                view.notes.push(format!("{}: {}", it.reason, it.detail));
                view.lines.extend(it.op.and_then(|op| Some((row, place.of(op)?))));
            }
        }
    }
    for note in &view.notes {
        view.text.push_str(&format!("// {}\n", note.replace(['\n', '\r'], " ")));
    }
    Some(view)
}

/// Where operations of a function stand in the file.
struct Places<'db> {
    source_map: &'db SourceMap,
    start: TextSize,
}

impl<'db> Places<'db> {
    fn new(db: &'db RootDatabase, at: FunctionAt<'db>) -> Places<'db> {
        Places { source_map: db::source_map(db, at.function), start: at.start }
    }

    /// None for an operation that no text shows.
    fn of(&self, op: ir::OpId) -> Option<TextSize> {
        let is_known = ir::arena::Id::index(op) < self.source_map.n_ops();
        is_known.then(|| self.source_map.op_range(op).start() + self.start)
    }
}

/// Where the lines of the kernels come from. They stand one after the other, with an empty line between them.
fn add_places(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    sources: &[Source],
    view: &mut DeviceCodeView,
) {
    let ops: Vec<ir::OpId> = db::body(db, at.function).ops_preorder().collect();
    let places = Places::new(db, at);
    let place = |number: &u32| places.of(*ops.get(*number as usize)?);
    let mut above = 0;
    for source in sources {
        let lines = source.lines.iter();
        view.lines.extend(lines.filter_map(|(line, op)| Some((above + line - 1, place(op)?))));
        let rows: Vec<&str> = source.text.lines().collect();
        for shared in &source.shared {
            let mut places: Vec<TextSize> = shared.uses.iter().filter_map(place).collect();
            places.sort_unstable();
            places.dedup();
            // What is computed for others belongs to the first that needs it.
            if let Some(&first) = places.first() {
                view.lines.push((above + shared.line - 1, first));
            }
            let row = rows.get(shared.line as usize - 1).copied().unwrap_or_default();
            let text = shared_text(row, shared.saved);
            view.shared.push(SharedValue { line: above + shared.line - 1, places, text });
        }
        above += rows.len() as u32 + 1;
    }
    view.lines.sort_by_key(|it| it.0);
    view.lines.dedup_by_key(|it| it.0);
}

/// What a line like `const int cse_v1 = bx * 1024 + tx;` is, in words.
fn shared_text(row: &str, saved: u32) -> String {
    let (left, value) = row.split_once(" = ").unwrap_or((row, ""));
    let name = left.split_whitespace().last().unwrap_or_default();
    let value = value.trim().trim_end_matches(';');
    let times = if saved == 1 { "evaluation" } else { "evaluations" };
    format!("`{name}` is `{value}`, computed once: saves {saved} {times}")
}

/// What stands above a function that launches threads: which code there is, and how many values are computed once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceLens {
    /// The function's name.
    pub range: TextRange,
    /// How many values `cse` binds.
    pub shared: usize,
    /// The structure of the function, as manifests of builds name it, if that was asked for.
    pub structure: Option<String>,
}

/// The functions of a file that launch threads. Nothing is generated: what is asked is known of every open file.
pub(crate) fn device_lenses(
    db: &RootDatabase,
    file: SourceFile,
    with_structure: bool,
) -> Vec<DeviceLens> {
    let mut lenses = Vec::new();
    for at in functions_in(db, file, None) {
        let body = db::body(db, at.function);
        if !codegen::launches(body) {
            continue;
        }
        let shared = db::cse_plan(db, at.function).bindings.len();
        let structure = if with_structure { codegen::build::structure(body) } else { None };
        lenses.push(DeviceLens { range: TextRange::empty(at.start), shared, structure });
    }
    lenses
}
