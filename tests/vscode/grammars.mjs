// The grammars, read by the library that VS Code reads them with: some tokens of each language and their scopes.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const CASES = {
  mlir: [
    ['func.func @f(%a: memref<?x4xf32>) {', ['func:namespace', '@f:entity.name.function', '%a:variable.other', 'memref:storage.type', 'f32:storage.type']],
    ['%0:2 = "arith.addi"(%a, %b) : (i32, i32) -> i32 // why', ['%0:variable.other', '"arith.addi":entity.name.function', 'i32:storage.type', '->:keyword.operator.arrow', '// why:comment']],
    ['  cf.br ^bb1(%c#1 : index) loc("a.py":3:4)', ['br:support.function', '^bb1:entity.name.label', 'loc:keyword.other.location', 'a.py:string']],
    ['#map = affine_map<(d0) -> (d0 * 4)>', ['#map:entity.name.label.attribute', 'affine_map:keyword.other.affine', '4:constant.numeric']],
    ['%1 = tt.load %p : tensor<128x!tt.ptr<f32>, #blocked>', ['load:support.function', '!tt.ptr:entity.name.type', '#blocked:entity.name.label']],
    ['// -----', ['// -----:markup.heading']],
  ],
  pir: [
    ['    (%3) = "pd_op.matmul" (%0, %1) {transpose_x:false} : (tensor<2x4xf32>) -> tensor<2x4xf32>', ['%3:variable.other', 'pd_op:namespace', 'matmul:support.function', 'transpose_x:variable.other.property', 'false:constant.language', 'tensor:storage.type']],
  ],
  tir: [
    ['    @T.prim_func', ['prim_func:decorator']],
    ['    def f(A: T.Buffer((64,), "float32")):', ['f:entity.name.function', 'Buffer:storage.type', 'float32:string', '64:constant.numeric']],
    ['        for i in T.serial(64):  # all of them', ['for:keyword.control', 'serial:support.function', '# all of them:comment']],
    ['            x = threadIdx_x', ['threadIdx_x:variable.language']],
  ],
};

/** Checks the grammars of an extension; writes a line a language and gives the number of failures. */
export async function checkGrammars(extension, editor) {
  const load = createRequire(path.join(editor, 'node_modules/code-server/lib/vscode/package.json'));
  const textmate = load('vscode-textmate');
  const oniguruma = load('vscode-oniguruma');
  await oniguruma.loadWASM(fs.readFileSync(load.resolve('vscode-oniguruma/release/onig.wasm')));
  const onigLib = Promise.resolve({ createOnigScanner: it => new oniguruma.OnigScanner(it), createOnigString: it => new oniguruma.OnigString(it) });
  const registry = new textmate.Registry({
    onigLib,
    loadGrammar: async scope => {
      const file = path.join(extension, 'syntaxes', `${scope.split('.')[1]}.tmLanguage.json`);
      return textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    },
  });
  const counts = { passed: 0, failed: 0 };
  for (const [language, cases] of Object.entries(CASES)) {
    const grammar = await registry.loadGrammar(`source.${language}`);
    const problems = cases.flatMap(([line, wanted]) => {
      const tokens = grammar.tokenizeLine(line, textmate.INITIAL).tokens;
      const scoped = tokens.map(it => [line.slice(it.startIndex, it.endIndex), it.scopes.join(' ')]);
      return wanted.filter(it => {
        const at = it.lastIndexOf(':');
        const [text, scope] = [it.slice(0, at), it.slice(at + 1)];
        return !scoped.some(([token, scopes]) => token.trim() === text && scopes.includes(scope));
      }).map(it => `${line}: ${it} is not among ${JSON.stringify(scoped)}`);
    });
    const result = problems.length === 0 ? 'ok' : `FAILED\n${problems.join('\n')}`;
    console.log(`test vscode::grammars::${language} ... ${result}`);
    counts[problems.length === 0 ? 'passed' : 'failed']++;
  }
  return counts;
}
