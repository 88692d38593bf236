//! Affine maps with operands, loops with bounds in lists, structured operations.

use super::*;

impl Reader<'_> {
    /// `#map(%a)[%b]`: the map. The operands are in the order of the generic form.
    pub(super) fn map(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let Some(at) = it.nth_kind(MLIR_MAP_OPERANDS, 0) else { return };
        let part = it.claim(at);
        let text = canonical::attribute(map_text(self.text_of(part)), aliases);
        let key = if self.slice(it.frame.name) == "affine.if" { "condition" } else { "map" };
        it.push(key, text);
    }

    /// `(i, j) -> (j, i)`
    pub(super) fn permutation(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let lists = (it.nth_kind(MLIR_OPERAND_TUPLE, 0), it.nth_kind(MLIR_OPERAND_TUPLE, 1));
        if let (Some(from), Some(to)) = lists {
            let (from, to) = (it.claim(from), it.claim(to));
            let text = format!("affine_map<{} -> {}>", self.text_of(from), self.text_of(to));
            it.push("permutation", canonical::attribute(&text, aliases));
        }
    }

    /// A bound of `affine.for`: a number, a value or a map, between two words.
    fn bound(
        &mut self,
        it: &mut Pretty,
        from: usize,
        to: usize,
        aliases: &Aliases,
    ) -> (String, u32) {
        for at in from..to {
            let part = it.parts[at];
            match part.kind {
                MLIR_MAP_OPERANDS => {
                    it.claimed[at] = true;
                    let text = canonical::attribute(map_text(self.text_of(part)), aliases);
                    return (text, part.operands.1 - part.operands.0);
                }
                MLIR_NUMBER_ATTR => {
                    it.claimed[at] = true;
                    let text = format!("affine_map<() -> ({})>", self.text_of(part));
                    return (canonical::attribute(&text, aliases), 0);
                }
                _ => {}
            }
        }
        ("affine_map<()[s0] -> (s0)>".to_owned(), 1)
    }

    pub(super) fn affine_for(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let end = it.parts.len();
        let to = self.word_part(it, "to").unwrap_or(end);
        let step = self.word_part(it, "step");
        let stop = step.or(self.word_part(it, "iter_args")).unwrap_or(end);
        let (lower, n_lower) = self.bound(it, 0, to, aliases);
        let (upper, n_upper) = self.bound(it, to, stop, aliases);
        it.push("lowerBoundMap", lower);
        it.push("upperBoundMap", upper);
        let number =
            step.and_then(|at| (at..end).find(|&at| it.parts[at].kind == MLIR_NUMBER_ATTR));
        let size = match number {
            Some(at) => {
                let part = it.claim(at);
                self.text_of(part).to_owned()
            }
            None => "1".to_owned(),
        };
        it.push("step", format!("{size} : index"));
        let inits = it.made.n_operands.saturating_sub((n_lower + n_upper) as usize);
        it.push("operandSegmentSizes", format!("array<i32: {n_lower}, {n_upper}, {inits}>"));
    }

    /// `= (0, %n) to (10, min(20, %n)) step (1, 2) reduce ("addf")`
    pub(super) fn affine_parallel(&mut self, it: &mut Pretty) {
        let Some(lower) = it.nth_kind(MLIR_OPERAND_TUPLE, 0) else { return };
        let Some(upper) = it.nth_kind(MLIR_OPERAND_TUPLE, 1) else { return };
        let mut replaced = 0usize;
        for (at, key) in [(lower, "lowerBounds"), (upper, "upperBounds")] {
            let part = it.parts[at];
            let Some((map, groups, names)) = grouped_map(self.text_of(part)) else { return };
            it.claimed[at] = true;
            let shifted = Part {
                operands: (part.operands.0 - replaced as u32, part.operands.1 - replaced as u32),
                ..part
            };
            let before = it.made.n_operands;
            self.replace_operands(it, shifted, &names);
            replaced += before - it.made.n_operands;
            let mut text = String::new();
            map.print(&mut text);
            it.push(&format!("{key}Map"), text);
            let all: Vec<String> = groups.iter().map(ToString::to_string).collect();
            let dense = format!("dense<[{}]> : tensor<{}xi32>", all.join(", "), all.len());
            let groups = canonical::attribute(&dense, &Aliases::default());
            it.push(&format!("{key}Groups"), groups);
        }
        let n = items(self.text_of(it.parts[lower])).len();
        let steps = self.list_behind(it, "step");
        let steps: Vec<String> = match steps {
            Some(text) => items(text).iter().map(|it| format!("{it} : i64")).collect(),
            None => vec!["1 : i64".to_owned(); n],
        };
        it.push("steps", format!("[{}]", steps.join(", ")));
        let reductions: Vec<String> = match self.list_behind(it, "reduce") {
            Some(text) => items(text)
                .iter()
                .filter_map(|it| super::enum_number("rmw", it.trim_matches('"')))
                .map(|it| format!("{it} : i64"))
                .collect(),
            None => Vec::new(),
        };
        it.push("reductions", format!("[{}]", reductions.join(", ")));
    }

    fn list_behind(&self, it: &mut Pretty, word: &str) -> Option<&str> {
        let at = self.word_part(it, word)?;
        let list = (at..it.parts.len()).find(|&at| it.parts[at].kind == MLIR_OPERAND_TUPLE)?;
        it.claimed[list] = true;
        Some(self.text_of(it.parts[list]))
    }

    /// `in (4, %n)`, or `= (0) to (%n) step (2)`
    pub(super) fn forall(&mut self, it: &mut Pretty) {
        let lists: Vec<usize> =
            (0..it.parts.len()).filter(|&at| it.parts[at].kind == MLIR_OPERAND_TUPLE).collect();
        let dynamic = "-9223372036854775808";
        let mut texts = Vec::new();
        let mut sizes = Vec::new();
        for &at in &lists {
            let part = it.claim(at);
            let items = items(self.text_of(part));
            let n = items.len();
            let items = items.into_iter().map(|it| if it.starts_with('%') { dynamic } else { it });
            texts.push((array("i64", items), n));
            sizes.push((part.operands.1 - part.operands.0) as usize);
        }
        let constant = |n: usize, value: &'static str| array("i64", std::iter::repeat_n(value, n));
        let (lower, upper, step, sizes) = match (&texts[..], &sizes[..]) {
            ([(upper, n)], [size]) => {
                (constant(*n, "0"), upper.clone(), constant(*n, "1"), [0, *size, 0])
            }
            ([(lower, _), (upper, _), (step, _)], [a, b, c]) => {
                (lower.clone(), upper.clone(), step.clone(), [*a, *b, *c])
            }
            _ => return,
        };
        it.push("staticLowerBound", lower);
        it.push("staticUpperBound", upper);
        it.push("staticStep", step);
        let outs = it.made.n_operands.saturating_sub(sizes.iter().sum());
        let [a, b, c] = sizes;
        it.push("operandSegmentSizes", format!("array<i32: {a}, {b}, {c}, {outs}>"));
    }

    /// Structured operations without an arrow: results are the tensors of `outs`.
    pub(super) fn linalg(&mut self, it: &mut Pretty, aliases: &Aliases) {
        for (word, key) in [("permutation", "permutation"), ("dimensions", "dimensions")] {
            if let Some(at) = self.word_part(it, word)
                && let Some(list) =
                    (at..it.parts.len()).find(|&at| it.parts[at].kind == MLIR_ARRAY_ATTR)
            {
                let part = it.claim(list);
                it.push(key, array("i64", items(self.text_of(part)).into_iter()));
            }
        }
        let behind = self.behind_arrow(it, aliases);
        if !behind.is_empty() {
            it.made.results = behind;
            return;
        }
        let Some(outs) = self.word_part(it, "outs") else { return };
        let Some(group) = it.parts[outs..].iter().find(|it| it.kind == MLIR_OPERAND_GROUP) else {
            return;
        };
        let (start, end) = group.operands;
        for at in start..end {
            let operand = self.operands[it.frame.operands + at as usize];
            let ty = self.operand_type(operand);
            if self.type_text(ty).starts_with("tensor<") {
                it.made.results.push(ty);
            }
        }
        it.no_results = it.made.results.is_empty();
    }
}

/// `#map` of `#map(%a)[%b]`.
fn map_text(text: &str) -> &str {
    let mut cursor = Cursor::new(text);
    if let Token::Word(_) = cursor.next() {
        cursor.skip_group();
    }
    cursor.since(0)
}

/// The map of bounds, each one expression or a `min`/`max` of several, and how many each has.
fn grouped_map(text: &str) -> Option<(Map, Vec<usize>, super::memory::ValueNames)> {
    let mut names = super::memory::ValueNames::default();
    let mut results = Vec::new();
    let mut groups = Vec::new();
    for item in items(text) {
        let inner = item.strip_prefix("min").or_else(|| item.strip_prefix("max"));
        let expressions = match inner.map(str::trim).filter(|it| it.starts_with('(')) {
            Some(list) => items(list),
            None => vec![item],
        };
        groups.push(expressions.len());
        for expression in expressions {
            let mut cursor = Cursor::new(expression);
            results.push(affine::expression(&mut cursor, &mut names)?);
            if !cursor.at_end() {
                return None;
            }
        }
    }
    Some((Map::new(names.dims.len(), names.symbols.len(), results), groups, names))
}
