//! Random programs: well-typed functions as TVMScript, made so that passes find something in them.
//!
//! Out of a seed comes a [`Program`]; [`Program::text`] prints it, [`Program::shrink`] looks for a smaller one that
//! still fails. Programs have no race (threads and parallel iterations write cells of their own and read cells that
//! nothing writes until the next barrier), and their indices are mostly in bounds; divisions may be by zero, most of
//! them under guards. An expression is often computed again: as it was, or as a near miss (another constant, swapped
//! operands, a store between, another guard). Cost: linear in the size of the program; the pool of repeatable
//! expressions is asked a fixed number of times.

mod calls;
mod expressions;
mod generate;
mod instances;
mod nests;
mod overwrites;
mod print;
mod scalable;
mod shrink;
mod threads;
mod tree;
mod unknowns;

pub use calls::Operator;
pub use instances::Instance;
pub use tree::{Program, Type};

use tree::{Extent, Home, Param, Stmt, StmtKind};

/// The features of a program beyond those that all have.
#[derive(Debug, Clone, Copy, Default)]
pub enum Features<'a> {
    /// Nothing.
    #[default]
    Usual,
    /// Names of the Python around it, whose values are not known: data types, integers, strings, functions, lanes.
    Unknowns,
    /// Calls of these operators that are given pointers and elements.
    Calls(&'a [Operator]),
    /// Vectors whose number of lanes is a multiple of `T.vscale()`.
    Scalable,
    /// Nests of schedulable blocks, some in loops that are bound to threads.
    Blocks,
}

impl Program {
    /// The program of a seed.
    pub fn random(seed: u64) -> Program {
        Program::with(Features::Usual, seed)
    }

    /// The program of a seed, with some features.
    pub fn with(features: Features<'_>, seed: u64) -> Program {
        generate::program(seed, features)
    }

    /// Returns true if parameters must not overlap.
    pub fn is_noalias(&self) -> bool {
        self.is_noalias
    }

    /// Returns true if parts of it run concurrently, so that overlapping parameters would race.
    pub fn has_threads(&self) -> bool {
        any(&self.statements, &mut |stmt| match stmt.kind {
            StmtKind::Launch(..) => true,
            StmtKind::For(kind, _) => {
                !matches!(kind, tree::Loop::Range | tree::Loop::Serial | tree::Loop::Unroll)
            }
            _ => false,
        })
    }

    /// Returns true if a parameter is a length: an extent of a buffer or a loop.
    pub fn is_size(&self, index: usize) -> bool {
        let Some(Param::Scalar(var, _)) = self.params.get(index) else { return false };
        let is_extent = |stmt: &Stmt| {
            matches!(stmt.kind, StmtKind::For(..) | StmtKind::Launch(..))
                && stmt.exprs.iter().any(|it| it.kind == tree::ExprKind::Var(*var))
        };
        self.buffers.iter().any(|it| it.shape.contains(&Extent::Var(*var)))
            || any(&self.statements, &mut |stmt| is_extent(stmt))
    }

    /// Statements in it: how large it is.
    pub fn len(&self) -> usize {
        let mut n = 0;
        any(&self.statements, &mut |_| {
            n += 1;
            false
        });
        n
    }

    /// Returns true if it has no statements.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The buffer whose memory this one shows.
    fn root(&self, buffer: u32) -> u32 {
        match self.buffers[buffer as usize].home {
            Home::View(of) => self.root(of),
            Home::Param | Home::Alloc(_) | Home::Block(_) => buffer,
        }
    }
}

/// Returns true if `test` holds for a statement or one in it.
fn any(statements: &[Stmt], test: &mut dyn FnMut(&Stmt) -> bool) -> bool {
    statements.iter().any(|it| test(it) || it.bodies.iter().any(|body| any(body, test)))
}

#[cfg(test)]
mod tests {
    use super::{Features, Operator, Program};

    #[test]
    fn a_seed_gives_one_program() {
        for seed in 0..50 {
            assert_eq!(Program::random(seed).text(), Program::random(seed).text());
        }
        assert_ne!(Program::random(1).text(), Program::random(2).text());
    }

    #[test]
    fn each_feature_is_found_in_many_programs() {
        let calls =
            [Operator { name: "T.ptx.ldmatrix".to_owned(), is_value: true, takes_keywords: true }];
        for (features, part) in [
            (Features::Unknowns, "def make("),
            (Features::Unknowns, "T.Cast(d"),
            (Features::Unknowns, "T.call_pure_extern("),
            (Features::Unknowns, "= settings["),
            (Features::Calls(&calls), "T.ptx.ldmatrix("),
            (Features::Calls(&calls), "dst="),
            (Features::Scalable, "T.vscale() * 4"),
            (Features::Scalable, "xvscalex4"),
            (Features::Blocks, "T.sblock_alloc_buffer("),
            (Features::Blocks, "T.thread_binding("),
            (Features::Blocks, "T.reads("),
        ] {
            let has_it = |seed: &u64| Program::with(features, *seed).text().contains(part);
            let n = (0..100).filter(has_it).count();
            assert!(n >= 10, "`{part}` is in {n} of 100 programs with {features:?}");
        }
    }

    #[test]
    fn instances_give_each_captured_name_a_value() {
        let mut programs = (0..100).map(|seed| Program::with(Features::Unknowns, seed));
        let program = programs.find(|it| it.text().contains("def make(d0")).unwrap();
        let instances = program.instances();
        assert!(instances.len() > 2);
        for instance in instances {
            let text = instance.file(&program.function());
            assert!(text.contains("\nd0 = \"") && !text.contains("def make(d"), "{text}");
        }
        assert!(Program::random(1).instances().is_empty());
    }

    #[test]
    fn shrinking_keeps_what_fails_and_drops_the_rest() {
        let program = (0..).map(Program::random).find(|it| it.text().contains("T.exp(")).unwrap();
        let small = program.shrink(&mut |it| it.text().contains("T.exp("), 2_000);
        let text = small.text();
        assert!(text.contains("T.exp("), "{text}");
        assert!(text.lines().count() <= 6, "{text}");
        assert!(text.len() < program.text().len());
    }
}
