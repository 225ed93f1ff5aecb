import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRecord, formatTable } from './table.ts'

const row = {
  id: 1,
  description: null,
  name: 'Newsletter',
  isPublished: true,
  role: { id: 7, name: 'Sender' },
  usage: { windows: [1] },
  tags: ['a', 'b'],
  template: 'first\nsecond',
  dateAdded: '2026-01-31T15:54:35+00:00',
}
const script = { isTerminal: false }
const terminal = (width: number) => ({ isTerminal: true, width })

test('a script gets every member that has a short value, whole, and a mark for what is empty', () => {
  assert.deepEqual(formatTable([row, { ...row, tags: [] }], script), [
    'id  name        isPublished  role    tags  dateAdded',
    '1   Newsletter  yes          Sender  a, b  2026-01-31T15:54:35+00:00',
    '1   Newsletter  yes          Sender  -     2026-01-31T15:54:35+00:00',
  ])
})

for (const width of [20, 40, 60, 80, 200])
  test(`a table for ${width} columns fits: it has the first members, and the ends of wide cells are cut`, () => {
    const name = 'A name that is very much longer than the others ✉'
    const more = {
      url: 'https://example.com/a/long/path',
      problem: 'A problem of forty characters, at least',
    }
    const lines = formatTable([{ ...row, ...more, name }], terminal(width))
    for (const line of lines) assert.ok([...line].length <= width, line)
    const heading = lines[0] ?? ''
    assert.match(heading, /^id +name/)
    assert.equal(heading.includes('url'), width === 200)
    assert.equal(heading.includes('isPublished'), width >= 40)
  })

test('a terminal gets amounts with separators, and ids as they are', () => {
  const lines = formatTable([{ id: 12_345, perDay: 50_000, ownerId: 12_345 }], terminal(80))
  assert.equal(lines[1], '12345  50,000  12345')
})

test('control characters of others never reach the terminal', () => {
  const [, line] = formatTable([{ name: 'a\u001b[31mb\tc' }], script)
  assert.equal(line, 'a [31mb c')
  assert.equal(formatRecord({ text: 'a\u001b[31m\nb' }, script)[1], 'a [31m')
})

test('a record has a line for each member, then its tables and its texts', () => {
  const stages = [
    { stage: 'connect', outcome: 'ok' },
    { stage: 'auth', outcome: 'failed' },
  ]
  const reasons = ['A sentence that is too long for a list in one line.']
  assert.deepEqual(
    formatRecord({ ...row, stages, reasons, usage: { max: 3, inner: { a: { b: 1 } } } }, script),
    [
      'id:           1',
      'name:         Newsletter',
      'isPublished:  yes',
      'role:         Sender',
      'usage.max:    3',
      'tags:         a, b',
      'dateAdded:    2026-01-31T15:54:35+00:00',
      '',
      'template:',
      'first',
      'second',
      '',
      'stages:',
      'stage    outcome',
      'connect  ok',
      'auth     failed',
      '',
      'reasons:',
      ...reasons,
    ],
  )
})
