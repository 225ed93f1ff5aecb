import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { createTrouble } from './trouble.ts'

test('a trouble that lasts is one line, another one is its own, and so is the end', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) })
  const trouble = createTrouble(log, { level: 'warn', begun: 'begun', over: 'over' })
  const meet = (cause: string) => trouble.meet(new Error('away', { cause: new Error(cause) }))
  trouble.end()
  for (let time = 0; time < 3; time += 1) meet('refused')
  assert.deepEqual(lines, ['begun'])
  meet('starting up')
  trouble.end()
  trouble.end()
  meet('starting up')
  assert.deepEqual(lines, ['begun', 'begun', 'over', 'begun'])
})
