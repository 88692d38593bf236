//! The steps of the simplifier that are no rules of a table: they work on operands in any number, or ask the analyzer.

/// Name and documentation of each, sorted by name. With the rules of the tables these are all names that a [`super::Step`] has.
pub const STAGES: &[(&str, &str)] = &[
    ("absorbing-operand", "An operand decides the whole: `x * 0`, `x & 0`, `x % 1`."),
    (
        "cast-back",
        "What was converted to a wider type and back, or to the type that it has, is what it was.",
    ),
    ("common-factor", "Both sides of a comparison are divided by a factor that they share."),
    (
        "common-terms",
        "What both sides of a comparison add goes from both. Only where no sum overflows on the way, or where overflow is \
         excluded.",
    ),
    (
        "decided",
        "A condition has one value here: bounds, congruences, the conditions on the way and what follows from them say which.",
    ),
    (
        "decided-by-left",
        "The right side of an `and` or `or` is only evaluated where the left side does not decide, and there it has one value.",
    ),
    (
        "equal-lanes",
        "An operation on vectors of equal lanes is computed once: `Broadcast(x, n) + Broadcast(y, n)` is `Broadcast(x + y, n)`.",
    ),
    ("flat-ramp", "A ramp whose lanes do not differ: `Ramp(x, 0, n)` is `Broadcast(x, n)`."),
    ("fold", "Operands are constants, and so is the result."),
    (
        "implied-by-right",
        "The left side of an `and` or `or` says nothing that the right side does not say, and evaluating the right side alone is \
         no error.",
    ),
    ("known-value", "An integer has one value here."),
    (
        "logic-chain",
        "A chain of `and` or `or` without conditions that are there twice or decide nothing, each in its simplest form.",
    ),
    ("max-operand", "An operand of a chain of `max` is never the greatest, or there twice."),
    ("min-operand", "An operand of a chain of `min` is never the least, or there twice."),
    ("neutral-operand", "An operand changes nothing: `x + 0`, `x * 1`, `x // 1`, `x | 0`."),
    (
        "not-inwards",
        "`not` of a comparison of integers is the opposite comparison; of `and` and `or`, of their sides.",
    ),
    (
        "operand-order",
        "Operands of `min` and `max` in the order in which their variables were declared.",
    ),
    (
        "ramp-division",
        "A ramp over a constant, where its lanes are whole multiples beside the first, or all between two neighbouring ones.",
    ),
    (
        "ramp-product",
        "A ramp times a constant: `Ramp(x, s, n) * Broadcast(c, n)` is `Ramp(x * c, s * c, n)`.",
    ),
    (
        "ramp-sum",
        "A ramp and a ramp, or what is equal in all lanes: `Ramp(x, s, n) + Broadcast(y, n)` is `Ramp(x + y, s, n)`.",
    ),
    (
        "small-terms",
        "A term of a comparison that is less than the factor of all others decides nothing: `4*x + r < 4*y` is `x < y` where \
         `0 <= r < 4`.",
    ),
    (
        "sum-of-products",
        "A sum of products in its normal form: equal products together, factors and products in the order in which their \
         variables were declared.",
    ),
];

/// Whether a step may have this name.
pub(super) fn is_name(name: &str) -> bool {
    STAGES.binary_search_by_key(&name, |it| it.0).is_ok() || crate::rules::find(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_belong_to_no_rule() {
        assert!(STAGES.is_sorted_by_key(|it| it.0));
        for (name, _) in STAGES {
            assert!(crate::rules::find(name).is_none(), "{name}");
        }
    }
}
