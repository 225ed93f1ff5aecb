import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, context, type Metafile } from 'esbuild'

/**
 * Builds the console from `web/` into `web/dist/`: JavaScript in parts that are loaded when a screen needs them, one
 * style sheet, the font Inter with its licence, `index.html` that names them, and `screens.json` with the parts of each screen. File names contain a hash
 * of the content. Beside each file is its gzip, which browsers get. `--watch` builds again after each change.
 */
const root = join(import.meta.dirname, '..')
const web = join(root, 'web')
const { watch = false } = parseArgs({ options: { watch: { type: 'boolean' } } }).values
const folder = join(web, 'dist')

const options: BuildOptions = {
  absWorkingDir: web,
  entryPoints: { main: 'main.tsx', style: 'design/design.css' },
  outdir: folder,
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  loader: { '.woff2': 'file' },
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  alias: { '@codemirror/lang-javascript': './records/code/no-scripts.ts' },
  metafile: true,
  logLevel: 'warning',
  plugins: [
    {
      name: 'index.html',
      setup(build) {
        build.onEnd(({ metafile }) => {
          if (metafile === undefined) return
          writeIndex(metafile.outputs)
          for (const path of Object.keys(metafile.outputs))
            if (!path.endsWith('.woff2')) compress(join(web, path))
        })
      },
    },
  ],
}

type Outputs = Metafile['outputs']

function writeIndex(outputs: Outputs): void {
  const main = findOutput(outputs, 'main.tsx')
  const first = partsOf(outputs, main)
  const paths = Object.keys(outputs)
  const page = readFileSync(join(web, 'index.html'), 'utf8')
    .replace('{{style}}', addressOf(findOutput(outputs, 'design/design.css')))
    .replace('{{script}}', addressOf(main))
    // Latin letters. A browser asks for others where a page has them.
    .replace('{{font}}', addressOf(paths.find((path) => path.includes('/inter-latin-wght-')) ?? ''))
    // Otherwise the browser asks for them only when it has read the script.
    .replace('{{parts}}', first.slice(1).map(preloadPart).join(''))
  writeFileSync(join(folder, 'index.html'), page)
  const screens = readScreens().map(([pattern, file]) => {
    const parts = partsOf(outputs, findOutput(outputs, file))
    return [pattern, parts.filter((part) => !first.includes(part)).map(addressOf)] as const
  })
  writeFileSync(join(folder, 'screens.json'), JSON.stringify(Object.fromEntries(screens)))
}

function findOutput(outputs: Outputs, entry: string): string {
  const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? []
  if (path === undefined) throw new Error(`esbuild made nothing of ${entry}.`)
  return path
}

/** A file and all that it imports before it runs. */
function partsOf(outputs: Outputs, path: string): string[] {
  const parts = new Set([path])
  for (const part of parts)
    for (const found of outputs[part]?.imports ?? [])
      if (found.kind === 'import-statement') parts.add(found.path)
  return [...parts]
}

/** The addresses of `app.tsx`, each with the file of its screen. */
function readScreens(): (readonly [pattern: string, file: string])[] {
  const text = readFileSync(join(web, 'app.tsx'), 'utf8')
  const found = [...text.matchAll(/'([^']+)': screen\(\(\) =>\s*import\('\.\/([^']+)'\)/g)]
  if (found.length !== text.split('screen(() =>').length - 1)
    throw new Error("Write each screen of app.tsx as: 'address': screen(() => import('./file')…")
  return found.map(([, pattern = '', file = '']) => [pattern, file] as const)
}

function addressOf(path: string): string {
  return path.replace(/^.*?(?=assets\/)/, '/')
}

function preloadPart(path: string): string {
  return `<link rel="modulepreload" href="${addressOf(path)}">\n`
}

function compress(path: string): void {
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'assets'), { recursive: true })
copyFileSync(
  new URL(import.meta.resolve('@fontsource-variable/inter/LICENSE')),
  join(folder, 'assets/inter-OFL.txt'),
)
const builder = await context(options)
if (watch) await builder.watch()
else {
  await builder.rebuild()
  await builder.dispose()
}
