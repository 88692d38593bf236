//! A decision procedure for conjunctions of linear inequalities over integers.
//!
//! In: linear forms that are not negative, and one that is to be shown not to be. Out: whether the forms and the goal's
//! opposite have no solution. Atoms are eliminated one after another (Fourier and Motzkin): every form in which the
//! atom counts up is added to every one in which it counts down so that it cancels. Each result is divided by the
//! common factor of its coefficients and its constant rounded down, which no integer notices (Gomory), and an atom that
//! is known to be `r` modulo `m` is written `m * t + r` first. So the answer "no solution" is right, and "a solution"
//! may be of fractions: then nothing is shown.
//!
//! Atoms are eliminated in the order of the sums that takes, an atom that counts in one direction only with all its
//! forms. The sums of one question are at most [`MOST_SUMS`], its forms [`MOST_FORMS`]: beyond, nothing is shown.

use smallvec::SmallVec;

use crate::{
    Modular,
    forms::{Atom, Linear},
    integers::gcd,
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

    /// Returns true if `goal >= 0` follows. Counts the sums made. Contradictions unrelated to the goal are not searched
    /// for.
    pub(crate) fn implies(&self, goal: &Linear, n_sums: &mut u64) -> bool {
        if self.contradiction {
            return true;
        }
        let mut opposite = goal.scale(-1).and_then(|it| it.plus(-1));
        for &(atom, modular) in &self.scaled {
            opposite = opposite.and_then(|it| it.with_scaled(atom, modular.coeff, modular.base));
        }
        let Some(opposite) = opposite.map(Linear::tightened) else { return false };
        if opposite.terms().is_empty() {
            return opposite.offset() < 0;
        }
        // These differ from each other already.
        let forms: Vec<Linear> = self.usable_with(&opposite).into_iter().cloned().collect();
        if forms.is_empty() {
            return false;
        }
        let mut system = System { forms, ..System::default() };
        system.add_scaled(opposite);
        system.has_no_solution(n_sums)
    }

    /// The forms that may cancel: of whose atoms none counts in one direction only. None if the goal's own opposite is
    /// none of them.
    fn usable_with<'a>(&'a self, opposite: &'a Linear) -> Vec<&'a Linear> {
        let mut forms: Vec<&Linear> = self.forms.iter().chain([opposite]).collect();
        let mut counts = Counts::default();
        forms.iter().for_each(|it| counts.add(it));
        while let Some(atom) = counts.one_sided() {
            if opposite.factor(atom) != 0 {
                return Vec::new();
            }
            forms.retain(|it| {
                let stays = it.factor(atom) == 0;
                if !stays {
                    counts.remove(it);
                }
                stays
            });
        }
        forms.pop();
        forms
    }

    fn has_no_solution(self, n_sums: &mut u64) -> bool {
        let mut elimination = Elimination::of(self);
        let mut goes_on = true;
        while goes_on && !elimination.contradiction {
            let atom = elimination.next_atom();
            goes_on = atom.is_some_and(|it| elimination.eliminate(it));
        }
        *n_sums += u64::from(elimination.n_sums);
        goes_on
    }
}

/// A system whose atoms go one after another.
struct Elimination {
    /// Also those that are used up.
    forms: Vec<Linear>,
    /// The forms that are left, in the order in which they were found.
    left: Vec<usize>,
    counts: Counts,
    n_sums: u32,
    contradiction: bool,
}

impl Elimination {
    fn of(system: System) -> Elimination {
        let mut counts = Counts::default();
        system.forms.iter().for_each(|it| counts.add(it));
        Elimination {
            left: (0..system.forms.len()).collect(),
            forms: system.forms,
            counts,
            n_sums: 0,
            contradiction: system.contradiction,
        }
    }

    /// The atom whose elimination takes the fewest sums; the first of them.
    fn next_atom(&self) -> Option<Atom> {
        let used = self.counts.0.iter().filter(|it| it.is_used());
        let least = used.map(Count::growth).min()?;
        let mut atoms = self.left.iter().flat_map(|&it| self.forms[it].atoms());
        atoms.find(|it| self.counts.get(*it).is_some_and(|it| it.growth() == least))
    }

    /// Eliminates an atom; returns true if the number of sums is within the limit.
    fn eliminate(&mut self, atom: Atom) -> bool {
        let [up, down] = self.take_with(atom);
        for &a in &up {
            for &b in &down {
                if self.n_sums == MOST_SUMS {
                    return false;
                }
                self.n_sums += 1;
                if let Some(sum) = cancelled(&self.forms[a], &self.forms[b], atom) {
                    self.add(sum.tightened());
                }
            }
        }
        true
    }

    /// Takes the forms out in which an atom counts up, and those in which it counts down.
    fn take_with(&mut self, atom: Atom) -> [SmallVec<[usize; 16]>; 2] {
        let mut taken = [SmallVec::new(), SmallVec::new()];
        let (forms, counts) = (&self.forms, &mut self.counts);
        self.left.retain(|&it| match forms[it].factor(atom) {
            0 => true,
            factor => {
                counts.remove(&forms[it]);
                taken[usize::from(factor < 0)].push(it);
                false
            }
        });
        taken
    }

    /// As [`System::add`].
    fn add(&mut self, form: Linear) {
        if form.terms().is_empty() {
            self.contradiction |= form.offset() < 0;
            return;
        }
        match self.left.iter().find(|&&it| self.forms[it].terms() == form.terms()) {
            Some(&at) if self.forms[at].offset() <= form.offset() => {}
            // The factors are the same.
            Some(&at) => self.forms[at] = form,
            None if self.left.len() < MOST_FORMS => {
                self.counts.add(&form);
                self.left.push(self.forms.len());
                self.forms.push(form);
            }
            None => {}
        }
    }
}

/// In how many forms an atom counts up, and in how many down.
struct Count {
    atom: Atom,
    up: usize,
    down: usize,
}

impl Count {
    fn is_used(&self) -> bool {
        self.up + self.down > 0
    }
    /// The increase in the number of forms without the atom.
    fn growth(&self) -> i64 {
        (self.up * self.down) as i64 - (self.up + self.down) as i64
    }
}

/// The counts of all atoms.
#[derive(Default)]
struct Counts(SmallVec<[Count; 16]>);

impl Counts {
    fn get(&self, atom: Atom) -> Option<&Count> {
        self.0.iter().find(|it| it.atom == atom)
    }
    fn of(&mut self, atom: Atom, factor: i128) -> &mut usize {
        let at = match self.0.iter().position(|it| it.atom == atom) {
            Some(at) => at,
            None => {
                self.0.push(Count { atom, up: 0, down: 0 });
                self.0.len() - 1
            }
        };
        let count = &mut self.0[at];
        if factor > 0 { &mut count.up } else { &mut count.down }
    }
    fn add(&mut self, form: &Linear) {
        form.terms().iter().for_each(|&(atom, factor)| *self.of(atom, factor) += 1);
    }
    fn remove(&mut self, form: &Linear) {
        form.terms().iter().for_each(|&(atom, factor)| *self.of(atom, factor) -= 1);
    }
    /// An atom that counts in one direction only.
    fn one_sided(&self) -> Option<Atom> {
        self.0.iter().find(|it| (it.up == 0) != (it.down == 0)).map(|it| it.atom)
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
