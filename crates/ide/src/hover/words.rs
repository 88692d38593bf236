//! Words that hovers over operations share: what an operation does, and in which line something stands.

use db::{PlacedUnit, RootDatabase, SourceFile};
use ir::effects::{EffectTable, MatchKind, MemoryEffect, Namespace, OpEffects, Trap};
use syntax::{LineIndex, TextRange};

/// In which line of the file a place of a unit is. O(text before it), for something that a person waits for.
pub(crate) fn line_text(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    place: TextRange,
) -> String {
    let before = TextRange::up_to(at.to_file(place).start());
    let lines = LineIndex::new(&db::parse(db, file).syntax().text_in(before));
    format!(" (line {})", lines.line_count())
}

/// Returns the effects of an operation, in a line.
pub fn effects_text(table: &EffectTable, namespace: Namespace, name: &str) -> String {
    let found = table.explain(namespace, name);
    if found.kind == MatchKind::Undeclared {
        return "its definition does not state what it does".to_owned();
    }
    if found.kind == MatchKind::Default {
        return "nothing is known of what it does; declare it in `tir-analyzer.toml`".to_owned();
    }
    let OpEffects { memory_effect, may_trap, convergent, deterministic, .. } = found.effects;
    let mut parts = vec![match memory_effect {
        MemoryEffect::None => "no effect on memory",
        MemoryEffect::Read => "reads memory",
        MemoryEffect::Write => "writes memory",
        MemoryEffect::ReadWrite => "reads and writes memory",
        MemoryEffect::Alloc => "allocates",
        MemoryEffect::Free => "frees memory",
        MemoryEffect::Unknown => "may read and write anything",
    }];
    match may_trap {
        Trap::No => {}
        Trap::Yes => parts.push("may trap"),
        Trap::Cond(_) => parts.push("may trap for some operands"),
    }
    if *convergent {
        parts.push("depends on which threads arrive together");
    }
    if !deterministic {
        parts.push("two executions may differ");
    }
    parts.join(", ")
}
