//! A session: the answer to one question about a name, with its trees, frames and budget.
//!
//! Nothing is executed: text is interpreted, within limits ([`super::limits`]). An effect that the interpreter cannot
//! follow (an object that is changed through another name, a call that may change what it is given) *invalidates* the
//! session: all that it gives afterwards is unknown.

use std::{
    cell::{Cell, OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use rustc_hash::FxHashMap;
use syntax::Green;

use super::{
    function::{Function, Home},
    limits::{MAX_CALLS, MAX_NESTING, MAX_STEPS},
    value::{Unknown, Value},
};
use crate::tvmscript::{
    ast::{self, Ast},
    discover::{Context, ScopeId, Scopes},
    environment::Capture,
};

/// Trees that live as long as a session: a list that only grows.
#[derive(Default)]
pub(crate) struct Trees {
    first: OnceCell<Box<Tree>>,
}

struct Tree {
    green: Green,
    next: OnceCell<Box<Tree>>,
}

impl Drop for Trees {
    /// One after the other, without recursion.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut tree) = next {
            next = tree.next.take();
        }
    }
}

/// A place whose names are looked up.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    /// The file, as in [`Home::file`].
    pub(crate) file: Arc<str>,
    /// The scope.
    pub(crate) scope: ScopeId,
}

/// The variables of a call, a comprehension or a class that is being evaluated.
pub(super) struct Frame {
    pub(super) vars: RefCell<FxHashMap<Box<str>, Value>>,
    /// The frame around it, if that is alive.
    pub(super) outer: Option<Rc<Frame>>,
    /// The known names of the frames around it, if those are gone.
    pub(super) closure: Arc<[(Box<str>, Value)]>,
    pub(super) place: Place,
    pub(super) kind: FrameKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    /// The place is the function's own scope: of that only imports are read.
    Function,
    /// A comprehension or `lambda`: the place is around it.
    Inner,
    /// A statement by itself: all names of the place are visible.
    Static,
}

/// The tree and the frame that are being read.
#[derive(Clone, Copy)]
pub(super) struct Cx<'s, 't> {
    pub(super) ast: &'s Ast<'t>,
    pub(super) tree: &'s Green,
    pub(super) frame: &'s Rc<Frame>,
}

impl<'s, 't> Cx<'s, 't> {
    pub(super) fn within(self, frame: &'s Rc<Frame>) -> Cx<'s, 't> {
        Cx { frame, ..self }
    }
}

/// The answer to a question about names.
pub(crate) struct Session<'t> {
    trees: &'t Trees,
    last: Cell<Option<&'t Tree>>,
    asts: RefCell<FxHashMap<usize, Rc<Ast<'t>>>>,
    /// Expressions in formatted strings, by their texts.
    parsed: RefCell<FxHashMap<Box<str>, Green>>,
    pub(super) context: Context<'t>,
    /// The scopes of the files that were asked for.
    pub(super) files: RefCell<FxHashMap<Arc<str>, Option<Scopes>>>,
    steps: Cell<u32>,
    nesting: Cell<u32>,
    calls: Cell<u32>,
    pub(super) definitions: Cell<u32>,
    invalidated: RefCell<Option<Unknown>>,
    /// The names that were resolved; `None` while one is being resolved.
    pub(super) names: RefCell<FxHashMap<(Place, Box<str>), Option<Capture>>>,
    /// The meanings that `from m import *` gives, by the module and the name, as [`Session::names`].
    pub(super) offers: RefCell<FxHashMap<(Arc<str>, Box<str>), Option<Option<Capture>>>>,
    /// The frames of the functions around kernels, at the first kernel, or why nothing is known of one.
    pub(super) lead_ups: RefCell<FxHashMap<Place, Result<Rc<Frame>, Unknown>>>,
    /// The frames that nested functions see, by the address of what they hold, which is kept here.
    live: RefCell<FxHashMap<usize, (Arc<Function>, Rc<Frame>)>>,
}

impl<'t> Session<'t> {
    pub(crate) fn new(trees: &'t Trees, own: &Scopes, context: Context<'t>) -> Session<'t> {
        let files = [(Arc::from(""), Some(own.clone()))].into_iter().collect();
        Session {
            trees,
            last: Cell::new(None),
            asts: RefCell::default(),
            parsed: RefCell::default(),
            context,
            files: RefCell::new(files),
            steps: Cell::new(0),
            nesting: Cell::new(0),
            calls: Cell::new(0),
            definitions: Cell::new(0),
            invalidated: RefCell::default(),
            names: RefCell::default(),
            offers: RefCell::default(),
            lead_ups: RefCell::default(),
            live: RefCell::default(),
        }
    }

    /// The number of steps that were taken.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u32 {
        self.steps.get()
    }

    // ---- trees ----

    /// The tables of a tree, read once.
    pub(super) fn ast(&self, green: &Green) -> Rc<Ast<'t>> {
        let address = green.address();
        if let Some(known) = self.asts.borrow().get(&address) {
            return known.clone();
        }
        let tree = Box::new(Tree { green: green.clone(), next: OnceCell::new() });
        let slot = match self.last.get() {
            Some(last) => &last.next,
            None => &self.trees.first,
        };
        let kept: &'t Tree = slot.get_or_init(|| tree);
        self.last.set(Some(kept));
        let ast = Rc::new(ast::read(&kept.green));
        self.charge(ast.exprs.len());
        self.asts.borrow_mut().insert(address, ast.clone());
        ast
    }

    /// The tree of an expression in a formatted string.
    pub(super) fn expression(&self, text: &str) -> Green {
        if let Some(known) = self.parsed.borrow().get(text) {
            return known.clone();
        }
        self.charge(text.len());
        let green = syntax::parse(&format!("({text})\n")).green().clone();
        self.parsed.borrow_mut().insert(text.into(), green.clone());
        green
    }

    // ---- the budget ----

    /// Takes steps off the budget.
    pub(super) fn charge(&self, steps: usize) {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// The reason why nothing more is evaluated, if there is one.
    pub(super) fn stopped(&self) -> Option<Unknown> {
        if let Some(it) = &*self.invalidated.borrow() {
            return Some(it.clone());
        }
        (self.steps.get() > MAX_STEPS)
            .then(|| Unknown::new(format!("to evaluate it takes more than {MAX_STEPS} steps")))
    }

    /// Gives up on all that follows.
    pub(super) fn invalidate(&self, reason: &str) -> Value {
        let it = Unknown::new(reason);
        self.invalidated.borrow_mut().get_or_insert_with(|| it.clone());
        Value::Unknown(it)
    }

    /// Does something a level deeper, if that is not too deep.
    pub(super) fn deeper(&self, step: impl FnOnce() -> Value) -> Value {
        self.charge(1);
        if let Some(it) = self.stopped() {
            return Value::Unknown(it);
        }
        let nesting = self.nesting.get();
        if nesting >= MAX_NESTING {
            return Value::unknown(format!("it is more than {MAX_NESTING} levels deep"));
        }
        self.nesting.set(nesting + 1);
        let value = ir::stack::with_room(step);
        self.nesting.set(nesting);
        match self.stopped() {
            Some(it) => Value::Unknown(it),
            None => value.bounded(),
        }
    }

    /// Does something in a call, if there are not too many around it.
    pub(super) fn in_call(&self, step: impl FnOnce() -> Value) -> Value {
        let calls = self.calls.get();
        if calls >= MAX_CALLS {
            return Value::unknown(format!("calls are more than {MAX_CALLS} levels deep"));
        }
        self.calls.set(calls + 1);
        let value = step();
        self.calls.set(calls);
        value
    }

    // ---- frames of nested functions ----

    pub(super) fn keep_alive(&self, function: &Arc<Function>, frame: &Rc<Frame>) {
        let address = Arc::as_ptr(function) as usize;
        self.live.borrow_mut().insert(address, (function.clone(), frame.clone()));
    }

    pub(super) fn frame_of(&self, function: &Arc<Function>) -> Option<Rc<Frame>> {
        let address = Arc::as_ptr(function) as usize;
        self.live.borrow().get(&address).map(|it| it.1.clone())
    }

    // ---- scopes ----

    pub(super) fn scopes(&self, file: &Arc<str>) -> Option<Scopes> {
        if let Some(known) = self.files.borrow().get(file) {
            return known.clone();
        }
        let scopes = self.context.modules.file(file);
        self.files.borrow_mut().insert(file.clone(), scopes.clone());
        scopes
    }

    /// The place of a scope, if its file still has it.
    pub(crate) fn place(&self, home: &Home) -> Option<Place> {
        let scope = self.scopes(&home.file)?.find(&home.path, home.ordinal)?;
        Some(Place { file: home.file.clone(), scope })
    }
}
