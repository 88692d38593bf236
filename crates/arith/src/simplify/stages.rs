//! The steps of the simplifier that are not table rules: they work on any number of operands, or ask the analyzer.

use rules::Rule;

/// The declaration of each, sorted by name. With the rules of the tables these are all names that a [`super::Step`]
/// has.
pub const STAGES: &[Rule] = &[
    stage("absorbing-operand", "An operand decides the whole: `x * 0`, `x & 0`, `x % 1`."),
    stage(
        "cast-back",
        "What was converted to a wider type and back, or to the type that it has, is what it was.",
    ),
    stage("common-factor", "Both sides of a comparison are divided by a factor that they share."),
    stage(
        "common-terms",
        "What both sides of a comparison add goes from both. Only where no sum overflows on the way, or where \
         overflow is excluded.",
    ),
    stage(
        "decided",
        "A condition has one value here: bounds, congruences, the conditions on the way and what follows from them \
         say which.",
    ),
    stage(
        "decided-by-left",
        "The right side of an `and` or `or` is only evaluated where the left side does not decide, and there it has \
         one value.",
    ),
    stage(
        "equal-lanes",
        "An operation on vectors of equal lanes is computed once: `Broadcast(x, n) + Broadcast(y, n)` is \
         `Broadcast(x + y, n)`.",
    ),
    stage("flat-ramp", "A ramp whose lanes do not differ: `Ramp(x, 0, n)` is `Broadcast(x, n)`."),
    stage("fold", "Operands are constants, and so is the result."),
    stage(
        "implied-by-right",
        "The left side of an `and` or `or` says nothing that the right side does not say, and evaluating the right \
         side alone is no error.",
    ),
    stage("known-value", "An integer has one value here."),
    stage(
        "logic-chain",
        "A chain of `and` or `or` without conditions that are there twice or decide nothing, each in its simplest \
         form.",
    ),
    stage("max-operand", "An operand of a chain of `max` is never the greatest, or there twice."),
    stage("min-operand", "An operand of a chain of `min` is never the least, or there twice."),
    stage("neutral-operand", "An operand changes nothing: `x + 0`, `x * 1`, `x // 1`, `x | 0`."),
    stage(
        "not-inwards",
        "`not` of a comparison of integers is the opposite comparison; of `and` and `or`, of their sides.",
    ),
    stage(
        "operand-order",
        "Operands of `min` and `max` in the order in which their variables were declared.",
    ),
    stage(
        "ramp-division",
        "A ramp over a constant, where its lanes are whole multiples beside the first, or all between two \
         neighbouring ones.",
    ),
    stage(
        "ramp-product",
        "A ramp times a constant: `Ramp(x, s, n) * Broadcast(c, n)` is `Ramp(x * c, s * c, n)`.",
    ),
    stage(
        "ramp-residue",
        "The remainder of a ramp by a constant, where that of its first lane is known: the ramp may start there.",
    ),
    stage(
        "ramp-sum",
        "A ramp and a ramp, or what is equal in all lanes: `Ramp(x, s, n) + Broadcast(y, n)` is `Ramp(x + y, s, n)`.",
    ),
    stage(
        "small-residue",
        "Terms of a comparison that cannot change it beside known multiples of a number: `4 * i + v < n` is \
         `4 * i < n` if `n` is a multiple of 4 and `0 <= v < 4`.",
    ),
    stage(
        "small-terms",
        "A term of a comparison that is less than the factor of all others decides nothing: `4*x + r < 4*y` is `x < \
         y` where `0 <= r < 4`.",
    ),
    stage(
        "sum-of-products",
        "A sum of products in its normal form: equal products together, factors and products in the order in which \
         their variables were declared.",
    ),
];

const fn stage(name: &'static str, docs: &'static str) -> Rule {
    Rule::simplification(name, "a step of the simplifier", docs)
}

/// Returns true if a step may have this name.
pub(super) fn is_name(name: &str) -> bool {
    STAGES.binary_search_by_key(&name, |it| it.name).is_ok() || crate::rules::find(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_belong_to_no_rule() {
        assert!(STAGES.is_sorted_by_key(|it| it.name));
        for stage in STAGES {
            assert!(crate::rules::find(stage.name).is_none(), "{}", stage.name);
        }
    }
}
