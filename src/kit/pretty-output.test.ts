import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { openPrettyOutput } from './pretty-output.ts'

function logPretty(work: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  const target = { write: (text: string) => lines.push(text), hasColors: false }
  work(createLog('info', openPrettyOutput(target)))
  return lines
}

test('a line has time, level, event and facts', () => {
  const [line] = logPretty((log) => log.info({ transportId: 3 }, 'transport available'))
  assert.match(line ?? '', /^\[\d\d:\d\d:\d\d\] INFO: transport available \{"transportId":3\}\n$/)
})

test('an error is shown with its stack', () => {
  const text = logPretty((log) => log.error({ err: new Error('lost') }, 'failed')).join('')
  assert.match(text, /ERROR: failed/)
  assert.match(text, /\n\s+at /)
})

test("a secret is blanked as in JSON, and a stranger's control characters are shown, not sent", () => {
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
