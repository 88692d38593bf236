//! Layouts and hints that a kernel gives to TileLang's compiler, and what that refuses of them.
//!
//! In: a call of `T.annotate_layout` and its like, which computes nothing and is kept by its text. Out: a diagnostic
//! for each layout that TileLang refuses whatever the device is (its `layout/gemm_layouts.cc`, `layout/layout.cc`,
//! `language/annotations.py`; each was given to TileLang 0.1.15): one of the wrong kind, rank or size, a swizzle that
//! does not fit the rows, a function that takes two elements to one place. What rests on a name that is not known is
//! not told. O(elements of the tile), which are bounded.

use ir::BufferId;
use syntax::SyntaxKind;

use super::super::{Lowerer, arguments::Args, value::Val};
use crate::tvmscript::{
    Namespace,
    ast::{Ex, ExKind},
    diagnostics,
    environment::{Capture, Constant},
};

/// Elements of a tile whose places are compared.
const MOST_ELEMENTS: i64 = 1 << 14;

/// A function of indices, operands first.
enum Step {
    Param(usize),
    Number(i64),
    Negated,
    Operator(SyntaxKind),
}

impl<'a> Lowerer<'_, '_, 'a> {
    /// Looks at what a note to the compiler says.
    pub(super) fn check_note(&mut self, name: &str, args: &Args<'a>) {
        let first =
            args.positional.first().copied().or_else(|| args.keywords.first().map(|it| it.1));
        let Some(first) = first else { return };
        match name {
            "annotate_layout" | "annotate_l2_hit_ratio" => {
                let ast = self.ast;
                let &ExKind::Dict(run) = ast.kind(first) else { return };
                for pair in ast.exs(run).chunks_exact(2) {
                    let &[key, value] = pair else { continue };
                    let Some(buffer) = self.named_buffer(key) else { continue };
                    let why = match name {
                        "annotate_layout" => self.of_layout(buffer, value),
                        _ => self.of_ratio(buffer),
                    };
                    if let Some(why) = why {
                        let range = self.ast.range(value);
                        let _ = self.error(diagnostics::TILE_LAYOUT, range, why);
                    }
                }
            }
            "annotate_min_blocks_per_sm" if self.integer_of(first).is_some_and(|it| it <= 0) => {
                let range = self.ast.range(first);
                let why = "a processor has one block at least";
                let _ = self.error(diagnostics::TILE_LAYOUT, range, why);
            }
            _ => {}
        }
    }

    fn of_ratio(&self, buffer: BufferId) -> Option<String> {
        let data = &self.s.body.buffers[buffer];
        (!data.scope.is_global()).then(|| {
            format!("the cache keeps global memory, and `{}` is none", self.s.body.name(data.name))
        })
    }

    /// Why TileLang refuses the layout of a tile.
    fn of_layout(&mut self, buffer: BufferId, layout: Ex) -> Option<String> {
        let body = &self.s.body;
        let data = &body.buffers[buffer];
        let name = body.name(data.name).to_owned();
        let is_fragment = body.scope_name(data.scope) == "local.fragment";
        let is_tile = is_fragment || data.scope.is_plain_shared();
        if !is_tile || data.dtype.is_symbolic() || body.has_unknown_rank(buffer) {
            return None;
        }
        let (bits, rank) = (i64::from(data.dtype.bits), data.shape.len());
        let extents = data.shape.iter().map(|&it| match body.expr(it).kind {
            ir::ExprKind::Int(it) => Some(it),
            _ => None,
        });
        let extents: Vec<Option<i64>> = extents.collect();
        let known: Option<Vec<i64>> = extents.iter().copied().collect();
        let needs_fragment =
            || Some(format!("`{name}` is a fragment, and its layout is a `T.Fragment`"));
        let ast = self.ast;
        match *ast.kind(layout) {
            ExKind::Int(_) | ExKind::Float(_) | ExKind::Str(_) | ExKind::None => {
                Some("this is no layout".to_owned())
            }
            ExKind::Lambda { .. } if is_fragment => needs_fragment(),
            ExKind::Lambda { .. } => self.of_index_function(&name, layout, rank, known),
            ExKind::Call { callee, args } => {
                let path = self.name_in_tilelang(callee)?;
                let args = ast.args(args);
                if args.iter().any(|it| it.is_splat) {
                    return None;
                }
                match path.as_str() {
                    "Layout" if is_fragment => needs_fragment(),
                    "Layout" | "Fragment" => {
                        let [shape, function] = args else { return None };
                        let is_function = |it: &str| matches!(it, "forward_fn");
                        if shape.keyword.is_some_and(|it| it.0 != "shape")
                            || function.keyword.is_some_and(|it| !is_function(it.0))
                        {
                            return None;
                        }
                        let (shape, function) = (shape.value, function.value);
                        let given = self.extents_of_layout(buffer, shape)?;
                        let all = |it: &[i64]| it.iter().try_fold(1i64, |a, &b| a.checked_mul(b));
                        let own = known.as_deref().and_then(all)?;
                        let size = all(&given)?;
                        if size != own {
                            return Some(format!(
                                "the layout has {size} elements, and `{name}` has {own}"
                            ));
                        }
                        self.of_index_function(&name, function, given.len(), Some(given))
                    }
                    "make_swizzled_layout"
                    | "make_full_bank_swizzled_layout"
                    | "make_half_bank_swizzled_layout"
                    | "make_quarter_bank_swizzled_layout" => {
                        if is_fragment {
                            return needs_fragment();
                        }
                        let is_own = args.first().is_some_and(|it| {
                            it.keyword.is_none_or(|it| it.0 == "buffer")
                                && self.named_buffer(it.value) == Some(buffer)
                        });
                        let way = path.strip_prefix("make_")?.strip_suffix("swizzled_layout")?;
                        let blocks = match way {
                            "full_bank_" => 8,
                            "half_bank_" => 4,
                            "quarter_bank_" => 2,
                            _ => 0,
                        };
                        match is_own {
                            true if blocks > 0 || args.len() == 1 => {
                                of_swizzle(&name, &extents, bits, blocks)
                            }
                            true => None,
                            false => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Why a function of indices is no layout: it takes another number of them, or two elements to one place.
    fn of_index_function(
        &mut self,
        name: &str,
        function: Ex,
        rank: usize,
        extents: Option<Vec<i64>>,
    ) -> Option<String> {
        let ast = self.ast;
        let &ExKind::Lambda { params, body } = ast.kind(function) else { return None };
        let params = ast.params(params);
        if params.iter().any(|it| it.is_star || it.is_double || it.is_slash || it.default.is_some())
        {
            return None;
        }
        if params.len() != rank {
            let n = params.len();
            return Some(format!("the layout takes {n} indices, and there are {rank}"));
        }
        let extents = extents?;
        let elements = extents.iter().try_fold(1i64, |a, &b| a.checked_mul(b))?;
        if !(2..=MOST_ELEMENTS).contains(&elements) {
            return None;
        }
        let names: Vec<&str> = params.iter().map(|it| it.name).collect();
        let items = match *ast.kind(body) {
            ExKind::Tuple(run) | ExKind::List(run) => ast.exs(run).to_vec(),
            _ => vec![body],
        };
        let mut programs = Vec::with_capacity(items.len());
        for item in items {
            let mut steps = Vec::new();
            self.steps_of(item, &names, &mut steps)?;
            programs.push(steps);
        }
        let mut places: Vec<(Vec<i64>, i64)> = Vec::with_capacity(elements as usize);
        let mut stack = Vec::new();
        for element in 0..elements {
            let indices = unravel(element, &extents);
            let place: Option<Vec<i64>> =
                programs.iter().map(|it| evaluate(it, &indices, &mut stack)).collect();
            places.push((place?, element));
        }
        places.sort_unstable();
        let pairs = places.windows(2).filter(|it| it[0].0 == it[1].0);
        let pair = pairs.min_by_key(|it| (it[1].1, it[0].1))?;
        let list = |it: &[i64]| {
            let all: Vec<String> = it.iter().map(ToString::to_string).collect();
            all.join(", ")
        };
        let [first, second] = [0, 1].map(|it| list(&unravel(pair[it].1, &extents)));
        Some(format!(
            "the layout takes two elements of `{name}` to one place: [{first}] and [{second}] to ({})",
            list(&pair[0].0)
        ))
    }

    /// The steps of an expression of indices and numbers; none if it has something else.
    fn steps_of(&mut self, ex: Ex, params: &[&str], steps: &mut Vec<Step>) -> Option<()> {
        let ast = self.ast;
        match *ast.kind(ex) {
            ExKind::Name(name) => {
                if let Some(at) = params.iter().position(|it| *it == name) {
                    steps.push(Step::Param(at));
                    return Some(());
                }
                steps.push(Step::Number(self.integer_of(ex)?));
            }
            ExKind::Int(it) => steps.push(Step::Number(i64::try_from(it.get()).ok()?)),
            ExKind::Unary { op: SyntaxKind::MINUS, operand } => {
                ir::stack::with_room(|| self.steps_of(operand, params, steps))?;
                steps.push(Step::Negated);
            }
            ExKind::Binary { op, lhs, rhs } => {
                ir::stack::with_room(|| self.steps_of(lhs, params, steps))?;
                ir::stack::with_room(|| self.steps_of(rhs, params, steps))?;
                steps.push(Step::Operator(op));
            }
            _ => return None,
        }
        Some(())
    }

    /// The buffer that a name stands for.
    fn named_buffer(&mut self, ex: Ex) -> Option<BufferId> {
        let &ExKind::Name(name) = self.ast.kind(ex) else { return None };
        match self.peek(name)? {
            Val::Buffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// A number, or the name of one.
    fn integer_of(&mut self, ex: Ex) -> Option<i64> {
        let constant = match *self.ast.kind(ex) {
            ExKind::Int(it) => return i64::try_from(it.get()).ok(),
            ExKind::Name(name) => match self.peek(name) {
                Some(Val::Const(it)) => it,
                Some(_) => return None,
                None => match self.s.env.resolve(name) {
                    Capture::Constant(it) => it,
                    _ => return None,
                },
            },
            _ => return None,
        };
        match constant {
            Constant::Int(it) => i64::try_from(it).ok(),
            _ => None,
        }
    }

    /// A list of numbers, or the shape of the buffer.
    fn extents_of_layout(&mut self, buffer: BufferId, ex: Ex) -> Option<Vec<i64>> {
        let ast = self.ast;
        match *ast.kind(ex) {
            ExKind::Tuple(run) | ExKind::List(run) => {
                ast.exs(run).iter().map(|&it| self.integer_of(it)).collect()
            }
            ExKind::Attr { base, name: "shape", .. } if self.named_buffer(base) == Some(buffer) => {
                let shape = &self.s.body.buffers[buffer].shape;
                let number = |&it: &ir::ExprId| match self.s.body.expr(it).kind {
                    ir::ExprKind::Int(it) => Some(it),
                    _ => None,
                };
                shape.iter().map(number).collect()
            }
            _ => None,
        }
    }

    /// The name of a function of TileLang, without its modules.
    fn name_in_tilelang(&mut self, callee: Ex) -> Option<String> {
        let ast = self.ast;
        let (mut at, mut last) = (callee, None);
        loop {
            match *ast.kind(at) {
                ExKind::Attr { base, name, .. } => {
                    last.get_or_insert(name);
                    at = base;
                }
                ExKind::Name(name) => {
                    let capture = match self.peek(name) {
                        Some(Val::Path(path)) => Capture::Path(self.s.body.name(path).into()),
                        Some(Val::Namespace(it)) => Capture::Namespace(it),
                        Some(_) => return None,
                        None => self.s.env.resolve(name),
                    };
                    return match (capture, last) {
                        (Capture::Path(path), last)
                            if path.split('.').next() == Some("tilelang") =>
                        {
                            let own = path.rsplit('.').next()?;
                            Some(last.unwrap_or(own).to_owned())
                        }
                        (Capture::Namespace(Namespace::TileLang), Some(last)) => {
                            Some(last.to_owned())
                        }
                        _ => None,
                    };
                }
                _ => return None,
            }
        }
    }
}

/// Why a swizzle of so many blocks of 16 bytes does not fit the rows of a tile; of no number TileLang takes the one
/// that fits, if two do.
fn of_swizzle(name: &str, extents: &[Option<i64>], bits: i64, blocks: i64) -> Option<String> {
    let &[.., rows, columns] = extents else {
        return Some(format!("a swizzle needs two dimensions, and `{name}` has one"));
    };
    let row = columns?.checked_mul(bits)?;
    let is_swizzled = blocks > 0 || (matches!(bits, 8 | 16 | 32) && row % 256 == 0);
    if let Some(rows) = rows.filter(|&it| is_swizzled && it != 4 && it % 8 != 0) {
        return Some(format!("the swizzle takes 8 rows at once, and `{name}` has {rows}"));
    }
    let wanted = blocks * 16;
    (blocks > 0 && row % (wanted * 8) != 0).then(|| {
        format!("the swizzle takes rows of {wanted} bytes, and those of `{name}` have {}", row / 8)
    })
}

fn unravel(element: i64, extents: &[i64]) -> Vec<i64> {
    let mut rest = element;
    let mut indices = vec![0; extents.len()];
    for (index, extent) in indices.iter_mut().zip(extents).rev() {
        *index = rest % extent;
        rest /= extent;
    }
    indices
}

fn evaluate(steps: &[Step], indices: &[i64], stack: &mut Vec<i64>) -> Option<i64> {
    stack.clear();
    for step in steps {
        let value = match *step {
            Step::Param(at) => *indices.get(at)?,
            Step::Number(it) => it,
            Step::Negated => stack.pop()?.checked_neg()?,
            Step::Operator(op) => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                match op {
                    SyntaxKind::PLUS => a.checked_add(b)?,
                    SyntaxKind::MINUS => a.checked_sub(b)?,
                    SyntaxKind::STAR => a.checked_mul(b)?,
                    SyntaxKind::SLASH2 if b > 0 => a.div_euclid(b),
                    SyntaxKind::PERCENT if b > 0 => a.rem_euclid(b),
                    SyntaxKind::AMP => a & b,
                    SyntaxKind::PIPE => a | b,
                    SyntaxKind::CARET => a ^ b,
                    SyntaxKind::LT2 if (0..31).contains(&b) => a.checked_shl(b as u32)?,
                    SyntaxKind::GT2 if (0..31).contains(&b) => a >> b,
                    _ => return None,
                }
            }
        };
        stack.push(value);
    }
    stack.pop()
}
