//! The names of the attributes that an operation may have: those of its definition, and those that its form is known to
//! write.

use frontend::mlir::attribute_keys;
use syntax::Shapes;

/// The name of an attribute of an operation.
pub(crate) struct AttributeName {
    pub(crate) name: String,
    /// True if it may be absent.
    pub(crate) is_optional: bool,
    /// True if its presence is all that it says.
    pub(crate) is_unit: bool,
}

/// The attributes of an operation, those of the definition first.
pub(crate) fn attribute_names(shapes: &Shapes, op: &str) -> Vec<AttributeName> {
    let defined = shapes.parts_of(op).and_then(|it| it.attributes);
    let is_defined = defined.is_some();
    let mut names: Vec<AttributeName> = Vec::new();
    for written in defined.unwrap_or_default() {
        let name = written.trim_end_matches(['?', '!', '*']);
        names.push(AttributeName {
            name: name.to_owned(),
            is_optional: written.ends_with(['?', '!']),
            is_unit: written.ends_with('!'),
        });
    }
    if is_defined {
        return names;
    }
    // What the form writes is in the definition, if that is known.
    let mut add = |name: &str, is_optional| {
        if names.iter().all(|it| it.name != name) {
            names.push(AttributeName { name: name.to_owned(), is_optional, is_unit: false });
        }
    };
    attribute_keys(shapes.full_name(op)).into_iter().for_each(|it| add(it, false));
    let of_format = shapes.format_of(op).map(assigned).unwrap_or_default();
    of_format.into_iter().for_each(|(name, is_optional)| add(name, is_optional));
    names
}

/// The attributes that a format writes as `name = value`, and whether that part is optional.
fn assigned(format: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for (at, _) in format.match_indices('$') {
        let end = format[at + 1..].find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let end = end.map_or(format.len(), |it| at + 1 + it);
        let name = &format[at + 1..end];
        let before = format[..at].trim_end().strip_suffix("`=`").map(str::trim_end);
        let literal = before.and_then(|it| it.strip_suffix('`')?.strip_suffix(name));
        if literal.is_some_and(|it| it.ends_with('`')) {
            found.push((name, format[end..].starts_with('^')));
        }
    }
    found
}
