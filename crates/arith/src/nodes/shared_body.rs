//! The body of an analyzer: a borrowed one, or one of its own that grows.
//!
//! A caller that makes new expressions (a simplifier) asks about them while it makes them. Nodes are only ever added,
//! so all that was found out before stays true, and the numbers of nodes keep their meaning. A clone of the holder is
//! O(1): it is how a walk over the body goes on while facts are worked out.

use std::{ops::Deref, sync::Arc};

use ir::Body;

/// A body, borrowed or shared.
#[derive(Clone)]
pub(crate) enum SharedBody<'a> {
    Borrowed(&'a Body),
    Shared(Arc<Body>),
}

impl SharedBody<'_> {
    /// A copy of a body, that may grow.
    pub(crate) fn copied(body: &Body) -> SharedBody<'static> {
        SharedBody::Shared(Arc::new(body.clone()))
    }
    /// The body to add to. A borrowed one is copied first, once.
    pub(crate) fn to_mut(&mut self) -> &mut Body {
        if let SharedBody::Borrowed(body) = *self {
            *self = SharedBody::copied(body);
        }
        match self {
            // No clone of the holder outlives the walk it was made for, so nothing is copied here.
            SharedBody::Shared(body) => Arc::make_mut(body),
            SharedBody::Borrowed(_) => unreachable!("copied above"),
        }
    }
    /// The body itself.
    pub(crate) fn into_body(self) -> Body {
        match self {
            SharedBody::Borrowed(body) => body.clone(),
            SharedBody::Shared(body) => Arc::try_unwrap(body).unwrap_or_else(|it| (*it).clone()),
        }
    }
}

impl Deref for SharedBody<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        match self {
            SharedBody::Borrowed(body) => body,
            SharedBody::Shared(body) => body,
        }
    }
}
