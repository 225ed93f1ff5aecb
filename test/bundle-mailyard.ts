import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** Paths from the sources, such as that of the console's files, are those of the sources in the bundle, too. */
const sourcePaths: Plugin = {
  name: 'source paths',
  setup(bundle) {
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      return { loader: 'ts', contents }
    })
  },
}

/**
 * Bundles `src/main.ts` and `test/quick-main.ts` with what they import: `<folder>/src/main.js` and so on. Most of a start is the
 * search for two thousand files, and tests start Mailyard a hundred times.
 */
export async function bundleMailyard(folder: string): Promise<void> {
  const cjs =
    "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)"
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'test/quick-main.ts'],
    outbase: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    keepNames: true,
    // It reads its own files.
    external: ['@fastify/swagger'],
    banner: { js: cjs },
    plugins: [sourcePaths],
    logLevel: 'warning',
  })
  // Its process would stay as long as the tests run.
  await stop()
}
