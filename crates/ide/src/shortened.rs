//! Texts cut to a length, for places that have one line.

/// The first `max` characters of a text, and `…` where it has more. O(`max`).
pub fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(shortened("aä…", 3), "aä…");
        assert_eq!(shortened("aä…b", 2), "aä…");
        assert_eq!(shortened("", 0), "");
    }
}
