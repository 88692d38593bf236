//! Accesses of memory: affine indices, element pointers, alignments, prefetches, packs.

use super::*;

/// Values in affine indices: dimensions, and symbols in `symbol(…)`, in the order of their first use.
#[derive(Default)]
pub(super) struct ValueNames {
    pub(super) dims: Vec<String>,
    pub(super) symbols: Vec<String>,
}

impl affine::Names for ValueNames {
    fn resolve(&mut self, name: &str, symbol: bool) -> Option<Affine> {
        let list = if symbol { &mut self.symbols } else { &mut self.dims };
        let at = list.iter().position(|it| it == name).unwrap_or_else(|| {
            list.push(name.to_owned());
            list.len() - 1
        });
        Some(if symbol { Affine::Symbol(at) } else { Affine::Dim(at) })
    }
}

impl Reader<'_> {
    /// `%m[%i + 1, symbol(%n) * 2]`: a map, and each value once.
    pub(super) fn affine_index(&mut self, it: &mut Pretty) {
        let Some(at) = it.nth_kind(MLIR_INDEX_LIST, 0) else { return };
        let part = it.parts[at];
        let Some((map, names)) = index_map(self.text_of(part)) else { return };
        it.claimed[at] = true;
        self.replace_operands(it, part, &names);
        let mut text = String::new();
        map.print(&mut text);
        it.push("map", text);
    }

    /// Puts the first use of each name in the place of the operands of a part.
    pub(super) fn replace_operands(&mut self, it: &mut Pretty, part: Part, names: &ValueNames) {
        let first = it.frame.operands;
        let (start, end) = (first + part.operands.0 as usize, first + part.operands.1 as usize);
        let old: Vec<Operand> = self.operands[start..end].to_vec();
        let use_of = |name: &String| old.iter().find(|it| self.slice(it.place) == *name).copied();
        let new: Vec<Operand> =
            names.dims.iter().chain(&names.symbols).filter_map(use_of).collect();
        it.made.n_operands = it.made.n_operands + new.len() - old.len();
        self.operands.splice(start..end, new);
    }

    pub(super) fn element_pointer(&mut self, it: &mut Pretty) {
        if let Some(at) = it.nth_kind(MLIR_INDEX_LIST, 0) {
            let part = it.claim(at);
            let dynamic = "-2147483648";
            let indices: Vec<&str> = items(self.text_of(part))
                .into_iter()
                .map(|it| if it.starts_with('%') { dynamic } else { it })
                .collect();
            it.push("rawConstantIndices", array("i32", indices.into_iter()));
        }
        if let Some(part) = it.parts.iter().rfind(|it| is_type(it.kind)).copied()
            && part.kind == MLIR_TYPE
        {
            let ty = canonical::type_(self.text_of(part), &Aliases::default());
            it.push("elem_type", ty);
        }
        let mut flags = 0;
        for at in 0..it.parts.len() {
            let text = self.text_of(it.parts[at]);
            if it.parts[at].kind == MLIR_FLAG
                && let Some(bits) = enum_number("wrap", text)
            {
                it.claimed[at] = true;
                flags |= bits;
            }
        }
        if flags != 0 {
            it.push("noWrapFlags", format!("{flags} : i32"));
        }
    }

    /// `atomic ordering`, `<alignment = 4>`
    pub(super) fn llvm_access(&mut self, it: &mut Pretty) {
        if let Some(at) = it.nth_kind(MLIR_PARAMS, 0) {
            let text = self.text_of(it.parts[at]);
            if let Some(number) = text.split('=').nth(1) {
                it.claimed[at] = true;
                it.push("alignment", format!("{} : i64", number.trim_matches(['>', ' '])));
            }
        }
        let flag =
            |word: &str| it.nth(0, |part| part.kind == MLIR_FLAG && self.text_of(*part) == word);
        if let Some(atomic) = flag("atomic") {
            it.claimed[atomic] = true;
            let n_before = it.entries.len();
            for at in atomic + 1..it.parts.len() {
                let word = self.text_of(it.parts[at]);
                if it.parts[at].kind == MLIR_FLAG
                    && let Some(number) = enum_number("ordering", word)
                {
                    it.claimed[at] = true;
                    it.push("ordering", format!("{number} : i64"));
                }
            }
            if it.entries.len() == n_before {
                // Its word is not known, but an order it has.
                it.push("ordering", "unknown");
            }
        }
    }

    pub(super) fn llvm_rmw(&mut self, it: &mut Pretty) {
        let flags: Vec<usize> =
            (0..it.parts.len()).filter(|&at| it.parts[at].kind == MLIR_FLAG).collect();
        for at in flags {
            let word = self.text_of(it.parts[at]);
            let found = match enum_number("ordering", word) {
                Some(number) if it.entries.iter().any(|it| it.0 == "bin_op") => {
                    Some(("ordering", number))
                }
                _ => enum_number("bin_op", word).map(|number| ("bin_op", number)),
            };
            if let Some((key, number)) = found {
                it.claimed[at] = true;
                it.push(key, format!("{number} : i64"));
            }
        }
    }

    pub(super) fn exchange(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let mut keys = ["success_ordering", "failure_ordering"].into_iter();
        for at in 0..it.parts.len() {
            let word = self.text_of(it.parts[at]);
            if it.parts[at].kind == MLIR_FLAG
                && let Some(number) = enum_number("ordering", word)
                && let Some(key) = keys.next()
            {
                it.claimed[at] = true;
                it.push(key, format!("{number} : i64"));
            }
        }
        let n = Self::n_types(it);
        let ty = self.nth_type(it, n.saturating_sub(1), aliases);
        let text = self.type_text(ty);
        let text = text.strip_prefix("!llvm.").unwrap_or(text);
        let text = format!("!llvm.struct<({text}, i1)>");
        let result = self.named_type(&text);
        it.made.results.push(result);
    }

    /// `16x16x4`
    pub(super) fn mfma(&mut self, it: &mut Pretty) {
        let (Some(first), Some(rest)) = (it.nth_kind(MLIR_NUMBER_ATTR, 0), it.nth_kind(IDENT, 0))
        else {
            return;
        };
        let (first, rest) = (it.claim(first), it.claim(rest));
        let text = format!("{}{}", self.text_of(first), self.text_of(rest));
        for (key, size) in ["m", "n", "k", "blocks"].into_iter().zip(text.split('x')) {
            it.push(key, format!("{size} : i32"));
        }
    }

    /// `quad_perm([1 : i32, …]) bound_ctrl(true)`
    pub(super) fn dpp(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let attrs: Vec<usize> =
            (0..it.parts.len()).filter(|&at| is_attribute(it.parts[at].kind)).collect();
        for at in attrs {
            let Some(word) = at.checked_sub(1).filter(|&it_| it.parts[it_].kind == IDENT) else {
                continue;
            };
            let value = canonical::attribute(self.text_of(it.parts[at]), aliases);
            let name = self.text_of(it.parts[word]);
            it.claimed[at] = true;
            it.claimed[word] = true;
            match name {
                "bound_ctrl" => it.push(name, value),
                "row_mask" | "bank_mask" => it.push(name, value.replace(" : i64", " : i32")),
                _ => {
                    it.push("kind", format!("#amdgpu.dpp_perm<{name}>"));
                    it.push("permArgument", value);
                }
            }
        }
    }

    /// `layout(#l) binding(0) alignment(64) offset(%o) flags("ReadOnly|Indirect")`
    pub(super) fn subspan(&mut self, it: &mut Pretty, aliases: &Aliases) {
        for (word, key) in [
            ("layout", "layout"),
            ("binding", "binding"),
            ("alignment", "alignment"),
            ("flags", "descriptor_flags"),
        ] {
            let Some(at) = self.word_part(it, word) else { continue };
            if at + 1 >= it.parts.len() {
                continue;
            }
            let part = it.claim(at + 1);
            let text = self.text_of(part);
            let value = match word {
                "layout" => canonical::attribute(text, aliases),
                "flags" => {
                    let words = text.trim_matches('"').split('|');
                    let bits = words.filter_map(|it| enum_number("descriptor", it));
                    format!("{} : i32", bits.fold(0, |all, it| all | it))
                }
                _ => format!("{text} : index"),
            };
            it.push(key, value);
        }
    }

    /// `<indexing_maps = […], …>`
    pub(super) fn params_entries(&mut self, it: &mut Pretty, aliases: &Aliases) {
        if let Some(at) = it.nth_kind(MLIR_PARAMS, 0) {
            let part = it.claim(at);
            let text = self.text_of(part);
            let text = format!("{{{}}}", text[1..].strip_suffix('>').unwrap_or_default());
            let writer = canonical::Writer::new(aliases);
            it.entries.extend(writer.entries(&mut Cursor::new(&text)));
        }
    }

    /// `alignment = 64`
    pub(super) fn alignment(&mut self, it: &mut Pretty) {
        if self.word_part(it, "alignment").is_some()
            && let Some(at) = it.nth_kind(MLIR_NUMBER_ATTR, 0)
        {
            let part = it.claim(at);
            it.push("alignment", format!("{} : i64", self.text_of(part)));
        }
    }

    /// `[…], read, locality<3>, data`
    pub(super) fn prefetch(&mut self, it: &mut Pretty, _aliases: &Aliases) {
        if self.slice(it.frame.name) == "affine.prefetch" {
            self.affine_index(it);
        }
        for at in 0..it.parts.len() {
            let part = it.parts[at];
            let text = self.text_of(part);
            match (part.kind, text) {
                (IDENT, "read" | "write") => it.push("isWrite", (text == "write").to_string()),
                (IDENT, "data" | "instr") => it.push("isDataCache", (text == "data").to_string()),
                (MLIR_FLAG, _) if text.starts_with("locality<") => {
                    let number = text["locality<".len()..].trim_end_matches('>');
                    it.push("localityHint", format!("{number} : i32"));
                }
                _ => continue,
            }
            it.claimed[at] = true;
        }
    }

    /// `outer_dims_perm = [0] inner_dims_pos = [0, 1] inner_tiles = [2, %n] into %d`
    pub(super) fn pack(&mut self, it: &mut Pretty) {
        let mut value = 1;
        for (word, key) in
            [("outer_dims_perm", "outer_dims_perm"), ("inner_dims_pos", "inner_dims_pos")]
        {
            if let Some(at) = self.word_part(it, word)
                && let Some(list) =
                    (at..it.parts.len()).find(|&at| it.parts[at].kind == MLIR_ARRAY_ATTR)
            {
                let part = it.claim(list);
                it.push(key, array("i64", items(self.text_of(part)).into_iter()));
            }
        }
        let mut tiles = 0;
        if let Some(at) = it.nth_kind(MLIR_INDEX_LIST, 0) {
            let part = it.claim(at);
            tiles = (part.operands.1 - part.operands.0) as usize;
            let items = items(self.text_of(part));
            let dynamic = "-9223372036854775808";
            let sizes = items.into_iter().map(|it| if it.starts_with('%') { dynamic } else { it });
            it.push("static_inner_tiles", array("i64", sizes));
        }
        let padding = usize::from(self.word_part(it, "padding_value").is_some());
        if self.slice(it.frame.name).ends_with(".pack") {
            it.push("operandSegmentSizes", format!("array<i32: 1, 1, {padding}, {tiles}>"));
        }
        // In the text the tiles stand before the destination.
        let first = it.frame.operands;
        value += padding;
        let end = first + it.made.n_operands;
        if first + value + tiles < end {
            self.operands[first + value..end].rotate_left(tiles);
        }
        if padding == 1 && it.made.n_operands > 2 {
            self.operands[first + 1..first + 3].swap(0, 1);
        }
    }

    /// `offsets = [0], sizes = [2], strides = [1]`
    pub(super) fn strided(&mut self, it: &mut Pretty, aliases: &Aliases) {
        for word in ["offsets", "sizes", "strides"] {
            if let Some(at) = self.word_part(it, word)
                && let Some(list) =
                    (at..it.parts.len()).find(|&at| it.parts[at].kind == MLIR_ARRAY_ATTR)
            {
                let part = it.claim(list);
                it.push(word, canonical::attribute(self.text_of(part), aliases));
            }
        }
    }

    pub(super) fn scalable(&mut self, it: &mut Pretty) {
        if let Some(at) = it.nth_kind(MLIR_INDEX_LIST, 0) {
            let part = it.claim(at);
            let text = items(self.text_of(part)).first().copied().unwrap_or("0");
            it.push("pos", format!("{text} : i64"));
        }
    }

    pub(super) fn tensor_of_memory(&mut self, it: &mut Pretty, aliases: &Aliases) {
        for word in ["restrict", "writable"] {
            let found = it.nth(0, |part| part.kind == MLIR_FLAG && self.text_of(*part) == word);
            if let Some(at) = found {
                it.claimed[at] = true;
                it.push(word, "unit");
            }
        }
        if Self::n_types(it) == 1 {
            let ty = self.nth_type(it, 0, aliases);
            let text = self.type_text(ty);
            let text = format!("tensor<{}>", types::dimensions_and_element(text));
            let ty = self.named_type(&text);
            it.made.results.push(ty);
        }
    }
}

/// The map of a list of affine expressions of values.
fn index_map(text: &str) -> Option<(Map, ValueNames)> {
    let mut names = ValueNames::default();
    let mut results = Vec::new();
    for item in items(text) {
        let mut cursor = Cursor::new(item);
        results.push(affine::expression(&mut cursor, &mut names)?);
        if !cursor.at_end() {
            return None;
        }
    }
    Some((Map::new(names.dims.len(), names.symbols.len(), results), names))
}
