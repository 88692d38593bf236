//! The reader: steps in, a [`Body`] with its [`OpSourceMap`] out, in one pass.
//!
//! Open nodes are a stack; so are open operations, each with its contents so far: *parts* (its direct children),
//! operands, definitions, regions, successors. An operation is made when it ends, or at its first region. No recursion;
//! O(1) a step.

mod lines;

use ir::{BlockId, Body, Dialect, NameId, OpId, OpKind, RegionId, RegionKind};
use parser::{
    Step,
    SyntaxKind::{self, *},
    mlir::{Piece, Shapes, default_dialect, name_in},
};
use rustc_hash::FxHashMap;
use syntax::TextRange;

use self::lines::Lines;
use super::{
    aliases::Aliases,
    diagnostics,
    local_names::LocalNames,
    names::{NONE, Names},
    relower::Traits,
    stated::{Stated, stated_by},
};
use crate::{
    diagnostic_list::DiagnosticList,
    ops::{Diagnostic, Lowered, OpSourceMap, Severity, codes},
};

/// The limit on values of all packs (`%0:2`) in one unit together.
const MAX_PACKED: u32 = 1 << 20;

/// Something that stands directly in an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) kind: SyntaxKind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Number of operands before and up to its end.
    pub(super) operands: (u32, u32),
}

/// A use in an operation: a value, or a name that waits for its definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) value: u32,
    pub(super) name: NameId,
    pub(super) number: u32,
    pub(super) place: (u32, u32),
}

/// A definition in an operation: a result, or an argument of its first region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    pub(super) name: (u32, u32),
    /// Size of the pack.
    pub(super) count: u32,
    pub(super) whole: (u32, u32),
    /// The type that stands with it.
    pub(super) ty: (u32, u32),
    /// Attributes that stand with it.
    pub(super) attrs: (u32, u32),
    /// The node around it: `MLIR_RESULT_LIST`, `MLIR_BLOCK_ARG`, `MLIR_ASSIGN` or the operation.
    pub(super) context: SyntaxKind,
}

/// A successor in an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) label: (u32, u32),
    pub(super) operands: (u32, u32),
}

/// How an operation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Generic,
    Custom,
    /// Not understood.
    Opaque,
}

/// An operation that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) start: u32,
    pub(super) name: (u32, u32),
    pub(super) form: Form,
    pub(super) op: Option<OpId>,
    /// True if the unit is this operation: its region is the body's.
    pub(super) is_unit: bool,
    pub(super) head: u32,
    /// The place where its entries begin on the stacks.
    pub(super) parts: usize,
    pub(super) operands: usize,
    pub(super) definitions: usize,
    pub(super) targets: usize,
    /// Definitions that are arguments of a region already.
    pub(super) bound: usize,
    pub(super) regions: u32,
    /// The place where its first region begins.
    pub(super) first_region: u32,
    /// Its last `loc(…)`.
    pub(super) location: (u32, u32),
}

/// The information about operations of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'t> {
    /// The words of its shape.
    pub(super) words: &'t [Box<str>],
    pub(super) name: NameId,
    pub(super) is_function: bool,
    pub(super) is_module: bool,
    pub(super) is_swapped: bool,
    /// True if its regions see no value from around it.
    pub(super) is_isolated: bool,
    /// True if it is written in the form of its definition.
    pub(super) is_by_definition: bool,
    /// True if the types of its results may be read off its form.
    pub(super) states_results: bool,
    /// The operands whose types its pretty form states.
    pub(super) stated: Stated,
    /// Its number in the table of forms.
    pub(super) rule: u32,
}

/// A region that is open: where operations go.
pub(super) struct OpenRegion<'t> {
    pub(super) region: RegionId,
    pub(super) block: BlockId,
    /// True if the block already has a label or operations.
    pub(super) begun: bool,
    pub(super) first_target: usize,
    /// Values with smaller numbers are from around an operation that was not understood.
    pub(super) n_outside: usize,
    /// The dialect of operations that are written without one.
    pub(super) dialect: &'t str,
}

/// A successor whose block is looked up when its region ends.
pub(super) struct PendingTarget {
    pub(super) op: OpId,
    pub(super) index: u32,
    pub(super) name: NameId,
    /// The place where the label is used.
    pub(super) label: u32,
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// The place where the unit begins in the text.
    pub(super) base: u32,
    /// The offset of the next token in the text.
    pos: u32,
    /// True if this is a frame: functions appear in it without their regions.
    pub(super) frame_unit: bool,
    pub(super) shapes: &'t Shapes,
    pub(super) body: Body,
    pub(super) map: OpSourceMap,
    pub(super) diagnostics: DiagnosticList,
    open: Vec<(SyntaxKind, u32)>,
    /// Open nodes that are read by their text only.
    skipping: u32,
    /// Open nodes of regions that are left out.
    hidden: u32,
    pub(super) frames: Vec<Frame>,
    pub(super) parts: Vec<Part>,
    pub(super) operands: Vec<Operand>,
    pub(super) definitions: Vec<Definition>,
    pub(super) targets: Vec<Target>,
    pub(super) regions: Vec<OpenRegion<'t>>,
    pub(super) pending_targets: Vec<PendingTarget>,
    pub(super) late_arguments: Vec<super::blocks::LateArgument>,
    pub(super) names: Names,
    /// The names of values and blocks, if the body is not to have them.
    pub(super) local_names: Option<LocalNames<'t>>,
    /// True if a region has several blocks.
    pub(super) has_branches: bool,
    /// True if something in the text fits nowhere.
    pub(super) has_errors: bool,
    /// True if a region gives its operations a dialect.
    pub(super) has_default_dialect: bool,
    /// The number of values that further packs may have.
    pack_budget: u32,
    /// The place where the definitions of the label that is being read begin.
    pub(super) labelled: usize,
    pub(super) heads: Vec<Head<'t>>,
    head_index: FxHashMap<&'t str, u32>,
    pub(super) caches: super::operation::Caches<'t>,
    lines: Lines,
    /// The number of operands whose stated type is not the one of their definition.
    pub(super) n_mismatches: usize,
    /// The number of operations from which on room is made for more.
    room: usize,
}

/// The number of operations from which on it is worth guessing how many there will be.
const MANY: usize = 1 << 14;
/// How many times as many there may be before it is guessed again.
const MOST: u64 = 8;

/// Kinds that are parts of the operation in which they stand directly.
fn is_part(kind: SyntaxKind) -> bool {
    !matches!(
        kind,
        MLIR_RESULT_LIST
            | MLIR_VALUE_DEF
            | MLIR_VALUE_USE
            | MLIR_POSSIBLE_DEF
            | MLIR_REGION
            | MLIR_REGION_LIST
            | MLIR_SUCCESSOR
            | MLIR_SUCCESSOR_LIST
            | ERROR_NODE
            | MLIR_UNREAD
            | MLIR_MISSING
            | MLIR_LOCATION
    )
}

/// Kinds whose contents are read by their text, uses apart.
fn is_leaf(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        MLIR_TYPE
            | MLIR_FUNCTION_TYPE
            | MLIR_TYPE_LIST
            | MLIR_ATTR_DICT
            | MLIR_PROPERTIES
            | MLIR_PARAMS
            | MLIR_FLAG
            | MLIR_LOCATION
            | MLIR_SYMBOL_DEF
            | MLIR_SYMBOL_REF
            | MLIR_STRING_ATTR
            | MLIR_NUMBER_ATTR
            | MLIR_ARRAY_ATTR
            | MLIR_HASH_ATTR
            | MLIR_BUILTIN_ATTR
            | MLIR_ATTR_ALIAS_DEF
            | MLIR_TYPE_ALIAS_DEF
            | MLIR_FILE_METADATA
            | TOO_DEEP
    )
}

/// Kinds of nodes whose children are parts of an operation.
fn holds_parts(kind: SyntaxKind) -> bool {
    matches!(kind, MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP | MLIR_UNREAD | ERROR_NODE)
}

impl<'t> Reader<'t> {
    /// A reader of a unit that begins at `base` in `text`.
    pub(super) fn new(text: &'t str, base: usize, shapes: &'t Shapes, frame_unit: bool) -> Self {
        let mut body = Body::new("", Dialect::Mlir);
        let mut names = Names::default();
        let mut regions = Vec::new();
        let mut map = OpSourceMap::default();
        if frame_unit {
            let root = body.root;
            body.regions[root].kind = RegionKind::Graph;
            names.open_region(true, 0);
            let block = body.entry(root);
            regions.push(OpenRegion {
                region: root,
                block,
                begun: false,
                first_target: 0,
                n_outside: 0,
                dialect: "",
            });
            map.set_region(root, (0, 0));
        }
        Reader {
            text,
            base: base as u32,
            pos: base as u32,
            frame_unit,
            shapes,
            body,
            map,
            diagnostics: DiagnosticList::default(),
            open: Vec::new(),
            skipping: 0,
            hidden: 0,
            frames: Vec::new(),
            parts: Vec::new(),
            operands: Vec::new(),
            definitions: Vec::new(),
            targets: Vec::new(),
            regions,
            pending_targets: Vec::new(),
            late_arguments: Vec::new(),
            names,
            local_names: None,
            has_branches: false,
            has_errors: false,
            has_default_dialect: false,
            pack_budget: MAX_PACKED,
            labelled: 0,
            heads: Vec::new(),
            head_index: FxHashMap::default(),
            caches: Default::default(),
            lines: Lines::default(),
            n_mismatches: 0,
            room: MANY,
        }
    }

    /// The same reader, whose body will have no names of values.
    pub(super) fn without_names(self) -> Self {
        Reader { local_names: Some(LocalNames::default()), ..self }
    }

    /// A reader of operations in the middle of a block, from `pos` on. The body that it makes has them in its root
    /// region.
    pub(super) fn within_block(text: &'t str, pos: u32, shapes: &'t Shapes) -> Self {
        let mut reader = Reader::new(text, 0, shapes, false);
        reader.begin_operation(Form::Generic);
        let root = reader.body.root;
        let block = reader.body.entry(root);
        reader.regions.push(OpenRegion {
            region: root,
            block,
            begun: true,
            first_target: 0,
            n_outside: 0,
            dialect: "",
        });
        reader.open.push((MLIR_BLOCK, 0));
        reader.pos = pos;
        reader
    }

    /// Returns true if everything was read in one go: no name waited for its definition, nothing was reported, packs
    /// are few, and operations are called as they are written.
    pub(super) fn is_plain(&self) -> bool {
        !self.names.has_waited() && self.is_quiet()
    }

    /// The same, where names may have waited for their definition.
    pub(super) fn is_quiet(&self) -> bool {
        !self.has_default_dialect
            && self.diagnostics.is_empty()
            && self.pack_budget >= MAX_PACKED / 2
    }

    /// Reads one more piece.
    #[inline]
    pub(super) fn piece(&mut self, piece: Piece, aliases: &Aliases) {
        match piece {
            Piece::Step(step) => self.step(step, aliases),
            Piece::Line { len, .. } if self.hidden > 0 => self.pos += u32::from(len),
            Piece::Line { len, form } => self.line(form, len.into(), aliases),
        }
    }

    /// Reads one more step.
    #[inline]
    pub(super) fn step(&mut self, step: Step, aliases: &Aliases) {
        match step {
            Step::Token { kind, len } => {
                if self.hidden == 0 {
                    self.token(kind, len);
                }
                self.pos += len;
            }
            Step::Enter(kind) => {
                if self.hidden > 0 {
                    self.hidden += 1;
                } else {
                    self.enter(kind, aliases);
                }
            }
            Step::Exit => {
                if self.hidden > 0 {
                    self.hidden -= 1;
                } else {
                    self.exit(aliases);
                }
            }
        }
    }

    // ---- nodes ----

    fn enter(&mut self, kind: SyntaxKind, aliases: &Aliases) {
        if self.skipping > 0 && !matches!(kind, MLIR_VALUE_USE) {
            self.skipping += 1;
            self.open.push((kind, NONE));
            return;
        }
        let parent = self.open.last().map_or(MLIR_FILE, |it| it.0);
        let mut data = self.pos;
        match kind {
            MLIR_GENERIC_OP => self.begin_operation(Form::Generic),
            MLIR_CUSTOM_OP => self.begin_operation(Form::Custom),
            MLIR_OPAQUE_OP => self.begin_operation(Form::Opaque),
            ERROR_NODE if matches!(parent, MLIR_BLOCK | MLIR_CHUNK | MLIR_FILE) => {
                self.has_errors = true;
                self.begin_operation(Form::Opaque);
            }
            ERROR_NODE | MLIR_UNREAD | MLIR_MISSING | TOO_DEEP => {
                self.has_errors |= kind != MLIR_UNREAD;
                self.mark_opaque();
            }
            MLIR_REGION if !self.begin_region(aliases) => {
                self.hidden = 1;
                return;
            }
            MLIR_VALUE_DEF if parent != MLIR_BLOCK_ARG => self.push_definition(parent),
            MLIR_VALUE_USE | MLIR_POSSIBLE_DEF => {}
            MLIR_SUCCESSOR => {
                let operands = self.n_operands();
                let label = (self.pos, self.pos);
                self.targets.push(Target { label, operands: (operands, operands) });
            }
            // In a declaration it may have no name.
            MLIR_BLOCK_ARG => self.push_definition(MLIR_BLOCK_ARG),
            _ => {}
        }
        let direct = holds_parts(parent) && !self.frames.is_empty();
        if direct && is_part(kind) {
            data = self.parts.len() as u32;
            let operands = self.n_operands();
            self.parts.push(Part {
                kind,
                start: self.pos,
                end: self.pos,
                operands: (operands, operands),
            });
        }
        if is_leaf(kind) {
            self.skipping += 1;
        }
        self.open.push((kind, data));
    }

    fn exit(&mut self, aliases: &Aliases) {
        let Some((kind, data)) = self.open.pop() else { return };
        if self.skipping > 0 && !matches!(kind, MLIR_VALUE_USE) {
            self.skipping -= 1;
            if self.skipping > 0 {
                return;
            }
        }
        let parent = self.open.last().map_or(MLIR_FILE, |it| it.0);
        let direct = holds_parts(parent) && !self.frames.is_empty();
        if direct && is_part(kind) {
            let operands = self.n_operands();
            if let Some(part) = self.parts.get_mut(data as usize) {
                part.end = self.pos;
                part.operands.1 = operands;
            }
        }
        match kind {
            MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP => self.end_operation(aliases),
            ERROR_NODE if matches!(parent, MLIR_BLOCK | MLIR_CHUNK | MLIR_FILE) => {
                self.end_operation(aliases);
            }
            MLIR_REGION => self.end_region(aliases),
            MLIR_BLOCK_LABEL => self.end_label(aliases),
            MLIR_VALUE_DEF => {
                if let Some(definition) = self.definitions.last_mut() {
                    definition.whole.1 = self.pos;
                }
            }
            MLIR_VALUE_USE => self.end_use(data, direct),
            MLIR_LOCATION if direct => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.location = (data, self.pos);
                }
            }
            MLIR_POSSIBLE_DEF => self.end_possible(data),
            MLIR_SUCCESSOR => {
                let operands = self.n_operands();
                if let Some(target) = self.targets.last_mut() {
                    target.operands.1 = operands;
                }
            }
            MLIR_TYPE | MLIR_FUNCTION_TYPE if parent == MLIR_BLOCK_ARG => {
                if let Some(definition) = self.definitions.last_mut() {
                    definition.ty = (data, self.pos);
                }
            }
            MLIR_ATTR_DICT if parent == MLIR_BLOCK_ARG => {
                if let Some(definition) = self.definitions.last_mut() {
                    definition.attrs = (data, self.pos);
                }
            }
            _ => {}
        }
    }

    fn token(&mut self, kind: SyntaxKind, len: u32) {
        if self.skipping > 0 && self.open.last().is_none_or(|it| it.0 != MLIR_VALUE_USE) {
            return;
        }
        let Some(&(parent, _)) = self.open.last() else { return };
        let place = (self.pos, self.pos + len);
        match parent {
            MLIR_GENERIC_OP | MLIR_CUSTOM_OP | MLIR_OPAQUE_OP => self.own_token(kind, place),
            MLIR_VALUE_DEF => match kind {
                VALUE_ID => {
                    if let Some(definition) = self.definitions.last_mut() {
                        definition.name = place;
                    }
                }
                INT => {
                    let count = self.count_of_pack(place);
                    if let Some(definition) = self.definitions.last_mut() {
                        definition.count = count;
                    }
                }
                _ => {}
            },
            MLIR_SUCCESSOR if kind == BLOCK_ID => {
                if let Some(target) = self.targets.last_mut() {
                    target.label = place;
                }
            }
            MLIR_BLOCK_LABEL if kind == BLOCK_ID => self.begin_label(place),
            _ => {}
        }
    }

    /// A token that stands directly in an operation.
    fn own_token(&mut self, kind: SyntaxKind, place: (u32, u32)) {
        let operands = self.n_operands();
        let Some(frame) = self.frames.last_mut() else { return };
        match kind {
            STRING | IDENT if frame.name.0 == frame.name.1 => frame.name = place,
            STRING | IDENT | ARROW | COLON => {
                let (start, end) = place;
                self.parts.push(Part { kind, start, end, operands: (operands, operands) });
            }
            _ => {}
        }
    }

    pub(super) fn slice(&self, (start, end): (u32, u32)) -> &'t str {
        &self.text[start as usize..end as usize]
    }

    /// Relative to the unit.
    pub(super) fn relative(&self, (start, end): (u32, u32)) -> (u32, u32) {
        (start - self.base, end - self.base)
    }

    pub(super) fn pos(&self) -> u32 {
        self.pos
    }

    /// Makes room for what the rest of the text has if it is like what was read: tables that double are copied, and
    /// their old places were touched for nothing. Memory that is not written to is not there.
    pub(super) fn make_room(&mut self) {
        let n_ops = self.body.ops.len();
        if n_ops < self.room {
            return;
        }
        let read = u64::from(self.pos - self.base).max(1);
        let rest = (self.text.len() as u64).saturating_sub(u64::from(self.pos));
        // An eighth more, as it is a guess.
        let more = |n: usize| (n as u64 * (rest + rest / 8) / read).min(n as u64 * MOST) as usize;
        self.body.reserve(more(n_ops), more(self.body.values.len()));
        self.map.reserve(more);
        self.room = (n_ops + more(n_ops)).max(2 * n_ops);
    }

    fn n_operands(&self) -> u32 {
        let first = self.frames.last().map_or(0, |it| it.operands);
        (self.operands.len() - first) as u32
    }

    // ---- operations ----

    fn begin_operation(&mut self, form: Form) {
        let is_unit = self.frames.is_empty() && !self.frame_unit;
        self.frames.push(Frame {
            start: self.pos,
            name: (self.pos, self.pos),
            form,
            op: None,
            is_unit,
            head: NONE,
            parts: self.parts.len(),
            operands: self.operands.len(),
            definitions: self.definitions.len(),
            targets: self.targets.len(),
            bound: self.definitions.len(),
            regions: 0,
            first_region: u32::MAX,
            location: (0, 0),
        });
        if let Some(region) = self.regions.last_mut() {
            region.begun = true;
        }
    }

    /// Something in the innermost operation could not be read.
    fn mark_opaque(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.form = Form::Opaque;
        }
    }

    /// Returns the information about the operation's name.
    pub(super) fn head(&mut self, frame: &Frame) -> u32 {
        let raw = self.slice(frame.name);
        let around = self.regions.last().map_or("", |it| it.dialect);
        let given = match raw.starts_with('"') {
            true => None,
            false => name_in(raw, around, self.shapes),
        };
        // One word may have several meanings where it is given a dialect.
        if let Some(&head) = self.head_index.get(raw).filter(|_| given.is_none()) {
            return head;
        }
        let name = raw.trim_matches('"');
        let full = match &given {
            Some(given) => given,
            None if raw.starts_with('"') => name,
            None => self.shapes.full_name(name),
        };
        if let Some(number) = given.as_ref().and_then(|_| self.head_called(full)) {
            return number;
        }
        let head = Head {
            words: self.shapes.words(full),
            name: self.body.intern(full),
            is_function: self.shapes.is_function(full),
            is_module: self.shapes.is_module(full),
            is_swapped: self.shapes.is_swapped(full) && !raw.starts_with('"'),
            is_isolated: self.shapes.is_isolated(full),
            is_by_definition: self.shapes.is_by_definition(full),
            states_results: self.shapes.states_results(full),
            stated: stated_by(full),
            rule: super::forms::rule_number(full),
        };
        let number = self.heads.len() as u32;
        self.heads.push(head);
        if given.is_none() {
            self.head_index.insert(raw, number);
        }
        number
    }

    /// The information about operations of this full name that are written without a dialect, if it was made.
    fn head_called(&self, full: &str) -> Option<u32> {
        let name = self.body.lookup_name(full)?;
        let at = self.heads.iter().position(|it| it.name == name)?;
        Some(at as u32)
    }

    /// The dialect of operations without one in the regions of an operation.
    pub(super) fn dialect_inside(&mut self, frame: &Frame) -> &'t str {
        let around = self.regions.last().map_or("", |it| it.dialect);
        let raw = self.slice(frame.name);
        let inside = match raw.starts_with('"') || raw.is_empty() {
            true => around,
            false => default_dialect(raw, around),
        };
        self.has_default_dialect |= !inside.is_empty();
        inside
    }

    /// Returns the number of values that the name of a pack stands for. Small texts must not make huge packs, again and
    /// again: beyond [`MAX_PACKED`] in total, that is reported, and the name stands for as many values as remain.
    fn count_of_pack(&mut self, place: (u32, u32)) -> u32 {
        let text = self.slice(place);
        let is_number = text.bytes().all(|it| it.is_ascii_digit());
        let written = text.parse().unwrap_or(if is_number { u32::MAX } else { 1 });
        let count = u32::min(written, self.pack_budget.max(1));
        self.pack_budget -= count.saturating_sub(1);
        if count < written {
            let message = format!("the packs of one part have more than {MAX_PACKED} values");
            let (start, end) = self.relative(place);
            self.report(Diagnostic {
                code: codes::COUNT_MISMATCH,
                severity: Severity::Error,
                range: TextRange::new(start.into(), end.into()),
                message,
                ..Diagnostic::default()
            });
        }
        count
    }

    /// Returns the place where the next operation goes.
    pub(super) fn current_block(&self) -> Option<BlockId> {
        self.regions.last().map(|it| it.block)
    }

    /// Makes the operation of the innermost frame, if that is not done.
    pub(super) fn make_op(&mut self) -> Option<OpId> {
        let frame = *self.frames.last()?;
        if frame.op.is_some() || frame.is_unit {
            return frame.op;
        }
        let block = self.current_block()?;
        let head = if frame.head == NONE { self.head(&frame) } else { frame.head };
        let op = self.body.push_op(block, OpKind::Named(self.heads[head as usize].name), &[]);
        if let Some(frame) = self.frames.last_mut() {
            frame.op = Some(op);
            frame.head = head;
        }
        Some(op)
    }

    /// Ends the unit.
    pub(super) fn finish(self) -> Lowered {
        self.finish_with_traits().0
    }

    /// Like [`Reader::finish`], with the traits that [`super::relower`] needs.
    pub(super) fn finish_with_traits(mut self) -> (Lowered, Traits) {
        if self.frame_unit {
            // The labels of a document name nothing.
            self.names.close_region(|_| {});
            for target in std::mem::take(&mut self.pending_targets) {
                self.undefined_block(&target);
            }
            let root = self.body.root;
            let end = self.pos - self.base;
            self.map.set_region(root, (0, end));
        }
        let is_plain = self.is_plain();
        let Reader { has_branches, has_errors, .. } = self;
        let traits = Traits { is_plain, has_errors, has_branches, n_spliced: 0 };
        let check_dominance = self.has_branches || self.names.has_waited();
        self.undefined_values();
        self.late_arguments();
        // A large function needs its memory for other things now.
        self.names = Names::default();
        self.local_names = self.local_names.map(|_| LocalNames::default());
        self.map.finish();
        let said = self.diagnostics;
        let unit = &self.text[self.base as usize..];
        let diagnostics = diagnostics::of_body(unit, &self.body, &self.map, check_dominance, said);
        (Lowered { body: self.body, source_map: self.map, diagnostics }, traits)
    }
}
