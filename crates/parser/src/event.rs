//! Events: the records of a grammar, and their replay in tree order.
//!
//! A grammar knows late what it has read: after `a` comes `+`, and only then `a` is the left side of a binary
//! expression. So a node may be opened *around* one that is complete already. The event list keeps such a node where it
//! was discovered and links the inner node to it; [`Steps`] follows the links. Recording is O(1) an event, replay
//! O(events).

use crate::SyntaxKind;

/// One step in building a tree, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A node of this kind begins.
    Enter(SyntaxKind),
    /// A token follows the one before; its text is the next `len` bytes.
    Token {
        /// The kind of the token.
        kind: SyntaxKind,
        /// Its length in bytes.
        len: u32,
    },
    /// The innermost open node ends.
    Exit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Start,
    /// A start that an earlier start links to: replayed there.
    StartAround,
    Finish,
    Token,
}

#[derive(Debug, Clone, Copy)]
struct Event {
    kind: SyntaxKind,
    tag: Tag,
    /// Of a start: the distance to the node around it, or 0. Of a token: its length.
    data: u32,
}

/// The place of a start event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartIdx(u32);

/// The growing list of events of one parse.
#[derive(Debug, Default)]
pub(crate) struct Events {
    list: Vec<Event>,
}

impl Events {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { list: Vec::with_capacity(capacity) }
    }

    fn push(&mut self, kind: SyntaxKind, tag: Tag, data: u32) {
        self.list.push(Event { kind, tag, data });
    }

    /// Opens a node whose kind is not known yet.
    pub(crate) fn start(&mut self) -> StartIdx {
        let idx = StartIdx(self.list.len() as u32);
        self.push(SyntaxKind::TOMBSTONE, Tag::Start, 0);
        idx
    }

    /// Opens a node around the complete node at `inner`.
    pub(crate) fn start_around(&mut self, inner: StartIdx) -> StartIdx {
        let idx = StartIdx(self.list.len() as u32);
        self.push(SyntaxKind::TOMBSTONE, Tag::StartAround, 0);
        self.list[inner.0 as usize].data = idx.0 - inner.0;
        idx
    }

    pub(crate) fn finish(&mut self, start: StartIdx, kind: SyntaxKind) {
        self.list[start.0 as usize].kind = kind;
        self.push(SyntaxKind::TOMBSTONE, Tag::Finish, 0);
    }

    /// Cancels a start; later records belong to the node around it.
    pub(crate) fn abandon(&mut self, start: StartIdx) {
        if start.0 as usize + 1 == self.list.len() && self.list[start.0 as usize].tag == Tag::Start
        {
            self.list.pop();
        }
    }

    pub(crate) fn token(&mut self, kind: SyntaxKind, len: u32) {
        self.push(kind, Tag::Token, len);
    }
}

/// The result of a parse: replay it with [`Parse::steps`].
#[derive(Debug)]
pub struct Parse {
    events: Vec<Event>,
}

impl Parse {
    pub(crate) fn new(events: Events) -> Self {
        Self { events: events.list }
    }

    /// The steps that build the tree. The first is the root's `Enter`, the last its `Exit`; the tokens in
    /// between cover the parsed text without gap or overlap.
    pub fn steps(&self) -> Steps<'_> {
        Steps { events: &self.events, next: 0, pending: Vec::new() }
    }

    /// Returns the number of recorded events: a measure of the size of the tree.
    pub fn event_count(&self) -> usize {
        self.events.len()
    }
}

/// Iterator over the steps of a [`Parse`].
#[derive(Debug)]
pub struct Steps<'a> {
    events: &'a [Event],
    next: usize,
    /// Nodes still to be entered here, innermost first.
    pending: Vec<SyntaxKind>,
}

impl Steps<'_> {
    fn queue_starts(&mut self, mut idx: usize) {
        loop {
            let event = self.events[idx];
            if event.kind != SyntaxKind::TOMBSTONE {
                self.pending.push(event.kind);
            }
            if event.data == 0 {
                return;
            }
            idx += event.data as usize;
        }
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(kind) = self.pending.pop() {
                return Some(Step::Enter(kind));
            }
            let event = *self.events.get(self.next)?;
            let idx = self.next;
            self.next += 1;
            match event.tag {
                Tag::Token => return Some(Step::Token { kind: event.kind, len: event.data }),
                Tag::Finish => return Some(Step::Exit),
                Tag::Start if event.data == 0 && event.kind != SyntaxKind::TOMBSTONE => {
                    return Some(Step::Enter(event.kind));
                }
                Tag::Start => self.queue_starts(idx),
                Tag::StartAround => {}
            }
        }
    }
}
