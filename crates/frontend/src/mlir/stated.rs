//! The operations whose pretty form certainly states the types of their operands, by name.

/// Operations whose pretty form states one type for each operand.
const EACH: &[&str] = &["func.call", "func.return", "scf.yield"];

/// The operands whose types a pretty form certainly states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// Each has one.
    Each,
    /// Both have one.
    Both,
    /// That is not known.
    Unknown,
}

/// The operands whose types the pretty form of an operation certainly states.
pub(super) fn stated_by(name: &str) -> Stated {
    match name.split_once('.') {
        _ if EACH.contains(&name) => Stated::Each,
        Some((dialect, _)) if is_uniform(dialect) => Stated::Both,
        _ => Stated::Unknown,
    }
}

/// Returns true for dialects of whose operations two operands with one type have that type.
pub(super) fn is_uniform(dialect: &str) -> bool {
    matches!(dialect, "arith" | "math")
}
