//! Functions, modules, globals, calls, branches.

use super::*;
use crate::mlir::reader::Definition;

impl Reader<'_> {
    fn symbol(&self, it: &mut Pretty) {
        if let Some(at) = it.nth_kind(MLIR_SYMBOL_DEF, 0) {
            let part = it.claim(at);
            let name = canonical::symbol_text(self.text_of(part));
            it.push("sym_name", format!("\"{}\"", name[1..].trim_matches('"')));
        }
    }

    /// The arguments in a list of arguments.
    fn arguments(&self, it: &Pretty, list: Part) -> Vec<Definition> {
        let within = |at: u32| list.start <= at && at < list.end;
        let all = &self.definitions[it.frame.definitions..];
        all.iter()
            .filter(|it| it.context == MLIR_BLOCK_ARG && within(it.whole.0))
            .copied()
            .collect()
    }

    /// `[{a}, {}]` of the dictionaries of arguments or results, if there is any.
    fn listed_attrs(&self, it: &mut Pretty, key: &str, texts: &[&str], aliases: &Aliases) {
        if texts.iter().all(|it| it.is_empty()) {
            return;
        }
        let items: Vec<String> =
            texts
                .iter()
                .map(|it| {
                    if it.is_empty() { "{}".to_owned() } else { canonical::attribute(it, aliases) }
                })
                .collect();
        it.push(key, format!("[{}]", items.join(", ")));
    }

    pub(super) fn function(&mut self, it: &mut Pretty, aliases: &Aliases) {
        it.no_results = true;
        self.symbol(it);
        let dialect = self.slice(it.frame.name).split('.').next().unwrap_or_default().to_owned();
        let lists: Vec<usize> =
            (0..it.parts.len()).filter(|&at| it.parts[at].kind == MLIR_BLOCK_ARGS).collect();
        let Some(&first) = lists.first() else { return };
        let arguments = self.arguments(it, it.parts[first]);
        let inputs: Vec<String> = arguments
            .iter()
            .map(|argument| match self.type_at(argument.ty, aliases) {
                Type::Unknown => "...".to_owned(),
                ty => self.type_text(ty).to_owned(),
            })
            .collect();
        let attrs: Vec<&str> = arguments.iter().map(|it| self.slice(it.attrs)).collect();
        self.listed_attrs(it, "arg_attrs", &attrs, aliases);
        let results = self.function_results(it, aliases);
        let text = if dialect == "llvm" {
            let plain = |it: &String| it.strip_prefix("!llvm.").unwrap_or(it).to_owned();
            let inputs: Vec<String> = inputs.iter().map(plain).collect();
            let result = results.first().map_or_else(|| "void".to_owned(), plain);
            format!("!llvm.func<{result} ({})>", inputs.join(", "))
        } else {
            let text = format!("({}) -> ({})", inputs.join(", "), results.join(", "));
            canonical::type_(&text, aliases)
        };
        it.push("function_type", text);
        self.function_words(it, &dialect);
    }

    fn function_results(&mut self, it: &mut Pretty, aliases: &Aliases) -> Vec<String> {
        let types = self.behind_arrow(it, aliases);
        if let Some(at) = it.nth_kind(MLIR_TYPE_LIST, 0) {
            let texts: Vec<&str> = items(self.text_of(it.parts[at]))
                .into_iter()
                .map(|item| item[types::without_attributes(item).len()..].trim())
                .collect();
            self.listed_attrs(it, "res_attrs", &texts, aliases);
        }
        types.iter().map(|&ty| self.type_text(ty).to_owned()).collect()
    }

    fn function_words(&self, it: &mut Pretty, dialect: &str) {
        for at in 0..it.parts.len() {
            let part = it.parts[at];
            let text = self.text_of(part);
            let is_word = part.kind == MLIR_FLAG || part.kind == STRING;
            match (dialect, text) {
                _ if !is_word => continue,
                ("gpu", "kernel") => it.push("gpu.kernel", "unit"),
                (_, "private" | "public" | "nested") if dialect != "llvm" => {
                    it.push("sym_visibility", format!("\"{text}\""));
                }
                ("llvm", _) => it.push("linkage", format!("#llvm.linkage<{text}>")),
                ("spirv", _) => {
                    let word = text.trim_matches('"');
                    it.push("function_control", format!("#spirv.function_control<{word}>"));
                }
                _ => continue,
            }
            it.claimed[at] = true;
        }
        self.attributions(it);
    }

    /// `workgroup(%w : T)`: how many.
    pub(super) fn attributions(&self, it: &mut Pretty) {
        let Some(word) = self.word_part(it, "workgroup") else { return };
        let list = it.parts[word..].iter().find(|it| it.kind == MLIR_BLOCK_ARGS);
        if let Some(&list) = list {
            let n = self.arguments(it, list).len();
            it.push("workgroup_attributions", format!("{n} : i64"));
        }
    }

    pub(super) fn module(&mut self, it: &mut Pretty, aliases: &Aliases) {
        self.symbol(it);
        if let Some(at) = it.nth_kind(MLIR_INDEX_LIST, 0) {
            let part = it.claim(at);
            it.push("targets", canonical::attribute(self.text_of(part), aliases));
        }
        self.visibility(it);
    }

    fn visibility(&self, it: &mut Pretty) {
        for at in 0..it.parts.len() {
            let word = self.text_of(it.parts[at]).trim_matches('"').to_owned();
            let is_word = matches!(it.parts[at].kind, IDENT | STRING | MLIR_FLAG);
            if is_word && matches!(&*word, "private" | "public" | "nested") {
                it.claimed[at] = true;
                it.push("sym_visibility", format!("\"{word}\""));
            }
        }
    }

    pub(super) fn global(&mut self, it: &mut Pretty, aliases: &Aliases) {
        self.symbol(it);
        self.visibility(it);
        let ty = self.nth_type(it, 0, aliases);
        let ty = self.type_text(ty).to_owned();
        if let Some(at) =
            it.nth(0, |part| part.kind == MLIR_FLAG && self.text_of(*part) == "constant")
        {
            it.claimed[at] = true;
            it.push("constant", "unit");
        }
        let value = it.nth(0, |part| is_attribute(part.kind) && part.start > it.frame.name.1);
        if let Some(at) = value {
            let part = it.claim(at);
            let tensor = format!("tensor<{}>", types::dimensions_and_element(&ty));
            let text = format!("{} : {tensor}", self.text_of(part));
            it.push("initial_value", canonical::attribute(&text, aliases));
        } else if it.parts.iter().any(|it| is_type(it.kind) && self.text_of(*it) == "uninitialized")
            || self.word_part(it, "uninitialized").is_some()
        {
            it.push("initial_value", "unit");
        }
        it.push("type", ty);
    }

    pub(super) fn llvm_global(&mut self, it: &mut Pretty, aliases: &Aliases) {
        self.symbol(it);
        for at in 0..it.parts.len() {
            let part = it.parts[at];
            if part.kind == MLIR_FLAG {
                let text = self.text_of(part);
                it.claimed[at] = true;
                match text {
                    "constant" => it.push("constant", "unit"),
                    "thread_local" => it.push("thread_local_", "unit"),
                    _ => it.push("linkage", format!("#llvm.linkage<{text}>")),
                }
            }
        }
        if let Some(at) = it.nth(0, |part| is_attribute(part.kind)) {
            let part = it.claim(at);
            it.push("value", canonical::attribute(self.text_of(part), aliases));
        }
        let ty = self.nth_type(it, 0, aliases);
        it.push("global_type", self.type_text(ty).to_owned());
    }

    pub(super) fn call(&mut self, it: &mut Pretty, aliases: &Aliases) {
        if let Some(at) = it.nth_kind(MLIR_SYMBOL_REF, 0) {
            let part = it.claim(at);
            it.push("callee", canonical::attribute(self.text_of(part), aliases));
        }
        if let Some(at) = self.word_part(it, "vararg")
            && let Some(part) = it.parts[at..].iter().find(|it| is_type(it.kind)).copied()
        {
            let ty = self.type_of_part(part, aliases);
            it.push("var_callee_type", self.type_text(ty).to_owned());
        }
    }

    /// Cases of a switch: `dense<[1, 2]> : vector<2xi32>`.
    pub(super) fn switch(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let mut cases: Vec<&str> = Vec::new();
        for at in 0..it.parts.len() {
            if it.parts[at].kind == MLIR_NUMBER_ATTR {
                let part = it.claim(at);
                cases.push(self.text_of(part));
            }
        }
        if cases.is_empty() {
            return;
        }
        let ty = self.nth_type(it, 0, aliases);
        let text = format!(
            "dense<[{}]> : vector<{}x{}>",
            cases.join(", "),
            cases.len(),
            self.type_text(ty)
        );
        it.push("case_values", canonical::attribute(&text, aliases));
    }

    pub(super) fn index_switch(&mut self, it: &mut Pretty) {
        let mut cases: Vec<&str> = Vec::new();
        for at in 0..it.parts.len() {
            if it.parts[at].kind == MLIR_NUMBER_ATTR {
                let part = it.claim(at);
                cases.push(self.text_of(part));
            }
        }
        it.push("cases", array("i64", cases.into_iter()));
        // The default stands last in the text, and first among the regions.
        if let Some(op) = self.make_op() {
            let regions = &mut self.body.ops[op].regions;
            if !regions.is_empty() {
                regions.rotate_right(1);
            }
        }
    }

    pub(super) fn weights(&mut self, it: &mut Pretty) {
        if let Some(at) = it.nth_kind(MLIR_ARRAY_ATTR, 0) {
            let part = it.claim(at);
            it.push("branch_weights", array("i32", items(self.text_of(part)).into_iter()));
        }
    }

    /// `["tag"(%a, %b : T, U), …]`
    pub(super) fn bundles(&mut self, it: &mut Pretty) {
        let groups: Vec<Part> =
            it.parts.iter().copied().filter(|it| it.kind == MLIR_OPERAND_GROUP).collect();
        let mut tags = Vec::new();
        for at in 0..it.parts.len() {
            if it.parts[at].kind == MLIR_STRING_ATTR {
                let part = it.claim(at);
                tags.push(self.text_of(part));
            }
        }
        let sizes: Vec<String> =
            groups.iter().map(|it| (it.operands.1 - it.operands.0).to_string()).collect();
        it.push("op_bundle_sizes", array("i32", sizes.iter().map(String::as_str)));
        it.push("op_bundle_tags", format!("[{}]", tags.join(", ")));
    }

    /// `@module::@kernel … args(…)`
    pub(super) fn launch_func(&mut self, it: &mut Pretty, aliases: &Aliases) {
        if let Some(at) = it.nth_kind(MLIR_SYMBOL_REF, 0) {
            let part = it.claim(at);
            it.push("kernel", canonical::attribute(self.text_of(part), aliases));
        }
        let group = it.nth_kind(MLIR_OPERAND_GROUP, 0).map_or(0, |at| {
            let (start, end) = it.parts[at].operands;
            end - start
        });
        let tuples = it.parts.iter().filter(|it| it.kind == MLIR_OPERAND_TUPLE).count();
        let cluster = usize::from(tuples > 2);
        let dependencies = it.nth_kind(MLIR_INDEX_LIST, 0).map_or(0, |at| {
            let (start, end) = it.parts[at].operands;
            end - start
        });
        let shared = u32::from(self.word_part(it, "dynamic_shared_memory_size").is_some());
        it.push(
            "operandSegmentSizes",
            format!(
                "array<i32: {dependencies}, 1, 1, 1, 1, 1, 1, {cluster}, {cluster}, {cluster}, {shared}, {group}, 0>"
            ),
        );
        self.gpu_async(it, aliases);
    }

    /// The token of an asynchronous operation is its last result.
    pub(super) fn gpu_async(&mut self, it: &mut Pretty, aliases: &Aliases) {
        let is_alloc = self.slice(it.frame.name) == "gpu.alloc";
        if is_alloc {
            let n = Self::n_types(it);
            let ty = self.nth_type(it, n.saturating_sub(1), aliases);
            it.made.results.push(ty);
        }
        if self.word_part(it, "async").is_some()
            || it.parts.iter().any(|it| it.kind == MLIR_FLAG && self.text_of(*it) == "async")
        {
            let token = self.named_type("!gpu.async.token");
            it.made.results.push(token);
        }
        if it.made.results.is_empty() {
            it.no_results = true;
        }
    }
}
