#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=1048576 node --max-semi-space-size=16
// First, and without an import: an older Node cannot load the modules.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`error: Mailyard needs Node 24 or later, and this is ${process.version}.\n`)
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
// Enabled before other modules are loaded, so that later starts are faster.
enableCompileCache()
const { run } = await import('./edges/cli/run.ts')
const { watchOutput } = await import('./edges/cli/errors.ts')
watchOutput(process)
const code = await run(process.argv.slice(2), process)
process.exitCode ||= code
