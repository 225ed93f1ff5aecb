#!/usr/bin/env -S node --max-semi-space-size=4
import { enableCompileCache } from 'node:module'

// Before everything else is loaded, so that a second start is quicker than the first.
enableCompileCache()
const { run } = await import('./cli/run.ts')
const { watchOutput } = await import('./cli/watch-output.ts')
watchOutput(process)
const code = await run(process.argv.slice(2), process)
process.exitCode ||= code
