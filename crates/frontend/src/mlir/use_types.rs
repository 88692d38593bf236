//! The types that an operation states for its operands, against those of their definitions.
//!
//! Told where both are certain: in the generic form, and in the pretty forms of a few operations that state the type of
//! each operand. Types may be written in many ways, so that only scalars are compared, with one another and with types
//! that have a shape. O(operands).

use ir::{Type, ValueId, ValueKind, arena::Id};
use parser::SyntaxKind::*;
use smallvec::SmallVec;

use super::{
    blocks::text_range,
    names::NONE,
    pretty::is_type,
    reader::{Frame, Part, Reader},
    stated::{Stated, is_uniform},
};
use crate::{
    mlir::aliases::Aliases,
    ops::{Diagnostic, Severity, codes::TYPE_MISMATCH},
};

impl<'t> Reader<'t> {
    /// Compares the types that are stated for the operands of an operation, one each.
    pub(super) fn check_operand_types(&mut self, frame: &Frame, stated: &[Type]) {
        // An operand that stands twice is told once.
        let mut told: SmallVec<[(u32, Type); 2]> = SmallVec::new();
        for (at, &stated) in stated.iter().enumerate() {
            let Some(operand) = self.operands.get(frame.operands + at).copied() else { return };
            if operand.value == NONE {
                continue;
            }
            let value = ValueId::new(operand.value as usize);
            let defined = self.body.values[value].ty;
            let is_told = told.contains(&(operand.value, stated));
            let differ = !is_told && defined != stated && self.is_certain_mismatch(defined, stated);
            self.n_mismatches += usize::from(differ);
            if !differ || !self.is_certainly_typed(value) {
                continue;
            }
            told.push((operand.value, stated));
            let message = format!(
                "`{}` has the type `{}`, but is used as `{}`",
                self.slice(operand.place),
                self.type_text(defined),
                self.type_text(stated)
            );
            let range = text_range(self.relative(operand.place));
            let related = vec![(self.map.definition(value), "it is defined here".to_owned())];
            self.report(Diagnostic {
                code: TYPE_MISMATCH,
                severity: Severity::Error,
                range,
                message,
                related,
                ..Diagnostic::default()
            });
        }
    }

    /// The same for a pretty form.
    pub(super) fn check_stated_types(&mut self, frame: &Frame, parts: &[Part], aliases: &Aliases) {
        let n_operands = self.operands.len() - frame.operands;
        let states = self.heads[frame.head as usize].stated;
        if n_operands == 0 || states == Stated::Unknown {
            return;
        }
        let of_kind = |kind| parts.iter().find(|it| it.kind == kind);
        let mut stated: SmallVec<[Type; 4]> = SmallVec::new();
        match of_kind(MLIR_FUNCTION_TYPE) {
            Some(part) => stated.extend(self.signature((part.start, part.end), aliases).0),
            None => {
                for part in parts.iter().filter(|it| is_type(it.kind)) {
                    stated.push(self.type_at((part.start, part.end), aliases));
                }
            }
        }
        match (states, &stated[..]) {
            (Stated::Each, stated) if stated.len() == n_operands => {
                self.check_operand_types(frame, stated);
            }
            (Stated::Both, &[ty]) if n_operands <= 2 => {
                self.check_operand_types(frame, &[ty; 2][..n_operands]);
            }
            _ => {}
        }
    }

    /// Returns true if the type of a value stands in the text, or follows from it in all versions of MLIR.
    fn is_certainly_typed(&self, value: ValueId) -> bool {
        let unit = &self.text[self.base as usize..];
        match self.body.values[value].kind {
            ValueKind::Result(op, _) => {
                let name = &unit[self.map.op_name(op)];
                name.starts_with('"') || name.split_once('.').is_some_and(|it| is_uniform(it.0))
            }
            ValueKind::BlockArg(..) => {
                let behind = usize::from(self.map.definition(value).end());
                unit[behind..].trim_start().starts_with(':')
            }
            // Where a part of a unit is read again, that is found out by reading all of it.
            _ => true,
        }
    }

    /// Returns true if two types differ in whatever way they may be written.
    fn is_certain_mismatch(&self, left: Type, right: Type) -> bool {
        let [left, right] = [left, right].map(|it| self.type_text(it));
        let is_shaped = |it: &str| {
            ["tensor<", "vector<", "memref<"].iter().any(|prefix| it.starts_with(prefix))
        };
        match (is_scalar(left), is_scalar(right)) {
            (true, true) => left != right,
            (true, false) => is_shaped(right),
            (false, true) => is_shaped(left),
            (false, false) => false,
        }
    }
}

/// Returns true for integers, floats and `index`, which have one spelling each.
fn is_scalar(ty: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let digits = ty.strip_prefix("si").or(ty.strip_prefix("ui")).or(ty.strip_prefix('i'));
    let is_float = matches!(ty, "bf16" | "f16" | "f32" | "f64" | "f80" | "f128" | "tf32");
    ty == "index" || is_float || digits.is_some_and(is_number)
}
