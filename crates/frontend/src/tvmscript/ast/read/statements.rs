//! Statements: from the parts of one to its row of the table.

use syntax::{SyntaxKind, TextRange};

use super::{Child, Frame, Reader};
use crate::tvmscript::ast::{ClassNode, DefNode, Run, StKind};

impl<'a> Reader<'a> {
    pub(super) fn statement(&mut self, frame: &Frame, range: TextRange) {
        use SyntaxKind as K;
        let mark = frame.mark;
        let kind = match frame.kind {
            K::EXPR_STMT => StKind::Expr(self.need_expr(mark, 0)),
            K::ASSIGN_STMT => {
                let all = self.expr_run(mark);
                match self.ast.exs(all).last().copied() {
                    Some(value) if all.len >= 2 => {
                        StKind::Assign { targets: Run { len: all.len - 1, ..all }, value }
                    }
                    _ => StKind::Error(Run::default()),
                }
            }
            K::AUG_ASSIGN_STMT => StKind::AugAssign {
                target: self.need_expr(mark, 0),
                op: self.op(mark),
                value: self.need_expr(mark, 1),
            },
            K::ANN_ASSIGN_STMT => StKind::AnnAssign {
                target: self.need_expr(mark, 0),
                annotation: self.need_expr(mark, 1),
                value: self.nth_expr(mark, 2),
            },
            K::RETURN_STMT => StKind::Return(self.nth_expr(mark, 0)),
            K::ASSERT_STMT => StKind::Assert {
                condition: self.need_expr(mark, 0),
                message: self.nth_expr(mark, 1),
            },
            K::PASS_STMT => StKind::Pass,
            K::BREAK_STMT => StKind::Break,
            K::CONTINUE_STMT => StKind::Continue,
            K::IF_STMT => self.if_stmt(mark, range),
            K::WHILE_STMT => StKind::While {
                condition: self.need_expr(mark, 0),
                body: self.block(mark),
                otherwise: self.otherwise(mark),
            },
            K::FOR_STMT => StKind::For {
                target: self.need_expr(mark, 0),
                iterable: self.need_expr(mark, 1),
                body: self.block(mark),
                otherwise: self.otherwise(mark),
            },
            K::WITH_STMT => {
                let start = self.ast.items.len() as u32;
                for child in &self.children[mark..] {
                    if let Child::Item(item) = child {
                        self.ast.items.push(*item);
                    }
                }
                let items = Run { start, len: self.ast.items.len() as u32 - start };
                StKind::With { items, body: self.block(mark) }
            }
            K::FUNCTION_DEF => self.def(mark),
            K::CLASS_DEF => self.class(mark),
            K::IMPORT_STMT | K::FROM_IMPORT_STMT => StKind::Import,
            K::RAISE_STMT => StKind::Raise,
            _ => StKind::Other,
        };
        self.stmt(frame, range, kind);
    }

    /// `elif` becomes an `if` alone in the `else`, innermost first.
    fn if_stmt(&mut self, mark: usize, range: TextRange) -> StKind {
        let mut otherwise = Run::default();
        for at in (mark..self.children.len()).rev() {
            match self.children[at] {
                Child::Else(run) => otherwise = run,
                Child::Elif { range: clause, condition, then } => {
                    let range = TextRange::new(clause.start(), range.end());
                    let kind = StKind::If { condition, then, otherwise };
                    let inner = self.new_stmt(range, kind, None);
                    otherwise = self.one_stmt(inner);
                }
                _ => {}
            }
        }
        StKind::If { condition: self.need_expr(mark, 0), then: self.block(mark), otherwise }
    }

    fn class(&mut self, mark: usize) -> StKind {
        let mut class = ClassNode {
            decorators: Vec::new(),
            name: self.name(mark).0,
            args: Run::default(),
            body: self.block(mark),
        };
        for child in &self.children[mark..] {
            match child {
                Child::Decorator(it) => class.decorators.push(*it),
                Child::Args(run) => class.args = *run,
                _ => {}
            }
        }
        self.ast.classes.push(class);
        StKind::Class(self.ast.classes.len() as u32 - 1)
    }

    fn def(&mut self, mark: usize) -> StKind {
        let (name, name_range) = self.name(mark);
        let mut def = DefNode {
            decorators: Vec::new(),
            name,
            name_range,
            type_params: Vec::new(),
            params: Vec::new(),
            returns: self.nth_expr(mark, 0),
            body: self.block(mark),
        };
        for child in &self.children[mark..] {
            match child {
                Child::Decorator(it) => def.decorators.push(*it),
                Child::TypeParams(start, end) => {
                    def.type_params = self.names[*start..*end].to_vec();
                }
                Child::Params(run) => def.params = self.ast.params[run.range()].to_vec(),
                _ => {}
            }
        }
        self.ast.defs.push(def);
        StKind::Def(self.ast.defs.len() as u32 - 1)
    }
}
