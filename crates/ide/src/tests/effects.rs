//! A user's rows about the effects of calls, in an open file.

use std::sync::Arc;

use super::{FILE, function, host};
use crate::{Dialects, EffectRows, EffectTable, Group, InlayHintsConfig, Settings};

/// The names of the hints of the open file.
fn n_hints(host: &crate::AnalysisHost) -> usize {
    host.analysis().inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap().len()
}

#[test]
fn a_row_of_the_user_reaches_the_hints_of_an_open_file_and_leaves_them_with_it() {
    let mut host = host(&function(
        "A[0] = T.call_extern(\"int32\", \"twice\", n) + 1\nA[1] = T.call_extern(\"int32\", \"twice\", n) + 2",
    ));
    assert_eq!(n_hints(&host), 0);
    let row =
        ir::effects::EffectRow { ops: vec!["T.call_extern".to_owned()], ..Default::default() };
    let rows = EffectRows { tir: vec![row], ..EffectRows::default() };
    let effects = Arc::new(EffectTable::builtin().overlay(&rows).unwrap());
    let dialects = Dialects { effects, ..Dialects::default() };
    host.set_settings(Group::default(), Settings { dialects, ..Settings::default() });
    assert!(n_hints(&host) > 0);
    host.set_settings(Group::default(), Settings::default());
    assert_eq!(n_hints(&host), 0);
}
