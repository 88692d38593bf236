//! Findings at the places of the source that a text was made of: those of one rule at one place are one.
//!
//! One line of a kernel becomes many operations, and each may be found; whoever reads the kernel wants to be told once.

use std::collections::{BTreeMap, btree_map::Entry};

use syntax::SourcePlace;

/// Merges findings of one rule at one place of the source, the worst severity counts; those without such a place stay.
/// O(findings · log findings).
pub(super) fn merged(found: Vec<ide::Diagnostic>) -> Vec<ide::Diagnostic> {
    let mut of_place: BTreeMap<(Box<SourcePlace>, &str), usize> = BTreeMap::new();
    let mut res: Vec<(ide::Diagnostic, usize)> = Vec::new();
    for it in found {
        let Some(place) = it.source.clone() else {
            res.push((it, 0));
            continue;
        };
        match of_place.entry((place, it.code)) {
            Entry::Vacant(entry) => {
                entry.insert(res.len());
                res.push((it, 0));
            }
            Entry::Occupied(entry) => {
                let (first, n_more) = &mut res[*entry.get()];
                first.severity = first.severity.min(it.severity);
                first.n_fixes += it.n_fixes;
                *n_more += 1;
            }
        }
    }
    let with_number = |(mut it, n_more): (ide::Diagnostic, usize)| {
        if n_more > 0 {
            it.message.push_str(&format!(" (and {n_more} more of this line)"));
        }
        it
    };
    res.into_iter().map(with_number).collect()
}
