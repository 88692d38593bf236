//! A unit whose text was edited, read again by itself.
//!
//! In: the text, and the aliases of its document that the unit sees. Out: the result of
//! [`lower_file`](super::lower_file) for it in its file; `None` if the text is no longer one unit. Bodies have no names
//! of values. O(text).

use std::sync::Arc;

use parser::mlir::{Piece, Shapes, parse_document_into};

use super::{
    UnitKind,
    aliases::Aliases,
    unit::{FileReader, Offload, Outline, Unit, Units},
};
use crate::ops::Lowered;

/// A function by its text.
pub fn reread_function(text: &str, aliases: &Aliases, shapes: &Shapes) -> Option<Lowered> {
    let mut found = Vec::new();
    let mut take = |unit: Unit| match unit.kind {
        // Nothing but the function.
        UnitKind::Frame => {}
        _ => found.push(unit),
    };
    let reader = FileReader::new(text, shapes, &mut take).without_names();
    parse_document_into(text, shapes, &mut reader.with_aliases(Arc::new(aliases.clone())));
    let [only] = <[Unit; 1]>::try_from(found).ok()?;
    (only.offset == 0 && only.end == text.len()).then_some(only.lowered)
}

/// The frame of a document by the document's text, with or without the bodies of its functions.
pub fn reread_frame(text: &str, shapes: &Shapes) -> Option<Lowered> {
    let mut frames = Frames { found: Vec::new() };
    parse_document_into(text, shapes, &mut FileReader::offloading(text, shapes, &mut frames));
    let [only] = <[Unit; 1]>::try_from(frames.found).ok()?;
    (only.offset == 0 && only.end == text.len()).then_some(only.lowered)
}

/// Takes frames, and leaves functions alone.
struct Frames {
    found: Vec<Unit>,
}

impl Units for Frames {
    fn unit(&mut self, unit: Unit) {
        if unit.kind == UnitKind::Frame {
            self.found.push(unit);
        }
    }
}

impl Offload for Frames {
    fn function_begins(&mut self, _: Outline) {}
    fn pieces(&mut self, _: &[Piece]) {}
    fn function_ends(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::lower_file;

    #[test]
    fn a_marker_in_a_region_does_not_divide_a_unit() {
        let text = "// RUN: own-opt %s\nmodule {\n  func.func @f(%a: i32) -> i32 {\n// -----\n    return %a : i32\n  }\n// -----\n}\n";
        let shapes = Shapes::builtin();
        let mut kinds = Vec::new();
        lower_file(text, shapes, &mut |unit| {
            kinds.push(unit.kind);
            let own = &text[unit.offset..unit.end];
            assert!(unit.with_text_unit(shapes, |it| (it.reread)(own).is_some()), "{own}");
        });
        assert_eq!(kinds, [UnitKind::Function, UnitKind::Frame]);
    }
}
