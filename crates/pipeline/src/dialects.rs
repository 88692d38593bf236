//! The tables about operations of dialects.

use std::sync::{Arc, LazyLock};

use ir::effects::EffectTable;
use syntax::Shapes;
use transform::ops::findings::StatedFacts;

/// The tables about operations of dialects: those of the product, and optionally a user's rows on top.
#[derive(Clone, Debug)]
pub struct Dialects {
    /// How they are written. A tree must have been read with the same.
    pub shapes: Arc<Shapes>,
    /// The effects.
    pub effects: Arc<EffectTable>,
    /// The facts that a user states about arguments of functions.
    pub facts: Arc<StatedFacts>,
}

impl Dialects {
    /// Returns true if both are the same tables. Compares no rows: tables that were read twice are two.
    pub fn is_same(&self, other: &Dialects) -> bool {
        let Dialects { shapes, effects, facts } = self;
        Arc::ptr_eq(shapes, &other.shapes)
            && Arc::ptr_eq(effects, &other.effects)
            && Arc::ptr_eq(facts, &other.facts)
    }
}

impl Default for Dialects {
    fn default() -> Dialects {
        static BUILTIN: LazyLock<Dialects> = LazyLock::new(|| Dialects {
            shapes: Arc::new(Shapes::builtin().clone()),
            effects: EffectTable::shared(),
            facts: Arc::default(),
        });
        BUILTIN.clone()
    }
}
