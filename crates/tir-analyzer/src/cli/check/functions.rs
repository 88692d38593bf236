//! Which function a place of a file is in.
//!
//! In: a file's text. Out: its functions with what identifies them, the way around them and their name: lines come and go.

use frontend::tvmscript::{self, FunctionItem};
use rustc_hash::FxHashSet;
use syntax::TextRange;

/// The functions of a file.
pub(crate) struct Functions {
    items: Vec<(TextRange, String)>,
}

impl Functions {
    pub(crate) fn of(text: &str) -> Functions {
        let functions = tvmscript::functions(&syntax::parse(text)).functions;
        Functions { items: functions.iter().map(|it| (it.range, identity(it))).collect() }
    }

    /// What identifies the innermost function around a place; empty outside of all.
    pub(crate) fn identity_at(&self, range: TextRange) -> &str {
        let around = self.items.iter().filter(|it| it.0.contains_range(range));
        around.min_by_key(|it| it.0.len()).map_or("", |it| &it.1)
    }

    /// The places of functions whose text is not that of a function of the same identity in another version of the file.
    pub(crate) fn changed(text: &str, before: &str) -> Vec<TextRange> {
        let old = tvmscript::functions(&syntax::parse(before)).functions;
        let old: FxHashSet<(String, String)> =
            old.iter().map(|it| (identity(it), it.source.green.text())).collect();
        let new = tvmscript::functions(&syntax::parse(text)).functions;
        let is_changed =
            |it: &&FunctionItem| !old.contains(&(identity(it), it.source.green.text()));
        new.iter().filter(is_changed).map(|it| it.range).collect()
    }
}

fn identity(item: &FunctionItem) -> String {
    let key = &item.source.key;
    if key.path.is_empty() { key.name.to_string() } else { format!("{}.{}", key.path, key.name) }
}

#[cfg(test)]
mod tests {
    use super::Functions;

    #[test]
    fn functions_that_only_moved_are_not_changed() {
        let one = |name: &str, value: u32| {
            format!(
                "@T.prim_func\ndef {name}(A: T.Buffer((4,), \"int32\")):\n    A[0] = {value}\n\n\n"
            )
        };
        let head = "from tvm.script import tirx as T\n\n\n";
        let before = format!("{head}{}{}", one("f", 1), one("g", 2));
        let after = format!("{head}# more\n{}{}{}", one("h", 5), one("g", 2), one("f", 3));
        let changed: Vec<&str> = Functions::changed(&after, &before)
            .into_iter()
            .map(|it| &after[std::ops::Range::<usize>::from(it)][13..18])
            .collect();
        assert_eq!(changed, ["def h", "def f"]);
    }
}
