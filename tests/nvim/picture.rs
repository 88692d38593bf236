//! Pictures of Neovim: from the cells of a terminal, as tmux holds them, to SVG.
//!
//! In: the lines of `tmux capture-pane -e`, with their escape sequences for colours. Out: a small text that every
//! browser draws, the same bytes for the same screen. A run of cells that look alike is one piece of text with a stated
//! width, so that columns stand below each other whatever font there is.

use std::fmt::Write as _;

/// The size of a cell.
const WIDTH: usize = 9;
const HEIGHT: usize = 20;
/// The colours of a cell that says none.
const TEXT: &str = "#e0e2ea";
const GROUND: &str = "#14161b";

/// How a cell looks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Style {
    text: Option<String>,
    ground: Option<String>,
    bold: bool,
    italic: bool,
    underlined: bool,
    is_swapped: bool,
}

/// The picture of a screen.
pub(crate) fn svg(screen: &str, columns: usize) -> String {
    let rows: Vec<&str> = screen.lines().collect();
    let (width, height) = (columns * WIDTH + 2 * WIDTH, rows.len() * HEIGHT + HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" \
         font-size=\"15\" xml:space=\"preserve\" fill=\"{TEXT}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{GROUND}\"/>\n"
    );
    let mut style = Style::default();
    for (row, line) in rows.iter().enumerate() {
        draw_row(&mut out, line, columns, row * HEIGHT + HEIGHT / 2, &mut style);
    }
    out.push_str("</svg>\n");
    out
}

/// Draws a row whose upper edge is at `y`. The style goes on in the next one.
fn draw_row(out: &mut String, line: &str, columns: usize, y: usize, style: &mut Style) {
    let (mut column, mut rest) = (0, line);
    while !rest.is_empty() && column < columns {
        if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
            let end = sequence.find(|it: char| it.is_ascii_alphabetic()).unwrap_or(sequence.len());
            if sequence[end..].starts_with('m') {
                change(style, &sequence[..end]);
            }
            rest = sequence.get(end + 1..).unwrap_or_default();
            continue;
        }
        let end = rest.find('\u{1b}').filter(|it| *it > 0).unwrap_or(rest.len());
        let run: String = rest[..end].chars().take(columns - column).collect();
        draw_run(out, &run, column, y, style);
        column += run.chars().count();
        rest = &rest[end..];
    }
}

fn draw_run(out: &mut String, run: &str, column: usize, y: usize, style: &Style) {
    let n = run.chars().count();
    let x = column * WIDTH + WIDTH;
    let (mut text, mut ground) = (style.text.clone(), style.ground.clone());
    if style.is_swapped {
        (text, ground) = (
            Some(ground.unwrap_or_else(|| GROUND.to_owned())),
            Some(text.unwrap_or_else(|| TEXT.to_owned())),
        );
    }
    // A String takes all that is written.
    if let Some(ground) = ground {
        let width = n * WIDTH;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{HEIGHT}\" fill=\"{ground}\"/>"
        );
    }
    // Blank cells at the ends need no text, unless there is a line below them.
    let shown = if style.underlined { run } else { run.trim() };
    if shown.is_empty() {
        return;
    }
    let before = if style.underlined { 0 } else { n - run.trim_start().chars().count() };
    let n_shown = shown.chars().count();
    let (x, y, width) = (x + before * WIDTH, y + 15, n_shown * WIDTH);
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" textLength=\"{width}\"");
    for (is, attribute) in [
        (style.bold, " font-weight=\"bold\""),
        (style.italic, " font-style=\"italic\""),
        (style.underlined, " text-decoration=\"underline\""),
    ] {
        out.push_str(if is { attribute } else { "" });
    }
    if let Some(text) = text.filter(|it| it != TEXT) {
        let _ = write!(out, " fill=\"{text}\"");
    }
    let escaped = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Blanks that a browser may not join or drop.
    let _ = writeln!(out, ">{}</text>", escaped.replace(' ', "\u{a0}"));
}

/// Applies the numbers of an escape sequence.
fn change(style: &mut Style, numbers: &str) {
    // Sub-numbers (`4:3`) only say which kind of line or colour.
    let mut numbers = numbers.split(';').map(|it| it.split(':').next().unwrap_or_default());
    while let Some(number) = numbers.next() {
        match number {
            "" | "0" => *style = Style::default(),
            "1" => style.bold = true,
            "3" => style.italic = true,
            "4" => style.underlined = true,
            "7" => style.is_swapped = true,
            "22" => style.bold = false,
            "23" => style.italic = false,
            "24" => style.underlined = false,
            "27" => style.is_swapped = false,
            "38" => style.text = colour(&mut numbers),
            "48" => style.ground = colour(&mut numbers),
            "58" => drop(colour(&mut numbers)),
            "39" => style.text = None,
            "49" => style.ground = None,
            _ => {}
        }
    }
}

/// The colour that three numbers say; none for one of a palette, which the editor is told not to use.
fn colour<'a>(numbers: &mut impl Iterator<Item = &'a str>) -> Option<String> {
    if numbers.next() != Some("2") {
        numbers.next();
        return None;
    }
    let mut part = || numbers.next().and_then(|it| it.parse::<u8>().ok()).unwrap_or_default();
    Some(format!("#{:02x}{:02x}{:02x}", part(), part(), part()))
}

#[test]
fn runs_of_cells_are_pieces_of_text() {
    let screen = "ab \u{1b}[1mc<d\u{1b}[0m\n \u{1b}[3m\u{1b}[38;2;1;2;255m\u{1b}[48;2;0;16;0mx ×2\u{1b}[39;49m";
    let picture = svg(screen, 20);
    let drawn: Vec<&str> = picture.lines().skip(2).collect();
    assert_eq!(
        drawn,
        [
            "<text x=\"9\" y=\"25\" textLength=\"18\">ab</text>",
            "<text x=\"36\" y=\"25\" textLength=\"27\" font-weight=\"bold\">c&lt;d</text>",
            "<rect x=\"18\" y=\"30\" width=\"36\" height=\"20\" fill=\"#001000\"/>",
            "<text x=\"18\" y=\"45\" textLength=\"36\" font-style=\"italic\" fill=\"#0102ff\">x\u{a0}×2</text>",
            "</svg>",
        ]
    );
}
