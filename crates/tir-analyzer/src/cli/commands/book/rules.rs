//! The pages of rules: one for each that is reported, one list for each other topic.

use ::rules::{Fix, Rule, Severity, Topic};
use ide::FindingLevels;

use super::Pages;
use crate::cli::{
    output::findings::severity_name,
    rules::{
        self as catalogue,
        pages::{self, Page},
    },
};

/// The lists of names that are no findings: the page, its title, what stands there.
const LISTS: [(&str, &str, Topic, &str); 3] = [
    (
        "rules/not-shared.md",
        "Why something is not shared",
        Topic::NotShared,
        "A value that is computed at several places may have to stay as it is. The hover and `explain FILE:LINE:COLUMN` \
         name the reason; these are all of them.",
    ),
    (
        "rules/simplification.md",
        "Rules of the simplifier",
        Topic::Simplification,
        "The finding [`simplifiable`](simplifiable.md), `explain --facts` and `simplify` name the rules that lead to a \
         form. Each rewrite rule is proved (`cargo xtask prove-rules`).",
    ),
    (
        "rules/not-built.md",
        "Why a function has no device code",
        Topic::NotBuilt,
        "`build` writes a function whole or not at all. These are the reasons, and what to do.",
    ),
];

/// All pages.
pub(super) fn pages() -> Pages {
    let one = reported().map(|rule| (path(rule), page(rule).into_bytes()));
    let lists = LISTS.iter().map(|(path, title, topic, intro)| {
        ((*path).to_owned(), list(title, *topic, intro).into_bytes())
    });
    one.chain(lists).collect()
}

/// The lines of the table of contents.
pub(super) fn summary() -> String {
    let mut out = String::new();
    for rule in reported() {
        out.push_str(&format!("  - [{}]({})\n", rule.name, path(rule)));
    }
    for (path, title, ..) in LISTS {
        out.push_str(&format!("- [{title}]({path})\n"));
    }
    out
}

/// A table of all rules that are reported, by their level.
pub(super) fn table() -> String {
    let mut out = String::new();
    let levels = [
        (Severity::Error, "Errors: the compiler refuses the text"),
        (Severity::Warning, "Warnings: it is read, and probably not meant so"),
        (Severity::Information, "Info: good to know, nothing is wrong"),
        (Severity::Hint, "Hints: the text could be better"),
    ];
    for (level, title) in levels {
        out.push_str(&format!("\n## {title}\n\n| rule | is | fix |\n|---|---|---|\n"));
        for it in reported().filter(|it| it.level == Some(level)) {
            let file = path(it);
            let file = file.trim_start_matches("rules/");
            let summary = it.summary.replace('|', "\\|");
            out.push_str(&format!("| [`{}`]({file}) | {summary} | {} |\n", it.name, fix(it)));
        }
    }
    out
}

fn reported() -> impl Iterator<Item = &'static Rule> {
    catalogue::all().iter().copied().filter(|it| it.level.is_some() || it.is_fixable())
}

fn path(rule: &Rule) -> String {
    format!("rules/{}.md", rule.name)
}

fn fix(rule: &Rule) -> &'static str {
    match rule.fix {
        Fix::None | Fix::Informs => "",
        Fix::Promise => "a promise",
        Fix::OnRequest => "on request",
        Fix::ByDefault => "by default",
    }
}

fn page(rule: &Rule) -> String {
    let level = rule.level.map_or("reason", severity_name);
    let mut out = format!("# {}\n\n**{level}**: {}.", rule.name, rule.summary);
    out.push_str(match rule.fix {
        Fix::None | Fix::Informs => "\n\n",
        Fix::Promise => " The fix is a promise that only a person can make: `fix --only`.\n\n",
        Fix::OnRequest => " `fix --only` and a code action fix it.\n\n",
        Fix::ByDefault => " `fix` and a code action fix it.\n\n",
    });
    out.push_str(&linked(rule.docs.trim(), rule.name, ""));
    if let Some(it) = pages::of(rule.name) {
        out.push_str(&parts(rule, &it));
    }
    out.push_str(&format!("\n## Allow it\n\n```python\n…  # tir: allow({})\n```\n\n", rule.name));
    out.push_str(
        "at the end of a line, above a statement or above the function; [`allowed`](not-shared.md#allowed) has the \
         rest.",
    );
    if FindingLevels::rules().any(|it| it.name == rule.name) {
        out.push_str(&format!(
            " Its level for a whole folder, in `tir-analyzer.toml`:\n\n```toml\n[findings]\n{} = \"off\"\n```\n",
            rule.name
        ));
    } else {
        out.push('\n');
    }
    out
}

fn parts(rule: &Rule, it: &Page) -> String {
    let mut out = format!("\n\n## Why\n\n{}\n", linked(it.why, rule.name, ""));
    if let Some(it) = &it.example {
        let before = it.before;
        out.push_str(&format!("\n## Example\n\n```{}\n{}```\n", before.language, before.text));
        if !it.settings.is_empty() {
            out.push_str(&format!(
                "\nwith this `tir-analyzer.toml` beside it:\n\n```toml\n{}```\n",
                it.settings
            ));
        }
        out.push_str(&format!("\n`check` says (line, column):\n\n```text\n{}```\n", it.said));
        if let Some(after) = it.after {
            let by = match after.is_fix {
                true if rule.is_fixable() && before.language == "python" => {
                    format!("What `tir-analyzer fix --only {}` makes of it:", rule.name)
                }
                true => "What `tir-analyzer fix` makes of it:".to_owned(),
                false => "Written by hand; nothing is said of it any more:".to_owned(),
            };
            let (language, text) = (after.language, after.text);
            out.push_str(&format!("\n## After\n\n{by}\n\n```{language}\n{text}```\n"));
        }
    }
    out.push_str(&format!("\n## When not\n\n{}\n", linked(it.when_not, rule.name, "")));
    out
}

fn list(title: &str, topic: Topic, intro: &str) -> String {
    let mut out = format!("# {title}\n\n{intro}\n");
    for it in catalogue::all().iter().filter(|it| it.topic == topic) {
        // A page of a step repeats its kind in the summary, and a reason its text.
        let summary = match topic {
            Topic::NotShared => format!("{}.\n\n", capital(it.summary)),
            _ => String::new(),
        };
        let docs = linked(it.docs.trim(), it.name, "");
        out.push_str(&format!("\n## {}\n\n{summary}{docs}\n", it.name));
    }
    out
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |it| it.to_uppercase().chain(chars).collect())
}

/// A text in which the names of other rules are links; `to` leads from its page to the folder of the rules. Only names
/// with a hyphen: others are words of the language.
fn linked(text: &str, own: &str, to: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence {
            return line.to_owned();
        }
        let parts = line.split('`').enumerate().map(|(at, part)| {
            let rule = (at % 2 == 1 && part != own && part.contains('-'))
                .then(|| catalogue::find(part).ok())
                .flatten();
            match rule {
                Some(rule) => format!("[`{part}`]({to}{})", goal(rule)),
                None if at % 2 == 1 => format!("`{part}`"),
                None => part.to_owned(),
            }
        });
        parts.collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn goal(rule: &Rule) -> String {
    if rule.level.is_some() || rule.is_fixable() {
        return format!("{}.md", rule.name);
    }
    let list = LISTS.iter().find(|it| it.2 == rule.topic).map_or("", |it| it.0);
    format!("{}#{}", list.trim_start_matches("rules/"), rule.name)
}
