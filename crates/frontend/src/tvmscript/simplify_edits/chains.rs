//! `if`, `elif`, `else`: the clauses of one statement.
//!
//! An `elif` is an operation of its own, alone in the second region of the one before. In: steps on these operations.
//! Out: which clauses go, which stay without a condition (`else`), and which becomes the first (`if`). A statement
//! whose first clause has no condition left is replaced by that clause's suite.

use ir::{OpId, OpKind};
use syntax::{
    AstNode as _, SyntaxKind, SyntaxNode, TextRange, TextSize,
    ast::{ElifClause, ElseClause, IfStmt},
};

use super::{Sketch, headers::Header};

/// A clause: where its statement begins, and its number in it.
pub(super) type ClauseId = (TextSize, usize);

/// The clauses of a statement.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) node: SyntaxNode,
    pub(super) clauses: Vec<Clause>,
    /// The operations in the second region of a clause are gone, which has to go as well.
    emptied: Option<usize>,
    /// A clause that has become `else` with a statement that does nothing, and its lines.
    filled: Option<(usize, TextRange)>,
}

/// A clause as it stands now.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) header: Header,
    /// The place where its lines begin: those before are of the clause before it.
    start: TextSize,
    state: State,
}

/// The remaining part of a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Stands,
    /// It has no condition.
    Bare,
    /// It is gone, or its suite stands in the place of the statement.
    Gone,
}

impl Chain {
    /// The first clause that is left.
    fn first(&self) -> Option<usize> {
        self.clauses.iter().position(|it| it.state != State::Gone)
    }

    /// The clauses after one that are left.
    fn after(&self, clause: usize) -> Vec<usize> {
        let rest = self.clauses.iter().enumerate().skip(clause + 1);
        rest.filter(|it| it.1.state != State::Gone).map(|it| it.0).collect()
    }
}

impl Sketch<'_> {
    /// The header of an `if`, as it stands now.
    pub(super) fn clause_header(&mut self, op: OpId) -> Option<Header> {
        let (start, index) = self.clause_of(op)?;
        let chain = self.chains.get(&start)?;
        let clause = chain.clauses.get(index)?;
        let is_first = chain.first() == Some(index);
        let mut header = clause.header.clone();
        if is_first {
            header.node = chain.node.clone();
        }
        Some(header)
    }

    /// The clause that an operation is made from.
    fn clause_of(&mut self, op: OpId) -> Option<ClauseId> {
        if let Some(known) = self.clause_of.get(&op) {
            return *known;
        }
        let found = self.find_chain(op);
        if found.is_none() {
            self.clause_of.insert(op, None);
        }
        found
    }

    /// Reads the chain that an operation is part of.
    fn find_chain(&mut self, op: OpId) -> Option<ClauseId> {
        let range = self.writer.lowered.source_map.op_range(op);
        let is_clause = |it| matches!(it, SyntaxKind::IF_STMT | SyntaxKind::ELIF_CLAUSE);
        let node = self.writer.node_at(range.start(), is_clause)?;
        let node = if node.kind() == SyntaxKind::IF_STMT { node } else { node.parent()? };
        let start = node.text_range().start();
        let mut head = op;
        let body = &self.writer.lowered.body;
        while self.writer.lowered.source_map.op_range(head).start() != start {
            head = body.parent_op(head)?;
        }
        let chain = self.read_chain(head, &node)?;
        let mut at = Some(head);
        for index in 0..chain.clauses.len() {
            let Some(op) = at else { break };
            self.clause_of.insert(op, Some((start, index)));
            at = self.next_clause(op, chain.clauses.get(index + 1));
        }
        self.chains.insert(start, chain);
        self.clause_of.get(&op).copied().flatten()
    }

    /// The operation of the clause after that of an operation.
    fn next_clause(&self, op: OpId, next: Option<&Clause>) -> Option<OpId> {
        let body = &self.writer.lowered.body;
        let region = *body.ops[op].regions.get(1)?;
        let [only] = body.blocks[body.entry(region)].ops[..] else { return None };
        let start = self.writer.lowered.source_map.op_range(only).start();
        let is_next = next.is_some_and(|it| it.header.line.start() == start);
        (is_next && body.ops[only].kind == OpKind::If).then_some(only)
    }

    fn read_chain(&self, head: OpId, node: &SyntaxNode) -> Option<Chain> {
        let map = &self.writer.lowered.source_map;
        let range = map.op_range(head);
        let start = node.text_range().start();
        if map.site(head)?.offset != start || self.writer.statements().get(&range)?.len() != 1 {
            return None;
        }
        let mut headers = Vec::new();
        let it = IfStmt::cast(node.clone())?;
        let (colon, block) = (it.colon_token()?.text_range(), it.block()?);
        headers
            .push((self.header_of(node.clone(), colon, &block, Some((start, 0)))?, State::Stands));
        for clause in node.children() {
            let id = Some((start, headers.len()));
            if let Some(it) = ElifClause::cast(clause.clone()) {
                let (colon, block) = (it.colon_token()?.text_range(), it.block()?);
                headers.push((self.header_of(clause, colon, &block, id)?, State::Stands));
            } else if let Some(it) = ElseClause::cast(clause.clone()) {
                let (colon, block) = (it.colon_token()?.text_range(), it.block()?);
                headers.push((self.header_of(clause, colon, &block, id)?, State::Bare));
            }
        }
        let mut clauses: Vec<Clause> = Vec::with_capacity(headers.len());
        for (header, state) in headers {
            let start = match clauses.last_mut() {
                None => header.line_start(),
                Some(before) => {
                    let suite = &mut before.header.suite;
                    let end = self.end_of_lines(suite.lines);
                    suite.lines = TextRange::new(suite.lines.start(), end);
                    end
                }
            };
            clauses.push(Clause { header, start, state });
        }
        Some(Chain { node: node.clone(), clauses, emptied: None, filled: None })
    }

    /// Returns true if an `if` has no other clause after it.
    pub(super) fn is_last_clause(&self, (start, index): ClauseId) -> bool {
        self.chains.get(&start).is_some_and(|it| {
            it.emptied.is_none()
                && it.clauses[index].state == State::Stands
                && it.after(index).is_empty()
        })
    }

    /// The keyword of an `if` in the place of a clause.
    pub(super) fn keyword(&self, slot: OpId) -> &'static str {
        let clause = self.clause_of.get(&slot).copied().flatten();
        let is_first = clause.is_none_or(|(start, index)| {
            self.chains.get(&start).is_none_or(|it| it.first() == Some(index))
        });
        if is_first { "if" } else { "elif" }
    }

    /// All lines of a clause.
    fn clause_lines(&self, clause: &Clause) -> TextRange {
        TextRange::new(clause.start, self.end_of_lines(clause.header.suite.lines))
    }

    /// A clause goes, with the comments that lead to it.
    fn drop_clauses(&mut self, start: TextSize, clauses: &[usize]) -> Option<()> {
        let chain = self.chains.get(&start)?;
        let lines: Vec<TextRange> =
            clauses.iter().map(|it| self.clause_lines(&chain.clauses[*it])).collect();
        self.gone.extend(lines);
        let chain = self.chains.get_mut(&start)?;
        if let Some((_, lines)) = chain.filled.take_if(|it| clauses.contains(&it.0)) {
            self.filled.remove(&lines);
        }
        clauses.iter().for_each(|it| chain.clauses[*it].state = State::Gone);
        Some(())
    }

    /// The clause is executed always, or never.
    pub(super) fn open_clause(&mut self, (start, index): ClauseId, region: u32) -> Option<()> {
        let chain = self.chains.get(&start)?;
        let after = chain.after(index);
        if region == 0 {
            let header = &chain.clauses[index].header;
            if chain.first() != Some(index) && self.writer.text_of(header.line).contains('#') {
                return None;
            }
            self.drop_clauses(start, &after)?;
            self.chains.get_mut(&start)?.clauses[index].state = State::Bare;
            self.fill_up(start, index);
        } else {
            if after.is_empty() {
                return None;
            }
            self.drop_clauses(start, &[index])?;
        }
        self.dissolve(start)
    }

    /// Forgets an emptied clause at or after `index`: it is removed now.
    fn fill_up(&mut self, start: TextSize, index: usize) {
        if let Some(chain) = self.chains.get_mut(&start) {
            chain.emptied = chain.emptied.filter(|it| *it < index);
        }
    }

    /// A statement whose first clause has no condition is replaced by its suite.
    fn dissolve(&mut self, start: TextSize) -> Option<()> {
        let chain = self.chains.get_mut(&start)?;
        let first = chain.first()?;
        if chain.clauses[first].state != State::Bare {
            return Some(());
        }
        if chain.filled.is_some() {
            return None;
        }
        chain.clauses[first].state = State::Gone;
        let mut header = chain.clauses[first].header.clone();
        header.node = chain.node.clone();
        self.drop_header(&header);
        self.dedent(&header.suite, header.indent);
        self.spill(&header, &header.suite);
        Some(())
    }

    /// An `elif` is removed with all clauses after it. The rest of its former `else` has no effect: it is filled, or
    /// removed as well.
    pub(super) fn remove_clause(
        &mut self,
        (start, index): ClauseId,
        filler: Option<&str>,
    ) -> Option<()> {
        let chain = self.chains.get(&start)?;
        let is_whole = chain.first() == Some(index);
        let header = chain.clauses[index].header.clone();
        let mut clauses = vec![index];
        clauses.extend(chain.after(index));
        let (node, last) = (chain.node.clone(), clauses[clauses.len() - 1]);
        if is_whole && filler.is_some() {
            return None;
        }
        let lines = self.clause_lines(&chain.clauses[index]);
        let lines = lines.cover(self.clause_lines(&chain.clauses[last]));
        self.drop_clauses(start, &clauses)?;
        if is_whole {
            self.count(&node, -1);
            return Some(());
        }
        let chain = self.chains.get_mut(&start)?;
        let Some(filler) = filler else {
            chain.emptied = Some(index - 1);
            return Some(());
        };
        chain.clauses[index].state = State::Bare;
        chain.filled = Some((index, lines));
        let [outer, inner] = [header.indent, header.suite.indent].map(|it| " ".repeat(it));
        let newline = self.newline();
        self.gone.push(lines);
        self.filled.insert(lines, format!("{outer}else:{newline}{inner}{filler}{newline}"));
        Some(())
    }

    /// Drops the clauses after one, as they have no effect.
    pub(super) fn drop_rest(&mut self, (start, index): ClauseId) -> Option<()> {
        let after = self.chains.get(&start)?.after(index);
        self.drop_clauses(start, &after)?;
        self.fill_up(start, index);
        Some(())
    }

    /// A clause that does nothing, before one without a condition: it has that one's suite, and the opposite condition.
    pub(super) fn negate_clause(&mut self, (start, index): ClauseId) -> Option<()> {
        let chain = self.chains.get(&start)?;
        let [other] = chain.after(index)[..] else { return None };
        let is_bare = chain.clauses[other].state == State::Bare;
        if chain.clauses[index].state != State::Stands || !is_bare {
            return None;
        }
        let (own, other_header) =
            (chain.clauses[index].header.clone(), chain.clauses[other].header.clone());
        let end = self.end_of_lines(own.suite.lines);
        self.gone.push(TextRange::new(own.whole_line.end(), end));
        self.drop_header(&other_header);
        let chain = self.chains.get_mut(&start)?;
        chain.clauses[other].state = State::Gone;
        chain.clauses[index].header.suite = other_header.suite;
        Some(())
    }

    /// The keywords that change: an `elif` that has become the first clause, or has no condition any more. `None` if a
    /// statement has lost the contents of an `else`, and still has it.
    pub(super) fn changed_keywords(&self) -> Option<Vec<(TextRange, &'static str)>> {
        let mut changes = Vec::new();
        let mut chains: Vec<&Chain> = self.chains.values().collect();
        chains.sort_by_key(|it| it.node.text_range().start());
        for chain in chains {
            if chain.emptied.is_some() && !self.is_gone_whole(chain.node.text_range()) {
                return None;
            }
            let Some(first) = chain.first() else { continue };
            for (index, clause) in chain.clauses.iter().enumerate().skip(first.max(1)) {
                let line = clause.header.line;
                let has_condition = clause.header.node.kind() == SyntaxKind::ELIF_CLAUSE;
                match clause.state {
                    State::Stands if index == first => {
                        changes.push((TextRange::at(line.start(), TextSize::of("elif")), "if"));
                    }
                    State::Bare if has_condition => changes.push((line, "else")),
                    _ => {}
                }
            }
        }
        Some(changes)
    }

    /// Returns true if all of a statement is removed.
    fn is_gone_whole(&self, range: TextRange) -> bool {
        self.gone.iter().any(|it| it.contains_range(range))
    }
}
