//! From a function's [`Ast`] to its body.
//!
//! [`Lowerer`] walks the statements in text order and appends operations to the current block. Expressions are
//! evaluated as TVM's parser does it: Python values stay Python values until IR is needed, operators promote and fold
//! by TVM's rules (`promote`, [`ir::fold`]). Everything that is made carries its source ([`source_tree`]). Unsupported
//! code is reported once and becomes opaque; the statements around it are not affected.
//!
//! Expressions and statements recurse on the native stack, which grows on the heap as needed (`stacker`).

mod access;
mod arguments;
mod asserted;
mod assign;
mod attrs;
mod blocks;
mod buffers;
mod calls;
mod captured;
mod control;
mod ends;
mod expr;
mod form_names;
mod forms;
mod generic;
mod intrinsics;
mod loops;
mod macros;
mod made_macros;
mod math;
mod methods;
mod names;
mod objects;
mod operators;
mod parameters;
mod promote;
mod python;
mod scope;
pub mod script_names;
mod sequences;
mod signature;
mod source_tree;
mod statics;
mod stmt;
mod tile_parameters;
mod tilelang;
mod tiles;
mod value;
mod views;
mod visible;
mod with;

use std::rc::Rc;

use ir::{
    BlockId, Body, DataType, Dialect, ExprId, ExprKind, OpId, OpKind, Type, ValueId, arena::Id,
};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::TextRange;

use self::{
    scope::Scopes,
    source_tree::{At, SourceTree, Src},
    value::Tx,
};
use crate::diagnostic_list::DiagnosticList;

use super::{
    Allowances, Diagnostic, FunctionSource, Lowered, Severity,
    ast::{self, Ast, Ex, St},
    diagnostics,
    environment::{Constant, Environment},
    source_map::{
        Definition, DefinitionId, EndSite, OccurrenceSource, Site, SourceMap, hidden_names,
    },
    staging::Home,
};

/// An error that has been reported already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

pub(crate) type R<T> = Result<T, Reported>;

const EXPANSION_BASE: usize = 20_000;
const EXPANSION_FACTOR: usize = 8;

/// All that grows while a function is read. A macro is read with the same state and another tree.
struct State<'e> {
    env: &'e dyn Environment,
    body: Body,
    sources: SourceTree,
    scopes: Scopes,
    /// The place where statements go.
    block: BlockId,
    /// The place before the statement that is being read, until its first operation takes it.
    site: Option<Site>,
    /// The statement that is being read.
    stmt_range: TextRange,
    entries: Vec<OccurrenceSource>,
    /// Part of `entries`, by operation.
    op_entries: Vec<(u32, u32)>,
    op_ranges: Vec<TextRange>,
    /// By operation: whether a macro made it.
    expanded: Vec<bool>,
    sites: Vec<Option<Site>>,
    ends: Vec<(OpId, u32, EndSite)>,
    definitions: Vec<Definition>,
    uses: Vec<(TextRange, DefinitionId)>,
    /// Parts of the text that are kept as they are: their uses are in no operation.
    unread: Vec<TextRange>,
    /// Names whose type, extents or the like are read, which leaves nothing of them; also those of helpers.
    asked: Vec<ir::NameId>,
    /// Statements that only give something another name: what is kept by its text may use it by that name.
    aliases: Vec<TextRange>,
    diagnostics: Vec<Diagnostic>,
    /// The unknown values that the current statement uses.
    doubt: Doubt,
    /// Helpers of Python that are being read, one inside the other, and their statements so far.
    helper_depth: u32,
    helper_steps: u32,
    /// True if the last helper that returned gave what `T.meta_var` makes of a value: no variable.
    returned_meta: bool,
    /// The name that gets the value of a call, while the call is read.
    call_target: Option<(ir::NameId, Ex)>,
    /// The name of the buffer that the helper which is read may return.
    buffer_name: Option<ir::NameId>,
    /// Captured values by their texts.
    captured: FxHashMap<ir::NameId, ValueId>,
    /// Captured values that may be elements of memory.
    may_be_load: FxHashSet<ValueId>,
    /// True if the function may write memory that only captured values name.
    captured_memory: bool,
    /// True if a captured value was used that may be an element of memory.
    made_items: bool,
    /// The facts of captured values that Python has checked, once they were asked for.
    facts: Option<Rc<asserted::Facts>>,
    /// Captured names of unknown value, where each is used first.
    open_names: Vec<(Box<str>, TextRange)>,
    /// Functions of the script that are in no table, each once.
    unknown_calls: Vec<(Box<str>, TextRange)>,
    /// Nested macro expansions.
    macro_depth: u32,
    /// The scope where free names are looked up, if it is not that of the function: the text of a macro or helper has
    /// the meaning of the place where that stands.
    home: Option<Rc<Home>>,
    /// Captured values of Python that have no meaning in the IR, but are known: functions, objects, dictionaries.
    objects: FxHashMap<ValueId, Constant>,
    /// Levels of data around the data that is being read.
    attr_depth: u32,
    /// Types of scalar parameters by name: a quoted shape may name one that comes later.
    later_params: FxHashMap<Box<str>, DataType>,
    /// First value and extent of loop variables, for `T.axis.remap`.
    loop_domains: FxHashMap<ValueId, (ExprId, ExprId)>,
    /// Enclosing `T.Let` and lambdas.
    binder_depth: u32,
    /// Attributes and predicate of the blocks that are being read, innermost last.
    blocks: Vec<blocks::OpenBlock>,
    /// Items of tuples and lists that were written by names for them.
    items_made: usize,
    /// True for a kernel as people write it in TileLang.
    is_tile_source: bool,
    /// False if TVM does not check that the function is well formed.
    is_checked: bool,
    /// The launch of TileLang around what is being read.
    launch: Option<tiles::Launch>,
    /// Where values stand that the text gives no name.
    nameless: Vec<(ir::ValueId, TextRange)>,
    /// The tensors among the parameters of an eager kernel, which its body gives their types: name and place.
    tensor_params: Vec<(Box<str>, usize)>,
    /// The value that the macro which is being read returns.
    macro_value: Option<value::Val>,
    /// Of the function (a macro's text is not needed: all of it is its call's).
    text: &'e str,
}

/// The unknown values among the operands of a statement: nothing about it is certainly wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Doubt {
    /// All is known.
    None,
    /// Python in it has no meaning here.
    Python,
    /// It uses a value of which it has been said elsewhere that it is not known.
    Unknown,
}

/// Reads one tree into a state.
struct Lowerer<'s, 'e, 'a> {
    s: &'s mut State<'e>,
    ast: &'a Ast<'a>,
    /// The text that a macro's call has; all that the macro makes comes from there.
    expansion: Option<TextRange>,
}

/// Lowers one function: twice where it is seen only at its end that it may write memory of which elements were taken
/// for captured values.
pub(super) fn lower(function: &FunctionSource, env: &dyn Environment) -> Lowered {
    // TileLang executes the function.
    let column = if function.dialect == Dialect::TileLang { 0 } else { function.column };
    let ast = ast::read_at(&function.green, column);
    let state = lowered(function, env, &ast, false);
    match state.captured_memory && state.made_items {
        true => finish(lowered(function, env, &ast, true), function),
        false => finish(state, function),
    }
}

/// Functions with more expressions are large.
const LARGE: usize = 1 << 16;

fn lowered<'e>(
    function: &FunctionSource,
    env: &'e dyn Environment,
    ast: &'e Ast<'e>,
    captured_memory: bool,
) -> State<'e> {
    let dialect = match function.dialect {
        // Its printer names TVM's import.
        Dialect::Tirx if tilelang::is_script(ast) => Dialect::TileLang,
        _ if function.dialect_is_guess => guess_dialect(ast),
        dialect => dialect,
    };
    let body = Body::new(&function.name, dialect);
    let block = body.entry(body.root);
    // A long table is to stand where it is: nothing interrupts a copy of it.
    let n_entries = if ast.exprs.len() < LARGE { 0 } else { ast.exprs.len() };
    let mut state = State {
        env,
        body,
        sources: SourceTree::default(),
        scopes: Scopes::default(),
        block,
        site: None,
        stmt_range: TextRange::empty(0.into()),
        entries: Vec::with_capacity(n_entries),
        op_entries: Vec::new(),
        op_ranges: Vec::new(),
        expanded: Vec::new(),
        sites: Vec::new(),
        ends: Vec::new(),
        definitions: Vec::new(),
        uses: Vec::new(),
        unread: Vec::new(),
        asked: Vec::new(),
        aliases: Vec::new(),
        diagnostics: Vec::new(),
        doubt: Doubt::None,
        helper_depth: 0,
        returned_meta: false,
        helper_steps: 0,
        call_target: None,
        buffer_name: None,
        captured: FxHashMap::default(),
        may_be_load: FxHashSet::default(),
        captured_memory,
        made_items: false,
        facts: None,
        open_names: Vec::new(),
        unknown_calls: Vec::new(),
        macro_depth: 0,
        home: None,
        objects: FxHashMap::default(),
        attr_depth: 0,
        items_made: 0,
        later_params: FxHashMap::default(),
        loop_domains: FxHashMap::default(),
        binder_depth: 0,
        blocks: Vec::new(),
        is_tile_source: function.dialect == Dialect::TileLang,
        is_checked: function.is_checked,
        launch: None,
        nameless: Vec::new(),
        tensor_params: Vec::new(),
        macro_value: None,
        text: &ast.text,
    };
    let mut lowerer = Lowerer { s: &mut state, ast, expansion: None };
    for &range in &ast.errors {
        let message = "this text cannot be read".to_owned();
        lowerer.diagnostic(diagnostics::SYNTAX_ERROR, Severity::Error, range, message, None);
    }
    match ast.function() {
        Some(def) => lowerer.function(def, function.is_eager),
        None => lowerer.opaque_function(),
    }
    lowerer.keep_facts();
    lowerer.say_open_names();
    lowerer.say_unknown_calls();
    state
}

/// The dialect of a dump without any import follows from the forms that only one of them has.
fn guess_dialect(ast: &Ast<'_>) -> Dialect {
    let is_legacy = ast.exprs.iter().any(|node| {
        ir::interrupt::check();
        match node.kind {
            ast::ExKind::Attr { name, base, .. } => {
                matches!(
                    name,
                    "block"
                        | "block_attr"
                        | "LetStmt"
                        | "allocate"
                        | "allocate_const"
                        | "ret"
                        | "preflattened_buffer"
                ) && matches!(ast.kind(base), ast::ExKind::Name("T"))
            }
            _ => false,
        }
    });
    if is_legacy { Dialect::Tir } else { Dialect::Tirx }
}

fn finish(mut state: State<'_>, function: &FunctionSource) -> Lowered {
    let mut occurrences = Vec::with_capacity(state.entries.len());
    for op in state.body.ops_preorder() {
        let (start, end) = state.op_entries[op.index()];
        occurrences.extend_from_slice(&state.entries[start as usize..end as usize]);
    }
    state.uses.sort_by_key(|(range, id)| {
        ir::interrupt::check();
        (range.start(), *id)
    });
    state.uses.dedup();
    let mut value_definitions = vec![None; state.body.values.len()];
    let mut buffer_definitions = vec![None; state.body.buffers.len()];
    for definition in &state.definitions {
        ir::interrupt::check();
        if let Some(value) = definition.value {
            value_definitions[value.index()].get_or_insert(definition.range);
        }
        if let Some(buffer) = definition.buffer {
            buffer_definitions[buffer.index()].get_or_insert(definition.range);
        }
    }
    for &(value, range) in &state.nameless {
        value_definitions[value.index()].get_or_insert(range);
    }
    if !state.unread.is_empty() {
        state.unread.append(&mut state.aliases);
    }
    let read = outside(&state.uses, state.unread);
    let hidden = hidden_names(state.text, &state.definitions, &read);
    let mut asked: Vec<Box<str>> =
        state.asked.iter().map(|&it| state.body.name(it).into()).collect();
    asked.sort_unstable();
    asked.dedup();
    state.diagnostics.sort_by_key(|it| (it.range.start(), it.range.end(), it.code));
    state.diagnostics.dedup();
    let mut said = DiagnosticList::default();
    said.extend(state.diagnostics);
    let (green, above) = (&function.green, &function.allowed_above);
    state.ends.sort_by_key(|it| (it.0, it.1));
    let allowances = Allowances::collect(green, state.text, above, &state.body);
    let source_map = SourceMap {
        allowances,
        occurrences,
        op_ranges: state.op_ranges,
        expanded: state.expanded,
        sites: state.sites,
        ends: state.ends,
        definitions: state.definitions,
        uses: state.uses,
        value_definitions,
        buffer_definitions,
        hidden,
        asked,
    };
    #[cfg(debug_assertions)]
    {
        let expected = ir::Occurrences::collect(&state.body).len();
        debug_assert_eq!(expected, source_map.occurrences.len(), "one source an occurrence");
    }
    Lowered { body: state.body, source_map, diagnostics: said.into_sorted() }
}

/// The uses, in text order, that are in none of the ranges.
fn outside(
    uses: &[(TextRange, DefinitionId)],
    mut ranges: Vec<TextRange>,
) -> Vec<(TextRange, DefinitionId)> {
    ranges.sort_by_key(|it| it.start());
    let mut ranges = ranges.into_iter().peekable();
    let mut end = syntax::TextSize::from(0);
    let mut read = Vec::with_capacity(uses.len());
    for &(at, definition) in uses {
        while let Some(range) = ranges.next_if(|it| it.start() <= at.start()) {
            end = end.max(range.end());
        }
        if at.start() >= end {
            read.push((at, definition));
        }
    }
    read
}

impl<'s, 'e, 'a> Lowerer<'s, 'e, 'a> {
    fn is_legacy(&self) -> bool {
        self.s.body.dialect == Dialect::Tir
    }

    /// The place of `range`: in the text itself, or in the statements of a macro call.
    fn at_range(&self, range: TextRange) -> At {
        match self.expansion {
            None => At { range, is_real: true },
            Some(range) => At { range, is_real: false },
        }
    }

    fn at(&self, ex: Ex) -> At {
        self.at_range(self.ast.range(ex))
    }

    fn range(&self, ex: Ex) -> TextRange {
        self.at(ex).range
    }

    fn leaf(&mut self, ex: Ex) -> Src {
        let at = self.at(ex);
        self.s.sources.leaf(at)
    }

    fn node(&mut self, ex: Ex, children: &[Src]) -> Src {
        let at = self.at(ex);
        self.s.sources.node(at, children)
    }

    // ---- making expressions ----

    fn make(&mut self, kind: ExprKind, ty: Type, at: At, children: &[Src]) -> Tx {
        let id = self.s.body.make(kind, ty);
        Tx { id, src: self.s.sources.node(at, children) }
    }

    fn tx(&mut self, id: ExprId, at: At) -> Tx {
        Tx { id, src: self.s.sources.leaf(at) }
    }

    fn int(&mut self, value: i128, dtype: DataType, at: At) -> Tx {
        let id = self.s.body.int(value, dtype);
        self.tx(id, at)
    }

    fn virtual_int(&mut self, value: i128, dtype: DataType, range: TextRange) -> Tx {
        self.int(value, dtype, At { range, is_real: false })
    }

    fn ty(&self, tx: Tx) -> Type {
        self.s.body.ty(tx.id)
    }

    fn dtype(&self, tx: Tx) -> Option<DataType> {
        self.s.body.dtype(tx.id)
    }

    fn tx_range(&self, tx: Tx) -> TextRange {
        self.s.sources.range(tx.src)
    }

    /// The value of an integer or bool constant.
    fn const_int(&self, tx: Tx) -> Option<i64> {
        match self.s.body.expr(tx.id).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    // ---- making operations ----

    /// The limit on the size of the result: names for expressions and macros multiply the text.
    fn expansion_limit(&self) -> usize {
        EXPANSION_BASE + EXPANSION_FACTOR * self.s.text.len()
    }

    /// An expression that is far larger than the text is kept opaque: listing its occurrences would never end.
    fn bounded(&mut self, tx: Tx) -> Tx {
        let limit = self.expansion_limit();
        if (self.s.body.expr(tx.id).size as usize) <= limit {
            return tx;
        }
        let range = self.tx_range(tx);
        let message = format!(
            "this expands to an expression of more than {limit} nodes: it is kept by its text"
        );
        let code = diagnostics::UNSUPPORTED_CONSTRUCT;
        self.diagnostic(code, Severity::Warning, range, message, None);
        let text = self.s.text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
        let id = self.s.body.opaque(text);
        self.tx(id, At { range, is_real: self.expansion.is_none() })
    }

    /// Appends an operation of the statement that is being read.
    fn emit(&mut self, kind: OpKind, operands: &[Tx]) -> OpId {
        let op = self.s.body.push_op(self.s.block, kind, &[]);
        self.s.op_ranges.push(self.s.stmt_range);
        self.s.expanded.push(self.expansion.is_some());
        let site = self.s.site.take();
        self.s.sites.push(site);
        self.s.op_entries.push((0, 0));
        self.set_operands(op, operands);
        op
    }

    /// Gives an operation its operands, where they are known only after its contents.
    fn set_operands(&mut self, op: OpId, operands: &[Tx]) {
        let operands: smallvec::SmallVec<[Tx; 4]> =
            operands.iter().map(|&it| self.bounded(it)).collect();
        let State { body, sources, entries, op_entries, .. } = &mut *self.s;
        let pairs: smallvec::SmallVec<[(ExprId, Src); 4]> =
            operands.iter().map(|it| (it.id, it.src)).collect();
        body.ops[op].operands = operands.iter().map(|it| it.id).collect();
        let start = entries.len() as u32;
        sources.flatten(body, &pairs, entries);
        op_entries[op.index()] = (start, entries.len() as u32);
    }

    /// Reads the contents of a new region of `op`.
    fn in_region<T>(&mut self, op: OpId, read: impl FnOnce(&mut Self) -> T) -> T {
        let region = self.s.body.push_region(op);
        let outer = self.s.block;
        self.s.block = self.s.body.entry(region);
        let result = read(self);
        self.s.block = outer;
        result
    }

    // ---- reporting ----

    fn diagnostic(
        &mut self,
        code: &'static str,
        severity: Severity,
        range: TextRange,
        message: String,
        help: Option<&str>,
    ) {
        let range = self.expansion.unwrap_or(range);
        self.s.diagnostics.push(Diagnostic {
            code,
            severity,
            range,
            message,
            help: help.map(str::to_owned),
            ..Diagnostic::default()
        });
    }

    fn error(
        &mut self,
        code: &'static str,
        range: TextRange,
        message: impl Into<String>,
    ) -> Reported {
        self.diagnostic(code, Severity::Error, range, message.into(), None);
        Reported
    }

    fn malformed(&mut self, ex: Ex, message: impl Into<String>) -> Reported {
        self.error(diagnostics::MALFORMED_FORM, self.ast.range(ex), message)
    }

    /// Valid Python without a meaning here.
    fn unsupported(&mut self, ex: Ex, what: &str) -> Reported {
        let range = self.ast.range(ex);
        if self.is_tile_source() {
            // The body is Python that is executed: what is not followed here is right all the same.
            self.note_kept(self.expansion.unwrap_or(range));
            return Reported;
        }
        let message = format!("{what} has no meaning in TVMScript that is known here");
        self.diagnostic(
            diagnostics::UNSUPPORTED_CONSTRUCT,
            Severity::Warning,
            range,
            message,
            None,
        );
        Reported
    }

    /// The text of a range of the tree that is being read; of a macro's, its call.
    fn text(&self, range: TextRange) -> String {
        let range = self.expansion.unwrap_or(range);
        self.s.text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default().to_owned()
    }

    fn stmts(&mut self, run: ast::Run) {
        let ast = self.ast;
        for &st in ast.sts(run) {
            self.statement(st);
        }
    }

    /// A statement list in a frame of its own.
    fn suite(&mut self, run: ast::Run) {
        self.s.scopes.push_frame();
        self.block_body(run);
        self.leave_frame();
    }

    /// A statement list; concise scopes (`T.launch_thread(...)` without `with`) end with it.
    fn block_body(&mut self, run: ast::Run) {
        let outer = self.s.block;
        ir::stack::with_room(|| self.stmts(run));
        self.s.block = outer;
    }

    fn site_of(&self, st: St) -> Option<Site> {
        if self.expansion.is_some() {
            return None;
        }
        let node = self.ast.stmt(st);
        let indent = node.indent?;
        let indent = self.s.text.get(std::ops::Range::<usize>::from(indent))?;
        Some(Site { offset: node.range.start(), indent: indent.into() })
    }
}
