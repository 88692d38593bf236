//! From a unit of MLIR or PIR to its body, its source map, its diagnostics and its plan.
//!
//! The counterpart of [`crate::lowering`] and [`crate::plan`] for languages of operations: `op_lowered` reads the text, `op_body` is what it means
//! and stands still when only comments, names and layout change, `op_plan` hangs off it. A function reads the aliases that it mentions
//! one by one. What stands around the programs of a file of PIR has no body.

use std::sync::Arc;

use frontend::{
    mlir::{self, Aliases},
    ops::{Diagnostic, Lowered, OpSourceMap, codes::UNKNOWN_OPERATION},
    pir,
};
use ir::{
    Body,
    effects::{MatchKind, Namespace},
    plan::ops::OpPlan,
};
use rustc_hash::FxHashSet;
use syntax::{Green, GreenStep, SyntaxKind, UnitKind};

use crate::{
    Db,
    input::{Configuration, Dialects},
    units::{AliasName, OpUnit, alias},
};

/// The text of a unit. Few are kept: it is made from the tree again when somebody asks.
#[salsa::tracked(returns(deref), no_eq, lru = 32)]
pub fn op_text<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Box<str> {
    unit.source(db).green.text().into()
}

/// The unit, lowered; none of what is around programs of PIR.
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_lowered<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<Arc<Lowered>> {
    let source = unit.source(db);
    let green = &source.green;
    if green.kind() == SyntaxKind::PIR_FILE {
        return None;
    }
    db.counters().lowered(green.text_len().into());
    let Dialects { shapes, effects } = Configuration::get(db).dialects(db);
    let text = op_text(db, unit);
    let (mut lowered, namespace) = match source.kind {
        UnitKind::Program => (pir::lower(green), Namespace::Pir),
        kind => {
            let aliases = mentioned_aliases(db, unit, green, text);
            let lowered = match kind {
                UnitKind::Function => mlir::lower_function(green, text, &aliases, shapes),
                _ => mlir::lower_frame(green, text, &aliases, shapes),
            };
            (lowered, Namespace::Mlir)
        }
    };
    // The user may have said what the reader does not know.
    lowered.diagnostics.retain(|it| {
        let name = text[std::ops::Range::<usize>::from(it.range)].trim_matches('"');
        it.code != UNKNOWN_OPERATION
            || effects.explain(namespace, shapes.full_name(name)).kind == MatchKind::Default
    });
    Some(Arc::new(lowered))
}

/// The aliases whose names a unit mentions.
fn mentioned_aliases<'db>(
    db: &'db dyn Db,
    unit: OpUnit<'db>,
    green: &Green,
    text: &str,
) -> Aliases {
    let mut aliases = Aliases::default();
    if !text.contains(['#', '!']) {
        return aliases;
    }
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let (file, document) = (unit.file(db), unit.document(db));
    green.walk(|step| {
        if let GreenStep::Token(SyntaxKind::ATTR_ID | SyntaxKind::TYPE_ID, name) = step
            && seen.insert(name)
        {
            let key = AliasName::new(db, file, document, name);
            if let Some(text) = alias(db, key) {
                aliases.define(name, text);
            }
        }
    });
    aliases
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
#[salsa::tracked(returns(ref))]
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
#[salsa::tracked(returns(ref), no_eq)]
pub fn op_plan<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<Arc<OpPlan>> {
    let body = op_body(db, unit).as_ref()?;
    let configuration = Configuration::get(db);
    let options = configuration.options(db).ops;
    db.counters().planned(body.ops.len());
    let effects = &configuration.dialects(db).effects;
    Some(Arc::new(transform::ops::plan(body, effects, &options)))
}
