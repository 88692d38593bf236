//! The statements of a factory before its first kernel, in order: for names that several of them bind.
//!
//! They are interpreted as those of helpers are, with the parameters of the instance. Where what is executed is not
//! known (an `if` with an unknown condition), the names that the statement binds, and all objects that can be changed,
//! have no known value behind it, and the next statement is interpreted.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use syntax::{Green, SyntaxKind as K, SyntaxNode};

use super::{
    exec::Flow,
    names::{capture_of, value_of},
    session::{Cx, Frame, FrameKind, Place, Session},
    value::{Unknown, Value},
};
use crate::tvmscript::{
    discover::{Scopes, targets},
    environment::Capture,
};

impl Session<'_> {
    /// The meaning of a name at the first kernel of the factory that a scope is.
    pub(super) fn led_up_to(&self, scopes: &Scopes, place: &Place, name: &str) -> Capture {
        match self.lead_up(scopes, place) {
            Ok(frame) => {
                let value = frame.vars.borrow().get(name).cloned();
                let without = || Value::unknown(format!("`{name}` has no value yet"));
                capture_of(value.unwrap_or_else(without))
            }
            Err(reason) => Capture::Unknown(reason),
        }
    }

    /// The frame of a factory at its first kernel.
    ///
    /// # Errors
    /// The reason why nothing is known of it.
    fn lead_up(&self, scopes: &Scopes, place: &Place) -> Result<Rc<Frame>, Unknown> {
        if let Some(known) = self.lead_ups.borrow().get(place) {
            return known.clone();
        }
        let circle = Unknown::new("it depends on itself");
        self.lead_ups.borrow_mut().insert(place.clone(), Err(circle));
        let parameters = scopes.parameters(place.scope).into_iter().map(|(name, definition)| {
            (Box::from(name), value_of(self.read(scopes, place, name, definition), name))
        });
        let frame = Rc::new(Frame {
            vars: RefCell::new(parameters.collect()),
            outer: None,
            closure: Arc::from([]),
            place: place.clone(),
            kind: FrameKind::Function,
        });
        let mut statements = scopes.lead_up(place.scope).iter();
        let done = statements.try_for_each(|it| self.led_by(&frame, it)).map(|()| frame);
        self.lead_ups.borrow_mut().insert(place.clone(), done.clone());
        done
    }

    /// Interprets a statement.
    ///
    /// # Errors
    /// It ends the function: no kernel is made.
    fn led_by(&self, frame: &Rc<Frame>, green: &Green) -> Result<(), Unknown> {
        let ast = self.ast(green);
        let cx = Cx { ast: &ast, tree: green, frame };
        for &st in &ast.root {
            self.charge(1);
            if let Some(it) = self.stopped() {
                return Err(it);
            }
            match ir::stack::with_room(|| self.statement(cx, st)) {
                Flow::Next => {}
                Flow::Stop(reason) => self.forget(frame, green, &reason),
                Flow::Break | Flow::Continue | Flow::Return(_) => {
                    return Err(Unknown::new("the function ends before it"));
                }
            }
        }
        Ok(())
    }

    /// Forgets what a statement may have changed of which it is not known what it does.
    fn forget(&self, frame: &Rc<Frame>, green: &Green, reason: &Unknown) {
        let mut vars = frame.vars.borrow_mut();
        for name in bound_in(&green.syntax()) {
            vars.insert(name.into(), Value::Unknown(reason.clone()));
        }
        // Each alone, so in any order.
        vars.values_mut().filter(|it| it.is_mutable()).for_each(|it| {
            *it = Value::Unknown(reason.clone());
        });
    }
}

/// The names that a statement binds, at any depth, and those of objects of which it assigns a part.
fn bound_in(statement: &SyntaxNode) -> Vec<String> {
    let mut bound: Vec<SyntaxNode> = Vec::new();
    for node in [statement.clone()].into_iter().chain(statement.descendants()) {
        bound.extend(targets(&node));
        if let K::FUNCTION_DEF | K::CLASS_DEF | K::EXCEPT_CLAUSE | K::WALRUS_EXPR = node.kind() {
            bound.extend(node.children().filter(|it| it.kind() == K::NAME));
        }
    }
    let names = bound.iter().flat_map(|target| {
        let all = [target.clone()].into_iter().chain(target.descendants());
        let is_name = |it: &SyntaxNode| matches!(it.kind(), K::NAME | K::NAME_EXPR);
        all.filter(is_name).map(|it| it.text()).collect::<Vec<_>>()
    });
    names.collect()
}
