import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { createOutage } from './outage.ts'

test('a repeated error is one line, and so are another error and the recovery', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) })
  const outage = createOutage(log, { level: 'warn', failed: 'failed', recovered: 'recovered' })
  const report = (cause: string) => outage.report(new Error('away', { cause: new Error(cause) }))
  outage.recover()
  for (let time = 0; time < 3; time += 1) report('refused')
  assert.deepEqual(lines, ['failed'])
  report('starting up')
  outage.recover()
  outage.recover()
  report('starting up')
  assert.deepEqual(lines, ['failed', 'failed', 'recovered', 'failed'])
})
