#![doc = include_str!("../README.md")]

mod analyses;
mod device;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod document_aliases;
mod edits;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod environment;
mod file;
mod finding;
mod forgetting;
mod index;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod input;
mod instances;
mod log;
mod lowering;
mod panicked;
mod planning;
mod previous_lowering;
mod slots;
mod source_facts;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod unit;

use std::sync::Arc;

use frontend::tvmscript::Instance;
use salsa::plumbing::FromId as _;
use syntax::Language;

pub use crate::{
    analyses::analyses,
    device::{device_code, has_kernels, kernels},
    document_aliases::{AliasName, DocumentAliases, alias, aliases},
    edits::{
        cse_edits, finding_edits, fix_edits, op_edits, op_fixes, plan_after, simplification_edits,
        simplifications_after,
    },
    environment::{CapturedName, CapturedUse, Use, capture, captured_use},
    file::{History, form, language, parse},
    finding::{findings, simplifications},
    forgetting::FEW,
    index::{FileIndex, Places, file_index},
    input::{Configuration, Content, Options, SourceFile},
    instances::{FactoryInstances, foreign_calls, instances, known_value},
    log::{Counters, Work},
    lowering::{
        Lowered, SharedBody, body, lowered, lowering_diagnostics, occurrences, op_source_map,
        source_map, text,
    },
    panicked::{Guarded, panics},
    planning::{Plan, cse_plan, op_plan, plan},
    previous_lowering::UnitText,
    source_facts::{TextFacts, text_facts},
    unit::{
        Identity, PlacedUnit, Scope, ScopeKey, Source, Unit, Units, frame_of, instance,
        placed_units, shapes, shown, unit_at, units,
    },
};
pub use pipeline::{Dialects, kernels::KernelCode};
pub use salsa::{CancellationToken, Cancelled, Database, Setter};

use crate::log::QueryLog;

/// The services that queries may use besides queries.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Returns the work counters.
    fn counters(&self) -> &Counters;
    /// Returns the earlier versions of files.
    fn history(&self) -> &History;
}

/// The database. A clone is a snapshot: it sees the inputs as they are, and a write waits for it to be dropped.
#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    history: History,
    counters: Arc<Counters>,
    log: QueryLog,
}

#[salsa::db]
impl salsa::Database for RootDatabase {}

#[salsa::db]
impl Db for RootDatabase {
    fn counters(&self) -> &Counters {
        &self.counters
    }
    fn history(&self) -> &History {
        &self.history
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase::new(Options::default(), Dialects::default(), Arc::default())
    }
}

impl RootDatabase {
    fn new(options: Options, dialects: Dialects, counters: Arc<Counters>) -> RootDatabase {
        let log = QueryLog::default();
        let events = log.clone();
        let on_event = move |event: salsa::Event| {
            events.event(&event);
            // Whatever asks for a query can be stopped, by the flag that passes look at too.
            if matches!(event.kind, salsa::EventKind::WillCheckCancellation) {
                ir::interrupt::look();
            }
        };
        let storage = salsa::Storage::new(Some(Box::new(on_event)));
        let db = RootDatabase { storage, history: History::default(), counters, log };
        Configuration::new(&db, options, dialects);
        db
    }

    /// The next generation: a database with the same options and no file, which shares nothing that is computed with
    /// this one. Memory that salsa never frees (inputs, interned keys, and their memos) is freed with the last snapshot
    /// of the old one.
    pub fn successor(&self) -> RootDatabase {
        let configuration = Configuration::get(self);
        let dialects = configuration.dialects(self).clone();
        RootDatabase::new(configuration.options(self), dialects, self.counters.clone())
    }

    /// A new file.
    pub fn add_file(&self, content: Content) -> SourceFile {
        SourceFile::new(self, content, Arc::default())
    }

    /// Changes a file.
    pub fn set_content(&mut self, file: SourceFile, content: Content) {
        file.set_content(self).to(content);
    }

    /// Chooses the instances that are shown of a file.
    pub fn set_chosen(&mut self, file: SourceFile, chosen: Arc<[Arc<Instance>]>) {
        file.set_chosen(self).to(chosen);
    }

    /// Empties a file that is closed: an input lives as long as the database.
    pub fn clear_file(&mut self, file: SourceFile) {
        self.history.forget(file);
        self.set_content(file, Content::Text(Language::default(), "".into()));
        if !file.chosen(self).is_empty() {
            self.set_chosen(file, Arc::default());
        }
    }

    /// Returns the work done since the start.
    pub fn work(&self) -> Work {
        self.counters.work()
    }

    /// Changes the options.
    pub fn set_options(&mut self, options: Options) {
        Configuration::get(self).set_options(self).to(options);
    }

    /// Replaces the tables about dialects. Open files of MLIR must be read again by their owner.
    pub fn set_dialects(&mut self, dialects: Dialects) {
        Configuration::get(self).set_dialects(self).to(dialects);
    }

    /// Returns the tables about dialects.
    pub fn dialects(&self) -> &Dialects {
        Configuration::get(self).dialects(self)
    }

    /// Starts to collect the names of the queries that run.
    pub fn start_log(&self) {
        self.log.start();
    }

    /// The queries that ran since [`RootDatabase::start_log`], in order: `body(f)` for the query `body` of unit
    /// `f`, the bare name for a query of something else.
    pub fn take_log(&self) -> Vec<String> {
        self.log.take().into_iter().map(|key| self.query_name(key)).collect()
    }

    fn query_name(&self, key: salsa::DatabaseKeyIndex) -> String {
        let query = self.ingredient_debug_name(key.ingredient_index()).into_owned();
        if OF_UNITS.contains(&query.as_str()) {
            let unit = Unit::from_id(key.key_index());
            format!("{query}({})", unit.label(self))
        } else if query == "alias" {
            let name = AliasName::from_id(key.key_index());
            format!("{query}({})", name.name(self))
        } else if query == "capture" {
            let name = CapturedName::from_id(key.key_index());
            match name.instance(self) {
                Some(it) => format!("{query}({}[{}])", name.name(self), it.arguments()),
                None => format!("{query}({})", name.name(self)),
            }
        } else {
            query
        }
    }
}

/// The queries of a unit.
const OF_UNITS: &[&str] = &[
    "aliases",
    "analysis_tables",
    "body",
    "findings",
    "lowered",
    "occurrences",
    "plan",
    "simplifications",
    "text_facts",
];
