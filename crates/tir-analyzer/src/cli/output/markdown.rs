//! Markdown of hovers as plain text, for terminals and for JSON: fences are removed, emphasised text is bold where the
//! output is styled.
//!
//! Only the constructs that hovers of this program use: fences, lines that are bold as a whole, names in back quotes
//! (which stay, as in all other output). Linear.

/// The text of a hover without its marks.
pub(crate) fn plain(markdown: &str, is_styled: bool) -> String {
    let (bold, end) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let mut in_code = false;
    let mut out = String::with_capacity(markdown.len());
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let strong = line.strip_prefix("**").and_then(|it| it.strip_suffix("**"));
        match strong.filter(|_| !in_code) {
            Some(text) => out.extend([bold, text, end, "\n"]),
            None => out.extend([line, "\n"]),
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn marks_go_and_code_stays() {
        let text = "```mlir\n**x**\n```\nresult of `a`\n\n**= `%0`**\n\nwhy";
        assert_eq!(plain(text, false), "**x**\nresult of `a`\n\n= `%0`\n\nwhy");
        assert_eq!(plain("**x**", true), "\x1b[1mx\x1b[0m");
    }
}
