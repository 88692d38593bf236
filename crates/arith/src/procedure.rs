//! A decision procedure for conjunctions of linear inequalities over integers.
//!
//! In: linear forms that are not negative, and one that is to be shown not to be. Out: whether the forms and the goal's opposite
//! have no solution. Atoms are eliminated one after another (Fourier and Motzkin): every form in which the atom counts up is
//! added to every one in which it counts down so that it cancels. Each result is divided by the common factor of its
//! coefficients and its constant rounded down, which no integer notices (Gomory), and an atom that is known to be `r` modulo `m` is
//! written `m * t + r` first. So the answer "no solution" is right, and "a solution" may be of fractions: then nothing is shown.
//!
//! Atoms are eliminated in the order of the sums that takes, an atom that counts in one direction only with all its forms. The
//! sums of one question are at most [`MOST_SUMS`], its forms [`MOST_FORMS`]: beyond, nothing is shown.

use crate::{
    Modular,
    atoms::Atom,
    linear::{Linear, gcd},
};

/// Sums of two forms in one question.
const MOST_SUMS: u32 = 192;
/// Forms at one time.
const MOST_FORMS: usize = 96;

/// Forms that are not negative, all at once.
#[derive(Clone, Default, Debug)]
pub(crate) struct System {
    forms: Vec<Linear>,
    /// Atoms that are written as multiples of others, which go by the same name from then on.
    scaled: Vec<(Atom, Modular)>,
    contradiction: bool,
}

impl System {
    pub(crate) fn forms(&self) -> &[Linear] {
        &self.forms
    }

    /// Adds `form >= 0`. Of forms that differ in the constant only the least is kept.
    pub(crate) fn add(&mut self, form: Linear) {
        let mut form = Some(form);
        for &(atom, modular) in &self.scaled {
            form = form.and_then(|it| it.with_scaled(atom, modular.coeff, modular.base));
        }
        if let Some(form) = form {
            self.add_scaled(form.tightened());
        }
    }

    fn add_scaled(&mut self, form: Linear) {
        if form.terms().is_empty() {
            self.contradiction |= form.offset() < 0;
            return;
        }
        match self.forms.iter().position(|it| it.terms() == form.terms()) {
            Some(at) if self.forms[at].offset() <= form.offset() => {}
            Some(at) => self.forms[at] = form,
            None if self.forms.len() < MOST_FORMS => self.forms.push(form),
            None => {}
        }
    }

    /// Writes `atom` as `m * t + r`, in all forms so far and from now on.
    pub(crate) fn scale(&mut self, atom: Atom, modular: Modular) {
        if modular.coeff <= 1 {
            return;
        }
        self.scaled.push((atom, modular));
        for form in std::mem::take(&mut self.forms) {
            if let Some(form) = form.with_scaled(atom, modular.coeff, modular.base) {
                self.add_scaled(form.tightened());
            }
        }
    }

    /// Whether `goal >= 0` follows. Counts the sums made.
    pub(crate) fn implies(&self, goal: &Linear, n_sums: &mut u64) -> bool {
        let Some(opposite) = goal.scale(-1).and_then(|it| it.plus(-1)) else { return false };
        let mut system = self.clone();
        system.add(opposite);
        system.has_no_solution(n_sums)
    }

    fn has_no_solution(mut self, n_sums: &mut u64) -> bool {
        let mut left = MOST_SUMS;
        while !self.contradiction {
            let Some(atom) = self.next_atom() else { return false };
            let (with, without): (Vec<Linear>, Vec<Linear>) =
                std::mem::take(&mut self.forms).into_iter().partition(|it| it.factor(atom) != 0);
            self.forms = without;
            let (up, down): (Vec<Linear>, Vec<Linear>) =
                with.into_iter().partition(|it| it.factor(atom) > 0);
            for a in &up {
                for b in &down {
                    if left == 0 {
                        return false;
                    }
                    left -= 1;
                    *n_sums += 1;
                    if let Some(sum) = cancelled(a, b, atom) {
                        self.add_scaled(sum.tightened());
                    }
                }
            }
        }
        true
    }

    /// The atom whose elimination takes the fewest sums; the first of them.
    fn next_atom(&self) -> Option<Atom> {
        let mut counts: Vec<(Atom, usize, usize)> = Vec::new();
        for form in &self.forms {
            for &(atom, factor) in form.terms() {
                let at = match counts.iter().position(|it| it.0 == atom) {
                    Some(at) => at,
                    None => {
                        counts.push((atom, 0, 0));
                        counts.len() - 1
                    }
                };
                let count = &mut counts[at];
                if factor > 0 { count.1 += 1 } else { count.2 += 1 }
            }
        }
        let growth =
            |&(_, up, down): &(Atom, usize, usize)| (up * down) as i64 - (up + down) as i64;
        counts.iter().min_by_key(|it| growth(it)).map(|it| it.0)
    }
}

/// The sum of positive multiples of two forms in which the atom is gone.
fn cancelled(up: &Linear, down: &Linear, atom: Atom) -> Option<Linear> {
    let (p, q) = (up.factor(atom), down.factor(atom).checked_neg()?);
    let common = gcd(p, q).max(1);
    up.combine(q / common, down, p / common)
}

#[cfg(test)]
mod tests;
