//! A sum of products as a node.
//!
//! Forms that are tried, the cheapest that fits wins, the first of equal ones: term after term, and with a common factor taken
//! out of the terms that have it. Terms stand in the order in which the source names their first operands, else in the order
//! of operands; the constant last, a term that is added first.

use ir::{BinaryOp, DataType, ExprId, ExprKind};
use smallvec::SmallVec;

use super::{
    At, Simplifier, order,
    sums::{Factors, ProductId, Sum},
};
use crate::{Interval, canonical::polynomial::Ring};

/// Nodes of the source that are looked at for the order in which it names operands.
const MOST_WRITTEN: usize = 64;

/// A form in the making: the sums that it computes on the way are noted.
struct Form {
    dtype: DataType,
    computed: Vec<Part>,
}

/// The terms of a sum in some order.
type Terms = SmallVec<[(ProductId, i128); 4]>;

/// Node and sum of a part of a form.
type Part = (ExprId, Sum);

impl Simplifier<'_> {
    /// The sum as a node that is no worse than `expr`, whose value it is; none if there is none that is shown to fit. The node
    /// itself if it is the normal form.
    pub(super) fn built(&mut self, at: At, expr: ExprId, sum: &Sum) -> Option<ExprId> {
        let dtype = self.body().dtype(expr)?;
        let known = std::slice::from_ref(sum);
        self.built_within(at, &[expr], known, sum, dtype, &mut |it, new| !it.is_worse(new, expr))
    }

    /// As [`Simplifier::built_within`], whatever it costs.
    pub(super) fn built_beside(
        &mut self,
        at: At,
        roots: &[ExprId],
        known: &[Sum],
        sum: &Sum,
        dtype: DataType,
    ) -> Option<ExprId> {
        self.built_within(at, roots, known, sum, dtype, &mut |_, _| true)
    }

    /// The sum as a node, where the source computes `roots` and the value of `known` fits, of those that `is_fit` takes.
    fn built_within(
        &mut self,
        at: At,
        roots: &[ExprId],
        known: &[Sum],
        sum: &Sum,
        dtype: DataType,
        is_fit: &mut dyn FnMut(&mut Self, ExprId) -> bool,
    ) -> Option<ExprId> {
        // Most sums are as they should be.
        if let &[root] = roots
            && self.is_in_normal_form(root, sum, dtype)
            && is_fit(self, root)
        {
            return Some(root);
        }
        let written = self.as_written(roots, sum);
        let has_factors = self.has_factors(&written, sum.constant);
        if !has_factors
            && let Some(&root) =
                roots.iter().find(|&&it| self.is_written_as(it, &written, sum.constant, dtype))
            && is_fit(self, root)
        {
            return Some(root);
        }
        let mut source = None;
        let mut take = |it: &mut Self, (node, computed): (ExprId, Vec<Part>)| {
            if !is_fit(it, node) {
                return false;
            }
            if roots.contains(&node) {
                return true;
            }
            it.sums.is_contextual = true;
            let source = source.get_or_insert_with(|| {
                let mut source = it.region(roots);
                source.extend_from_slice(known);
                source
            });
            computed
                .iter()
                .all(|part| it.fits(at, &part.1, dtype, source) || it.adds_no_overflow(at, part.0))
        };
        let in_order = self.in_order(sum);
        if has_factors {
            let forms = self.forms(dtype, [&written, &in_order], sum.constant);
            return forms.into_iter().find_map(|it| {
                let node = it.0;
                take(self, it).then_some(node)
            });
        }
        // All orders cost the same then.
        let is_one = written == in_order;
        for terms in [written, in_order].into_iter().skip(usize::from(is_one)) {
            let mut form = Form { dtype, computed: Vec::new() };
            let built = self.flat(&mut form, &terms, sum.constant);
            if let Some((node, _)) = built
                && take(self, (node, form.computed))
            {
                return Some(node);
            }
        }
        None
    }

    /// The sum in each order, flat and with factors taken out, the cheapest first.
    fn forms(
        &mut self,
        dtype: DataType,
        orders: [&Terms; 2],
        constant: i128,
    ) -> SmallVec<[(ExprId, Vec<Part>); 4]> {
        let mut forms: SmallVec<[(ExprId, Vec<Part>); 4]> = SmallVec::new();
        for terms in orders {
            for is_factored in [false, true] {
                let mut form = Form { dtype, computed: Vec::new() };
                let built = if is_factored {
                    self.factored(&mut form, terms, constant)
                } else {
                    self.flat(&mut form, terms, constant)
                };
                if let Some((node, _)) = built
                    && forms.iter().all(|it| it.0 != node)
                {
                    forms.push((node, form.computed));
                }
            }
        }
        // The sort keeps the order of equal ones.
        forms.sort_by_cached_key(|it| {
            let cost = self.cost(it.0);
            (cost.cost, cost.operations)
        });
        forms
    }

    /// The terms in the order of operands.
    pub(super) fn in_order(&self, sum: &Sum) -> Terms {
        let mut terms: Terms = sum.products.clone();
        terms.sort_by(|a, b| {
            let (x, y) = (self.factors(a.0), self.factors(b.0));
            let pairs = x.iter().zip(y).map(|(&p, &q)| order::compare(self.body(), p, q));
            pairs
                .reduce(std::cmp::Ordering::then)
                .unwrap_or(std::cmp::Ordering::Equal)
                .then(x.len().cmp(&y.len()))
        });
        terms
    }

    /// The terms in the order in which the source first names their first operands.
    fn as_written(&mut self, roots: &[ExprId], sum: &Sum) -> Terms {
        if sum.products.len() < 2 {
            return sum.products.clone();
        }
        let mut places: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut stack: SmallVec<[ExprId; 16]> = roots.iter().rev().copied().collect();
        for _ in 0..MOST_WRITTEN {
            let Some(node) = stack.pop() else { break };
            match self.addends(node) {
                Some((_, a, b)) => stack.extend([b, a]),
                None => places.extend(self.first_leaf(node)),
            }
        }
        let place = |product: ProductId| {
            let leaves = self.factors(product).iter().filter_map(|it| self.first_leaf(*it));
            let places = leaves.filter_map(|leaf| places.iter().position(|it| *it == leaf));
            places.min().unwrap_or(usize::MAX)
        };
        let mut placed: SmallVec<[(usize, (ProductId, i128)); 4]> =
            sum.products.iter().map(|it| (place(it.0), *it)).collect();
        placed.sort_by_key(|it| it.0);
        if placed.windows(2).any(|it| it[0].0 == it[1].0) {
            // Terms of one place stand in the order of operands.
            placed = self.in_order(sum).into_iter().map(|it| (place(it.0), it)).collect();
            placed.sort_by_key(|it| it.0);
        }
        placed.into_iter().map(|it| it.1).collect()
    }

    /// Whether a node is a sum without common factors as [`Simplifier::flat`] writes it in its own order, and this is the order in which it
    /// first names the operands. If it is not seen to be, it may be so still.
    fn is_in_normal_form(&self, node: ExprId, sum: &Sum, dtype: DataType) -> bool {
        if self.body().expr(node).size as usize > MOST_WRITTEN {
            return false;
        }
        let mut terms: Terms = SmallVec::new();
        let mut at = node;
        if sum.constant != 0 {
            let Some((_, a, _)) = self.addends(at) else { return false };
            at = a;
        }
        // From the last term to the first one.
        while terms.len() < sum.products.len() {
            let is_last = terms.len() + 1 == sum.products.len();
            let (term, rest) = match self.addends(at) {
                Some((BinaryOp::Add | BinaryOp::Sub, a, b)) if !is_last => (b, a),
                _ if is_last => (at, at),
                _ => return false,
            };
            let is_it = |it: &&(ProductId, i128)| self.is_term(term, it.0, it.1.saturating_abs());
            let Some(&found) = sum.products.iter().find(is_it) else { return false };
            terms.push(found);
            at = rest;
        }
        terms.reverse();
        // Where two terms begin with one operand, their places decide.
        let mut leaves: SmallVec<[ExprId; 16]> = SmallVec::new();
        for (product, _) in &terms {
            let n_before = leaves.len();
            for &factor in self.factors(*product) {
                let Some(leaf) = self.first_leaf(factor) else { return false };
                if leaves[..n_before].contains(&leaf) {
                    return false;
                }
                leaves.push(leaf);
            }
        }
        !self.has_factors(&terms, sum.constant)
            && self.is_written_as(node, &terms, sum.constant, dtype)
    }

    /// Whether a common factor may be taken out such that the sum costs less.
    fn has_factors(&self, terms: &[(ProductId, i128)], constant: i128) -> bool {
        // A number that is taken out spares the multiplications of the terms that have it alone, and is one itself.
        let by_number = common_number(terms, constant)
            .is_some_and(|number| terms.iter().filter(|it| it.1.abs() == number).count() > 1);
        by_number || self.shared_atom(terms).is_some()
    }

    /// Whether a node is the sum as [`Simplifier::flat`] writes it.
    fn is_written_as(
        &self,
        node: ExprId,
        terms: &[(ProductId, i128)],
        constant: i128,
        dtype: DataType,
    ) -> bool {
        let mut at = node;
        // Takes the right operand from a sum.
        let last = |at: &mut ExprId, is_added: bool| match self.addends(*at) {
            Some((BinaryOp::Add, a, b)) if is_added => {
                *at = a;
                Some(b)
            }
            Some((BinaryOp::Sub, a, b)) if !is_added => {
                *at = a;
                Some(b)
            }
            _ => None,
        };
        let Some((&(first, number), others)) = terms.split_first() else { return false };
        if number < 0 || self.body().dtype(node) != Some(dtype) {
            return false;
        }
        if constant != 0
            && last(&mut at, constant > 0).and_then(|it| self.as_int(it)) != constant.checked_abs()
        {
            return false;
        }
        let is_term = |it: Option<ExprId>, product, number: i128| {
            it.is_some_and(|it| self.is_term(it, product, number))
        };
        others.iter().rev().all(|&(product, number)| {
            is_term(last(&mut at, number > 0), product, number.saturating_abs())
        }) && self.is_term(at, first, number)
    }

    /// Whether a node is `product * number` as [`Simplifier::term`] writes it.
    fn is_term(&self, node: ExprId, product: ProductId, number: i128) -> bool {
        let operands = |it: ExprId| match self.addends(it) {
            Some((BinaryOp::Mul, a, b)) => Some((a, b)),
            _ => None,
        };
        let mut at = node;
        if number != 1 {
            match operands(at) {
                Some((a, b)) if self.as_int(b) == Some(number) => at = a,
                _ => return false,
            }
        }
        let Some((&first, others)) = self.factors(product).split_first() else { return false };
        for &factor in others.iter().rev() {
            match operands(at) {
                Some((a, b)) if b == factor => at = a,
                _ => return false,
            }
        }
        at == first
    }

    /// The leftmost operand of an atom that has none itself, but for constants.
    fn first_leaf(&self, expr: ExprId) -> Option<ExprId> {
        let mut at = expr;
        for _ in 0..MOST_WRITTEN {
            let node = self.body().expr(at);
            let mut first = None;
            let mut see = |it: ExprId| {
                if first.is_none() && !self.body().expr(it).is_constant() {
                    first = Some(it);
                }
            };
            match node.kind {
                ExprKind::Value(_) => {}
                ExprKind::Binary(_, a, b) => {
                    see(a);
                    see(b);
                }
                kind => self.body().each_child(kind, &mut see),
            }
            match first {
                Some(first) => at = first,
                None => return Some(at),
            }
        }
        None
    }

    /// Term after term.
    fn flat(
        &mut self,
        form: &mut Form,
        terms: &[(ProductId, i128)],
        constant: i128,
    ) -> Option<Part> {
        let mut parts = Vec::new();
        for &(product, factor) in terms {
            parts.push((product, factor));
        }
        // One that is added goes first.
        let first = parts.iter().position(|it| it.1 > 0);
        let mut total: Option<Part> = None;
        match first {
            Some(first) => {
                let (product, factor) = parts.remove(first);
                total = Some(self.term(form, product, factor)?);
            }
            None if constant > 0 => total = Some(self.number(form, constant)?),
            None => {}
        }
        let is_constant_first = first.is_none() && constant > 0;
        for (product, factor) in parts {
            total = Some(match total {
                None => self.term(form, product, factor)?,
                Some(total) => {
                    let (op, factor) = signed(factor);
                    let term = self.term(form, product, factor)?;
                    self.applied(form, op, &total, &term)?
                }
            });
        }
        match total {
            None => self.number(form, constant),
            Some(total) if constant == 0 || is_constant_first => Some(total),
            Some(total) => self.with_constant(form, &total, constant),
        }
    }

    fn with_constant(&mut self, form: &mut Form, total: &Part, constant: i128) -> Option<Part> {
        let (op, size) = signed(constant);
        let (op, constant) = match self.number(form, size) {
            Some(number) => (op, number),
            // `MIN` has no opposite.
            None => (BinaryOp::Add, self.number(form, constant)?),
        };
        self.applied(form, op, total, &constant)
    }

    /// With the factor taken out that most terms share, again and again.
    fn factored(
        &mut self,
        form: &mut Form,
        terms: &[(ProductId, i128)],
        constant: i128,
    ) -> Option<Part> {
        if let Some(divisor) = common_number(terms, constant) {
            let inner: Vec<(ProductId, i128)> =
                terms.iter().map(|it| (it.0, it.1 / divisor)).collect();
            let inner = self.factored(form, &inner, constant / divisor)?;
            let divisor = self.number(form, divisor)?;
            return self.applied(form, BinaryOp::Mul, &inner, &divisor);
        }
        let Some(factor) = self.shared_atom(terms) else {
            return self.flat(form, terms, constant);
        };
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for &(product, number) in terms {
            match self.without_atom(product, factor) {
                Some(rest) => with.push((rest, number)),
                None => without.push((product, number)),
            }
        }
        // What is left of a product that was the factor alone is a constant.
        let ones: i128 = with.iter().filter(|it| it.0.is_none()).map(|it| it.1).sum();
        let inner: Vec<(ProductId, i128)> =
            with.iter().filter_map(|it| it.0.map(|product| (product, it.1))).collect();
        let inner = self.factored(form, &inner, ones)?;
        let atom = (factor, self.atom(factor));
        let total = self.applied(form, BinaryOp::Mul, &inner, &atom)?;
        if without.is_empty() && constant == 0 {
            return Some(total);
        }
        if without.is_empty() {
            return self.with_constant(form, &total, constant);
        }
        let rest = self.factored(form, &without, constant)?;
        self.applied(form, BinaryOp::Add, &total, &rest)
    }

    /// The atom of most terms, of two at least; the last in order of equal ones.
    fn shared_atom(&self, terms: &[(ProductId, i128)]) -> Option<ExprId> {
        if terms.len() < 2 {
            return None;
        }
        let mut counts: SmallVec<[(ExprId, usize); 8]> = SmallVec::new();
        for &(product, _) in terms {
            let mut factors = self.factors(product).clone();
            factors.dedup();
            for factor in factors {
                match counts.iter_mut().find(|it| it.0 == factor) {
                    Some(count) => count.1 += 1,
                    None => counts.push((factor, 1)),
                }
            }
        }
        counts.into_iter().filter(|it| it.1 > 1).max_by_key(|it| it.1).map(|it| it.0)
    }

    /// The product without one of its atoms (none if that was all); none at all if it does not have it.
    pub(super) fn without_atom(
        &mut self,
        product: ProductId,
        atom: ExprId,
    ) -> Option<Option<ProductId>> {
        let mut factors: Factors = self.factors(product).clone();
        let place = factors.iter().position(|it| *it == atom)?;
        factors.remove(place);
        Some((!factors.is_empty()).then(|| self.product(factors)))
    }

    /// `product * factor`
    fn term(&mut self, form: &mut Form, product: ProductId, factor: i128) -> Option<Part> {
        let factors = self.factors(product).clone();
        let mut total = (factors[0], self.atom(factors[0]));
        for &factor in &factors[1..] {
            let atom = (factor, self.atom(factor));
            total = self.applied(form, BinaryOp::Mul, &total, &atom)?;
        }
        if factor == 1 {
            return Some(total);
        }
        let factor = self.number(form, factor)?;
        self.applied(form, BinaryOp::Mul, &total, &factor)
    }

    fn number(&mut self, form: &Form, value: i128) -> Option<Part> {
        let fits = Interval::of_type(form.dtype).contains(value);
        fits.then(|| (self.int(value, form.dtype), Sum::constant(value)))
    }

    /// `a op b`, noted as computed.
    fn applied(&mut self, form: &mut Form, op: BinaryOp, a: &Part, b: &Part) -> Option<Part> {
        let sum = match op {
            BinaryOp::Add => a.1.plus(&b.1, 1, Ring::Integers)?,
            BinaryOp::Sub => a.1.plus(&b.1, -1, Ring::Integers)?,
            _ => self.times(&a.1, &b.1)?,
        };
        let part = (self.binary(op, a.0, b.0), sum);
        form.computed.push(part.clone());
        Some(part)
    }
}

/// A term by its sign and size.
fn signed(factor: i128) -> (BinaryOp, i128) {
    if factor < 0 { (BinaryOp::Sub, -factor) } else { (BinaryOp::Add, factor) }
}

/// The number above 1 that divides all terms, if there are two.
fn common_number(terms: &[(ProductId, i128)], constant: i128) -> Option<i128> {
    if terms.len() + usize::from(constant != 0) < 2 {
        return None;
    }
    let numbers = terms.iter().map(|it| it.1).chain([constant]);
    Some(numbers.fold(0, super::division::gcd)).filter(|it| *it > 1)
}
