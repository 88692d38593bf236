#![doc = include_str!("../README.md")]

mod attribute_names;
mod call_hierarchy;
mod code_action;
mod code_actions;
mod completion;
mod deciding_fact;
mod device_code;
mod diagnostic;
mod diagnostics;
mod document_links;
mod document_symbols;
mod elsewhere;
mod expectations;
mod explain;
mod facts;
mod finding_actions;
mod finding_levels;
mod finding_text;
mod findings_at;
mod folding_ranges;
mod format;
mod guarded;
mod highlight;
mod host;
mod hover;
mod ignore;
mod inlay_hints;
mod inline;
mod integer_facts;
mod kept;
mod lacking;
mod missing_facts;
mod names;
mod navigation;
mod outline;
mod pace;
mod packed;
mod plan_text;
mod preview;
mod readers;
mod rename;
mod script_name;
mod selection_ranges;
mod semantic_tokens;
mod settings_rows;
mod shortened;
mod signature_help;
mod simplifications;
#[cfg(test)]
mod tests;
mod tiles;
mod units;
mod value_facts;
mod warming;
mod workspace_symbols;

use std::{cell::RefCell, ops::Range, panic::AssertUnwindSafe, sync::Arc};

use db::{Database as _, RootDatabase, SourceFile};
use rustc_hash::FxHashMap;

pub use codegen::{OptionValues, Target, TargetOptions};
pub use db::{Dialects, FactoryInstances, Work};
pub use frontend::tvmscript::{
    Arguments, Constant, Instance, Request, discover::callees::CallableKind,
};
use frontend::tvmscript::{ForeignCall, ReadBack};
pub use ir::effects::{EffectError, EffectRow, EffectRows, EffectTable, MatchKind, Namespace};
use ir::guard::Panicked;
pub use ir::plan::{Downstream, Equivalence, Preset, simplify::SimplificationKind};
pub use syntax::{
    Diagnostic, Edit, Language, LineCol, LineIndex, Parse, Severity, Shapes, TextRange, TextSize,
};
pub use transform::{
    cse::CseOptions,
    findings::{FindingKind, FindingKinds, FindingOptions},
    ops::OpOptions,
    ops::findings::{OpFindingKind, StatedFacts},
    passes::Pass,
};

pub use crate::{
    call_hierarchy::{CallEdge, CallFile, CallItem, CallPlace, CallTarget},
    code_action::{ActionKind, CodeAction},
    completion::{Completion, CompletionKind, Completions},
    device_code::{DeviceCodeView, DeviceLens, SharedValue},
    diagnostic::{COMMON_SUBEXPRESSION, DiagnosticsConfig, Worth},
    document_links::DocumentLink,
    document_symbols::{DocumentSymbol, SymbolKind},
    elsewhere::{ClosedFile, WorkspaceIndex},
    expectations::Reported,
    explain::Explanation,
    facts::{LineFacts, MemoryVersion},
    finding_levels::FindingLevels,
    findings_at::{FindingAt, RelatedPlace},
    folding_ranges::Fold,
    format::FormatRefusal,
    highlight::{Access, Highlight},
    host::{AnalysisHost, Group, Settings},
    hover::{Hover, NOT_THE_SAME, effects_text},
    inlay_hints::{InlayHint, InlayHintsConfig, LabelPart},
    integer_facts::{IntegerFacts, RewriteStep},
    kept::Elsewhere,
    names::operations::{
        CallerPlace, SharedSymbol, SymbolPart, SymbolPlace, SymbolRole, linked_files, linked_places,
    },
    navigation::DefinitionPlace,
    outline::Spot,
    pace::Pace,
    preview::{PassPreview, Stage, preview, preview_operations},
    readers::CancellationToken,
    semantic_tokens::{SemanticToken, TokenKind},
    settings_rows::SettingsRow,
    shortened::shortened,
    signature_help::SignatureHelp,
    units::KernelAt,
    value_facts::{KnownFact, MissingFact, ValueFacts},
    workspace_symbols::{OrderedRange, WorkspacePlace, WorkspaceSymbol},
};

/// A file, by a number that its owner chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// The state changed while a question was answered, or the request was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled;

/// The result of a query, unless it was cancelled.
pub type Cancellable<T> = Result<T, Cancelled>;

/// The options of the analyses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// How common subexpressions are planned.
    pub cse: CseOptions,
    /// The findings to report besides common subexpressions.
    pub findings: FindingOptions,
    /// How equal and dead operations of MLIR are planned.
    pub ops: OpOptions,
}

impl Default for Config {
    fn default() -> Config {
        let findings =
            FindingOptions { kinds: FindingLevels::default().kinds(), ..FindingOptions::default() };
        Config { cse: CseOptions::default(), findings, ops: OpOptions::default() }
    }
}

/// A snapshot of the world. All questions are asked here; a question about a file that is not there has an empty
/// answer. Positions are offsets of the file.
pub struct Analysis {
    // Dropped in this order: the reader is gone once its database is.
    db: RootDatabase,
    files: Arc<FxHashMap<FileId, SourceFile>>,
    index: Arc<elsewhere::Index>,
    token: CancellationToken,
    lost: RefCell<Vec<Panicked>>,
    _lease: readers::Lease,
}

impl Analysis {
    /// Common subexpressions to show in a range, or in the whole file.
    pub fn inlay_hints(
        &self,
        file: FileId,
        range: Option<TextRange>,
        config: &InlayHintsConfig,
    ) -> Cancellable<Vec<InlayHint>> {
        self.inlay_hints_paced(file, range, config, &Pace::default())
    }

    /// Like [`Analysis::inlay_hints`], of as many functions as the pace allows.
    pub fn inlay_hints_paced(
        &self,
        file: FileId,
        range: Option<TextRange>,
        config: &InlayHintsConfig,
        pace: &Pace<'_>,
    ) -> Cancellable<Vec<InlayHint>> {
        self.ask(file, |db, file| inlay_hints::inlay_hints(db, file, range, config, pace))
    }

    /// Returns the code actions in a range, of the wanted kinds.
    pub fn code_actions(
        &self,
        file: FileId,
        range: TextRange,
        wants: &dyn Fn(ActionKind) -> bool,
    ) -> Cancellable<Vec<CodeAction>> {
        self.ask(file, |db, file| code_actions::code_actions(db, file, range, wants, ReadBack::Now))
    }

    /// Like [`Analysis::code_actions`], without edits that are yet to be read back: [`Analysis::code_action`] gives
    /// them on request.
    pub fn code_action_titles(
        &self,
        file: FileId,
        range: TextRange,
        wants: &dyn Fn(ActionKind) -> bool,
    ) -> Cancellable<Vec<CodeAction>> {
        self.ask(file, |db, file| {
            code_actions::code_actions(db, file, range, wants, ReadBack::Later)
        })
    }

    /// One of the actions of a kind and a title in a range, by its place among those, with its edits.
    pub fn code_action(
        &self,
        file: FileId,
        range: TextRange,
        name: (ActionKind, &str, usize),
    ) -> Cancellable<Option<CodeAction>> {
        self.ask(file, |db, file| code_actions::resolved(db, file, range, name))
    }

    /// The actions in a range about comments of MLIR that state diagnostics (`// expected-error`): of our errors, if
    /// they are reported, and of what another server has reported.
    pub fn expectation_actions(
        &self,
        file: FileId,
        range: TextRange,
        reported: &[Reported],
        reports_errors: bool,
    ) -> Cancellable<Vec<CodeAction>> {
        self.ask(file, |db, file| {
            expectations::expectation_actions(db, file, range, reported, reports_errors)
        })
    }

    /// The rows of the settings that would declare the unknown operations of a range.
    pub fn settings_rows(&self, file: FileId, range: TextRange) -> Cancellable<Vec<SettingsRow>> {
        self.ask(file, |db, file| settings_rows::settings_rows(db, file, range))
    }

    /// Returns the diagnostics of a file: problems in its functions, and values that could be shared.
    pub fn diagnostics(
        &self,
        file: FileId,
        config: &DiagnosticsConfig,
    ) -> Cancellable<Vec<Diagnostic>> {
        self.diagnostics_paced(file, config, &Pace::default())
    }

    /// Like [`Analysis::diagnostics`], of as many functions as the pace allows.
    pub fn diagnostics_paced(
        &self,
        file: FileId,
        config: &DiagnosticsConfig,
        pace: &Pace<'_>,
    ) -> Cancellable<Vec<Diagnostic>> {
        self.ask(file, |db, file| diagnostics::diagnostics(db, file, config, pace))
    }

    /// Returns the information about the expression or name at an offset.
    pub fn hover(&self, file: FileId, offset: TextSize) -> Cancellable<Option<Hover>> {
        self.hover_for(file, offset, &TargetOptions::default())
    }

    /// As [`Analysis::hover`], with the limits of a device of CUDA.
    pub fn hover_for(
        &self,
        file: FileId,
        offset: TextSize,
        device: &TargetOptions,
    ) -> Cancellable<Option<Hover>> {
        self.ask(file, |db, file| hover::hover(db, file, offset, device))
    }

    /// Returns what is known of the value of MLIR at an offset; `more` is stated about arguments besides the settings.
    pub fn value_facts(
        &self,
        file: FileId,
        offset: TextSize,
        more: &StatedFacts,
    ) -> Cancellable<Option<ValueFacts>> {
        self.ask_at(file, offset, |db, file, offset| {
            value_facts::value_facts(db, file, offset, more)
        })
    }

    /// Returns the other places in the workspace of the expression or the function at an offset, up to names: in order
    /// of file and place. The workspace is the files of the host, and the contents of
    /// [`AnalysisHost::workspace_index`].
    pub fn elsewhere(&self, file: FileId, offset: TextSize) -> Cancellable<Vec<Elsewhere>> {
        self.ask_at(file, offset, |db, _, at| {
            elsewhere::elsewhere(db, &self.files, &self.index, file, at)
        })
    }

    /// The functions of a file and their contents.
    pub fn document_symbols(&self, file: FileId) -> Cancellable<Vec<DocumentSymbol>> {
        self.ask(file, document_symbols::document_symbols)
    }

    /// The places in other files that the text of a file names, in its order.
    pub fn document_links(&self, file: FileId) -> Cancellable<Vec<DocumentLink>> {
        self.ask(file, document_links::document_links)
    }

    /// Returns the folds in the functions of a file.
    pub fn folding_ranges(&self, file: FileId) -> Cancellable<Vec<Fold>> {
        self.ask(file, folding_ranges::folding_ranges)
    }

    /// The edits that lay a file out, in its order; of the lines that a range touches, if there is one.
    pub fn format(
        &self,
        file: FileId,
        within: Option<TextRange>,
    ) -> Cancellable<Result<Vec<Edit>, FormatRefusal>> {
        let edits = self.ask(file, |db, file| Some(format::format(db, file, within)))?;
        Ok(edits.unwrap_or_else(|| Ok(Vec::new())))
    }

    /// The names that can stand at an offset: in units of operations values in scope, blocks, symbols, aliases,
    /// operations; in functions of statements members of the script's namespaces, names of the function, and rules in
    /// comments. `None` where no name is typed.
    pub fn completions(&self, file: FileId, offset: TextSize) -> Cancellable<Option<Completions>> {
        self.ask_at(file, offset, completion::completions)
    }

    /// The signature of the innermost call around an offset, or of the operation that is written there.
    pub fn signature_help(
        &self,
        file: FileId,
        offset: TextSize,
    ) -> Cancellable<Option<SignatureHelp>> {
        self.ask_at(file, offset, signature_help::signature_help)
    }

    /// The symbols of the workspace whose names have the letters of a query in this order, the best first. Of files
    /// that the host does not have, those of [`AnalysisHost::workspace_index`].
    pub fn workspace_symbols(&self, query: &str) -> Cancellable<Vec<WorkspaceSymbol>> {
        self.ask_all(|db| workspace_symbols::workspace_symbols(db, &self.files, &self.index, query))
    }

    /// The function that is defined or called at an offset.
    pub fn call_item(&self, file: FileId, offset: TextSize) -> Cancellable<Option<CallItem>> {
        self.ask_all(|db| call_hierarchy::item_at(self.world(db), file, offset))
    }

    /// The functions that call a function, in order of file and place.
    pub fn callers(&self, target: &CallTarget) -> Cancellable<Vec<CallEdge>> {
        self.ask_all(|db| call_hierarchy::callers(self.world(db), target))
    }

    /// The functions that a function calls, in the order of the calls; none of a file that the host does not have.
    pub fn callees(&self, target: &CallTarget) -> Cancellable<Vec<CallEdge>> {
        self.ask_all(|db| call_hierarchy::callees(self.world(db), target))
    }

    fn world<'a>(&'a self, db: &'a RootDatabase) -> call_hierarchy::World<'a> {
        call_hierarchy::World { db, files: &self.files, index: &self.index }
    }

    /// Returns the places that define the name at an offset: one, or for a name of the Python around a function all
    /// that bind it, also in other files.
    pub fn definitions(&self, file: FileId, offset: TextSize) -> Cancellable<Vec<DefinitionPlace>> {
        self.ask_at(file, offset, |db, _, at| navigation::definitions(self.world(db), file, at))
    }

    /// The full name of the operation of MLIR whose name is at an offset.
    pub fn operation_name(&self, file: FileId, offset: TextSize) -> Cancellable<Option<String>> {
        self.ask_at(file, offset, hover::operation_name)
    }

    /// All mentions of the name at an offset.
    pub fn references(
        &self,
        file: FileId,
        offset: TextSize,
        with_definition: bool,
    ) -> Cancellable<Option<Vec<TextRange>>> {
        self.ask_at(file, offset, |db, file, at| {
            navigation::references(db, file, at, with_definition)
        })
    }

    /// The mentions of the name at an offset, with the access of each.
    pub fn highlights(&self, file: FileId, offset: TextSize) -> Cancellable<Vec<Highlight>> {
        self.ask_at(file, offset, highlight::highlights)
    }

    /// The name at an offset, or why it cannot be renamed.
    pub fn prepare_rename(
        &self,
        file: FileId,
        offset: TextSize,
    ) -> Cancellable<Result<TextRange, String>> {
        self.ask_or_at(file, offset, rename::prepare_rename)
    }

    /// The edits that give the name at an offset a new spelling, or why that cannot be done.
    pub fn rename(
        &self,
        file: FileId,
        offset: TextSize,
        new_name: &str,
    ) -> Cancellable<Result<Vec<Edit>, String>> {
        self.ask_or_at(file, offset, |db, file, at| rename::rename(db, file, at, new_name))
    }

    /// The symbol at an offset, if other files of its folder may mean it.
    pub fn shared_symbol(
        &self,
        file: FileId,
        offset: TextSize,
    ) -> Cancellable<Option<SharedSymbol>> {
        self.ask_at(file, offset, names::operations::shared_symbol)
    }

    /// The symbol that is meant at an offset, if other files of its folder may mean it, or define it.
    pub fn meant_symbol(
        &self,
        file: FileId,
        offset: TextSize,
    ) -> Cancellable<Option<SharedSymbol>> {
        self.ask_at(file, offset, names::operations::meant_symbol)
    }

    /// The places of a symbol in a file. [`linked_places`] tells which of the files mean the symbol.
    pub fn symbol_places(
        &self,
        file: FileId,
        symbol: &SharedSymbol,
    ) -> Cancellable<Vec<SymbolPlace>> {
        self.ask(file, |db, file| names::operations::symbol_places(db, file, symbol))
    }

    /// Returns the part of a file in giving a symbol of another file a new name. [`linked_files`] tells which of the
    /// files mean the symbol.
    pub fn symbol_part(
        &self,
        file: FileId,
        symbol: &SharedSymbol,
        new_name: &str,
    ) -> Cancellable<SymbolPart> {
        self.ask(file, |db, file| names::operations::symbol_part(db, file, symbol, new_name))
    }

    /// The ranges around an offset, each strictly inside of the next.
    pub fn selection_ranges(&self, file: FileId, offset: TextSize) -> Cancellable<Vec<TextRange>> {
        self.ask_at(file, offset, selection_ranges::selection_ranges)
    }

    /// Returns the semantic tokens of a file, or of a range of it: in text order, without overlaps.
    pub fn semantic_tokens(
        &self,
        file: FileId,
        range: Option<TextRange>,
    ) -> Cancellable<Vec<SemanticToken>> {
        self.ask(file, |db, file| semantic_tokens::semantic_tokens(db, file, range))
    }

    /// The device code of the function at an offset, as the options of the target say.
    pub fn view_device_code(
        &self,
        file: FileId,
        offset: TextSize,
        target: Target,
        options: &TargetOptions,
    ) -> Cancellable<Option<DeviceCodeView>> {
        let options = codegen::Options::default().with(options);
        self.ask_at(file, offset, |db, file, at| {
            device_code::view_device_code(db, file, at, target, options)
        })
    }

    /// The functions that launch threads, with the values that are computed once in them.
    pub fn device_lenses(
        &self,
        file: FileId,
        with_structure: bool,
    ) -> Cancellable<Vec<DeviceLens>> {
        self.ask(file, |db, file| device_code::device_lenses(db, file, with_structure))
    }

    /// Returns the function of statements at an offset, and its instance that is shown.
    pub fn kernel_at(&self, file: FileId, offset: TextSize) -> Cancellable<Option<KernelAt>> {
        self.ask_at(file, offset, units::kernel_at)
    }

    /// The factories of a file that have instances, in text order: those that its calls make, those that are `called`
    /// by other files, and those that the settings ask for ([`Settings::requests`]).
    pub fn instances(
        &self,
        file: FileId,
        called: &[Request],
    ) -> Cancellable<Vec<FactoryInstances>> {
        self.ask(file, |db, file| {
            db::instances(db, file, called, file.configuration(db).requests(db))
        })
    }

    /// The instances of factories of a file that calls in other files ask for, with the files of the calls, in the
    /// order of these. `module` is the dotted path of the file. Of a workspace, the files of the host and of
    /// [`AnalysisHost::workspace_index`].
    pub fn foreign_calls(&self, file: FileId, module: &str) -> Cancellable<Vec<(FileId, Request)>> {
        let mut files: Vec<FileId> = self.files.keys().copied().filter(|it| *it != file).collect();
        files.sort_unstable();
        let number = self.ask(file, |db, file| file.path(db).clone())?;
        let request = |it: &ForeignCall| it.request(number.as_deref(), module);
        let mut found = Vec::new();
        for other in files {
            let calls = self.ask(other, |db, file| db::foreign_calls(db, file).to_vec())?;
            found.extend(calls.iter().filter_map(|it| Some((other, request(it)?))));
        }
        for (other, calls) in self.index.calls() {
            found.extend(calls.iter().filter_map(|it| Some((other, request(it)?))));
        }
        Ok(found)
    }

    /// The function at an offset before and after each of these passes.
    pub fn view_passes(
        &self,
        file: FileId,
        offset: TextSize,
        passes: &[Pass],
    ) -> Cancellable<Option<PassPreview>> {
        self.ask_at(file, offset, |db, file, at| preview::view_passes(db, file, at, passes))
    }

    /// Returns the decision about the expression at an offset, with reasons.
    pub fn explain(&self, file: FileId, offset: TextSize) -> Cancellable<Option<Explanation>> {
        self.ask_at(file, offset, explain::explain)
    }

    /// Returns the findings at an offset, the smallest place first, with reasons, related places, and the effects of
    /// their fixes.
    pub fn findings_at(&self, file: FileId, offset: TextSize) -> Cancellable<Vec<FindingAt>> {
        self.ask_at(file, offset, findings_at::findings_at)
    }

    /// Returns the facts at the lines of a range, at most `limit` of them: liveness, memory versions, conditions,
    /// variance.
    pub fn facts(
        &self,
        file: FileId,
        range: TextRange,
        limit: usize,
    ) -> Cancellable<Vec<LineFacts>> {
        self.ask(file, |db, file| facts::facts(db, file, range, limit))
    }

    /// The number of functions, or of programs, in a file.
    pub fn n_functions(&self, file: FileId) -> Cancellable<usize> {
        self.ask(file, |db, file| db::units(db, file).functions.len())
    }

    /// Computes the inputs of the hints of some functions in advance.
    pub fn warm(&self, file: FileId, functions: Range<usize>) -> Cancellable<()> {
        self.ask(file, |db, file| {
            let units = &db::units(db, file).functions;
            for &unit in units.get(functions).into_iter().flatten() {
                warming::warm(db, unit);
                db.unwind_if_revision_cancelled();
            }
        })
    }

    /// The mistakes of ours for which something was left out of the answers so far.
    pub fn take_lost(&self) -> Vec<Panicked> {
        self.lost.take()
    }

    /// The internal errors about the function at an offset: its answers are incomplete.
    pub fn internal_errors(&self, file: FileId, offset: TextSize) -> Cancellable<Vec<String>> {
        self.ask_at(file, offset, diagnostics::internal_errors)
    }

    /// Cancels the requests on this snapshot.
    pub fn cancellation_token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Asks a question that has no end; one that `looks` ends when it is cancelled. For tests of the callers.
    #[cfg(debug_assertions)]
    pub fn hang(&self, looks: bool) -> Cancellable<()> {
        let hang = || {
            loop {
                std::hint::spin_loop();
                if looks {
                    ir::interrupt::check();
                }
            }
        };
        self.token.interrupt().over(hang).map_err(|_| Cancelled)
    }

    /// As [`Analysis::ask`], of one place: a panic costs the answer, and is told beside it ([`Analysis::take_lost`]).
    fn ask_at<T: Default>(
        &self,
        file: FileId,
        offset: TextSize,
        question: impl FnOnce(&RootDatabase, SourceFile, TextSize) -> T,
    ) -> Cancellable<T> {
        self.ask(file, |db, file| guarded::at(db, file, offset, question))
    }

    /// As [`Analysis::ask_at`], for questions whose answer may be a sentence why there is none.
    fn ask_or_at<T>(
        &self,
        file: FileId,
        offset: TextSize,
        question: impl FnOnce(&RootDatabase, SourceFile, TextSize) -> Result<T, String>,
    ) -> Cancellable<Result<T, String>> {
        let answer = self.ask(file, |db, file| {
            let answer = guarded::try_at(db, file, offset, question);
            Some(answer.unwrap_or_else(|panicked| Err(panicked.to_string())))
        })?;
        Ok(answer.unwrap_or_else(|| Err("there is no such file".to_owned())))
    }

    fn ask<T: Default>(
        &self,
        file: FileId,
        question: impl FnOnce(&RootDatabase, SourceFile) -> T,
    ) -> Cancellable<T> {
        let Some(&file) = self.files.get(&file) else { return Ok(T::default()) };
        self.ask_all(|db| question(db, file))
    }

    /// The one place where the unwinding of a cancelled question ends.
    fn ask_all<T>(&self, question: impl FnOnce(&RootDatabase) -> T) -> Cancellable<T> {
        let run = AssertUnwindSafe(|| question(&self.db));
        guarded::take_lost();
        let answer = self.token.interrupt().over(|| db::Cancelled::catch(run));
        self.lost.borrow_mut().extend(guarded::take_lost());
        answer.map_err(|_| Cancelled)?.map_err(|_| Cancelled)
    }
}
