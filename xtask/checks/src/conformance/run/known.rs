//! Differences that are TVM's, by name and with the reason: no such function counts for or against.

/// The group of the file, a part of the name, and the reason why TVM's result differs.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "constructs/float_functions",
        "exp10_float64",
        "TVM computes `exp10` as `exp(x * 2.302585093)`: the constant has ten digits",
    ),
    ("constructs/narrow_types", "float8_", NARROW),
    ("unscheduled/te_fp8_cast", "fp8_cast", NARROW),
];

const NARROW: &str = "TVM computes with 8-bit floats by its own conversion, which knows neither zero and subnormal values nor the \
                      exponents of formats other than e4m3fn and e5m2: 0 of float8_e4m3fn becomes 0.0078125";

/// Returns the reason why a difference of this case is known.
pub(super) fn reason(label: &str) -> Option<&'static str> {
    let (file, name) = label.split_once(':')?;
    KNOWN
        .iter()
        .find(|(in_file, part, _)| *in_file == file && name.contains(part))
        .map(|(_, _, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn only_the_named_functions_are_known() {
        assert!(reason("constructs/narrow_types:to_float8_e5m2fnuz").is_some());
        assert_eq!(reason("constructs/narrow_types:to_bfloat16"), None);
        assert_eq!(reason("unscheduled/te_exp:exp10_float64"), None);
    }
}
