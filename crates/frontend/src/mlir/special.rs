//! Parts of a row that items cannot express: one function each, called by its name in the row, on the parts of an
//! operation.

use ir::Type;
use parser::SyntaxKind::*;

use super::{
    affine::{self, Affine, Map},
    aliases::Aliases,
    canonical,
    cursor::{Cursor, Token, items},
    forms::enum_number,
    pretty::{Pretty, array, is_attribute, is_type},
    reader::{Operand, Part, Reader},
    types,
};

mod functions;
mod loops;
mod memory;

impl<'t> Reader<'t> {
    /// Runs the special function that a row names.
    pub(super) fn special(&mut self, name: &str, it: &mut Pretty, aliases: &Aliases) {
        match name {
            "func" => self.function(it, aliases),
            "module" => self.module(it, aliases),
            "launch" => self.attributions(it),
            "global" => self.global(it, aliases),
            "llvm-global" => self.llvm_global(it, aliases),
            "call" => self.call(it, aliases),
            "switch" => self.switch(it, aliases),
            "index-switch" => self.index_switch(it),
            "weights" => self.weights(it),
            "gep" => self.element_pointer(it),
            "llvm-access" => self.llvm_access(it),
            "rmw" => self.llvm_rmw(it),
            "cmpxchg" => self.exchange(it, aliases),
            "bundles" => self.bundles(it),
            "alignment" => self.alignment(it),
            "prefetch" => self.prefetch(it, aliases),
            "pack" => self.pack(it),
            "strided" => self.strided(it, aliases),
            "scalable" => self.scalable(it),
            "map" => self.map(it, aliases),
            "affine-index" => self.affine_index(it),
            "mfma" => self.mfma(it),
            "dpp" => self.dpp(it, aliases),
            "subspan" => self.subspan(it, aliases),
            "params" => self.params_entries(it, aliases),
            "permutation" => self.permutation(it, aliases),
            "affine-for" => self.affine_for(it, aliases),
            "affine-parallel" => self.affine_parallel(it),
            "forall" => self.forall(it),
            "launch-func" => self.launch_func(it, aliases),
            "gpu-async" => self.gpu_async(it, aliases),
            "linalg" => self.linalg(it, aliases),
            "to-tensor" => self.tensor_of_memory(it, aliases),
            _ => self.special_results(name, it, aliases),
        }
    }

    pub(super) fn word_part(&self, it: &Pretty, word: &str) -> Option<usize> {
        it.nth(0, |part| part.kind == IDENT && self.text_of(*part) == word)
    }

    fn type_of_part(&mut self, part: Part, aliases: &Aliases) -> Type {
        self.type_at((part.start, part.end), aliases)
    }

    fn nth_type(&mut self, it: &Pretty, number: usize, aliases: &Aliases) -> Type {
        match it.nth(number, |part| is_type(part.kind)) {
            Some(part) => self.type_of_part(it.parts[part], aliases),
            None => Type::Unknown,
        }
    }

    fn n_types(it: &Pretty) -> usize {
        it.parts.iter().filter(|it| is_type(it.kind)).count()
    }

    /// Results whose types are made from others.
    fn special_results(&mut self, name: &str, it: &mut Pretty, aliases: &Aliases) {
        let first = self.nth_type(it, 0, aliases);
        let n = Self::n_types(it);
        let result = match name {
            "complex" => first,
            "extract-element" => {
                let text = self.type_text(first).to_owned();
                let text = if types::body_of(&text).is_some() {
                    text
                } else {
                    let last = self.nth_type(it, n.saturating_sub(1), aliases);
                    self.type_text(last).to_owned()
                };
                let element = types::element_of(&text).unwrap_or("none").to_owned();
                self.named_type(&element)
            }
            "extract-value" => {
                let text = self.type_text(first).to_owned();
                let index = it.nth_kind(MLIR_INDEX_LIST, 0).map(|at| self.text_of(it.parts[at]));
                let path = index.map(items).unwrap_or_default();
                if types::body_of(&text).is_some() {
                    let element = types::element_of(&text).unwrap_or("none").to_owned();
                    let element = self.named_type(&element);
                    it.made.results.push(element);
                    return;
                }
                let found = types::llvm_member(&text, &path).unwrap_or_else(|| "none".to_owned());
                self.named_type(&found)
            }
            "assume-alignment" if self.n_names(&it.frame) == 0 => return,
            "assume-alignment" => first,
            "transfer-write" => {
                let target = self.nth_type(it, 1, aliases);
                if !self.type_text(target).starts_with("tensor<") {
                    return;
                }
                target
            }
            "outer-product" => {
                let second = self.nth_type(it, 1, aliases);
                let (a, b) = (self.type_text(first), self.type_text(second));
                let text = match (types::shape_of(a).first(), types::shape_of(b).first()) {
                    (Some(rows), Some(_)) => {
                        format!("vector<{rows}x{}", b.strip_prefix("vector<").unwrap_or(b))
                    }
                    _ => a.to_owned(),
                };
                self.named_type(&text)
            }
            "shuffle" => {
                let index = it.nth_kind(MLIR_INDEX_LIST, 0).map(|at| self.text_of(it.parts[at]));
                let len = index.map(items).unwrap_or_default().len();
                let text = self.type_text(first).to_owned();
                let text = types::with_first_dimension(&text, len);
                self.named_type(&text)
            }
            "deinterleave" => {
                let result = self.nth_type(it, 1, aliases);
                it.made.results.push(result);
                result
            }
            "gpu-shuffle" => {
                it.made.results.push(first);
                self.named_type("i1")
            }
            "unrealized" => {
                let to = self.word_part(it, "to");
                let behind: Vec<Part> = to.map(|at| it.parts[at..].to_vec()).unwrap_or_default();
                for part in behind.into_iter().filter(|it| is_type(it.kind)) {
                    let ty = self.type_of_part(part, aliases);
                    it.made.results.push(ty);
                }
                return;
            }
            _ => return,
        };
        it.made.results.push(result);
    }
}
