//! Linear forms over atoms.
//!
//! An *atom* is what a form does not take apart: a node, or a *made* one, that need be no node. What a form is in a
//! context, and what is known of its values there, is the business of [`crate::deduction`].

mod atom;
mod atoms;
mod linear;

pub(crate) use self::{
    atom::{Atom, AtomKind},
    atoms::{Atoms, Factors, MOST_FACTORS, Made, Quotient},
    linear::Linear,
};
