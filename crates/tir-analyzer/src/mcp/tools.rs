//! The tools: a row each. Their commands are those of the command line.

use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Its purpose and its answer, for the model that chooses.
    pub(super) description: &'static str,
    /// The words of the command line that are the same for all calls.
    pub(super) command: &'static [&'static str],
    pub(super) parameters: &'static [Parameter],
    /// True if the answer is what the command wrote into a folder of its own, which is given to it as `--out`.
    pub(super) writes_apart: bool,
}

/// A parameter of a tool.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) kind: Kind,
    /// The option that takes it; none for a word of its own.
    pub(super) option: Option<&'static str>,
    pub(super) is_required: bool,
    /// The value that it has if it is not given.
    pub(super) default: Option<&'static str>,
}

/// The kind of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Text,
    /// Of a file or folder inside of the root.
    Path,
    /// `FILE:LINE:COLUMN` inside of the root, or the name of a rule.
    PlaceOrRule,
    /// `FILE:LINE` inside of the root.
    Place,
    Number,
    Flag,
    Choice(&'static [&'static str]),
    /// The option is repeated.
    Texts,
    /// Names with commas between.
    Names,
    /// Contents for the parameters of a function, `.npy` files inside of the root among them.
    Arrays,
    /// The standard input of the command.
    Stdin,
}

const fn row(
    name: &'static str,
    kind: Kind,
    option: Option<&'static str>,
    doc: &'static str,
) -> Parameter {
    Parameter { name, doc, kind, option, is_required: false, default: None }
}

impl Parameter {
    const fn required(self) -> Parameter {
        Parameter { is_required: true, ..self }
    }

    const fn or(self, default: &'static str) -> Parameter {
        Parameter { default: Some(default), ..self }
    }
}

const FILE: Parameter = row("path", Kind::Path, None, "The file, relative to the root.").required();

const FILENAME: Parameter = row(
    "filename",
    Kind::Text,
    Some("--stdin-filename"),
    "A name for `text`, whose ending tells the language: `kernel.py`, `kernel.mlir`.",
);

const INSTANCE: Parameter = row(
    "instance",
    Kind::Text,
    Some("--instance"),
    "Values for the parameters of the Python factory around the kernels, as a call: `matmul(M=1024, dtype=\"float16\")`.",
);

const FUNCTION: Parameter = row(
    "function",
    Kind::Text,
    Some("--function"),
    "The name of the function, if the file has several.",
);

const TARGETS: &[&str] = &["cuda", "hip", "opencl", "spirv", "wgsl", "metal", "c"];

const PRESETS: &[&str] = &["default", "tvm", "tvm-2022", "mlir", "pir"];

/// All tools, in the order in which they are listed.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "check",
        title: "Check kernels",
        description: "Finds errors, races, accesses out of bounds, dead stores, redundant computations and simplifiable \
            index arithmetic in kernels written in TVMScript, TileLang, MLIR (also Triton's) or Paddle PIR. Nothing is \
            executed. Answers with JSON: findings by file with rule, severity, message, lines and columns (from 1); the \
            tool `explain` tells what a rule means. Give a path, or the text of a kernel.",
        command: &["check", "--format=json", "--quiet"],
        parameters: &[
            row("path", Kind::Path, None, "A file or folder, relative to the root; the root if neither this nor `text` is given."),
            row("text", Kind::Stdin, Some("--stdin"), "The text to check instead of a file."),
            FILENAME,
            row("level", Kind::Choice(&["error", "warning", "info", "hint"]), Some("--level"), "Nothing milder than this. Redundant computations are hints.").or("hint"),
            row("limit", Kind::Number, Some("--limit"), "At most so many findings, the worst.").or("50"),
            row("since", Kind::Text, Some("--since"), "Only functions whose text differs from this revision of git."),
            row("at_source", Kind::Flag, Some("--at-source"), "Report at the lines of the Python or C++ source that locations in MLIR lead to."),
            INSTANCE,
        ],
        writes_apart: false,
    },
    Tool {
        name: "explain",
        title: "Explain a decision or a rule",
        description: "Tells what was decided about the expression at a place (is it computed more than once, is it \
            shared, and if not: why, and which fact is missing), or what a rule of `check` means, with an example.",
        command: &["explain", "--format=json"],
        parameters: &[row("what", Kind::PlaceOrRule, None, "`FILE:LINE:COLUMN` (from 1, in characters), or the name of a rule, as `may-trap`.").required()],
        writes_apart: false,
    },
    Tool {
        name: "facts",
        title: "Facts at a line",
        description: "Tells what is known before a line of a kernel: conditions that hold, live variables, the writes \
            that its loads may see, what differs by thread, memory that is initialised.",
        command: &["explain", "--facts", "--format=json"],
        parameters: &[row("place", Kind::Place, None, "`FILE:LINE`, from 1.").required()],
        writes_apart: false,
    },
    Tool {
        name: "simplify",
        title: "Simplify an expression",
        description: "Simplifies integer arithmetic, a condition or an index under conditions, soundly (no overflow or \
            division by zero is added), and names the rules, the bounds of the value, and a fact that would allow more.",
        command: &["simplify", "--facts", "--format=json"],
        parameters: &[
            row("expr", Kind::Text, None, "The expression in the notation of TVMScript, as `(4 * i + j) % 4`, `min(n, n + 1)`.").required(),
            row("given", Kind::Texts, Some("--given"), "Conditions that hold, as `0 <= j`, `n % 16 == 0`."),
            row("types", Kind::Texts, Some("--var"), "Types of variables, as `n:int64`; others are int32."),
            row("sizes", Kind::Names, Some("--size"), "Variables that are sizes, hence not negative."),
        ],
        writes_apart: false,
    },
    Tool {
        name: "opt",
        title: "Text after passes",
        description: "Returns the module after passes: `cse` binds what is computed more than once, `simplify` shortens \
            arithmetic, rules with fixes (`dead-store`) remove. The file stays as it is.",
        command: &["opt"],
        parameters: &[
            row("path", Kind::Path, None, "The file, relative to the root."),
            row("text", Kind::Stdin, Some("--stdin"), "The text instead of a file."),
            FILENAME,
            row("passes", Kind::Names, Some("--passes"), "The passes in their order; by default `cse`."),
            row("preset", Kind::Choice(PRESETS), Some("--preset"), "Follow this compiler exactly."),
            INSTANCE,
        ],
        writes_apart: false,
    },
    Tool {
        name: "preview",
        title: "What passes would change",
        description: "Returns unified diffs of a function, one a pass, without changing the file.",
        command: &["preview", "--format=unified"],
        parameters: &[
            FILE,
            FUNCTION,
            row("passes", Kind::Names, Some("--passes"), "The passes in their order; by default `simplify,cse`."),
            INSTANCE,
        ],
        writes_apart: false,
    },
    Tool {
        name: "run",
        title: "Execute a kernel in the interpreter",
        description: "Executes a function in the reference interpreter on a CPU, without a GPU and without Python, and \
            reports races between threads, overflows, divisions by zero, accesses out of bounds and reads of memory \
            that was not written. Slow on large shapes: choose small ones by `symbols` or `instance`.",
        command: &["run", "--format=json"],
        parameters: &[
            FILE,
            FUNCTION,
            INSTANCE,
            row("inputs", Kind::Arrays, Some("--inputs"), "One entry a parameter (`random`, `zeros`, a number, a `.npy` file), or one for all.").or("random"),
            row("symbols", Kind::Names, Some("--set"), "Values of symbolic shapes, as `n=128`."),
            row("seed", Kind::Number, Some("--seed"), "The seed of random inputs.").or("0"),
            row("schedule", Kind::Choice(&["lockstep", "serial", "reverse", "random"]), Some("--schedule"), "The order in which threads run."),
            row("max_steps", Kind::Number, Some("--max-steps"), "Give up after evaluating so many expressions.").or("50000000"),
        ],
        writes_apart: false,
    },
    Tool {
        name: "device_code",
        title: "Device code of kernels",
        description: "Returns the device code (CUDA C++, HIP, OpenCL C, WGSL, Metal, C) of the functions of a file that \
            launch threads, and for each that has none the reason. Nothing is written.",
        command: &["build", "--format=json"],
        parameters: &[
            FILE,
            row("target", Kind::Choice(TARGETS), Some("--target"), "The device language.").or("cuda"),
            row("instance", Kind::Texts, Some("--instance"), "Instances of factories to build as well, as calls."),
        ],
        writes_apart: true,
    },
];

impl Tool {
    /// The JSON schema of its parameters.
    pub(super) fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.parameters.iter().map(|it| (it.name.to_owned(), it.schema())).collect();
        let required: Vec<&str> =
            self.parameters.iter().filter(|it| it.is_required).map(|it| it.name).collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text | Kind::Path | Kind::PlaceOrRule | Kind::Place | Kind::Stdin => {
                json!({ "type": "string" })
            }
            Kind::Number => json!({ "type": "integer", "minimum": 0 }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Choice(of) => json!({ "type": "string", "enum": of }),
            Kind::Texts | Kind::Names | Kind::Arrays => {
                json!({ "type": "array", "items": { "type": "string" } })
            }
        };
        schema["description"] = self.doc.into();
        if let Some(default) = self.default {
            schema["default"] = match self.kind {
                Kind::Number => default.parse::<u64>().map_or(Value::Null, Into::into),
                Kind::Texts | Kind::Names | Kind::Arrays => json!([default]),
                _ => default.into(),
            };
        }
        schema
    }
}
