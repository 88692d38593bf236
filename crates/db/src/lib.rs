#![doc = include_str!("../README.md")]

mod analyses;
mod attribute_problems;
mod calls;
mod device;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod document_aliases;
mod edits;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod environment;
mod file;
mod finding;
mod forgetting;
mod function_texts;
mod index;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod input;
mod instances;
mod last_text;
mod log;
mod lowering;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod modules;
mod panicked;
mod planning;
mod previous_lowering;
mod slots;
mod source_facts;
mod syntax_errors;
#[expect(missing_docs, reason = "of methods that salsa makes")]
mod unit;

use std::sync::Arc;

use frontend::tvmscript::{Instance, modules::Files};
use salsa::plumbing::FromId as _;
use syntax::Language;

pub use crate::{
    analyses::{analyses, operation_facts},
    attribute_problems::attribute_problems,
    calls::{ModuleText, callee, callee_in, calls, meaning, module_text, name_places},
    device::{device_code, has_kernels, kernels},
    document_aliases::{AliasName, DocumentAliases, alias, aliases},
    edits::{
        AllFixes, Fixes, all_fixes, cse_edits, finding_edits, fix_edits, op_edits, op_fixes,
        plan_after, reread, simplification_edits, simplifications_after,
    },
    environment::{
        CapturedName, CapturedUse, ImportedName, Use, capture, captured_use, imported_name,
    },
    file::{History, form, language, parse},
    finding::{findings, simplifications},
    forgetting::FEW,
    function_texts::function_text,
    index::{FileIndex, Places, file_index},
    input::{Configuration, Content, Options, Settings, SourceFile},
    instances::{FactoryInstances, foreign_calls, instances, known_value},
    last_text::FunctionText,
    log::{Counters, Work},
    lowering::{
        Lowered, SharedBody, body, lowered, lowering_diagnostics, occurrences, op_source_map,
        source_map, text,
    },
    modules::{Import, ModuleFile, ModuleTable, imported_module},
    panicked::{Guarded, panics},
    planning::{Plan, cse_plan, op_plan, plan},
    previous_lowering::UnitText,
    source_facts::{TextFacts, text_facts},
    syntax_errors::syntax_errors,
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
    /// Returns the files that files may import.
    fn modules(&self) -> &ModuleTable;
}

/// The database. A clone is a snapshot: it sees the inputs as they are, and a write waits for it to be dropped.
#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    history: History,
    modules: ModuleTable,
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
    fn modules(&self) -> &ModuleTable {
        &self.modules
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase::new(ModuleTable::default(), Arc::default())
    }
}

impl RootDatabase {
    fn new(modules: ModuleTable, counters: Arc<Counters>) -> RootDatabase {
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
        RootDatabase { storage, history: History::default(), modules, counters, log }
    }

    /// The next generation: a database without a file, which shares nothing that is computed with this one. Memory that
    /// salsa never frees (inputs, interned keys, and their memos) is freed with the last snapshot of the old one.
    pub fn successor(&self) -> RootDatabase {
        self.successor_with(self.modules.files().cloned())
    }

    /// As [`RootDatabase::successor`], with these files to import.
    pub fn successor_with(&self, files: Option<Arc<dyn Files>>) -> RootDatabase {
        RootDatabase::new(ModuleTable::new(files), self.counters.clone())
    }

    /// New settings, for the files of a folder.
    pub fn add_configuration(&self, settings: Settings) -> Configuration {
        let Settings { options, dialects, requests } = settings;
        Configuration::new(self, options, dialects, requests)
    }

    /// A new file with these settings.
    pub fn add_file(&self, content: Content, configuration: Configuration) -> SourceFile {
        SourceFile::new(self, content, None, Arc::default(), configuration)
    }

    /// Gives a file other settings. An open file of operations must be read again by its owner if these have other
    /// tables about dialects.
    pub fn set_configuration(&mut self, file: SourceFile, configuration: Configuration) {
        if file.configuration(self) != configuration {
            file.set_configuration(self).to(configuration);
        }
    }

    /// Changes a file.
    pub fn set_content(&mut self, file: SourceFile, content: Content) {
        file.set_content(self).to(content);
    }

    /// Chooses the instances that are shown of a file.
    pub fn set_chosen(&mut self, file: SourceFile, chosen: Arc<[Arc<Instance>]>) {
        file.set_chosen(self).to(chosen);
    }

    /// Sets the path of a file, which then stands for what is there on disk.
    pub fn set_path(&mut self, file: SourceFile, path: Option<Arc<str>>) {
        let old = file.path(self).clone();
        if old == path {
            return;
        }
        for (path, open) in [(&old, None), (&path, Some(file))] {
            let Some(path) = path else { continue };
            self.modules.set_open(path, open);
            if let Some(module) = self.modules.asked(path) {
                module.set_open(self).to(open);
                self.module_changed(path);
            }
        }
        file.set_path(self).to(path);
    }

    /// Returns true if another file imports this one and the names of this one changed since it was last asked: more
    /// than bodies of its functions were edited.
    pub fn has_new_exports(&self, file: SourceFile) -> bool {
        let asked = file.path(self).as_ref().and_then(|it| self.modules.asked(it));
        asked.is_some() && self.modules.is_new(file, modules::naming(self, file))
    }

    /// Looks at a path again that was changed on disk. Returns false if nobody asked for it.
    pub fn module_changed(&mut self, path: &str) -> bool {
        let mut is_asked = false;
        if let Some(module) = self.modules.asked(path) {
            is_asked = module.open(self).is_none();
            let entry = self.modules.entry(path);
            if module.entry(self) != entry {
                module.set_entry(self).to(entry);
            }
            let version = module.version(self);
            module.set_version(self).to(version.wrapping_add(1));
        }
        for folder in self.modules.asked_around(path) {
            let entry = self.modules.entry(folder.path(self));
            if folder.entry(self) != entry {
                is_asked = true;
                folder.set_entry(self).to(entry);
            }
        }
        is_asked
    }

    /// Empties a file that is closed: an input lives as long as the database.
    pub fn clear_file(&mut self, file: SourceFile) {
        self.history.forget(file);
        self.modules.forget(file);
        self.set_path(file, None);
        self.set_content(file, Content::Text(Language::default(), "".into()));
        if !file.chosen(self).is_empty() {
            self.set_chosen(file, Arc::default());
        }
    }

    /// Returns the work done since the start.
    pub fn work(&self) -> Work {
        self.counters.work()
    }

    /// Changes settings: the parts that are others than before. Open files of operations must be read again by their
    /// owner if the tables about dialects are.
    pub fn set_settings(&mut self, configuration: Configuration, settings: Settings) {
        let Settings { options, dialects, requests } = settings;
        if configuration.options(self) != options {
            configuration.set_options(self).to(options);
        }
        if !configuration.dialects(self).is_same(&dialects) {
            configuration.set_dialects(self).to(dialects);
        }
        if *configuration.requests(self) != requests {
            configuration.set_requests(self).to(requests);
        }
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
