import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, openPrettyOutput } from './log.ts'

test('a secret that is logged by mistake is redacted, at the top and nested', () => {
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

test('the code of an error is logged, and an authorization code is redacted', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const err = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  log.warn({ err }, 'lost')
  log.info({ code: 'one', request: { body: { code: 'two' } } }, 'asked')
  assert.equal(JSON.parse(lines[0] ?? '').err.code, 'ECONNREFUSED')
  assert.deepEqual(JSON.parse(lines[1] ?? '').request, { body: { code: '********' } })
  assert.equal(JSON.parse(lines[1] ?? '').code, '********')
})

function logPretty(work: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  const target = { write: (text: string) => lines.push(text), hasColors: false }
  work(createLog('info', openPrettyOutput(target)))
  return lines
}

test('secrets are redacted as in JSON, and control characters are escaped', () => {
  const hostile = '\u001b[2J\r\b\u009b31m\u007f \\u001b é → 😀 \\'
  const text = logPretty((log) => {
    log.warn({ password: 'hunter2', reply: hostile }, `said ${hostile}`)
    log.warn({ err: new Error(hostile) }, 'failed')
  }).join('')
  assert.doesNotMatch(text, /hunter2/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  assert.ok(text.includes('é → 😀'))
})
