//! The normal form of `tir` names.
//!
//! In: a name as any TVM version spells it. Out: the form under which the table keeps it. Linear; allocates only for
//! names longer than the buffer.

use smallvec::SmallVec;

use crate::Team;

/// Holds a normal form that differs from the name.
pub type NameBuffer = SmallVec<[u8; 64]>;

/// Spellings of the TIR namespace.
const NAMESPACES: [&str; 3] = ["T.", "tirx.", "tir."];
/// The prefix under which some versions register scalar functions.
const SCALARS: &str = "prim.";
/// The tile namespace: its `exp` writes a region and is not the scalar `exp`.
const TILE: &str = "Tx.";

/// `name` without its namespace, with each run of `.` and `_` as one `.`, trimmed at both ends.
///
/// The aliases of a file must have been resolved: `T` and `Tx` have the meaning of the printed imports.
pub fn normal_tir<'a>(name: &'a str, buffer: &'a mut NameBuffer) -> &'a str {
    buffer.clear();
    let (first, name) = match tile_primitive(name) {
        Some(rest) => (Some("tile"), rest),
        None => (None, without_namespace(name)),
    };
    if first.is_none() && is_normal(name) {
        return name;
    }
    buffer.extend_from_slice(first.unwrap_or_default().as_bytes());
    let mut is_behind = first.is_some();
    for byte in name.bytes() {
        if matches!(byte, b'.' | b'_') {
            is_behind = !buffer.is_empty();
            continue;
        }
        if std::mem::take(&mut is_behind) {
            buffer.push(b'.');
        }
        buffer.push(byte);
    }
    std::str::from_utf8(buffer).expect("whole segments of a str, joined by ASCII")
}

/// The name of a tile primitive without its namespace and the team that executes it: `Tx.warp.copy`, `T.tile.copy`,
/// `T.warp.copy`.
fn tile_primitive(name: &str) -> Option<&str> {
    let (is_tile, name) = match name.strip_prefix(TILE) {
        Some(rest) => (true, rest),
        None => {
            let name = without_namespace(name);
            name.strip_prefix("tile.").map_or((false, name), |rest| (true, rest))
        }
    };
    match name.split_once('.') {
        Some((team, rest)) if Team::named(team).is_some() => Some(rest),
        _ => is_tile.then_some(name),
    }
}

/// Returns true if the name of a call begins with a team, as TVM prints a tile primitive that one executes together
/// (`T.warp.copy`).
pub fn begins_with_team(name: &str) -> bool {
    name.split_once('.').is_some_and(|(team, _)| Team::named(team).is_some())
}

fn without_namespace(name: &str) -> &str {
    let name = NAMESPACES.iter().find_map(|it| name.strip_prefix(it)).unwrap_or(name);
    name.strip_prefix(SCALARS).unwrap_or(name)
}

fn is_normal(name: &str) -> bool {
    // Each dot must stand between two characters that are not separators.
    let mut after_dot = true;
    for byte in name.bytes() {
        match byte {
            b'_' => return false,
            b'.' if after_dot => return false,
            _ => after_dot = byte == b'.',
        }
    }
    !after_dot || name.is_empty()
}
