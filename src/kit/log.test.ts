import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'

test('a secret that is logged by mistake is blanked, at the top and nested', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.info(
    {
      mailerDsn: 'smtp://u:hunter2@h',
      body: { password: 'hunter2', a: { client_secret: 'hunter2' } },
    },
    'x',
  )
  assert.equal(lines.length, 1)
  assert.equal(lines[0]?.includes('hunter2'), false)
  assert.match(lines[0] ?? '', /"level":"info"/)
})

test('the code of an error is told, and a code that opens doors is not', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const err = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  log.warn({ err }, 'lost')
  log.info({ code: 'one', request: { body: { code: 'two' } } }, 'asked')
  assert.equal(JSON.parse(lines[0] ?? '').err.code, 'ECONNREFUSED')
  assert.deepEqual(JSON.parse(lines[1] ?? '').request, { body: { code: '********' } })
  assert.equal(JSON.parse(lines[1] ?? '').code, '********')
})
