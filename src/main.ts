#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=1048576 node --max-semi-space-size=16
import { enableCompileCache } from 'node:module'

// Enabled before other modules are loaded, so that later starts are faster.
enableCompileCache()
const { run } = await import('./cli/run.ts')
const { watchOutput } = await import('./cli/errors.ts')
watchOutput(process)
const code = await run(process.argv.slice(2), process)
process.exitCode ||= code
