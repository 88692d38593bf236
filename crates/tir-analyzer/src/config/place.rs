//! Where a setting stands in the text of a `tir-analyzer.toml`.

use std::fmt;

use syntax::{ColumnEncoding, LineIndex, TextSize};
use toml::de::{DeTable, DeValue};

use super::key::kebab;

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    line: u32,
    column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Place {
    /// The place of an offset.
    pub(super) fn of_offset(text: &str, offset: usize) -> Place {
        let offset = TextSize::try_from(offset).unwrap_or_default();
        let at = LineIndex::new(text).line_col(offset, ColumnEncoding::Utf32);
        Place { line: at.line + 1, column: at.col + 1 }
    }

    /// The place of a dotted key, in which numbers are those of rows (`effects.mlir.0.ops`): of as much of it as there
    /// is. None if the text is no TOML, or has not even the section.
    pub(super) fn of_key(text: &str, key: &str) -> Option<Place> {
        let document = DeTable::parse(text).ok()?;
        let mut table = document.get_ref();
        let mut found = None;
        let mut rest = key;
        loop {
            // A name of the user may have dots.
            let whole = table.iter().find(|it| *it.0.get_ref() == rest);
            let (segment, after) = rest.split_once('.').unwrap_or((rest, ""));
            let first = || table.iter().find(|it| kebab(it.0.get_ref()) == segment);
            let Some((name, mut value)) = whole.or_else(first) else { break };
            rest = if whole.is_some() { "" } else { after };
            found = Some(name.span().start);
            if let DeValue::Array(rows) = value.get_ref() {
                let (number, after) = rest.split_once('.').unwrap_or((rest, ""));
                let row = number.parse::<usize>().ok().and_then(|it| rows.get(it));
                let Some(row) = row else { break };
                found = Some(row.span().start);
                (value, rest) = (row, after);
            }
            let DeValue::Table(inner) = value.get_ref() else { break };
            table = inner;
        }
        found.map(|it| Place::of_offset(text, it))
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn keys_have_the_places_of_as_much_as_there_is() {
        let text = r#"a = 1
[hints]
all = true
minSaving = 3
[[effects.mlir]]
ops = []
[[effects.mlir]]
shape = { of = 1 }
[facts]
"f.stride_x" = ""
"#;
        let place = |key| Place::of_key(text, key).map(|it| it.to_string());
        assert_eq!(place("hints.all").as_deref(), Some("3:1"));
        assert_eq!(place("hints.min-saving").as_deref(), Some("4:1"));
        assert_eq!(place("hints.limit").as_deref(), Some("2:2"));
        assert_eq!(place("effects.mlir.0.ops").as_deref(), Some("6:1"));
        assert_eq!(place("effects.mlir.1.shape.of").as_deref(), Some("8:11"));
        assert_eq!(place("effects.mlir.7").as_deref(), Some("5:11"));
        assert_eq!(place("facts.f.stride_x").as_deref(), Some("10:1"));
        assert_eq!(place("no.such"), None);
        assert_eq!(Place::of_key("a = [", "a"), None);
    }
}
