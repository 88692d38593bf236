//! A real Neovim drives the real server over a real file: hints in the buffer and on the screen, a fix applied
//! and saved, hints that follow edits and survive half-typed lines.

mod neovim;
mod picture;

use crate::neovim::{Hint, Neovim};
use tests::{binary, samples};

const FILE: &str = "softmax_dyn.py";

fn sample() -> String {
    samples::text("lowered_cuda", "te_softmax_dyn")
}

/// One hint more must not be beyond those of its function.
const ALL_HINTS: &str = "[hints]\nper-function = 100\n";

/// An editor with the sample open and its hints there.
fn with_hints() -> (Neovim, Vec<Hint>) {
    let editor = Neovim::headless_with(FILE, &sample(), ALL_HINTS);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    editor.wait_for("there are hints", "#Probe.hints() > 0");
    let hints = editor.settled_hints();
    (editor, hints)
}

fn lines_of(hints: &[Hint]) -> Vec<u64> {
    hints.iter().map(|hint| hint.line).collect()
}

/// A hint contains the name of the binding.
fn names_a_binding(hint: &Hint) -> bool {
    let label = hint.label.trim_start();
    label.strip_prefix("cse_v").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The line that the tests type: it computes one thing twice and shares nothing with the others.
const NEW_LINE: &str =
    "T_softmax_norm_1[threadIdx_x * T.int64(77)] = A_1[threadIdx_x * T.int64(77)]";

#[test]
#[ignore = "needs Neovim"]
fn neovim_shows_hints_of_the_whole_function() {
    let (_editor, hints) = with_hints();
    assert!(hints.len() >= 3, "{hints:#?}");
    assert!(hints.iter().all(names_a_binding), "{hints:#?}");
    let mut lines = lines_of(&hints);
    lines.dedup();
    assert_eq!(lines.len(), hints.len(), "by default a line has one hint: {hints:#?}");
}

#[test]
#[ignore = "needs Neovim"]
fn a_kernel_of_tilelang_without_a_prim_func_has_a_server() {
    let text =
        "import tilelang\nimport tilelang.language as T\n\n\n@tilelang.jit\ndef f(A):\n    pass\n";
    let editor = Neovim::headless("eager.py", text);
    editor.wait_for("the server is attached", "Probe.is_attached()");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_starts_no_server_for_plain_python() {
    let editor = Neovim::headless("plain.py", "import os\nprint(os.name)\n");
    editor.wait_for("the file type is known", "vim.bo.filetype == 'python'");
    // A server for the first file would be there before that of the second.
    let second = editor.dir().join(FILE);
    std::fs::write(&second, sample()).expect("the folder is there");
    editor.keys(&format!(":edit {}<CR>", second.display()));
    editor.wait_for("the server is attached", "Probe.is_attached()");
    let of_first = "#vim.lsp.get_clients({ bufnr = vim.fn.bufnr('plain.py') })";
    assert_eq!(editor.lua(of_first), 0);
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_starts_the_server_once_a_saved_file_is_tvmscript() {
    let editor = Neovim::headless("new.py", "import os\n");
    editor.wait_for("the file type is known", "vim.bo.filetype == 'python'");
    editor.keys("ofrom tvm.script import tirx as T<Esc>:w<CR>");
    editor.wait_for("the server is attached", "Probe.is_attached()");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_applies_a_fix_and_saves_it() {
    let (editor, hints) = with_hints();
    let before = editor.lines();
    let hint = &hints[0];
    // The cursor stands on the expression, whose end the hint marks.
    let column = hint.column.saturating_sub(1);
    editor.lua(&format!("Probe.apply_action({}, {column}, 'Extract')", hint.line));
    editor.wait_until("the fix is applied", || editor.lines().len() > before.len());
    let after = editor.lines();
    let name = hint.label.split_whitespace().next().expect("a hint has a name");
    let bindings = after.iter().filter(|line| line.trim_start().starts_with(name)).count();
    let uses = after.iter().filter(|line| line.contains(name)).count();
    assert_eq!(bindings, 1, "one line binds {name}: {after:#?}");
    assert!(uses >= 2, "other lines use {name}: {after:#?}");
    let untouched = before.iter().filter(|line| after.contains(line)).count();
    assert!(untouched >= before.len() - 6, "the other lines are as they were: {after:#?}");

    editor.keys(":w<CR>");
    editor.wait_for("the file is saved", "not vim.bo.modified");
    let path = editor.dir().join(FILE);
    let saved = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(saved.lines().collect::<Vec<_>>(), after);
    let checked = binary::command().arg("check").arg(&path).output().expect("the binary runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));

    let left = editor.settled_hints();
    assert!(left.len() < hints.len() || left != hints, "the applied hint is gone: {left:#?}");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_removes_what_nothing_uses() {
    const UNUSED: &str = "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
        def f(A: T.Buffer((64,), \"int32\"), n: T.int32):\n    \
        a: T.let[T.int32] = n * 4  # why\n    A[0] = n\n";
    let editor = Neovim::headless("unused.py", UNUSED);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    editor.wait_for("it is reported", "#vim.diagnostic.get(0) > 0");
    assert_eq!(editor.lua("vim.diagnostic.get(0)[1].code"), "dead-binding");
    editor.lua("Probe.apply_action(5, 4, 'Remove')");
    editor
        .wait_for("it is removed", "vim.api.nvim_buf_get_lines(0, 5, 6, false)[1] == '    # why'");
    editor.wait_for("nothing is reported", "#vim.diagnostic.get(0) == 0");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_declares_an_operation_that_nobody_knows() {
    const TWICE: &str = "func.func @f(%a: i32) {\n  %0 = \"my.op\"(%a) : (i32) -> i32\n  \
        %1 = \"my.op\"(%a) : (i32) -> i32\n  \"my.use\"(%0, %1) : (i32, i32) -> ()\n  return\n}\n";
    let editor = Neovim::headless("twice.mlir", TWICE);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    editor.wait_for("it is reported", "#vim.diagnostic.get(0) > 0");
    assert!(editor.settled_hints().is_empty());
    editor.lua("Probe.apply_action(1, 8, 'Declare `my.op`')");
    editor.wait_for("the row is in a buffer", "vim.fn.bufnr('tir-analyzer.toml') ~= -1");
    editor.keys(":wall<CR>");
    editor.wait_for("the settings are read", "#Probe.hints() > 0");
    assert!(editor.hints()[0].label.starts_with("= %0"), "{:#?}", editor.hints());
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_refreshes_hints_after_an_edit_in_the_middle() {
    let (editor, before) = with_hints();
    let at = middle_line(&editor);
    editor.keys(&format!("{at}GO{NEW_LINE}<Esc>"));
    let after = editor.settled_hints();
    let on_new_line: Vec<_> = after.iter().filter(|hint| hint.text.trim() == NEW_LINE).collect();
    assert_eq!(on_new_line.len(), 1, "the new line has its hint: {after:#?}");
    let moved: Vec<u64> =
        lines_of(&before).iter().map(|&line| line + u64::from(line + 1 >= at)).collect();
    for line in moved {
        assert!(lines_of(&after).contains(&line), "line {line} keeps its hint: {after:#?}");
    }
    editor.keys("dd");
    assert_eq!(editor.settled_hints(), before, "taking the line back takes its hint back");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_keeps_the_hints_of_other_lines_while_one_is_typed() {
    let (editor, before) = with_hints();
    let texts = |hints: &[Hint]| hints.iter().map(|hint| hint.text.clone()).collect::<Vec<_>>();
    let at = middle_line(&editor);
    editor.keys(&format!("{at}GO"));
    for (start, key) in NEW_LINE.char_indices() {
        editor.keys(&if key == '<' { "<lt>".to_owned() } else { key.to_string() });
        let now = texts(&editor.settled_hints());
        for line in texts(&before) {
            assert!(
                now.contains(&line),
                "with {:?} typed this line has no hint: {line}",
                &NEW_LINE[..=start]
            );
        }
    }
    editor.keys("<Esc>");
    let after = editor.settled_hints();
    assert!(
        after.iter().any(|hint| hint.text.trim() == NEW_LINE),
        "the typed line has its hint: {after:#?}"
    );
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_shows_device_code_beside_the_kernel() {
    let (editor, hints) = with_hints();
    editor.keys(&format!("{}G:TirAnalyzerDeviceCode cuda<CR>", hints[0].line + 1));
    editor.wait_for("a window with code is open", "Probe.other_window() ~= vim.NIL");
    let view = editor.lua("Probe.other_window()");
    assert_eq!(view["filetype"], "cuda");
    let text = view["lines"].to_string();
    assert!(text.contains("__global__"), "{text}");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_shows_device_code_of_mlir() {
    let kernel = "gpu.module @m {\n  gpu.func @twice(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {\n    \
        %t = gpu.thread_id x\n    %0 = memref.load %a[%t] : memref<64xf32>\n    %1 = arith.addf %0, %0 : f32\n    \
        memref.store %1, %a[%t] : memref<64xf32>\n    gpu.return\n  }\n}\n";
    let editor = Neovim::headless("net.mlir", kernel);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    editor.keys("4G:TirAnalyzerDeviceCode cuda<CR>");
    editor.wait_for("a window with code is open", "Probe.other_window() ~= vim.NIL");
    let text = editor.lua("Probe.other_window()")["lines"].to_string();
    assert!(text.contains("__global__") && text.contains("twice_kernel"), "{text}");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_leads_from_a_lens_to_device_code_and_back() {
    let (editor, _) = with_hints();
    editor.wait_for("there is a lens", "#vim.lsp.codelens.get(0) > 0");
    let title = editor.lua("vim.lsp.codelens.get(0)[1].command.title").to_string();
    assert!(title.contains("device code: cuda · "), "{title}");
    let line = editor.lua("vim.lsp.codelens.get(0)[1].range.start.line");
    let line = line.as_u64().expect("a line") + 1;
    editor.keys(&format!("{line}G:lua vim.lsp.codelens.run()<CR>"));
    editor.wait_for("a window with code is open", "Probe.other_window() ~= vim.NIL");
    // What a line computes once is told there, with the lines that use it.
    editor.keys("<C-w>w/cse_v2 =<CR>K");
    editor.wait_for("it is explained", "Probe.float() ~= vim.NIL");
    let told = editor.lua("Probe.float()").to_string();
    assert!(told.contains("computed once: saves") && told.contains("used on lines "), "{told}");
    // The store of the result comes from the store in the source.
    editor.keys("/T_softmax_norm\\[<CR><CR>");
    let source = editor.lua("vim.api.nvim_get_current_line()").to_string();
    assert!(source.contains("T_softmax_norm_1["), "{source}");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_shows_a_function_before_and_after_passes() {
    let (editor, hints) = with_hints();
    editor.keys(&format!("{}G:TirAnalyzerPasses simplify,cse<CR>", hints[0].line + 1));
    editor.wait_for("three windows are open", "#vim.api.nvim_tabpage_list_wins(0) == 3");
    let last = editor.lua("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')");
    assert!(last.to_string().contains("cse_v1"), "{last}");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_restarts_the_server() {
    let (editor, before) = with_hints();
    let first = editor.lua("vim.lsp.get_clients()[1].id");
    editor.keys(":TirAnalyzerRestart<CR>");
    editor.wait_until("another client is attached", || {
        editor.lua("Probe.is_attached() and vim.lsp.get_clients()[1].id or 0") != first
            && editor.lua("Probe.is_attached()") == true
    });
    editor.wait_until("the hints are back", || editor.hints() == before);
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_tells_the_server_about_changed_settings() {
    let (editor, before) = with_hints();
    let setup = |settings: &str| {
        let options = format!("{{ cmd = vim.lsp.config.tir_analyzer.cmd, settings = {settings} }}");
        editor.lua(&format!("require('tir_analyzer').setup({options}) or true"));
    };
    setup("{ hints = { enable = false } }");
    editor.wait_until("hints are switched off", || editor.hints().is_empty());
    setup("{}");
    editor.wait_until("hints are back", || editor.hints() == before);
}

const MLIR: &str = "func.func @f(%a: i32, %b: i32) -> i32 {\n  \
    %0 = \"arith.addi\"(%a, %b) : (i32, i32) -> i32\n  \
    %1 = \"arith.addi\"(%a, %b) : (i32, i32) -> i32\n  \
    %2 = my.op %0, %1 : i32\n  return %2 : i32\n}\n";

#[test]
#[ignore = "needs Neovim"]
fn neovim_hints_and_fixes_equal_operations_of_mlir() {
    for name in ["unit.mlir", "kernel.ttir", "kernel.ttgir"] {
        let editor = Neovim::headless(name, MLIR);
        editor.wait_for("the server is attached", "Probe.is_attached()");
        assert_eq!(editor.lua("vim.bo.filetype"), "mlir");
        editor.wait_for("there are hints", "#Probe.hints() > 0");
        let hints = editor.settled_hints();
        assert_eq!((hints[0].line, hints[0].label.trim()), (2, "= %0 (line 2)"), "{hints:#?}");
        editor.lua("Probe.apply_action(2, 4, 'Use')");
        editor.wait_until("the operation is gone", || editor.lines().len() == 5);
        assert_eq!(editor.lines()[2], "  %2 = my.op %0, %0 : i32");
        editor.wait_until("the hint is gone", || editor.hints().is_empty());
    }
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_renames_and_finds_names_of_mlir() {
    let editor = Neovim::headless("unit.mlir", MLIR);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    editor.lua("vim.api.nvim_win_set_cursor(0, {4, 13}) or true");
    editor.lua("vim.lsp.buf.definition() or true");
    editor.wait_for("the cursor is at the definition", "vim.api.nvim_win_get_cursor(0)[1] == 2");
    editor.lua("vim.lsp.buf.rename('sum') or true");
    editor.wait_until("the name is another", || editor.lines()[3] == "  %2 = my.op %sum, %1 : i32");
    assert_eq!(editor.lines()[1], "  %sum = \"arith.addi\"(%a, %b) : (i32, i32) -> i32");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_knows_signatures_callers_and_symbols() {
    let text = "\
from tvm.script import tirx as T


@T.macro
def add(A, i):
    A[i] = A[i] + 1


@T.prim_func
def kernel(A: T.Buffer((64,), \"int32\")):
    for i in range(64):
        add(A, i)
        A[i] = T.max(A[i], 3)
";
    let editor = Neovim::headless("calls.py", text);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    let signature = "Probe.ask('textDocument/signatureHelp', 12, 26).signatures[1].label";
    assert_eq!(editor.lua(signature), "T.max(a, b)");
    let callers = "Probe.callers(4, 4)";
    assert_eq!(editor.lua(callers), serde_json::json!(["kernel"]));
    editor.keys(":lua vim.lsp.buf.workspace_symbol('kern')<CR>");
    editor.wait_for("the symbol is listed", "#vim.fn.getqflist() == 1");
    let listed = editor.lua("vim.fn.getqflist()[1].text");
    assert!(listed.as_str().is_some_and(|it| it.contains("kernel")), "{listed}");
}

#[test]
#[ignore = "needs Neovim"]
fn neovim_knows_programs_of_paddle() {
    let text = "{\n    (%0) = \"pd_op.data\" () {} : () -> tensor<f32>\n}\n";
    let editor = Neovim::headless("program.pir", text);
    editor.wait_for("the server is attached", "Probe.is_attached()");
    assert_eq!(editor.lua("vim.bo.filetype"), "pir");
}

#[test]
#[ignore = "needs Neovim and tmux"]
fn neovim_draws_hints_on_screen() {
    let editor = Neovim::on_screen(FILE, &sample());
    editor.wait_for("there are hints", "#Probe.hints() > 0");
    let hints = editor.settled_hints();
    editor.wait_until("a hint is on the screen", || {
        let screen = editor.screen();
        hints.iter().any(|hint| screen.lines().any(|row| shows(row, hint)))
    });
    let screen = editor.screen();
    let shown = hints.iter().filter(|hint| screen.lines().any(|row| shows(row, hint))).count();
    assert!(shown >= 2, "{shown} of {} hints are on the screen:\n{screen}", hints.len());
}

/// The columns and rows of pictures.
const PICTURE: (usize, usize) = (132, 28);

/// Draws the screen: into the folder that `TIR_ANALYZER_PICTURES` names, if it names one.
fn shoot(editor: &Neovim, name: &str) -> String {
    let picture = picture::svg(&editor.coloured_screen(), PICTURE.0);
    if let Some(folder) = std::env::var_os("TIR_ANALYZER_PICTURES") {
        let file = std::path::Path::new(&folder).join(name);
        std::fs::write(file, &picture).expect("the folder is there");
    }
    picture
}

/// The pictures of the READMEs and the book.
#[test]
#[ignore = "needs Neovim and tmux"]
fn neovim_pictures_show_what_is_on_screen() {
    let text = samples::text("lowered_cuda", "te_gpu_cumsum");
    let editor = Neovim::on_screen_of(PICTURE, "cumsum.py", &text);
    editor.wait_for("there are hints", "#Probe.hints() > 0");
    let hints = editor.settled_hints();
    // Hints are easy to see, and no path of the machine is in the picture.
    editor.keys(":hi LspInlayHint guifg=#8fd0a0 guibg=#1f3a2b gui=italic<CR>");
    editor.keys(":set termguicolors number noshowcmd statusline=%t<CR>:echo<CR>");
    let top = hints[0].line.saturating_sub(3).max(1);
    editor.keys(&format!("{top}Gzt"));
    let is_shown = || {
        let screen = editor.screen();
        // Findings have signs beside their lines.
        let is_scrolled = screen.trim_start().starts_with(&format!("{top} "));
        let n_shown = hints.iter().filter(|hint| screen.contains(hint.label.trim())).count();
        is_scrolled && n_shown >= 3 && screen.contains("\nH ")
    };
    editor.wait_until("hints are on the screen", is_shown);
    let drawn = shoot(&editor, "hints.svg");
    let label = hints[0].label.trim().replace(' ', "\u{a0}");
    assert!(drawn.contains(&format!(">{label}</text>")), "{label}: {drawn}");

    editor.keys(&format!("{}G{}|K", hints[0].line + 1, hints[0].column));
    editor.wait_for("it is explained", "Probe.float() ~= vim.NIL");
    editor.wait_until("it is on the screen", || editor.screen().contains("omputed"));
    assert!(shoot(&editor, "hover.svg").contains("omputed"));
    editor.keys(":<C-u>fclose<CR>");

    editor.keys(&format!("{}G0:TirAnalyzerDeviceCode cuda<CR>", hints[0].line + 1));
    editor.wait_for("a window with code is open", "Probe.other_window() ~= vim.NIL");
    editor.wait_until("it is on the screen", || editor.screen().contains("__global__"));
    assert!(shoot(&editor, "device-code.svg").contains("__global__"));
}

/// Returns true if a row of the screen is the hint's line with the hint in it.
fn shows(row: &str, hint: &Hint) -> bool {
    let before: String = hint.text.chars().take(hint.column as usize).collect();
    row.find(&before)
        .is_some_and(|at| row[at + before.len()..].trim_start().starts_with(hint.label.trim()))
}

/// A line inside the innermost loop, from 1: an edit there is in the middle of the function.
fn middle_line(editor: &Neovim) -> u64 {
    let lines = editor.lines();
    let found = lines.iter().position(|line| {
        line.trim_start().starts_with("in_thread_T_softmax_expsum_shared[0] = T.float32")
    });
    found.expect("the sample has such a line") as u64 + 1
}
