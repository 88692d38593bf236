//! A sum of products as a node.
//!
//! Forms that are tried, the cheapest that fits wins, the first of equal ones: term after term, and with a common
//! factor taken out of the terms that have it. Terms stand in the order in which the source names their first operands,
//! else in the order of operands; the constant last, a term that is added first.

use std::cmp::Ordering;

use ir::{BinaryOp, DataType, ExprId, ExprKind};
use smallvec::SmallVec;

use super::{
    At, Cost, Simplifier,
    fits::Source,
    order,
    sums::{Factors, ProductId, Sum},
};
use crate::Interval;

/// Nodes of the source that are looked at for the order in which it names operands.
const MOST_WRITTEN: usize = 64;

/// A form in the making: the nodes that it computes on the way are noted.
struct Form {
    dtype: DataType,
    computed: Computed,
}

type Computed = SmallVec<[ExprId; 8]>;

/// The terms of a sum in some order.
type Terms = SmallVec<[(ProductId, i128); 4]>;

impl Simplifier<'_> {
    /// The sum as a node that is no worse than `expr`, whose value it is; none if there is none that is shown to fit.
    /// The node itself if it is the normal form.
    pub(super) fn built(&mut self, at: At, expr: ExprId, sum: &Sum) -> Option<ExprId> {
        let dtype = self.body().dtype(expr)?;
        let most = Some(self.cost(expr));
        self.built_within(at, &[expr], std::slice::from_ref(sum), sum, dtype, most)
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
        self.built_within(at, roots, known, sum, dtype, None)
    }

    /// The sum as a node that costs no more than `most`, where the source computes `roots` and the value of `known`
    /// fits.
    fn built_within(
        &mut self,
        at: At,
        roots: &[ExprId],
        known: &[Sum],
        sum: &Sum,
        dtype: DataType,
        most: Option<Cost>,
    ) -> Option<ExprId> {
        // Most sums are as they should be.
        if let &[root] = roots
            && self.is_in_normal_form(root, sum, dtype)
        {
            return Some(root);
        }
        let written = self.as_written(roots, sum);
        let has_factors = self.has_factors(&written, sum.constant);
        if !has_factors
            && let Some(&root) =
                roots.iter().find(|&&it| self.is_written_as(it, &written, sum.constant, dtype))
        {
            return Some(root);
        }
        let mut source = Source::new(roots, known);
        let mut take = |it: &mut Self, node: ExprId, computed: &[ExprId]| {
            if most.is_some_and(|most| it.cost(node).is_above(most)) {
                return false;
            }
            if roots.contains(&node) {
                return true;
            }
            it.sums.is_contextual = true;
            computed.iter().all(|&part| {
                it.node_fits(at, part, dtype, &mut source) || it.adds_no_overflow(at, part)
            })
        };
        if has_factors {
            let in_order = self.in_order(sum);
            let forms = self.forms(dtype, [&written, &in_order], sum.constant, most);
            return forms
                .into_iter()
                .find_map(|(node, on_the_way)| take(self, node, &on_the_way).then_some(node));
        }
        // All orders cost the same then.
        if most.is_some_and(|most| self.least_cost_of_flat(&written, sum.constant).is_above(most)) {
            return None;
        }
        let mut take_flat = |it: &mut Self, terms: &Terms| {
            let mut form = Form { dtype, computed: SmallVec::new() };
            let node = it.flat(&mut form, terms, sum.constant)?;
            take(it, node, &form.computed).then_some(node)
        };
        take_flat(self, &written).or_else(|| {
            let in_order = self.in_order(sum);
            (in_order != written).then(|| take_flat(self, &in_order))?
        })
    }

    /// The sum in each order, flat and with factors taken out, the cheapest first.
    fn forms(
        &mut self,
        dtype: DataType,
        orders: [&Terms; 2],
        constant: i128,
        most: Option<Cost>,
    ) -> SmallVec<[(ExprId, Computed); 4]> {
        let mut forms: SmallVec<[(ExprId, Computed); 4]> = SmallVec::new();
        let is_flat_dear =
            most.is_some_and(|most| self.least_cost_of_flat(orders[0], constant).is_above(most));
        let is_one = orders[0] == orders[1];
        for terms in orders.into_iter().skip(usize::from(is_one)) {
            for is_factored in [false, true] {
                let mut form = Form { dtype, computed: SmallVec::new() };
                let built = match is_factored {
                    true => self.factored(&mut form, terms, constant),
                    false if is_flat_dear => None,
                    false => self.flat(&mut form, terms, constant),
                };
                if let Some(node) = built
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
        terms.sort_by(|a, b| self.compare_products(a.0, b.0));
        terms
    }

    fn compare_products(&self, a: ProductId, b: ProductId) -> Ordering {
        let (x, y) = (self.factors(a), self.factors(b));
        let mut pairs = x.iter().zip(y).map(|(&p, &q)| order::compare(self.body(), p, q));
        pairs.find(|it| it.is_ne()).unwrap_or_else(|| x.len().cmp(&y.len()))
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
                Some((_, a, b)) => {
                    stack.push(b);
                    stack.push(a);
                }
                None => {
                    if let Some(leaf) = self.first_leaf(node) {
                        places.push(leaf);
                    }
                }
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

    /// Returns true if a node is a sum without common factors as [`Simplifier::flat`] writes it in its own order, and
    /// this is the order in which it first names the operands. False does not exclude it.
    fn is_in_normal_form(&self, node: ExprId, sum: &Sum, dtype: DataType) -> bool {
        if sum.products.is_empty()
            || self.body().expr(node).size as usize > MOST_WRITTEN
            || self.body().dtype(node) != Some(dtype)
        {
            return false;
        }
        let mut terms: Terms = SmallVec::new();
        let mut at = node;
        if sum.constant != 0 {
            match self.last_addend(&mut at) {
                Some((constant, is_added))
                    if is_added == (sum.constant > 0)
                        && self.as_int(constant) == sum.constant.checked_abs() => {}
                _ => return false,
            }
        }
        // From the last term to the first one, which is added.
        while terms.len() < sum.products.len() {
            let is_first = terms.len() + 1 == sum.products.len();
            let (term, is_added) = match is_first {
                true => (at, true),
                false => match self.last_addend(&mut at) {
                    Some(last) => last,
                    None => return false,
                },
            };
            let is_it = |it: &&(ProductId, i128)| {
                is_added == (it.1 > 0) && self.is_term(term, it.0, it.1.saturating_abs())
            };
            let Some(&found) = sum.products.iter().find(is_it) else { return false };
            terms.push(found);
        }
        terms.reverse();
        self.are_as_named(&terms) && !self.has_factors(&terms, sum.constant)
    }

    /// Splits the right operand from a sum or difference; the flag is true if it is added.
    fn last_addend(&self, at: &mut ExprId) -> Option<(ExprId, bool)> {
        match self.addends(*at) {
            Some((op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) => {
                *at = a;
                Some((b, op == BinaryOp::Add))
            }
            _ => None,
        }
    }

    /// Returns true if the terms of a sum that is written in this order are in the order in which it first names their
    /// operands. False does not exclude it.
    fn are_as_named(&self, terms: &[(ProductId, i128)]) -> bool {
        let mut named: SmallVec<[ExprId; 16]> = SmallVec::new();
        let mut last: Option<(usize, ProductId)> = None;
        for &(product, _) in terms {
            let mut place = usize::MAX;
            for &factor in self.factors(product) {
                // A chain that is an atom names more than one operand.
                if self.addends(factor).is_some() {
                    return false;
                }
                let Some(leaf) = self.first_leaf(factor) else { return false };
                let known = named.iter().position(|it| *it == leaf);
                place = place.min(known.unwrap_or(named.len()));
                named.push(leaf);
            }
            let is_next = last.is_none_or(|(before, other)| {
                before < place || before == place && self.compare_products(other, product).is_le()
            });
            if !is_next {
                return false;
            }
            last = Some((place, product));
        }
        true
    }

    /// Returns true if taking out a common factor makes the sum cheaper.
    fn has_factors(&self, terms: &[(ProductId, i128)], constant: i128) -> bool {
        // A number that is taken out spares the multiplications of the terms that have it alone, and is one itself.
        let by_number = common_number(terms, constant)
            .is_some_and(|number| terms.iter().filter(|it| it.1.abs() == number).count() > 1);
        by_number || self.shared_atom(terms).is_some()
    }

    /// Returns true if a node is the sum as [`Simplifier::flat`] writes it.
    fn is_written_as(
        &self,
        node: ExprId,
        terms: &[(ProductId, i128)],
        constant: i128,
        dtype: DataType,
    ) -> bool {
        let mut at = node;
        let mut last =
            |is_added: bool| self.last_addend(&mut at).filter(|it| it.1 == is_added).map(|it| it.0);
        let Some((&(first, number), others)) = terms.split_first() else { return false };
        if number < 0 || self.body().dtype(node) != Some(dtype) {
            return false;
        }
        if constant != 0
            && last(constant > 0).and_then(|it| self.as_int(it)) != constant.checked_abs()
        {
            return false;
        }
        let is_term = |it: Option<ExprId>, product, number: i128| {
            it.is_some_and(|it| self.is_term(it, product, number))
        };
        others
            .iter()
            .rev()
            .all(|&(product, number)| is_term(last(number > 0), product, number.saturating_abs()))
            && self.is_term(at, first, number)
    }

    /// Returns true if a node is `product * number` as [`Simplifier::term`] writes it.
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
        let body = self.body();
        let mut at = expr;
        for _ in 0..MOST_WRITTEN {
            let is_operand = |it: &ExprId| !body.expr(*it).is_constant();
            let first = match body.expr(at).kind {
                ExprKind::Value(_) => None,
                ExprKind::Binary(_, a, b) => [a, b].into_iter().find(is_operand),
                kind => {
                    let mut first = None;
                    body.each_child(kind, &mut |it| first = first.or(Some(it).filter(is_operand)));
                    first
                }
            };
            match first {
                Some(first) => at = first,
                None => return Some(at),
            }
        }
        None
    }

    /// The least that a sum costs as [`Simplifier::flat`] writes it: its atoms, and the operators between them, of
    /// which each costs the same.
    fn least_cost_of_flat(&mut self, terms: &[(ProductId, i128)], constant: i128) -> Cost {
        let operators = (terms.len() + usize::from(constant != 0)).saturating_sub(1);
        let mut least = Cost::default();
        least.add_operators(operators);
        for &(product, number) in terms {
            let n_factors = self.factors(product).len();
            least.add_operators(n_factors - 1 + usize::from(number.abs() != 1));
            for place in 0..n_factors {
                let atom = self.factors(product)[place];
                least.add(self.cost(atom));
            }
        }
        least
    }

    /// Term after term.
    fn flat(
        &mut self,
        form: &mut Form,
        terms: &[(ProductId, i128)],
        constant: i128,
    ) -> Option<ExprId> {
        // One that is added goes first.
        let first = terms.iter().position(|it| it.1 > 0);
        let mut total = match first {
            Some(first) => Some(self.term(form, terms[first].0, terms[first].1)?),
            None if constant > 0 => Some(self.number(form, constant)?),
            None => None,
        };
        let is_constant_first = first.is_none() && constant > 0;
        for (place, &(product, factor)) in terms.iter().enumerate() {
            if Some(place) == first {
                continue;
            }
            total = Some(match total {
                None => self.term(form, product, factor)?,
                Some(total) => {
                    let (op, factor) = signed(factor);
                    let term = self.term(form, product, factor)?;
                    self.applied(form, op, total, term)?
                }
            });
        }
        match total {
            None => self.number(form, constant),
            Some(total) if constant == 0 || is_constant_first => Some(total),
            Some(total) => self.with_constant(form, total, constant),
        }
    }

    fn with_constant(&mut self, form: &mut Form, total: ExprId, constant: i128) -> Option<ExprId> {
        let (op, size) = signed(constant);
        let (op, constant) = match self.number(form, size) {
            Some(number) => (op, number),
            // `MIN` has no opposite.
            None => (BinaryOp::Add, self.number(form, constant)?),
        };
        self.applied(form, op, total, constant)
    }

    /// With the factor taken out that most terms share, again and again.
    fn factored(
        &mut self,
        form: &mut Form,
        terms: &[(ProductId, i128)],
        constant: i128,
    ) -> Option<ExprId> {
        if let Some(divisor) = common_number(terms, constant) {
            let inner: Terms = terms.iter().map(|it| (it.0, it.1 / divisor)).collect();
            let inner = self.factored(form, &inner, constant / divisor)?;
            let divisor = self.number(form, divisor)?;
            return self.applied(form, BinaryOp::Mul, inner, divisor);
        }
        let Some(factor) = self.shared_atom(terms) else {
            return self.flat(form, terms, constant);
        };
        let mut with: SmallVec<[(Option<ProductId>, i128); 4]> = SmallVec::new();
        let mut without: Terms = SmallVec::new();
        for &(product, number) in terms {
            match self.without_atom(product, factor) {
                Some(rest) => with.push((rest, number)),
                None => without.push((product, number)),
            }
        }
        // What is left of a product that was the factor alone is a constant.
        let ones: i128 = with.iter().filter(|it| it.0.is_none()).map(|it| it.1).sum();
        let inner: Terms =
            with.iter().filter_map(|it| it.0.map(|product| (product, it.1))).collect();
        let inner = self.factored(form, &inner, ones)?;
        let total = self.applied(form, BinaryOp::Mul, inner, factor)?;
        if without.is_empty() && constant == 0 {
            return Some(total);
        }
        if without.is_empty() {
            return self.with_constant(form, total, constant);
        }
        let rest = self.factored(form, &without, constant)?;
        self.applied(form, BinaryOp::Add, total, rest)
    }

    /// The atom of most terms, of two at least; the last in order of equal ones.
    fn shared_atom(&self, terms: &[(ProductId, i128)]) -> Option<ExprId> {
        if terms.len() < 2 {
            return None;
        }
        let mut counts: SmallVec<[(ExprId, usize); 8]> = SmallVec::new();
        for &(product, _) in terms {
            let factors = self.factors(product);
            for (place, &factor) in factors.iter().enumerate() {
                // Equal ones stand together.
                if place > 0 && factors[place - 1] == factor {
                    continue;
                }
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
        let factors = self.factors(product);
        let place = factors.iter().position(|it| *it == atom)?;
        if factors.len() == 1 {
            return Some(None);
        }
        let mut rest: Factors = factors.clone();
        rest.remove(place);
        Some(Some(self.product_in_order(rest)))
    }

    /// `product * factor`
    fn term(&mut self, form: &mut Form, product: ProductId, factor: i128) -> Option<ExprId> {
        let mut total = self.factors(product)[0];
        for place in 1..self.factors(product).len() {
            let atom = self.factors(product)[place];
            total = self.applied(form, BinaryOp::Mul, total, atom)?;
        }
        if factor == 1 {
            return Some(total);
        }
        let factor = self.number(form, factor)?;
        self.applied(form, BinaryOp::Mul, total, factor)
    }

    fn number(&mut self, form: &Form, value: i128) -> Option<ExprId> {
        let fits = Interval::of_type(form.dtype).contains(value);
        fits.then(|| self.int(value, form.dtype))
    }

    /// `a op b`, noted as computed; none if it is no sum that could be looked at.
    fn applied(&mut self, form: &mut Form, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let node = self.binary(op, a, b);
        form.computed.push(node);
        (!self.is_atom(node)).then_some(node)
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
    if numbers.clone().any(|it| matches!(it, 1 | -1)) {
        return None;
    }
    Some(numbers.fold(0, super::division::gcd)).filter(|it| *it > 1)
}
