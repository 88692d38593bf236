//! Answers about nodes in contexts.
//!
//! Most nodes are asked about in one context only: that answer is found by the number of the node, those in further
//! contexts by hashing. Answers lie in one table, so that one that is being worked out is put there once and changed in
//! place. O(1) a question.

use rustc_hash::FxHashMap;

use crate::contexts::ContextId;

/// A place in a [`Memo`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(u32);

/// Answers of one kind, by subject and context. Subjects are small numbers.
#[derive(Clone)]
pub(crate) struct Memo<T> {
    answers: Vec<(ContextId, T)>,
    /// By subject: one more than the place of the first answer; 0 for none.
    first: Vec<u32>,
    others: FxHashMap<(u32, ContextId), Place>,
}

impl<T> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo { answers: Vec::new(), first: Vec::new(), others: FxHashMap::default() }
    }
}

impl<T> Memo<T> {
    /// The answer about a subject in a context.
    #[inline]
    pub(crate) fn get(&self, subject: usize, ctx: ContextId) -> Option<&T> {
        self.find(subject, ctx).map(|it| &self.answers[it.0 as usize].1)
    }

    #[inline]
    fn find(&self, subject: usize, ctx: ContextId) -> Option<Place> {
        let place = self.first.get(subject)?.checked_sub(1)?;
        match self.answers[place as usize].0 == ctx {
            true => Some(Place(place)),
            false => self.others.get(&(subject as u32, ctx)).copied(),
        }
    }

    /// Keeps an answer, in the place of the one that there is.
    pub(crate) fn put(&mut self, subject: usize, ctx: ContextId, answer: T) {
        match self.find(subject, ctx) {
            Some(place) => self.set(place, answer),
            None => drop(self.insert(subject, ctx, answer)),
        }
    }

    /// Keeps an answer where there is none.
    pub(crate) fn insert(&mut self, subject: usize, ctx: ContextId, answer: T) -> Place {
        let place = Place(self.answers.len() as u32);
        self.answers.push((ctx, answer));
        if self.first.len() <= subject {
            self.first.resize(subject + 1, 0);
        }
        match &mut self.first[subject] {
            first @ 0 => *first = place.0 + 1,
            _ => drop(self.others.insert((subject as u32, ctx), place)),
        }
        place
    }

    /// Changes the answer at a place.
    pub(crate) fn set(&mut self, place: Place, answer: T) {
        self.answers[place.0 as usize].1 = answer;
    }

    /// Forgets the answer at the place of a subject and a context. The place is not used again.
    pub(crate) fn forget(&mut self, subject: usize, ctx: ContextId, place: Place) {
        self.answers[place.0 as usize].0 = ContextId::NOWHERE;
        self.others.remove(&(subject as u32, ctx));
    }
}
