//! Reads the grammar and gives each node its typed fields.
//!
//! A rule that is a choice of nodes is an enum (`Expr`); every other rule is a node. The fields of a node are the nodes
//! and tokens of its rule. Two fields of one type (`target:Expr '=' value:Expr`) cannot be distinguished by type: they
//! are by *place*, the tokens of the rule that stand between them; so that a field that is missing in broken code does
//! not move its neighbours.

use anyhow::{Context as _, bail, ensure};
use ungrammar::{Grammar as Rules, Node, Rule};

use super::tokens::{self, snake};

/// The grammar as the printers need it.
pub(super) struct Grammar {
    /// The prefix of the kinds of its nodes: `MLIR_`, or nothing.
    prefix: &'static str,
    /// Nodes in the order of the file.
    pub(super) nodes: Vec<NodeDef>,
    /// Choices between nodes.
    pub(super) enums: Vec<EnumDef>,
}

impl Grammar {
    /// The kind of a node: `MLIR_ATTR_DICT` for `AttrDict`.
    pub(super) fn kind(&self, node: &str) -> String {
        format!("{}{}", self.prefix, tokens::screaming(node))
    }
}

/// A node of the tree.
pub(super) struct NodeDef {
    pub(super) name: String,
    /// Its rule and the comment above it, one line each.
    pub(super) docs: Vec<String>,
    pub(super) fields: Vec<Field>,
}

/// A choice between nodes.
pub(super) struct EnumDef {
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) variants: Vec<String>,
}

/// The result type of a getter.
pub(super) enum Field {
    /// The first token of a kind.
    Token { getter: String, kind: String },
    /// The child of a type, between the tokens or nodes of these kinds if that is needed to tell it.
    Child { getter: String, ty: String, after: Option<String>, before: Option<String> },
    /// All children of a type.
    Children { getter: String, ty: String },
    /// All tokens of a kind.
    Tokens { getter: String, kind: String },
}

/// Fields whose place is not determined by one token before and one after; `ast/ext.rs` has them by hand.
const BY_HAND: &[(&str, &str)] =
    &[("AssignStmt", "Expr"), ("RaiseStmt", "Expr"), ("DictItem", "Expr"), ("SliceExpr", "Expr")];

/// One mention of a node or token in a rule, in the order of the text.
#[derive(Clone)]
struct Mention {
    what: What,
    label: Option<String>,
    repeated: bool,
}

#[derive(Clone, PartialEq)]
enum What {
    Node(String),
    Token(String),
}

/// Reads the text of a grammar, the kinds of whose nodes begin with `prefix`.
pub(super) fn lower(source: &str, prefix: &'static str) -> anyhow::Result<Grammar> {
    let rules: Rules =
        source.parse().map_err(|err| anyhow::anyhow!("the grammar cannot be read: {err}"))?;
    let mut grammar = Grammar { prefix, nodes: Vec::new(), enums: Vec::new() };
    // ungrammar numbers rules by their first mention; the file's order is the one people read.
    let mut order: Vec<Node> = rules.iter().collect();
    order.sort_by_key(|node| rule_line(source, &rules[*node].name));
    for node in order {
        let name = rules[node].name.clone();
        let docs = docs(source, &name)?;
        match choice_of_nodes(&rules, &rules[node].rule) {
            Some(variants) => grammar.enums.push(EnumDef { name, docs, variants }),
            None => {
                let fields = fields(&rules, prefix, &name, &rules[node].rule)?;
                grammar.nodes.push(NodeDef { name, docs, fields });
            }
        }
    }
    Ok(grammar)
}

fn choice_of_nodes(rules: &Rules, rule: &Rule) -> Option<Vec<String>> {
    let Rule::Alt(alternatives) = rule else { return None };
    alternatives
        .iter()
        .map(|it| match it {
            Rule::Node(node) => Some(rules[*node].name.clone()),
            _ => None,
        })
        .collect()
}

fn fields(rules: &Rules, prefix: &str, name: &str, rule: &Rule) -> anyhow::Result<Vec<Field>> {
    // A choice of tokens (`BinaryOp`) has no getters: the hand-written part names its value.
    if matches!(rule, Rule::Alt(_)) {
        return Ok(Vec::new());
    }
    let mut mentions = Vec::new();
    collect(rules, rule, None, false, &mut mentions);
    mentions.retain(|it| it.what != What::Token("any".to_owned()));
    let mut res: Vec<Field> = Vec::new();
    for (i, mention) in mentions.iter().enumerate() {
        let first =
            mentions.iter().position(|it| it.what == mention.what && it.label == mention.label);
        if first != Some(i) {
            continue;
        }
        match &mention.what {
            What::Token(token) => res.extend(token_field(&mentions, mention, token)?),
            What::Node(ty) if BY_HAND.contains(&(name, ty)) => {}
            What::Node(ty) => res.push(node_field(&mentions, prefix, i, ty)?),
        }
    }
    Ok(res)
}

fn collect(
    rules: &Rules,
    rule: &Rule,
    label: Option<&str>,
    repeated: bool,
    out: &mut Vec<Mention>,
) {
    let mut push = |what| out.push(Mention { what, label: label.map(str::to_owned), repeated });
    match rule {
        Rule::Labeled { label, rule } => collect(rules, rule, Some(label), repeated, out),
        Rule::Node(node) => push(What::Node(rules[*node].name.clone())),
        Rule::Token(token) => push(What::Token(rules[*token].name.clone())),
        Rule::Seq(parts) | Rule::Alt(parts) => {
            parts.iter().for_each(|part| collect(rules, part, label, repeated, out));
        }
        Rule::Opt(inner) => collect(rules, inner, label, repeated, out),
        Rule::Rep(inner) => collect(rules, inner, label, true, out),
    }
}

/// The getter of a token. Punctuation that repeats (the commas of a list) has none: the first one has no use.
fn token_field(
    mentions: &[Mention],
    mention: &Mention,
    token: &str,
) -> anyhow::Result<Option<Field>> {
    let kind = tokens::kind_of(token)
        .with_context(|| format!("the grammar has an unknown token '{token}'"))?;
    let stem = kind.trim_end_matches("_KW").to_ascii_lowercase();
    let many = mention.repeated || mentions.iter().filter(|it| it.what == mention.what).count() > 1;
    Ok(match (many, token.starts_with('#')) {
        (true, true) => Some(Field::Tokens { getter: format!("{stem}_tokens"), kind }),
        (true, false) => None,
        (false, _) => Some(Field::Token { getter: format!("{stem}_token"), kind }),
    })
}

fn node_field(mentions: &[Mention], prefix: &str, i: usize, ty: &str) -> anyhow::Result<Field> {
    let mention = &mentions[i];
    let stem = mention.label.clone().unwrap_or_else(|| snake(ty));
    let same = |it: &Mention| it.what == mention.what;
    let alike = mentions.iter().filter(|it| same(it) && it.label == mention.label).count();
    let rivals = mentions.iter().filter(|it| same(it) && it.label != mention.label).count();
    if alike > 1 || mention.repeated {
        ensure!(rivals == 0, "`{stem}` cannot be told from its neighbours of type {ty}");
        return Ok(Field::Children { getter: plural(&stem), ty: ty.to_owned() });
    }
    if rivals == 0 {
        return Ok(Field::Child { getter: stem, ty: ty.to_owned(), after: None, before: None });
    }
    let before_it = mentions[..i].iter().rposition(same);
    let after_it = mentions[i + 1..].iter().position(same).map(|it| it + i + 1);
    let after = before_it.map(|from| separator(&mentions[from + 1..i], prefix, ty)).transpose()?;
    let before = after_it.map(|to| separator(&mentions[i + 1..to], prefix, ty)).transpose()?;
    Ok(Field::Child { getter: stem, ty: ty.to_owned(), after, before })
}

/// The kind that divides two fields of one type.
fn separator(between: &[Mention], prefix: &str, ty: &str) -> anyhow::Result<String> {
    match between.first().map(|it| &it.what) {
        Some(What::Token(token)) => tokens::kind_of(token)
            .with_context(|| format!("the grammar has an unknown token '{token}'")),
        Some(What::Node(node)) => Ok(format!("{prefix}{}", tokens::screaming(node))),
        None => bail!("nothing stands between two fields of type {ty}"),
    }
}

fn plural(stem: &str) -> String {
    match stem {
        "args" | "targets" => stem.to_owned(),
        _ if stem.ends_with("entry") => format!("{}ies", &stem[..stem.len() - 1]),
        _ if stem.ends_with("alias") => format!("{stem}es"),
        _ => format!("{stem}s"),
    }
}

/// The number of the line on which a rule begins.
fn rule_line(source: &str, name: &str) -> Option<usize> {
    source.lines().position(|line| begins_rule(line, name))
}

fn begins_rule(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// The comment above a rule, and the rule itself as code.
fn docs(source: &str, name: &str) -> anyhow::Result<Vec<String>> {
    let lines: Vec<&str> = source.lines().collect();
    let at = rule_line(source, name)
        .with_context(|| format!("the rule {name} is not where rules begin"))?;
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("//")).count();
    let mut res: Vec<String> = lines[at - above..at]
        .iter()
        .map(|line| line.trim_start_matches('/').trim().to_owned())
        .collect();
    let is_section = |line: &String| line.starts_with("----");
    res.retain(|line| !is_section(line));
    let more = lines[at + 1..]
        .iter()
        .take_while(|line| line.starts_with(['|', ' ']))
        .map(|line| line.trim());
    let rule = std::iter::once(lines[at].trim()).chain(more).collect::<Vec<_>>().join(" ");
    if !res.is_empty() {
        res.push(String::new());
    }
    res.push(format!("`{rule}`"));
    Ok(res)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn getters(source: &str) -> Vec<String> {
        let grammar = lower(source, "").expect("a good grammar");
        let show = |field: &Field| match field {
            Field::Token { getter, kind } => format!("{getter}: {kind}"),
            Field::Tokens { getter, kind } => format!("{getter}: [{kind}]"),
            Field::Child { getter, ty, after, before } => {
                format!(
                    "{getter}: {ty} {}..{}",
                    after.as_deref().unwrap_or(""),
                    before.as_deref().unwrap_or("")
                )
            }
            Field::Children { getter, ty } => format!("{getter}: [{ty}]"),
        };
        grammar.nodes[0].fields.iter().map(show).collect()
    }

    #[test]
    fn fields_of_one_type_are_told_by_the_tokens_between_them() {
        let rule = "Ann = target:Expr ':' annotation:Expr ('=' value:Expr)?\nExpr = Ann | Other\nOther = 'pass'";
        assert_eq!(
            getters(rule),
            [
                "target: Expr ..COLON",
                "colon_token: COLON",
                "annotation: Expr COLON..EQ",
                "eq_token: EQ",
                "value: Expr EQ.."
            ]
        );
    }

    #[test]
    fn a_list_is_one_getter() {
        assert_eq!(
            getters("List = '[' (Item (',' Item)* ','?)? ']'\nItem = '#int'"),
            ["l_brack_token: L_BRACK", "items: [Item]", "r_brack_token: R_BRACK"]
        );
    }

    #[test]
    fn fields_that_nothing_divides_are_refused() {
        assert!(lower("Pair = left:Item right:Item\nItem = '#int'", "").is_err());
        assert!(lower("Item = '??'", "").is_err());
    }
}
