import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** A public module whose examples are checked. */
export interface ExampleModule {
  /** The name under which examples import it: `mailyard/mailer`. */
  readonly name: string
  /** Its `index.ts`. */
  readonly index: URL
}

/** An `@example` of an exported declaration. */
interface Example {
  readonly exportName: string
  readonly code: string
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/**
 * Type-checks the `@example`s of every export of a module. An example is a module of its own: what it mentions of the
 * exports is imported for it.
 * @returns One sentence for each export without an example and for each type error; empty when all is well.
 */
export function checkExamples({ name, index }: ExampleModule): string[] {
  const indexPath = fileURLToPath(index)
  const program = ts.createProgram([indexPath], options)
  const exports = exportsOf(program, indexPath)
  const examples = exports.flatMap((symbol) => examplesOf(symbol, program.getTypeChecker()))
  const documented = new Set(examples.map(({ exportName }) => exportName))
  return [
    ...exports
      .filter((symbol) => !documented.has(symbol.name))
      .map((symbol) => `${symbol.name} has no @example.`),
    ...compile(examples, {
      name,
      indexPath,
      exportNames: exports.map((symbol) => symbol.name),
      program,
    }),
  ]
}

function exportsOf(program: ts.Program, indexPath: string): readonly ts.Symbol[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(indexPath)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${indexPath} is not a module.`)
  return checker.getExportsOfModule(module).filter((symbol) => !isInternal(symbol, checker))
}

/** Whether an export is not part of the types of the package. */
function isInternal(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return declarationOf(symbol, checker)
    .getJsDocTags(checker)
    .some((tag) => tag.name === 'internal')
}

function declarationOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
  return isAlias ? checker.getAliasedSymbol(symbol) : symbol
}

function examplesOf(symbol: ts.Symbol, checker: ts.TypeChecker): Example[] {
  return declarationOf(symbol, checker)
    .getJsDocTags(checker)
    .filter((tag) => tag.name === 'example')
    .flatMap((tag) => [...ts.displayPartsToString(tag.text).matchAll(/```ts\n([\s\S]*?)```/g)])
    .map(([, code = '']) => ({ exportName: symbol.name, code }))
}

interface CompileContext {
  readonly name: string
  readonly indexPath: string
  readonly exportNames: readonly string[]
  /** The program that the exports were read from; its files are not parsed again. */
  readonly program: ts.Program
}

/** Compiles all examples in one program and returns their type errors. */
function compile(examples: readonly Example[], context: CompileContext): string[] {
  const { name, indexPath, exportNames, program } = context
  const sources = new Map(
    examples.map(({ exportName, code }, number) => [
      `${indexPath}.example-${exportName}-${number}.ts`,
      `${importLine(code, name, exportNames)}\n${code}`,
    ]),
  )
  const withPaths = { ...options, paths: { [name]: [indexPath] } }
  const files = ts.createCompilerHost(withPaths)
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (file) => sources.has(file) || files.fileExists(file),
    readFile: (file) => sources.get(file) ?? files.readFile(file),
    getSourceFile(file, languageOptions) {
      const source = sources.get(file)
      if (source !== undefined) return ts.createSourceFile(file, source, languageOptions)
      return program.getSourceFile(file) ?? files.getSourceFile(file, languageOptions)
    },
  }
  const compiled = ts.createProgram([...sources.keys()], withPaths, host)
  return [...sources.keys()].flatMap((file) => {
    const source = compiled.getSourceFile(file)
    return [
      ...compiled.getSyntacticDiagnostics(source),
      ...compiled.getSemanticDiagnostics(source),
    ].map(({ messageText, start = 0 }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, '\n')
      const line = source?.text.slice(0, start).split('\n').length ?? 0
      return `${/example-(\w+)-/.exec(file)?.[1]}, line ${line - 1} of its @example: ${text}`
    })
  })
}

/** Imports the exports that an example mentions, unless the example has its own imports. */
function importLine(code: string, name: string, exportNames: readonly string[]): string {
  if (/^import /m.test(code)) return ''
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g))
  return `import { ${exportNames.filter((one) => words.has(one)).join(', ')} } from '${name}'`
}
