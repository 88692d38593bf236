//! The steps of a program to its body, its source map and its diagnostics.
//!
//! A push reader: a stack of open nodes, of blocks and of operations. An operation is made when its first block begins
//! or when it ends ([`Header`] holds its parts until then); its results are visible behind it. Names are visible to the
//! end of their block, inner blocks included. No recursion; linear in the text.

mod scope;

use ir::{
    Attr, Body, Dialect, ExprId, ExprKind, OpId, OpKind, RegionId, Type, ValueId, ValueKind,
    effects::{self, EffectTable, MatchKind, Namespace},
};
use parser::{
    Step,
    SyntaxKind::{self, *},
};
use rustc_hash::FxHashSet;
use syntax::TextRange;

use self::scope::Scope;
use super::{Lowered, NULL_TYPE};
use crate::{
    diagnostic_list::DiagnosticList,
    ops::{Diagnostic, OpSourceMap, Severity, diagnostics as codes, rule},
};

type Place = (u32, u32);

/// The name of unreadable text in the body.
const UNREADABLE: &str = "unreadable";

/// Reads the steps of one `PIR_BLOCK`, whose text this is.
pub(super) fn read(text: &str, steps: impl Iterator<Item = Step>) -> Lowered {
    let mut reader = Reader::new(text);
    for step in steps {
        match step {
            Step::Enter(kind) => reader.enter(kind),
            Step::Token { kind, len } => {
                let start = reader.offset;
                reader.offset += len;
                if !kind.is_trivia() {
                    reader.token(kind, (start, reader.offset));
                } else {
                    reader.gap = true;
                }
            }
            Step::Exit => reader.leave(),
        }
    }
    reader.finish()
}

/// The parts of an operation before its first block.
#[derive(Default)]
struct Header<'a> {
    whole: Place,
    name: Option<(&'a str, Place)>,
    results: Vec<(&'a str, Place)>,
    /// Values, or `None` for absent ones.
    operands: Vec<(Option<&'a str>, Place)>,
    /// Values in unreadable text.
    stray: Vec<(&'a str, Place)>,
    attrs: Vec<(Box<str>, Attr)>,
    dictionary: Option<Place>,
    operand_types: Option<Vec<String>>,
    result_types: Option<Vec<String>>,
    is_broken: bool,
    /// The operation, once it is made.
    op: Option<OpId>,
}

struct OpenBlock {
    block: ir::BlockId,
    region: RegionId,
    start: u32,
    names: usize,
}

struct Reader<'a> {
    text: &'a str,
    offset: u32,
    body: Body,
    map: OpSourceMap,
    diagnostics: DiagnosticList,
    scope: Scope<'a>,
    nodes: Vec<SyntaxKind>,
    blocks: Vec<OpenBlock>,
    ops: Vec<Header<'a>>,
    /// Key and text of the attribute or type that is being read.
    key: &'a str,
    piece: String,
    /// True if there was trivia before the next token.
    gap: bool,
    unknown: FxHashSet<&'a str>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            offset: 0,
            body: Body::new("program", Dialect::Pir),
            map: OpSourceMap::default(),
            diagnostics: DiagnosticList::default(),
            scope: Scope::default(),
            nodes: Vec::new(),
            blocks: Vec::new(),
            ops: Vec::new(),
            key: "",
            piece: String::new(),
            gap: false,
            unknown: FxHashSet::default(),
        }
    }

    fn enter(&mut self, kind: SyntaxKind) {
        match kind {
            PIR_BLOCK => self.open_block(),
            PIR_OP => self.open_op(false),
            ERROR_NODE | TOO_DEEP => match self.nodes.last() {
                Some(&PIR_BLOCK) => self.open_op(true),
                _ => self.mark_broken(),
            },
            PIR_MISSING => self.mark_broken(),
            PIR_ATTR_MAP if self.nodes.last() == Some(&PIR_OP) => {
                let start = self.offset;
                self.with_header(|it| it.dictionary = Some((start, start)));
            }
            PIR_ATTR_VALUE | PIR_TYPE => {
                self.piece.clear();
                self.gap = false;
            }
            PIR_TYPE_LIST => self.with_header(|it| it.operand_types = Some(Vec::new())),
            PIR_RESULT_TYPES => self.with_header(|it| it.result_types = Some(Vec::new())),
            _ => {}
        }
        self.nodes.push(kind);
    }

    fn token(&mut self, kind: SyntaxKind, place: Place) {
        let text = &self.text[place.0 as usize..place.1 as usize];
        match (self.nodes.last().copied(), kind) {
            (Some(PIR_VALUE_DEF), VALUE_ID) => self.definition(text, place),
            (Some(PIR_VALUE_USE), VALUE_ID) => {
                self.with_header(|it| it.operands.push((Some(text), place)));
            }
            (Some(PIR_OPERAND), PIR_NULL) => {
                self.with_header(|it| it.operands.push((None, place)));
            }
            (Some(PIR_OP), STRING) => {
                self.with_header(|it| it.name = Some((unquoted(text), place)))
            }
            (Some(PIR_ATTR_ENTRY), IDENT | STRING) => self.key = unquoted(text),
            (Some(PIR_ATTR_VALUE | PIR_TYPE), _) => self.add_to_piece(text),
            (Some(_), VALUE_ID) => self.with_header(|it| it.stray.push((text, place))),
            _ => {}
        }
        if let Some(header) = self.ops.last_mut().filter(|it| it.op.is_none()) {
            header.whole.1 = place.1;
        }
    }

    fn leave(&mut self) {
        let Some(kind) = self.nodes.pop() else { return };
        match kind {
            PIR_BLOCK => self.close_block(),
            PIR_OP => self.close_op(),
            ERROR_NODE | TOO_DEEP if self.nodes.last() == Some(&PIR_BLOCK) => self.close_op(),
            PIR_ATTR_MAP if self.nodes.last() == Some(&PIR_OP) => {
                let end = self.offset;
                self.with_header(|it| {
                    if let Some(dictionary) = &mut it.dictionary {
                        dictionary.1 = end;
                    }
                });
            }
            PIR_ATTR_ENTRY => self.attribute(),
            PIR_TYPE => self.type_(),
            _ => {}
        }
    }

    fn with_header(&mut self, change: impl FnOnce(&mut Header<'a>)) {
        if let Some(header) = self.ops.last_mut().filter(|it| it.op.is_none()) {
            change(header);
        }
    }

    fn mark_broken(&mut self) {
        if self.nodes.last() != Some(&PIR_BLOCK) {
            self.with_header(|it| it.is_broken = true);
        }
    }

    /// Joins tokens; a blank stays only where it keeps words apart.
    fn add_to_piece(&mut self, text: &str) {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        if self.gap && self.piece.ends_with(is_word) && text.starts_with(is_word) {
            self.piece.push(' ');
        }
        self.gap = false;
        self.piece.push_str(text);
    }

    fn attribute(&mut self) {
        let is_of_op = self.nodes.len() >= 2 && self.nodes[self.nodes.len() - 2] == PIR_OP;
        if is_of_op {
            let value = Attr::Text(self.piece.as_str().into());
            let key = self.key;
            self.with_header(|it| it.attrs.push((key.into(), value)));
        }
        self.piece.clear();
    }

    fn type_(&mut self) {
        let list = self.nodes.last().copied();
        let piece = std::mem::take(&mut self.piece);
        self.with_header(|it| match list {
            Some(PIR_TYPE_LIST) => it.operand_types.get_or_insert_default().push(piece),
            _ => it.result_types.get_or_insert_default().push(piece),
        });
    }

    // ---- blocks ----

    fn open_block(&mut self) {
        self.make_op();
        let region = match self.ops.last().and_then(|it| it.op) {
            Some(op) => self.body.push_region(op),
            None => self.body.root,
        };
        let block = self.body.entry(region);
        self.map.set_block(block, (self.offset, self.offset));
        let names = self.scope.mark();
        self.blocks.push(OpenBlock { block, region, start: self.offset, names });
    }

    fn close_block(&mut self) {
        if let Some(open) = self.blocks.pop() {
            self.map.set_region(open.region, (open.start, self.offset));
            self.scope.leave(open.names);
        }
    }

    fn definition(&mut self, name: &'a str, place: Place) {
        if self.nodes.len() >= 2 && self.nodes[self.nodes.len() - 2] == PIR_BLOCK_ARG {
            let Some(block) = self.blocks.last().map(|it| it.block) else { return };
            let value = self.body.new_block_arg(block, name, Type::Unknown);
            self.define(name, value, place);
        } else {
            self.with_header(|it| it.results.push((name, place)));
        }
    }

    fn define(&mut self, name: &'a str, value: ValueId, place: Place) {
        self.map.set_value(value, place);
        if let Some((_, first)) = self.scope.define(name, value, place) {
            let message = format!("`{name}` is already defined");
            let mut it = diagnostic(codes::VALUE_REDEFINITION, range(place), message);
            it.related.push((range(first), "the first definition".to_owned()));
            self.diagnostics.push(it);
        }
    }

    // ---- operations ----

    fn open_op(&mut self, is_broken: bool) {
        let whole = (self.offset, self.offset);
        self.ops.push(Header { whole, is_broken, ..Header::default() });
    }

    fn close_op(&mut self) {
        self.make_op();
        let Some(header) = self.ops.pop() else { return };
        let Some(op) = header.op else { return };
        self.map.set_op_end(op, self.offset);
        for (index, &(name, place)) in header.results.iter().enumerate() {
            let value = self.body.ops[op].results[index];
            self.define(name, value, place);
        }
    }

    /// Makes the innermost open operation from its parts, if it is not made yet.
    fn make_op(&mut self) {
        let Some(mut header) = self.ops.pop() else { return };
        if header.op.is_none()
            && let Some(block) = self.blocks.last().map(|it| it.block)
        {
            header.op = Some(self.make(block, &mut header));
        }
        self.ops.push(header);
    }

    fn make(&mut self, block: ir::BlockId, header: &mut Header<'a>) -> OpId {
        let (name, name_place) = header.name.unwrap_or((UNREADABLE, header.whole));
        let name_id = self.body.intern(name);
        let is_readable = header.name.is_some() && !header.is_broken;
        let kind = if is_readable { OpKind::Named(name_id) } else { OpKind::Opaque(name_id) };
        let operands: Vec<ExprId> =
            header.operands.iter().map(|&(name, place)| self.operand(name, place)).collect();
        let stray = self.stray(header);
        let op = self.body.push_op(block, kind, &operands);
        self.map.set_op(op, header.whole, name_place);
        for &(_, place) in &header.operands {
            self.map.push_use(op, place);
        }
        for (value, place) in stray {
            self.body.ops[op].operands.push(value);
            self.map.push_use(op, place);
        }
        if let Some(place) = header.dictionary {
            self.map.push_dictionary(op, place);
        }
        header.attrs.sort_by(|a, b| a.0.cmp(&b.0));
        self.body.ops[op].attrs = self.body.attr_dict(std::mem::take(&mut header.attrs));
        self.results(op, header);
        if is_readable {
            self.check(name, name_place, header);
        }
        op
    }

    /// Uses in a text that could not be read: of the values that are visible there.
    fn stray(&mut self, header: &Header<'a>) -> Vec<(ExprId, Place)> {
        let visible = |it: &&(&'a str, Place)| self.scope.get(it.0).is_some();
        let names: Vec<_> = header.stray.iter().filter(visible).copied().collect();
        names.into_iter().map(|(name, place)| (self.operand(Some(name), place), place)).collect()
    }

    fn operand(&mut self, name: Option<&'a str>, place: Place) -> ExprId {
        let Some(name) = name else {
            let nothing = self.body.list(&[]);
            let ty = Type::Named(self.body.intern(NULL_TYPE));
            return self.body.make(ExprKind::Tuple(nothing), ty);
        };
        let value = match self.scope.get(name) {
            Some((value, _)) => value,
            None => self.scope.undefined(name, place, || {
                self.body.new_value(name, Type::Unknown, ValueKind::Captured)
            }),
        };
        self.body.value_expr(value)
    }

    fn results(&mut self, op: OpId, header: &Header<'a>) {
        let types = header.result_types.as_deref().unwrap_or_default();
        for (index, &(name, _)) in header.results.iter().enumerate() {
            let ty = match types.get(index) {
                Some(text) => Type::Named(self.body.intern(text)),
                None => Type::Unknown,
            };
            self.body.push_result(op, name, ty);
        }
    }

    /// Checks an operation by itself and reports mistakes.
    fn check(&mut self, name: &'a str, place: Place, header: &Header<'a>) {
        let pairs = [
            ("operand", header.operands.len(), &header.operand_types),
            ("result", header.results.len(), &header.result_types),
        ];
        for (what, found, types) in pairs {
            let Some(types) = types.as_ref().map(Vec::len).filter(|&it| it != found) else {
                continue;
            };
            let message = format!(
                "`{name}` has {} and {}",
                codes::count(found, what),
                codes::count(types, &format!("{what} type"))
            );
            self.diagnostics.push(diagnostic(codes::COUNT_MISMATCH, range(place), message));
        }
        let is_known = effects::paddle_op(name).is_some()
            || EffectTable::builtin().explain(Namespace::Pir, name).kind != MatchKind::Default;
        if !is_known && self.unknown.insert(name) {
            let message = format!("the effects of `{name}` are unknown: nothing is merged with it");
            let mut it = diagnostic(codes::UNKNOWN_OPERATION, range(place), message);
            it.help = Some(codes::declare("pir", name));
            self.diagnostics.push(it);
        }
    }

    fn finish(mut self) -> Lowered {
        for (name, place) in self.scope.unresolved() {
            let (code, message) = match self.scope.is_ever_defined(name) {
                true => (
                    codes::USE_BEFORE_DEFINITION,
                    format!("`{name}` is defined in another block or later"),
                ),
                false => (codes::UNDEFINED_VALUE, format!("`{name}` is not defined")),
            };
            self.diagnostics.push(diagnostic(code, range(place), message));
        }
        self.map.finish();
        Lowered {
            body: self.body,
            source_map: self.map,
            diagnostics: self.diagnostics.into_sorted(),
        }
    }
}

/// A diagnostic of a rule, with the rule's severity.
fn diagnostic(code: &'static str, range: TextRange, message: String) -> Diagnostic {
    let severity = rule(code).and_then(|it| it.level).unwrap_or(Severity::Error);
    Diagnostic { code, severity, range, message, ..Diagnostic::default() }
}

fn unquoted(text: &str) -> &str {
    let text = text.strip_prefix('"').unwrap_or(text);
    text.strip_suffix('"').unwrap_or(text)
}

fn range((start, end): Place) -> TextRange {
    TextRange::new(start.into(), end.max(start).into())
}
