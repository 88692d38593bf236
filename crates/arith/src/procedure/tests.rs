//! Against all solutions in a small box, and a planted mistake that the comparison would find.

use ir::{ExprId, arena::Id};
use test_utils::Rng;

use super::*;

const N: usize = 3;
const BOX: std::ops::RangeInclusive<i128> = -4..=4;

fn atom(index: usize) -> Atom {
    Atom::node(ExprId::new(index))
}

fn value(form: &Linear, at: &[i128; N]) -> i128 {
    form.offset() + (0..N).map(|it| form.factor(atom(it)) * at[it]).sum::<i128>()
}

fn random_form(rng: &mut Rng) -> Linear {
    let mut form = Linear::constant(i128::from(rng.between(-6, 6)));
    for index in 0..N {
        let factor = i128::from(rng.between(-3, 3));
        form = form.combine(1, &Linear::atom(atom(index)), factor).expect("few terms");
    }
    form
}

fn points() -> impl Iterator<Item = [i128; N]> {
    BOX.flat_map(|a| BOX.flat_map(move |b| BOX.map(move |c| [a, b, c])))
}

/// Random systems whose answers are compared with all points of the box. Returns how many goals were implied.
fn check(round: impl Fn(Linear) -> Linear) -> Result<usize, String> {
    let mut n_implied = 0;
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let mut system = System::default();
        let mut forms = Vec::new();
        for _ in 0..1 + rng.below(4) {
            forms.push(random_form(&mut rng));
        }
        for index in 0..N {
            let it = Linear::atom(atom(index));
            forms.extend(it.plus(4));
            forms.extend(it.scale(-1).and_then(|it| it.plus(4)));
        }
        let congruence = Modular::new(2, i128::from(rng.between(0, 1)));
        let is_scaled = rng.one_in(2);
        forms.iter().for_each(|it| system.add(round(it.clone())));
        if is_scaled {
            system.scale(atom(0), congruence);
        }
        let goal = random_form(&mut rng);
        if !system.implies(&goal, &mut 0) {
            continue;
        }
        n_implied += 1;
        let holds = |at: &[i128; N]| {
            forms.iter().all(|it| value(it, at) >= 0) && (!is_scaled || congruence.contains(at[0]))
        };
        if let Some(at) = points().find(|it| holds(it) && value(&goal, it) < 0) {
            return Err(format!("seed {seed}: {goal:?} is negative at {at:?}"));
        }
    }
    Ok(n_implied)
}

#[test]
fn implied_inequalities_hold_at_all_points() {
    let n_implied = check(|it| it).expect("no wrong answer");
    assert!(n_implied > 300, "{n_implied} of 3000 implied");
}

#[test]
fn a_constant_rounded_too_far_is_found() {
    let planted = |it: Linear| it.plus(-1).expect("small");
    assert!(check(planted).is_err());
}

#[test]
fn integers_between_fractions_are_none() {
    // 2x + 4y = 3 has solutions, but none of integers.
    let mut system = System::default();
    let sum = Linear::atom(atom(0)).combine(2, &Linear::atom(atom(1)), 4).expect("two terms");
    system.add(sum.plus(-3).expect("small"));
    system.add(sum.scale(-1).and_then(|it| it.plus(3)).expect("small"));
    let anything = Linear::atom(atom(0)).plus(-1000).expect("small");
    assert!(system.implies(&anything, &mut 0));
}
