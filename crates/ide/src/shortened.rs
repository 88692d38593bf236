//! Texts for places that have one line: cut to a length, and visible.

/// The first `max` characters of a text, and `…` where it has more. O(`max`).
pub fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The name of something in a list that people read: one that cannot be seen has a word in its place. Editors refuse a
/// list with an empty name in it.
pub(crate) fn shown_name(name: &str) -> &str {
    match name.chars().all(|it| it.is_whitespace() || it.is_control()) {
        true => "<no name>",
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_seen() {
        assert_eq!(
            [shown_name(""), shown_name(" "), shown_name(" a")],
            ["<no name>", "<no name>", " a"]
        );
    }

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(shortened("aä…", 3), "aä…");
        assert_eq!(shortened("aä…b", 2), "aä…");
        assert_eq!(shortened("", 0), "");
    }
}
