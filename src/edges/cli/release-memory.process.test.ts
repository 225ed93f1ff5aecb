import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const megabyte = 1_048_576

test('a busy service collects garbage before it has 100 MB of it', async () => {
  // A process of its own, whose heap no other test has grown.
  const program = `
    import { setTimeout } from 'node:timers/promises'
    import { collectGarbageEarly } from '${import.meta.resolve('./release-memory.ts')}'
    void collectGarbageEarly()
    const start = process.memoryUsage().heapUsed
    let most = start
    let kept
    for (let each = 0; each < 60; each++) {
      kept = Array.from({ length: 100_000 }, (_, index) => ({ index, text: 'text ' + index }))
      most = Math.max(most, process.memoryUsage().heapUsed)
      await setTimeout(20)
    }
    console.log(most - start, kept.length)`
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const [grown = Number.NaN] = stdout.split(' ').map(Number)
  assert.ok(grown < 100 * megabyte, `${Math.round(grown / megabyte)} MB`)
})
