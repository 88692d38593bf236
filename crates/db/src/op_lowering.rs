//! From a unit of MLIR or PIR to its body, its source map, its diagnostics and its plan.
//!
//! The counterpart of [`crate::lowering`] and [`crate::plan`] for languages of operations: `op_lowered` reads the text, `op_body` is what it means
//! and stands still when only comments, names and layout change, `op_plan` hangs off it. A function reads the aliases that it mentions
//! one by one. What stands around the programs of a file of PIR has no body.

use std::sync::Arc;

use frontend::{
    mlir,
    ops::{Diagnostic, Lowered, OpSourceMap, codes::UNKNOWN_OPERATION},
    pir,
};
use ir::{
    Body, Dialect,
    effects::{MatchKind, Namespace},
    guard::{Stage, guarded},
    plan::ops::OpPlan,
};
use salsa::plumbing::AsId as _;
use syntax::{Green, GreenStep, SyntaxKind, UnitKind};

use crate::{
    Db,
    input::{Configuration, Dialects},
    panicked::Guarded,
    reading::{self, MIN_LEN, Mentioned, Reading, UnitText},
    units::{AliasName, OpUnit, alias},
};

/// The text of a unit. Few are kept: it is made from the tree again when somebody asks.
#[salsa::tracked(returns(ref), no_eq, lru = 32)]
pub fn op_text<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> UnitText {
    UnitText::new(&unit.source(db).green, last_reading(db, unit).as_deref())
}

/// The last version of a unit that is worth remembering.
fn last_reading<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<Arc<Reading>> {
    let source = unit.source(db);
    let is_large = source.kind == UnitKind::Function && source.green.text_len() >= MIN_LEN.into();
    is_large.then(|| db.history().reading(unit.file(db), unit.as_id()))?
}

/// The unit, lowered; none of what is around programs of PIR.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn op_lowered<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<Arc<Lowered>> {
    let source = unit.source(db);
    let green = &source.green;
    if green.kind() == SyntaxKind::PIR_FILE {
        return None;
    }
    let text = op_text(db, unit);
    let read = || read(db, unit, text);
    let lowered = guarded(Stage::Reading, &source.name, read).unwrap_or_else(|panicked| {
        let is_pir = source.kind == UnitKind::Program;
        let dialect = if is_pir { Dialect::Pir } else { Dialect::Mlir };
        let mut lowered = Lowered::not_read(&panicked, dialect);
        lowered.diagnostics.iter_mut().for_each(|it| it.range = source.name_range);
        Arc::new(lowered)
    });
    Some(lowered)
}

/// The unit, read.
fn read<'db>(db: &'db dyn Db, unit: OpUnit<'db>, text: &UnitText) -> Arc<Lowered> {
    let source = unit.source(db);
    let green = &source.green;
    match source.kind {
        UnitKind::Function => function(db, unit, text),
        kind => {
            db.counters().lowered(green.text_len().into());
            let shapes = &Configuration::get(db).dialects(db).shapes;
            let mut lowered = match kind {
                UnitKind::Program => pir::lower(green),
                _ => {
                    let aliases = mentioned_aliases(db, unit, green, text).aliases;
                    mlir::lower_frame(green, text, &aliases, shapes)
                }
            };
            leave_known(db, &mut lowered, text, kind);
            Arc::new(lowered)
        }
    }
}

/// A function of MLIR, lowered: by what changed since the last time, if that is known.
fn function<'db>(db: &'db dyn Db, unit: OpUnit<'db>, text: &UnitText) -> Arc<Lowered> {
    let green = &unit.source(db).green;
    let Dialects { shapes, .. } = Configuration::get(db).dialects(db);
    let (file, document) = (unit.file(db), unit.document(db));
    let find = |name: &str| alias(db, AliasName::new(db, file, document, name)).clone();
    let last = last_reading(db, unit);
    let after = last.and_then(|it| reading::lower_after(text, &it, shapes, find));
    let (mut lowered, traits, mentioned) = match after {
        Some(it) => it,
        None => {
            db.counters().lowered(green.text_len().into());
            let mentioned = mentioned_aliases(db, unit, green, text);
            let (lowered, traits) =
                mlir::lower_function_with_traits(green, text, &mentioned.aliases, shapes);
            (lowered, traits, mentioned)
        }
    };
    leave_known(db, &mut lowered, text, UnitKind::Function);
    let lowered = Arc::new(lowered);
    if green.text_len() >= MIN_LEN.into() {
        let reading = Reading {
            green: green.clone(),
            text: text.text.clone(),
            lowered: lowered.clone(),
            traits,
            shapes: shapes.clone(),
            mentioned,
        };
        db.history().set_reading(file, unit.as_id(), reading);
    }
    lowered
}

/// Takes back what is said about operations that the user has told of; of those whose form is not known, says that.
fn leave_known(db: &dyn Db, lowered: &mut Lowered, text: &str, kind: UnitKind) {
    let Dialects { shapes, effects } = Configuration::get(db).dialects(db);
    let namespace = if kind == UnitKind::Program { Namespace::Pir } else { Namespace::Mlir };
    lowered.diagnostics.retain_mut(|it| {
        let written = &text[std::ops::Range::<usize>::from(it.range)];
        let name = shapes.full_name(written.trim_matches('"'));
        let is_told = it.code == UNKNOWN_OPERATION
            && effects.explain(namespace, name).kind != MatchKind::Default;
        let is_pretty = namespace == Namespace::Mlir && !written.starts_with('"');
        if is_told && is_pretty && shapes.shape_of(name).is_none() {
            *it = mlir::unread_operation(name, it.range);
            return true;
        }
        !is_told
    });
}

/// The aliases whose names a unit mentions.
pub(crate) fn mentioned_aliases<'db>(
    db: &'db dyn Db,
    unit: OpUnit<'db>,
    green: &Green,
    text: &str,
) -> Mentioned {
    let mut mentioned = Mentioned::default();
    if !text.bytes().any(|it| matches!(it, b'#' | b'!')) {
        return mentioned;
    }
    let (file, document) = (unit.file(db), unit.document(db));
    green.walk(|step| {
        if let GreenStep::Token(SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID, name) = step {
            mentioned.add(name, |it| alias(db, AliasName::new(db, file, document, it)).clone());
        }
    });
    mentioned
}

/// A body of operations, shared. Equal if the bodies are, wherever they stand in the text.
#[derive(Clone, Debug)]
pub struct SharedOpBody(Arc<Lowered>);

impl std::ops::Deref for SharedOpBody {
    type Target = Body;
    fn deref(&self) -> &Body {
        &self.0.body
    }
}

impl PartialEq for SharedOpBody {
    fn eq(&self, other: &SharedOpBody) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

/// The unit in the IR. Stands still when only comments, layout and positions change.
#[salsa::tracked(returns(ref), lru = 0)]
pub fn op_body<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<SharedOpBody> {
    op_lowered(db, unit).as_ref().map(|it| SharedOpBody(it.clone()))
}

/// Where the parts of the body are in the text, relative to the unit.
pub fn op_source_map<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<&'db OpSourceMap> {
    op_lowered(db, unit).as_ref().map(|it| &it.source_map)
}

/// What lowering says of the unit.
pub fn op_diagnostics<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> &'db [Diagnostic] {
    op_lowered(db, unit).as_ref().map_or(&[], |it| &it.diagnostics)
}

/// What is equal and what is dead in a unit, and what is done about it. Depends on what the unit means, not on where anything stands.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn op_plan<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Guarded<Option<Arc<OpPlan>>> {
    // The name comes from the body: the source changes with every comment.
    let name = op_body(db, unit).as_ref().map_or("", |it| &it.name);
    Guarded::run(Stage::Planning, name, || planned(db, unit), || None)
}

fn planned<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<Arc<OpPlan>> {
    let body = op_body(db, unit).as_ref()?;
    let configuration = Configuration::get(db);
    let options = configuration.options(db).ops;
    db.counters().planned(body.ops.len());
    let effects = &configuration.dialects(db).effects;
    Some(Arc::new(transform::ops::plan(body, effects, &options)))
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    op_text::set_lru_capacity(db, n);
    op_lowered::set_lru_capacity(db, n);
    op_body::set_lru_capacity(db, n);
    op_plan::set_lru_capacity(db, n);
}
