//! Inserted lines and attributes.
//!
//! In: a value that gets a name, a tile that is filled, a fact, or the wish for `noalias`. Out: the edits; none if the
//! text has no place for them.

use ir::{BufferId, OccurrenceId, OpId, ValueId, plan::finding::Start};
use syntax::{Edit, SyntaxKind, SyntaxNode, TextRange};

use super::Writer;
use crate::tvmscript::edits::{binding_line, names, one_line, script_alias};

impl Writer<'_> {
    /// A binding on a line of its own, and its name where the value stood.
    pub(super) fn binding(
        &self,
        name: &str,
        value: OccurrenceId,
        before: OpId,
        replaces: &[OccurrenceId],
    ) -> Option<Vec<Edit>> {
        let (body, map) = (&self.lowered.body, &self.lowered.source_map);
        let site = map.site(before)?;
        let range = map.occurrence_range(value);
        if !map.is_real(value) || !self.means_the_same(range) || self.names_later(range, before) {
            return None;
        }
        let alias = script_alias(self.text);
        let text = one_line(self.text_of(range));
        let ty = body.ty(self.occurrences[value].expr);
        let line = binding_line(body.dialect, ty, alias, name, &text);
        let line = format!("{line}{}{}", self.newline(), site.indent);
        let mut edits = vec![Edit::insert(site.offset, line)];
        for &it in replaces {
            let range = self.own_range(it)?;
            edits.push(names::name_edit(self.text, range, name));
        }
        Some(edits)
    }

    /// A tile that is filled on a line of its own.
    pub(super) fn filling(&self, buffer: BufferId, with: Start, before: OpId) -> Option<Edit> {
        let map = &self.lowered.source_map;
        let site = map.site(before)?;
        let mut named = map.definitions().iter().filter(|it| it.buffer == Some(buffer));
        let definition = named.next().filter(|it| it.range.end() <= site.offset)?;
        // Which tile a name means where it is given again, only its reader knows.
        let is_one = map.definitions().iter().filter(|it| it.name == definition.name).count() == 1;
        if !is_one || map.is_hidden(&definition.name) {
            return None;
        }
        let (alias, name) = (script_alias(self.text), &definition.name);
        let dtype = self.lowered.body.buffers[buffer].dtype;
        let line = match with {
            Start::Zero => format!("{alias}.clear({name})"),
            Start::Lowest => format!("{alias}.fill({name}, -{alias}.infinity(\"{dtype}\"))"),
            Start::Highest => format!("{alias}.fill({name}, {alias}.infinity(\"{dtype}\"))"),
        };
        Some(Edit::insert(site.offset, format!("{line}{}{}", self.newline(), site.indent)))
    }

    /// A fact about a size, on a line of its own.
    pub(super) fn assuming(&self, value: ValueId, divisor: i64, before: OpId) -> Option<Edit> {
        let map = &self.lowered.source_map;
        let site = map.site(before)?;
        let mut named = map.definitions().iter().filter(|it| it.value == Some(value));
        let definition = named.next().filter(|_| named.next().is_none())?;
        let is_one = map.definitions().iter().filter(|it| it.name == definition.name).count() == 1;
        if !is_one || map.is_hidden(&definition.name) {
            return None;
        }
        let (alias, name) = (script_alias(self.text), &definition.name);
        let line = format!("{alias}.assume({name} % {divisor} == 0){}", self.newline());
        Some(Edit::insert(site.offset, format!("{line}{}", site.indent)))
    }

    /// Returns true if a text has a name that is defined only after an operation begins: a compile-time name, or one in
    /// a part that TVM's constructors fold away.
    fn names_later(&self, range: TextRange, before: OpId) -> bool {
        let map = &self.lowered.source_map;
        let place = map.op_range(before).start();
        map.mentions_in(range).any(|id| map.definition(id).range.start() >= place)
    }

    /// The line break that the text uses.
    fn newline(&self) -> &'static str {
        syntax::first_line_end(self.text)
    }

    /// The attribute by which parameters do not overlap: in the dictionary that is there, or in one of its own.
    pub(super) fn noalias(&self) -> Option<Edit> {
        let body = &self.lowered.body;
        let key = ir::noalias_key(body.dialect);
        if body.func_attr(key).is_some() {
            return None;
        }
        let block = self.root.children().find(|it| it.kind() == SyntaxKind::BLOCK)?;
        let entry = format!("\"{key}\": True");
        if let Some(dict) = block.children().find_map(|it| self.attribute_dict(&it)) {
            let end = dict.text_range().end() - syntax::TextSize::of('}');
            let inside = self.text_of(TextRange::new(dict.text_range().start(), end));
            let inside = inside[1..].trim_end();
            let is_separate = inside.is_empty() || inside.ends_with(',');
            let separator = if is_separate { "" } else { ", " };
            let at = dict.text_range().start()
                + syntax::TextSize::of('{')
                + syntax::TextSize::of(inside);
            let blank = if inside.ends_with(',') { " " } else { "" };
            return Some(Edit::insert(at, format!("{separator}{blank}{entry}")));
        }
        let first = block.children().find(|it| !is_docstring(it))?;
        let start = first.text_range().start();
        let indent = self.indent_of(start)?;
        let alias = script_alias(self.text);
        let newline = self.newline();
        Some(Edit::insert(start, format!("{alias}.func_attr({{{entry}}}){newline}{indent}")))
    }

    /// The dictionary of `T.func_attr({…})`.
    fn attribute_dict(&self, statement: &SyntaxNode) -> Option<SyntaxNode> {
        let call = statement.children().find(|it| it.kind() == SyntaxKind::CALL_EXPR)?;
        let callee = call.first_child()?;
        if statement.kind() != SyntaxKind::EXPR_STMT
            || !self.text_of(callee.text_range()).ends_with(".func_attr")
        {
            return None;
        }
        call.descendants().find(|it| it.kind() == SyntaxKind::DICT_EXPR)
    }
}

fn is_docstring(statement: &SyntaxNode) -> bool {
    statement.kind() == SyntaxKind::EXPR_STMT
        && statement.first_child().is_some_and(|it| it.kind() == SyntaxKind::STRING_EXPR)
}
