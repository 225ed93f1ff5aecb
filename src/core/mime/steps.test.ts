import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { largeBytes } from '../../kit/pause.ts'
import { runAtOnce, StepRunner, type Steps } from './steps.ts'

function* work(bytes: readonly number[]): Steps<string> {
  for (const each of bytes) yield each
  return 'done'
}

const run = async (...works: readonly (readonly number[])[]) => {
  let turns = 0
  const runner = new StepRunner(async () => {
    turns += 1
  })
  for (const bytes of works) assert.equal(await runner.run(work(bytes)), 'done')
  return turns
}

describe('long work in steps', () => {
  test('runs at once to its result', () => {
    assert.equal(runAtOnce(work([largeBytes, largeBytes])), 'done')
  })

  test('takes a turn after each megabyte, and none for less', async () => {
    assert.equal(await run([]), 0)
    assert.equal(await run([largeBytes - 1]), 0)
    assert.equal(await run([largeBytes, largeBytes - 1]), 1)
    assert.equal(await run(Array<number>(8).fill(largeBytes / 4)), 2)
  })

  test('counts many small pieces of work together', async () => {
    assert.equal(await run(...Array(8).fill([largeBytes / 4])), 2)
  })

  test('passes an error on', async () => {
    const fail = () => {
      throw new Error('broken')
    }
    // biome-ignore lint/correctness/useYield: it throws before its first step.
    const failing = function* (): Steps<never> {
      return fail()
    }
    await assert.rejects(new StepRunner(async () => {}).run(failing()), /broken/)
  })
})
