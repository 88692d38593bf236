//! The row of the effects table that follows from a definition.
//!
//! In: traits and effects of a definition. Out: fields of a row, or nothing if the definition does not say what the
//! operation does: what is not stated is unknown, never pure. Rows are at most as mild as the definition: memory is all
//! memory, as operands of a dialect's own types may reach any; a write is never forgotten.

use crate::row::Row;

/// The fields of the row of an operation, or nothing if its effects are unknown.
pub fn effect_fields(row: &Row, defaults: &[(String, String)]) -> Option<Vec<(String, String)>> {
    let mut fields = memory_fields(row)?;
    let mut set = |key: &str, value: &str| fields.push((key.to_owned(), value.to_owned()));
    if ["Commutative", "IsCommutative"].iter().any(|it| row.has_trait(it)) {
        set("commutative", "all");
    }
    let flags = flags(row);
    if !flags.is_empty() {
        set("flags", &flags.join(" "));
    }
    let is_mild = fields.iter().any(|it| it.0 == "effect" && (it.1 == "none" || it.1 == "read"));
    for (key, value) in defaults.iter().filter(|it| is_mild && it.0 != "reason") {
        fields.retain(|it| it.0 != *key);
        fields.push((key.clone(), value.clone()));
    }
    Some(fields)
}

fn memory_fields(row: &Row) -> Option<Vec<(String, String)>> {
    let of = |fields: &[(&str, &str)]| {
        Some(fields.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect())
    };
    let mut kinds: Vec<&str> =
        row.effects.iter().map(|it| it.split(' ').next().unwrap_or_default()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match &kinds[..] {
        ["none"] if is_speculatable(row) => of(&[("effect", "none")]),
        ["none"] => of(&[("effect", "none"), ("may_trap", "yes")]),
        ["recursive"] => of(&[("effect", "unknown"), ("may_trap", "body")]),
        ["read"] => of(&[("effect", "read"), ("memory", "unknown"), ("may_trap", "mem")]),
        // A new object that is nothing but the result of the operation.
        ["allocate"] if row.effects.iter().all(|it| it.contains('$')) => {
            of(&[("effect", "alloc"), ("memory", "unknown"), ("may_trap", "mem")])
        }
        [] => None,
        _ if kinds.iter().all(|it| ["read", "write", "allocate", "free", "none"].contains(it)) => {
            let effect = [("effect", "readwrite"), ("memory", "unknown"), ("may_trap", "yes")];
            of(&[&effect[..], &[("convergent", "true"), ("deterministic", "false")]].concat())
        }
        _ => None,
    }
}

fn is_speculatable(row: &Row) -> bool {
    ["Pure", "AlwaysSpeculatable"].iter().any(|it| row.has_trait(it))
}

fn flags(row: &Row) -> Vec<&'static str> {
    let mut flags = Vec::new();
    for (name, flag) in [
        ("Terminator", "terminator"),
        ("IsTerminator", "terminator"),
        ("Symbol", "symbol"),
        ("ConstantLike", "const"),
        ("IsolatedFromAbove", "isolated"),
    ] {
        if row.has_trait(name) && !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    if row.effects == ["recursive"] {
        flags.push("recursive");
    }
    flags
}
