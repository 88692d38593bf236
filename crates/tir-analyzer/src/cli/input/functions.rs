//! The function around a place of a file.
//!
//! In: a file's text. Out: its functions with their identity, the path around them and their name: lines come and go.

use frontend::tvmscript::{self, FunctionItem};
use rustc_hash::FxHashSet;
use syntax::{Form, Language, TextRange};

/// The functions of a file.
pub(crate) struct Functions {
    items: Vec<(TextRange, String)>,
}

impl Functions {
    pub(crate) fn of(language: Language, text: &str) -> Functions {
        let items = functions(language, text).into_iter();
        Functions { items: items.map(|(range, identity, _)| (range, identity)).collect() }
    }

    /// Returns the identity of the innermost function around a place; empty outside of all.
    pub(crate) fn identity_at(&self, range: TextRange) -> &str {
        let around = self.items.iter().filter(|it| it.0.contains_range(range));
        around.min_by_key(|it| it.0.len()).map_or("", |it| &it.1)
    }

    /// The places of functions whose text is not that of a function of the same identity in another version of the
    /// file.
    pub(crate) fn changed(language: Language, text: &str, before: &str) -> Vec<TextRange> {
        let old: FxHashSet<(String, String)> =
            functions(language, before).into_iter().map(|it| (it.1, it.2)).collect();
        let new = functions(language, text).into_iter();
        let changed = new.map(|it| (it.0, (it.1, it.2))).filter(|it| !old.contains(&it.1));
        changed.map(|it| it.0).collect()
    }
}

/// The place, the identity and the text of each function or program.
fn functions(language: Language, text: &str) -> Vec<(TextRange, String, String)> {
    let parse = syntax::parse_as(language, text);
    if language.support().form == Form::Expressions {
        let functions = tvmscript::functions(&parse).functions;
        let one = |it: &FunctionItem| (it.range, identity(it), it.source.green.text());
        return functions.iter().map(one).collect();
    }
    let units = syntax::units(&parse);
    let functions = units.functions.iter().map(|it| {
        let (path, name) = (&it.source.path, &it.source.name);
        let identity = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        (it.range, identity, it.source.green.text())
    });
    functions.collect()
}

fn identity(item: &FunctionItem) -> String {
    let key = &item.source.key;
    if key.path.is_empty() { key.name.to_string() } else { format!("{}.{}", key.path, key.name) }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

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
        let changed: Vec<&str> = Functions::changed(Language::TvmScript, &after, &before)
            .into_iter()
            .map(|it| &after[std::ops::Range::<usize>::from(it)][13..18])
            .collect();
        assert_eq!(changed, ["def h", "def f"]);
    }
}
