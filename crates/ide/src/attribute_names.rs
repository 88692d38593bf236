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
    // What the form writes is in the definition, if that is known.
    let of_form = attribute_keys(shapes.full_name(op)).into_iter().filter(|_| !is_defined);
    names.extend(of_form.map(|name| AttributeName {
        name: name.to_owned(),
        is_optional: false,
        is_unit: false,
    }));
    names
}

/// Returns true if an operation may have regions: a brace behind it may open one.
pub(crate) fn may_have_regions(shapes: &Shapes, op: &str) -> bool {
    match shapes.parts_of(op).and_then(|it| it.regions) {
        Some(regions) => !regions.is_empty(),
        None => shapes.example_of(op).is_none_or(|it| it.contains('{')),
    }
}
