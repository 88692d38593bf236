//! The functions to run: lowered from sample files, with their stage and file.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    rc::Rc,
};

use frontend::tvmscript::{
    Edited, Environment, FileFunctions, FunctionItem, FunctionSource, Lowered, ReadBack,
    WrittenFunction, functions, lower,
};
use ir::Occurrences;

/// Stages whose functions the interpreter can execute.
pub(crate) const STAGES: [&str; 6] =
    ["unscheduled", "legalized", "scheduled_cpu", "scheduled_cuda", "lowered_cpu", "lowered_cuda"];

/// The place where to read, and how much to run.
pub(crate) struct Corpus {
    pub(crate) folder: PathBuf,
    /// Nodes times lanes that one run may evaluate.
    pub(crate) max_steps: u64,
    /// The factor by which a function that is run only once may take longer, where a test does that
    /// (`TIR_ORACLE_LARGER`).
    pub(crate) larger: u64,
    /// Returns true for the small run over the committed samples.
    pub(crate) is_small: bool,
}

impl Corpus {
    /// The committed samples; with `TIR_ORACLE_ALL=1` the folder that `TIR_ORACLE_CORPUS` names, thoroughly.
    pub(crate) fn chosen(small_steps: u64) -> Corpus {
        if std::env::var_os("TIR_ORACLE_ALL").is_none_or(|it| it != "1") {
            return Corpus {
                folder: tests::samples::corpus(),
                max_steps: small_steps,
                larger: 1,
                is_small: true,
            };
        }
        let folder = std::env::var_os("TIR_ORACLE_CORPUS")
            .map_or_else(tests::samples::corpus, PathBuf::from);
        let number = |name| std::env::var(name).ok().and_then(|it| it.parse().ok());
        let max_steps = number("TIR_ORACLE_STEPS").unwrap_or(100_000_000);
        let larger = number("TIR_ORACLE_LARGER").unwrap_or(10).max(1);
        Corpus { folder, max_steps, larger, is_small: false }
    }

    /// The files of a stage, in the order of their names; none if the stage is missing.
    pub(crate) fn files(&self, stage: &str) -> Vec<PathBuf> {
        test_utils::python_files(&self.folder.join(stage)).unwrap_or_default()
    }
}

/// A function of a file.
pub(crate) struct Function {
    /// `stage/file:function`
    pub(crate) name: String,
    pub(crate) lowered: Lowered,
    /// The text of its file.
    file: Rc<str>,
    range: Range<usize>,
    item: FunctionItem,
    around: Rc<FileFunctions>,
    /// Its place among the primitive functions of the file.
    index: usize,
}

impl Function {
    /// Its own text.
    pub(crate) fn text(&self) -> &str {
        &self.file[self.range.clone()]
    }

    /// The function as edits of its text take it.
    pub(crate) fn written<'a>(&'a self, occurrences: &'a Occurrences) -> WrittenFunction<'a> {
        let green = &self.item.source.green;
        WrittenFunction { green, text: self.text(), lowered: &self.lowered, occurrences }
    }

    /// The same with the meaning of its captured names, for edits that are read back at once.
    pub(crate) fn edited<'a>(
        &'a self,
        environment: &'a dyn Environment,
        occurrences: &'a Occurrences,
    ) -> Edited<'a> {
        Edited {
            source: &self.item.source,
            environment,
            lowered: &self.lowered,
            text: self.text(),
            occurrences,
            reading: ReadBack::Now,
        }
    }

    /// Its source, and the values of its captured names.
    pub(crate) fn source(&self) -> (&FunctionSource, impl Environment) {
        (&self.item.source, self.around.environment(&self.item))
    }

    /// The function after its text is replaced in the file, read again.
    pub(crate) fn reread(&self, new_text: &str) -> Option<Function> {
        let (before, after) = (&self.file[..self.range.start], &self.file[self.range.end..]);
        let text = format!("{before}{new_text}{after}");
        functions_of(&self.name, &text).into_iter().nth(self.index)
    }
}

/// All primitive functions of a text.
pub(crate) fn functions_of(prefix: &str, text: &str) -> Vec<Function> {
    let parse = syntax::parse(text);
    let file = Rc::new(functions(&parse));
    let text: Rc<str> = text.into();
    file.functions
        .iter()
        .filter(|item| item.source.kind == frontend::tvmscript::FunctionKind::PrimFunc)
        .enumerate()
        .map(|(index, item)| {
            let lowered = lower(&item.source, &file.environment(item));
            let name = format!("{prefix}:{}", lowered.body.name);
            let range = usize::from(item.range.start())..usize::from(item.range.end());
            let (item, around) = (item.clone(), file.clone());
            Function { name, lowered, file: text.clone(), range, item, around, index }
        })
        .collect()
}

/// All primitive functions of a file.
pub(crate) fn functions_of_file(stage: &str, path: &Path) -> Vec<Function> {
    let text = std::fs::read_to_string(path).expect("a sample can be read");
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    functions_of(&format!("{stage}/{stem}"), &text)
}
