//! The device code of the function at a place.

mod expressions;
mod operations;

use codegen::{Options, Source, Target, Unsupported};
use db::{PlacedUnit, RootDatabase, SourceFile};
use ir::OpId;
use rules::Reason;
use syntax::{Form, TextRange, TextSize};

use crate::units::of_units;

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
    /// The parts that could not be lowered, with reasons.
    pub notes: Vec<String>,
    /// Lines of the text, from 0, with the place of the statement that each begins; one holds until the next.
    pub lines: Vec<(u32, TextSize)>,
    /// Lines that compute a value that the function computes several times.
    pub shared: Vec<SharedValue>,
}

/// A line of device code that computes a value that the function computes several times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedValue {
    /// Of the text, from 0.
    pub line: u32,
    /// The place where the statements start that use the value.
    pub places: Vec<TextSize>,
    /// The description of the step.
    pub text: String,
}

/// The device code of the unit at an offset.
pub(crate) fn view_device_code(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    target: Target,
    options: Options,
) -> Option<DeviceCodeView> {
    let at = db::unit_at(db, file, offset).filter(|it| !it.unit.is_frame(db))?.shown(db);
    let code = db::device_code(db, at.unit, target, options);
    match at.unit.form(db) {
        Form::Expressions => Some(expressions::view(db, &at, target, code)),
        Form::Operations => operations::view(db, &at, offset, target, code),
    }
}

impl DeviceCodeView {
    fn new(function: &str, target: Target) -> DeviceCodeView {
        DeviceCodeView {
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
            function: function.to_owned(),
            kernels: Vec::new(),
            notes: Vec::new(),
            lines: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// The line that comes next, from 0.
    fn n_lines(&self) -> u32 {
        u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX)
    }

    /// Adds the code of a function, with an empty line in front of each kernel but the first; `place` gives the place
    /// of an operation in the file.
    fn add(
        &mut self,
        sources: &[Source],
        body: &ir::Body,
        place: &dyn Fn(OpId) -> Option<TextSize>,
    ) {
        let ops: Vec<OpId> = body.ops_preorder().collect();
        let place = |number: &u32| place(*ops.get(*number as usize)?);
        for source in sources {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            let above = self.n_lines();
            self.text.push_str(&source.text);
            self.kernels.push(source.entry.clone());
            let lines = source.lines.iter();
            self.lines.extend(lines.filter_map(|(line, op)| Some((above + line - 1, place(op)?))));
            let rows: Vec<&str> = source.text.lines().collect();
            for shared in &source.shared {
                let mut places: Vec<TextSize> = shared.uses.iter().filter_map(place).collect();
                places.sort_unstable();
                places.dedup();
                // What is computed for others belongs to the first that needs it.
                if let Some(&first) = places.first() {
                    self.lines.push((above + shared.line - 1, first));
                }
                let row = rows.get(shared.line as usize - 1).copied().unwrap_or_default();
                let text = shared_text(row, shared.saved);
                self.shared.push(SharedValue { line: above + shared.line - 1, places, text });
            }
        }
    }

    /// Adds why there is no code.
    fn add_reasons(&mut self, reasons: &[Unsupported], place: &dyn Fn(OpId) -> Option<TextSize>) {
        for it in reasons {
            self.add_note(format!("{}: {}", it.reason, it.detail), it.op.and_then(place));
            self.add_help(it.reason);
        }
    }

    /// Adds the way out for a reason.
    fn add_help(&mut self, reason: Reason) {
        self.text.push_str(&format!("//   {}\n", reason.help()));
    }

    /// Adds a comment.
    fn add_note(&mut self, note: String, place: Option<TextSize>) {
        let line = self.n_lines();
        self.lines.extend(place.map(|it| (line, it)));
        self.text.push_str(&format!("// {}\n", note.replace(['\n', '\r'], " ")));
        self.notes.push(note);
    }

    fn finish(mut self) -> DeviceCodeView {
        if self.text.is_empty() {
            let note = format!("`{}` launches no threads: it has no kernel", self.function);
            self.add_note(note, None);
        }
        self.lines.sort_by_key(|it| it.0);
        self.lines.dedup_by_key(|it| it.0);
        self
    }
}

/// Returns the description of a line like `const int cse_v1 = bx * 1024 + tx;`.
fn shared_text(row: &str, saved: u32) -> String {
    let (left, value) = row.split_once(" = ").unwrap_or((row, ""));
    let name = left.split_whitespace().last().unwrap_or_default();
    let value = value.trim().trim_end_matches(';');
    let times = if saved == 1 { "evaluation" } else { "evaluations" };
    format!("`{name}` is `{value}`, computed once: saves {saved} {times}")
}

/// The code lens above a function that launches threads: the available code, and the number of values that are computed
/// once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceLens {
    /// The function's name.
    pub range: TextRange,
    /// The number of values that `cse` binds; 0 for kernels of MLIR.
    pub shared: usize,
    /// The structure of the function, as manifests of builds name it, if that was asked for.
    pub structure: Option<String>,
}

/// The functions of a file that launch threads. Nothing is generated: the answer is known for every open file.
pub(crate) fn device_lenses(
    db: &RootDatabase,
    file: SourceFile,
    with_structure: bool,
) -> Vec<DeviceLens> {
    let of_unit = |at: PlacedUnit<'_>| {
        let at = at.shown(db);
        if !db::has_kernels(db, at.unit) {
            return None;
        }
        let (shared, structure) = match at.unit.form(db) {
            Form::Expressions => expressions::lens(db, at.unit, with_structure),
            Form::Operations => operations::lens(db, at.unit, with_structure),
        };
        Some(DeviceLens { range: TextRange::empty(at.start()), shared, structure })
    };
    of_units(db, file, None, of_unit).flatten().collect()
}
