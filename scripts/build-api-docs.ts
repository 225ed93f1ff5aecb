import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

/**
 * Writes the pages `/api/docs` from `docs/openapi.json` and `docs/api.md` into `web/dist/api-docs/`, with their script and
 * style sheet in `web/dist/assets/`, where `build-web.ts` has put the font. Beside each file is its gzip, which browsers get.
 */
const root = join(import.meta.dirname, '..')
const web = join(root, 'web')
const folder = join(web, 'dist/api-docs')
const assets = join(web, 'dist/assets')

/** What `web/api-docs/pages.tsx` exports; its types are checked with `web`. */
interface Pages {
  renderPages: (parts: Record<string, unknown>) => Map<string, string>
}

async function bundle(entry: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles = [] } = await build({
    absWorkingDir: web,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    outdir: assets,
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    ...options,
  })
  return outputFiles.find(({ path }) => !path.endsWith('.woff2'))?.text ?? ''
}

function write(path: string, text: string): void {
  writeFileSync(path, text)
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }))
}

/** Writes a file whose name contains a hash of its content; returns its address. */
function writeAsset(name: string, type: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()
  write(join(assets, `${name}-${hash}.${type}`), text)
  return `/assets/${name}-${hash}.${type}`
}

/** Leads links to the README and to pages of `docs/` to the pages of the help. */
function withHelpLinks(text: string): string {
  return text.replace(/\]\((?:[\w.]+\/)*([\w-]+)\.md(#[\w-]+)?\)/g, '](/help/$1$2)')
}

mkdirSync(folder, { recursive: true })
const code = await bundle('api-docs/pages.tsx', { format: 'esm', platform: 'node' })
const module = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
const { renderPages } = (await import(module)) as Pages
const font = readdirSync(assets).find((name) => name.startsWith('inter-latin-wght-')) ?? ''
const pages = renderPages({
  document: JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')),
  guide: withHelpLinks(readFileSync(join(root, 'docs/api.md'), 'utf8')),
  files: {
    font: `/assets/${font}`,
    script: writeAsset('api-docs', 'js', await bundle('api-docs/client.ts')),
    style: writeAsset('api-docs', 'css', await bundle('api-docs/api-docs.css')),
  },
})
for (const [name, html] of pages) write(join(folder, `${name}.html`), html)
