//! A page's session: one text, and the answers to questions about it.
//!
//! In: requests as JSON. Out: answers as JSON, `{"answer": …}` or `{"error": "…"}`. An answer is computed when it is
//! asked for, and what the answers share is kept by `ide`.

use std::{path::Path, sync::Arc};

use ide::{
    ActionKind, Analysis, AnalysisHost, CallPlace, CompletionKind, Config, DiagnosticsConfig,
    FileId, Group, InlayHintsConfig, Language, LineIndex, Pass, Preset, Settings, Severity, Target,
    TargetOptions, TextRange, TextSize, TokenKind, Worth,
};
use serde::Serialize;

use crate::{answer, offsets::Offsets, request::Request};

/// The text of the page.
const FILE: FileId = FileId(0);
/// The same text by the rules of another preset, for its passes.
const OTHER: FileId = FileId(1);
const OTHER_GROUP: Group = Group(1);
/// More hints than this are of no use on a page.
const MOST_HINTS: usize = 5_000;
/// More findings than this are of no use on a page.
const MOST_FINDINGS: usize = 2_000;
/// Lines with facts in one answer.
const MOST_FACTS: usize = 200;
/// The presets, in the order of menus.
const PRESETS: [Preset; 6] =
    [Preset::Default, Preset::Tvm, Preset::Tvm2022, Preset::Mlir19, Preset::Mlir24, Preset::Pir];

/// The state of a page.
pub struct Session {
    host: AnalysisHost,
    offsets: Offsets,
    text: Arc<str>,
    language: Language,
    preset: Preset,
    /// The preset of [`OTHER`], if it is there.
    other: Option<Preset>,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            host: AnalysisHost::new(),
            offsets: Offsets::default(),
            text: Arc::default(),
            language: Language::default(),
            preset: Preset::Default,
            other: None,
        }
    }
}

/// The answer to a request, as JSON.
type Answer = Result<Vec<u8>, String>;

/// The answer is written at once: no tree of it is made.
fn json(answer: &impl Serialize) -> Answer {
    #[derive(Serialize)]
    struct Wrapped<'a, T> {
        answer: &'a T,
    }
    serde_json::to_vec(&Wrapped { answer }).map_err(|it| it.to_string())
}

impl Session {
    /// Answers a request in JSON. A request that cannot be read is answered with an error; no input is a panic.
    pub fn call(&mut self, request: &[u8]) -> Vec<u8> {
        let read = serde_json::from_slice::<Request>(request).map_err(|it| it.to_string());
        let answer = read.and_then(|it| self.answer(it));
        answer.unwrap_or_else(|error| serde_json::json!({ "error": error }).to_string().into())
    }

    fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::About => json(&about()),
            Request::Open { text, name, language, preset } => {
                json(&self.open(&text, &name, language.as_deref(), preset.as_deref())?)
            }
            Request::Hints { all } => json(&self.hints(None, all, MOST_HINTS)),
            Request::Findings => json(&self.findings()),
            Request::Tokens { from, to } => json(&self.tokens(from, to)),
            Request::Functions => json(&self.functions()),
            Request::Hover { at } => json(&self.hover(self.offsets.bytes(at))),
            Request::Actions { from, to } => json(&self.actions(from, to)),
            Request::Explain { at } => json(&self.explain(self.offsets.bytes(at))),
            Request::Plan { at } => json(&self.plan(at)),
            Request::Facts { from, to } => json(&self.facts(from, to)),
            Request::Passes { at, passes, preset } => {
                json(&self.passes(at, &passes, preset.as_deref())?)
            }
            Request::DeviceCode { at, target } => json(&self.device_code(at, &target)?),
            Request::Completions { at } => json(&self.completions(at)),
            Request::Mentions { at } => json(&self.mentions(at)),
        }
    }

    fn open(
        &mut self,
        text: &str,
        name: &str,
        language: Option<&str>,
        preset: Option<&str>,
    ) -> Result<answer::Opened, String> {
        let of_name = |it: &str| {
            let found = Language::ALL.into_iter().find(|language| language.support().id == it);
            found.ok_or_else(|| format!("there is no language `{it}`"))
        };
        self.language = match language {
            Some(it) => of_name(it)?,
            None => Language::of_file(Path::new(name), text),
        };
        let preset = preset.map_or(Ok(Preset::Default), preset_of)?;
        if preset != self.preset {
            self.preset = preset;
            self.host.set_settings(Group::default(), settings(preset));
        }
        if self.other.take().is_some() {
            self.host.close_file(OTHER);
        }
        self.text = text.into();
        self.offsets = Offsets::new(text);
        let parse = self.host.parse(Group::default(), self.language, text);
        self.host.open_file(FILE, parse);
        let row = self.language.support();
        Ok(answer::Opened { language: row.id, has_device_code: row.has_device_code })
    }

    /// A snapshot. Nothing cancels a question: the page asks one after the other.
    fn analysis(&self) -> Analysis {
        self.host.analysis()
    }

    fn hints(&self, within: Option<TextRange>, all: bool, limit: usize) -> Vec<answer::Hint> {
        let worth = if all { Worth::ALL } else { Worth::default() };
        let config = InlayHintsConfig { all, worth, limit, ..InlayHintsConfig::default() };
        let hints = self.analysis().inlay_hints(FILE, within, &config).unwrap_or_default();
        let part = |it: ide::LabelPart| answer::Part {
            text: it.text,
            to: it.target.map(|it| self.offsets.units(it)),
            names_line: it.names_line,
        };
        hints
            .into_iter()
            .map(|it| answer::Hint {
                at: self.offsets.unit(it.offset),
                parts: it.label.into_iter().map(part).collect(),
                tooltip: it.tooltip.unwrap_or_default(),
            })
            .collect()
    }

    fn findings(&self) -> Vec<answer::Finding> {
        let config = DiagnosticsConfig { limit: MOST_FINDINGS, ..DiagnosticsConfig::default() };
        let found = self.analysis().diagnostics(FILE, &config).unwrap_or_default();
        let mut found: Vec<_> = found
            .into_iter()
            .map(|it| answer::Finding {
                code: it.code,
                severity: severity(it.severity),
                range: self.offsets.units(it.range),
                message: it.message,
                help: it.help,
                related: it.related.into_iter().map(|(at, text)| self.place(at, text)).collect(),
                unnecessary: it.is_unnecessary,
            })
            .collect();
        found.sort_by_key(|it| it.range);
        found
    }

    fn place(&self, range: TextRange, text: String) -> answer::Place {
        answer::Place { range: self.offsets.units(range), text }
    }

    /// Triples of the two ends and the kind.
    fn tokens(&self, from: u32, to: u32) -> Vec<(u32, u32, &'static str)> {
        let range = self.offsets.range(from, to);
        let tokens = self.analysis().semantic_tokens(FILE, Some(range)).unwrap_or_default();
        let triple = |it: ide::SemanticToken| {
            let [from, to] = self.offsets.units(it.range);
            (from, to, token(it.kind))
        };
        tokens.into_iter().map(triple).collect()
    }

    fn functions(&self) -> Vec<answer::Function> {
        let analysis = self.analysis();
        let kernels = analysis.device_lenses(FILE, false).unwrap_or_default();
        let mut pending = analysis.document_symbols(FILE).unwrap_or_default();
        pending.reverse();
        let mut found = Vec::new();
        while let Some(it) = pending.pop() {
            match it.kind {
                ide::SymbolKind::Function => found.push(answer::Function {
                    is_kernel: kernels.iter().any(|at| it.range.contains_range(at.range)),
                    name: it.name,
                    range: self.offsets.units(it.range),
                    selection: self.offsets.units(it.selection_range),
                }),
                ide::SymbolKind::Module => pending.extend(it.children.into_iter().rev()),
                _ => {}
            }
        }
        // A program of Paddle has no name: it is all of its text.
        if found.is_empty() && analysis.n_functions(FILE).unwrap_or_default() > 0 {
            let range = [0, self.offsets.unit(TextSize::of(&*self.text))];
            let name = "program".to_owned();
            found.push(answer::Function { name, range, selection: range, is_kernel: false });
        }
        found
    }

    fn hover(&self, at: TextSize) -> Option<answer::Hover> {
        let it = self.analysis().hover(FILE, at).ok()??;
        Some(answer::Hover { range: self.offsets.units(it.range), markdown: it.markdown })
    }

    fn actions(&self, from: u32, to: u32) -> Vec<answer::Action> {
        let range = self.offsets.range(from, to);
        let wants = |it| !matches!(it, ActionKind::FixRule(_));
        let found = self.analysis().code_actions(FILE, range, &wants).unwrap_or_default();
        let edit = |it: ide::Edit| {
            let [from, to] = self.offsets.units(it.range);
            answer::Edit { from, to, insert: it.text }
        };
        found
            .into_iter()
            .map(|it| answer::Action {
                title: it.title,
                kind: match it.kind {
                    ActionKind::QuickFix => "fix",
                    ActionKind::Extract => "extract",
                    ActionKind::Inline => "inline",
                    ActionKind::FixAll | ActionKind::FixRule(_) => "fix-all",
                },
                preferred: it.is_preferred,
                disabled: it.disabled,
                edits: it.edits.into_iter().map(edit).collect(),
            })
            .collect()
    }

    fn explain(&self, at: TextSize) -> answer::Explained {
        let analysis = self.analysis();
        let what = match analysis.explain(FILE, at).unwrap_or_default() {
            Some(it) => Some(self.explanation(it)),
            None => self.value_at(&analysis, at),
        };
        let findings = analysis.findings_at(FILE, at).unwrap_or_default();
        let finding = |it: ide::FindingAt| answer::FindingHere {
            code: it.kind,
            range: self.offsets.units(it.range),
            message: it.message,
            related: it.related.into_iter().map(|it| self.place(it.range, it.what)).collect(),
            fix: it.fix,
        };
        let findings = findings.into_iter().map(finding).collect();
        answer::Explained { what, hover: self.hover(at), findings }
    }

    fn explanation(&self, it: ide::Explanation) -> answer::Explanation {
        answer::Explanation {
            range: self.offsets.units(it.range),
            text: it.text,
            ty: it.ty,
            decision: Some(it.decision),
            binding: it.binding,
            cost: it.cost,
            saved: it.saved,
            reasons: it.reasons,
            known: it.integer.map(|it| it.sentences()).unwrap_or_default(),
            places: it.occurrences.into_iter().map(|it| self.offsets.units(it)).collect(),
        }
    }

    /// The facts about a value of MLIR.
    fn value_at(&self, analysis: &Analysis, at: TextSize) -> Option<answer::Explanation> {
        let it = analysis.value_facts(FILE, at, &Default::default()).ok()??;
        Some(answer::Explanation {
            range: self.offsets.units(it.range),
            known: it.sentences(),
            text: it.name,
            ty: it.ty,
            decision: None,
            binding: None,
            cost: None,
            saved: None,
            reasons: Vec::new(),
            places: Vec::new(),
        })
    }

    /// The function around a place, or the first one.
    fn function_at(&self, at: u32) -> Option<answer::Function> {
        let mut all = self.functions();
        let around = all.iter().position(|it| it.range[0] <= at && at <= it.range[1]);
        (!all.is_empty()).then(|| all.swap_remove(around.unwrap_or(0)))
    }

    /// The place itself if a function is around it, else the name of the first function.
    fn inside(&self, at: u32) -> TextSize {
        let is_outside = |it: &answer::Function| at < it.range[0] || at > it.range[1];
        let other = self.function_at(at).filter(is_outside);
        self.offsets.bytes(other.map_or(at, |it| it.selection[0]))
    }

    fn plan(&self, at: u32) -> Option<answer::Plan> {
        let it = self.function_at(at)?;
        let within = self.offsets.range(it.range[0], it.range[1]);
        Some(answer::Plan { function: it.name, hints: self.hints(Some(within), true, MOST_HINTS) })
    }

    fn facts(&self, from: u32, to: u32) -> Vec<answer::LineFacts> {
        let range = self.offsets.range(from, to);
        let found = self.analysis().facts(FILE, range, MOST_FACTS).unwrap_or_default();
        let lines = LineIndex::new(&self.text);
        let line = |it: ide::LineFacts| answer::LineFacts {
            range: self.offsets.units(it.range),
            facts: rows(&it, &lines),
            text: it.text,
        };
        found.into_iter().map(line).collect()
    }

    fn passes(
        &mut self,
        at: u32,
        passes: &[String],
        preset: Option<&str>,
    ) -> Result<Option<answer::Passes>, String> {
        let pass =
            |it: &String| Pass::from_name(it).ok_or_else(|| format!("there is no pass `{it}`"));
        let passes: Vec<Pass> = passes.iter().map(pass).collect::<Result<_, _>>()?;
        let preset = preset.map_or(Ok(self.preset), preset_of)?;
        let file = self.with_preset(preset);
        let view = self.analysis().view_passes(file, self.inside(at), &passes);
        let stage = |it: ide::Stage| answer::Stage {
            pass: it.pass.into_owned(),
            text: it.text,
            changed: it.is_changed,
            notes: it.notes,
        };
        Ok(view.ok().flatten().map(|it| answer::Passes {
            function: it.function,
            before: it.before,
            stages: it.stages.into_iter().map(stage).collect(),
        }))
    }

    /// The text by the rules of a preset.
    fn with_preset(&mut self, preset: Preset) -> FileId {
        if preset == self.preset {
            return FILE;
        }
        if self.other != Some(preset) {
            self.host.set_settings(OTHER_GROUP, settings(preset));
            self.host.set_group(OTHER, OTHER_GROUP);
            let parse = self.host.parse(OTHER_GROUP, self.language, &self.text);
            self.host.open_file(OTHER, parse);
            self.other = Some(preset);
        }
        OTHER
    }

    fn device_code(&self, at: u32, target: &str) -> Result<Option<answer::DeviceCode>, String> {
        let (target, options) = TargetOptions::parse(target)?;
        let view = self.analysis().view_device_code(FILE, self.inside(at), target, &options);
        let shared = |it: ide::SharedValue| answer::Shared {
            line: it.line,
            places: it.places.into_iter().map(|it| self.offsets.unit(it)).collect(),
            text: it.text,
        };
        Ok(view.ok().flatten().map(|it| answer::DeviceCode {
            text: it.text,
            language: it.language_id,
            function: it.function,
            notes: it.notes,
            lines: it.lines.into_iter().map(|(line, at)| (line, self.offsets.unit(at))).collect(),
            shared: it.shared.into_iter().map(shared).collect(),
        }))
    }

    fn completions(&self, at: u32) -> Option<answer::Completions> {
        let found = self.analysis().completions(FILE, self.offsets.bytes(at)).ok()??;
        let item = |it: ide::Completion| answer::Completion {
            label: it.label,
            kind: match it.kind {
                CompletionKind::Value | CompletionKind::Buffer => "variable",
                CompletionKind::Block => "namespace",
                CompletionKind::Symbol => "function",
                CompletionKind::Attribute => "constant",
                CompletionKind::Form => "method",
                CompletionKind::Rule | CompletionKind::Word => "enum",
                CompletionKind::Key => "property",
                CompletionKind::Type => "type",
                CompletionKind::Operation => "keyword",
                CompletionKind::Dialect => "class",
            },
            detail: it.detail,
        };
        Some(answer::Completions {
            from: self.offsets.unit(found.replaced.start()),
            items: found.items.into_iter().map(item).collect(),
            incomplete: found.is_incomplete,
        })
    }

    fn mentions(&self, at: u32) -> answer::Mentions {
        let analysis = self.analysis();
        let at = self.offsets.bytes(at);
        let definitions = analysis.definitions(FILE, at).unwrap_or_default();
        let definition = definitions.into_iter().find_map(|it| match it.place {
            CallPlace::Range(range) => Some(range),
            CallPlace::Spot(_) => None,
        });
        let all = analysis.highlights(FILE, at).unwrap_or_default();
        answer::Mentions {
            definition: definition.map(|it| self.offsets.units(it)),
            all: all.into_iter().map(|it| self.offsets.units(it.range)).collect(),
        }
    }
}

fn about() -> answer::About {
    let language = |it: Language| {
        let row = it.support();
        answer::Language { id: row.id, name: row.name, extensions: row.extensions }
    };
    let preset = |it: Preset| answer::Preset {
        name: it.name(),
        language: match it {
            Preset::Default => None,
            Preset::Tvm | Preset::Tvm2022 => Some("tvmscript"),
            Preset::Mlir19 | Preset::Mlir24 => Some("mlir"),
            Preset::Pir => Some("pir"),
        },
    };
    answer::About {
        version: env!("CARGO_PKG_VERSION"),
        targets: Target::ALL.map(Target::name).to_vec(),
        presets: PRESETS.map(preset).into(),
        passes: Pass::all().map(Pass::name).collect(),
        languages: Language::ALL.map(language).into(),
    }
}

fn settings(preset: Preset) -> Settings {
    let mut config = Config::default();
    config.cse.preset = preset;
    config.ops.preset = preset;
    Settings { config, ..Settings::default() }
}

fn preset_of(name: &str) -> Result<Preset, String> {
    let found = PRESETS.into_iter().find(|it| it.name() == name);
    found.ok_or_else(|| format!("there is no preset `{name}`"))
}

fn severity(it: Severity) -> &'static str {
    match it {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "info",
        Severity::Hint => "hint",
    }
}

fn token(it: TokenKind) -> &'static str {
    match it {
        TokenKind::Operation => "operation",
        TokenKind::Value => "value",
        TokenKind::Cell => "cell",
        TokenKind::Parameter => "parameter",
        TokenKind::Index => "index",
        TokenKind::Buffer => "buffer",
        TokenKind::ShapeVariable => "shape",
        TokenKind::Label => "label",
        TokenKind::Symbol => "symbol",
        TokenKind::Type => "type",
        TokenKind::Alias => "alias",
        TokenKind::Meta => "meta",
        TokenKind::Property => "property",
        TokenKind::Keyword => "keyword",
        TokenKind::String => "string",
        TokenKind::Number => "number",
        TokenKind::Comment => "comment",
    }
}

/// The facts of a line that say something.
fn rows(it: &ide::LineFacts, lines: &LineIndex) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if !it.is_reached {
        rows.push(("reached", "never".to_owned()));
    }
    let lists = [
        ("live", &it.live),
        ("live memory", &it.live_memory),
        ("known", &it.known),
        ("checked", &it.checked),
    ];
    rows.extend(lists.into_iter().filter(|it| !it.1.is_empty()).map(|it| (it.0, it.1.join(", "))));
    let line_of = |at: TextRange| lines.line(at.start()) + 1;
    let version = |it: &ide::MemoryVersion| format!("{}: {}", it.buffer, it.words(line_of));
    let versions: Vec<String> = it.versions.iter().map(version).collect();
    let pair = |it: &(String, &'static str)| format!("{} {}", it.0, it.1);
    let varies: Vec<String> = it.varies.iter().map(pair).collect();
    let initialised: Vec<String> = it.initialised.iter().map(pair).collect();
    let more = [("memory", versions), ("varies", varies), ("initialised", initialised)];
    rows.extend(more.into_iter().filter(|it| !it.1.is_empty()).map(|it| (it.0, it.1.join("; "))));
    rows.extend(it.reached_by.map(|it| ("reached by", it.to_owned())));
    rows
}
