import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

const slowMs = 5_000

/** Node's own report, without the tests that passed, and with a line for each slow file before the summary. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncIterable<string> {
  yield* Readable.from(select(events)).pipe(new spec())
}

async function* select(events: AsyncIterable<TestEvent>): AsyncIterable<TestEvent> {
  /** What has begun, and is shown only if it fails or is skipped, or something in it. */
  const begun: Extract<TestEvent, { type: 'test:start' }>[] = []
  const slow: TestEvent[] = []
  for await (const event of events) {
    const { type, data } = event
    if (type === 'test:start') {
      begun.push(event)
      continue
    }
    if (type === 'test:pass' || type === 'test:fail') {
      const isFile = data.nesting === 0
      if (isFile && data.details.duration_ms > slowMs) slow.push(slowFile(data))
      const isShown = isFile || type === 'test:fail' || data.skip !== undefined
      const begin = begun.at(-1)
      if (!isShown && begin?.data.name === data.name) {
        begun.pop()
        continue
      }
      yield* begun.splice(0)
    }
    // The summary begins with the first line about the whole run.
    if (type === 'test:diagnostic' && data.file === undefined) yield* slow.splice(0)
    yield event
  }
}

function slowFile({
  name,
  details,
}: {
  name: string
  details: { duration_ms: number }
}): TestEvent {
  const message = `slow: ${Math.round(details.duration_ms / 1_000)} s ${name}`
  return { type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } }
}
