// The windows of the tests: what each has in its folder, its settings, and its environment.
import fs from 'node:fs';
import path from 'node:path';

const here = import.meta.dirname;
const corpus = path.join(here, '../corpus');

/** Writes files below a folder, and returns the folder. */
function folder(dir, name, files) {
  const root = path.join(dir, name);
  for (const [file, text] of Object.entries(files)) {
    const goal = path.join(root, file);
    fs.mkdirSync(path.dirname(goal), { recursive: true });
    fs.writeFileSync(goal, text);
  }
  return root;
}

export const MLIR = `func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
  %1 = "arith.addi"(%a, %b) : (i32, i32) -> i32
  %2 = my.op %0, %1 : i32
  return %2 : i32
}
`;

const FACTORY = `from tvm.script import tirx as T


def scale(M: int, dtype: str):
    @T.prim_func
    def kernel(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (M,), dtype)
        B = T.match_buffer(b, (M,), dtype)
        for i in T.serial(M):
            B[i] = A[i] * A[i] + A[i] * A[i]
    return kernel


small = scale(64, "float32")
large = scale(1024, "float16")
`;

const BOTH = `from tvm.script import tirx as T


@T.prim_func
def both(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.serial(64):
        if i < 64:
            B[i] = A[i] * A[i] + T.exp(A[i] * A[i])
`;

/** A notebook whose second cell has a kernel and whose first one says what `T` is. */
const NOTEBOOK = JSON.stringify({
  cells: [
    ['%pip install tvm\n', 'from tvm.script import tirx as T'],
    BOTH.slice(BOTH.indexOf('@T')).split(/(?<=\n)/),
  ].map(source => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source })),
  metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 2,
});

const PIR = () => fs.readFileSync(path.join(corpus, 'pir', fs.readdirSync(path.join(corpus, 'pir')).sort()[0]), 'utf8');

const softmax = () => fs.readFileSync(path.join(corpus, 'lowered_cuda/te_softmax_dyn.py'), 'utf8');

/** One line of hints more than the limit must not hide those that a test looks for. */
const ALL_HINTS = '[hints]\nper-function = 100\n';

/** A Python file of 100,000 lines with one kernel at its end. */
function large() {
  const filler = Array.from({ length: 50_000 }, (_, at) => `def helper_${at}(x):\n    return x + ${at}`);
  return `from tvm.script import tirx as T\n${filler.join('\n')}\n\n${softmax()}`;
}

const trusted = { 'security.workspace.trust.enabled': false };

/** A folder of programs of a Python environment; with the server if one is given. */
function environment(dir, name, server) {
  const bin = path.join(dir, name, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, 'python'), '');
  if (server) {
    fs.symlinkSync(server, path.join(bin, 'tir-analyzer'));
  }
  return path.join(bin, 'python');
}

export const windows = {
  editing: ({ dir, server }) => ({
    folder: folder(dir, 'work', {
      'softmax.py': softmax(), 'unit.mlir': MLIR, 'stage.ttgir': MLIR, 'plain.py': 'import os\nprint(os.name)\n',
      'program.pir': '{\n    (%0) = "pd_op.data" () {} : () -> tensor<f32>\n}\n', 'dump.tir': softmax(),
      'twice.mlir': 'func.func @f(%a: i32) {\n  %0 = "my.op"(%a) : (i32) -> i32\n  %1 = "my.op"(%a) : (i32) -> i32\n  "my.use"(%0, %1) : (i32, i32) -> ()\n  return\n}\n',
      'large.py': large(), 'kernel.ipynb': NOTEBOOK, 'tir-analyzer.toml': ALL_HINTS,
    }),
    settings: { ...trusted, 'tir-analyzer.server.path': server },
  }),
  views: ({ dir, server }) => ({
    folder: folder(dir, 'work', { 'softmax.py': softmax(), 'unit.mlir': MLIR, 'factory.py': FACTORY, 'both.py': BOTH, 'tir-analyzer.toml': ALL_HINTS }),
    settings: { ...trusted, 'tir-analyzer.server.path': server },
  }),
  servers: ({ dir, server, place }) => {
    place('python');
    return {
      folder: folder(dir, 'work', { 'softmax.py': softmax() }), settings: trusted,
      env: { VSC_PYTHON: environment(dir, 'empty'), VSC_OTHER_PYTHON: environment(dir, 'other', server) },
    };
  },
  folders: ({ dir, server }) => {
    const one = folder(dir, 'one', { 'softmax.py': softmax(), 'tir-analyzer.toml': ALL_HINTS });
    const two = folder(dir, 'two', { 'unit.mlir': MLIR });
    const workspace = path.join(dir, 'both.code-workspace');
    fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: one }, { path: two }] }));
    return { workspace, settings: { ...trusted, 'tir-analyzer.server.path': server } };
  },
  untrusted: ({ dir, server, extension }) => {
    const bundled = path.join(extension, 'server/tir-analyzer');
    // A packed extension has one already.
    if (!fs.existsSync(bundled)) {
      fs.mkdirSync(path.dirname(bundled));
      fs.symlinkSync(server, bundled);
    }
    const evil = path.join(dir, 'work/evil');
    return {
      folder: folder(dir, 'work', {
        'unit.mlir': MLIR, evil: `#!/bin/sh\ntouch ${evil}.ran\n`,
        '.vscode/settings.json': JSON.stringify({ 'tir-analyzer.server.path': '${workspaceFolder}/evil' }),
      }),
      settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
    };
  },
};

// Pictures of the README: windows that are opened when they are named.
for (const [name, light] of [['pictures', false], ['pictures-light', true]]) {
  windows[name] = ({ dir, server }) => ({
    suite: 'pictures',
    light,
    viewport: { width: 1040, height: 500 },
    folder: folder(dir, 'kernels', { 'softmax.py': softmax(), 'unit.mlir': MLIR, 'factory.py': FACTORY, 'program.pir': PIR(), 'tir-analyzer.toml': '' }),
    settings: {
      ...trusted, 'tir-analyzer.server.path': server, 'editor.minimap.enabled': false, 'workbench.colorTheme': light ? 'Default Light Modern' : 'Default Dark Modern',
      'editor.fontSize': 13, 'workbench.activityBar.location': 'hidden', 'breadcrumbs.enabled': false, 'window.commandCenter': false, 'editor.stickyScroll.enabled': false,
      'window.title': '${activeEditorShort}', 'workbench.layoutControl.enabled': false, 'workbench.statusBar.visible': true,
    },
    env: { VSC_SUFFIX: light ? '-light' : '' },
  });
  windows[name].isPicture = true;
}
