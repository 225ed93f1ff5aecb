import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'
import { findUntried } from './statements.ts'

const slowSeconds = 5

/**
 * Node's own report, without the tests that passed. Before the summary, it has a line for each slow file, and for each
 * statement that no test makes on PostgreSQL, which fails the run.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncIterable<string> {
  yield* Readable.from(select(events)).pipe(new spec())
}

async function* select(events: AsyncIterable<TestEvent>): AsyncIterable<TestEvent> {
  /** What has begun, and is shown only if it fails or is skipped, or something in it. */
  const begun: Extract<TestEvent, { type: 'test:start' }>[] = []
  const slow: string[] = []
  let isSummary = false
  for await (const event of events) {
    const { type, data } = event
    if (type === 'test:start') {
      begun.push(event)
      continue
    }
    if (type === 'test:pass' || type === 'test:fail') {
      const isFile = data.nesting === 0
      const seconds = Math.round(data.details.duration_ms / 1_000)
      if (isFile && seconds > slowSeconds) slow.push(`slow: ${seconds} s ${data.name}`)
      const isShown = isFile || type === 'test:fail' || data.skip !== undefined
      const begin = begun.at(-1)
      if (!isShown && begin?.data.name === data.name) {
        begun.pop()
        continue
      }
      yield* begun.splice(0)
    }
    // The summary begins with the first line about the whole run.
    if (!isSummary && type === 'test:diagnostic' && data.file === undefined) {
      isSummary = true
      yield* [...slow, ...findFaults()].map(note)
    }
    yield event
  }
}

function findFaults(): string[] {
  const { TEST_FOLDER } = process.env
  const lines = TEST_FOLDER === undefined ? [] : findUntried(TEST_FOLDER)
  if (lines.length > 0) process.exitCode = 1
  return lines.map(
    (line) => `${line}: no test makes this statement on PostgreSQL, and that fails the run.`,
  )
}

const note = (message: string): TestEvent => ({
  type: 'test:diagnostic',
  data: { nesting: 0, message, level: 'info' },
})
