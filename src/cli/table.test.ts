import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRecord, formatTable } from './table.ts'

const row = {
  id: 1,
  name: 'Newsletter',
  isPublished: true,
  dateAdded: '2026-01-31T15:54:35+00:00',
  description: null,
}
const columns = {
  ID: 'id',
  Name: 'name',
  Published: 'isPublished',
  Added: 'dateAdded',
  Description: 'description',
} as const

test('a script gets whole times, and a mark for what is empty', () => {
  assert.deepEqual(formatTable([row], columns), [
    'ID  Name        Published  Added                      Description',
    '1   Newsletter  yes        2026-01-31T15:54:35+00:00  -',
  ])
})

test('a terminal gets short times and blanks', () => {
  const [, line] = formatTable([row], columns, { isTerminal: true })
  assert.match(line ?? '', /^1 {3}Newsletter {2}yes {8}2026-0[12]-\d\d \d\d:\d\d$/)
})

test('a name that looks like a time is shown as it is', () => {
  const names = [
    '2026-13-31T99:54:35Z',
    '2026-01-31T15:54:35 sale',
    '2026-01-31T15:54:35Z\u001b[2J',
  ]
  const [, ...lines] = formatTable(
    names.map((name) => ({ name })),
    { Name: 'name' },
    { isTerminal: true },
  )
  assert.deepEqual(lines, [names[0], names[1], '2026-01-31T15:54:35Z [2J'])
})

test('a table that is wider than its terminal loses the ends of its widest cells, in no other column', () => {
  const name = 'A name that is very much longer than the others ✉'
  const lines = formatTable([{ ...row, name }], columns, { isTerminal: true, width: 60 })
  for (const line of lines) assert.ok([...line].length <= 60, line)
  assert.match(lines[1] ?? '', /^1 {3}A name .*… {2}yes {8}2026-/)
  const narrow = formatTable([{ ...row, name }], columns, { isTerminal: true, width: 5 })
  assert.match(narrow[1] ?? '', /^1 {3}A name th… {2}yes /)
})

test('control characters of others never reach the terminal', () => {
  const [, line] = formatTable([{ ...row, name: 'a\u001b[31mb\nc' }], { Name: 'name' })
  assert.equal(line, 'a [31mb c')
})

test('a record is its headings and values, without those that are empty', () => {
  assert.deepEqual(formatRecord(row, columns), [
    'ID           1',
    'Name         Newsletter',
    'Published    yes',
    'Added        2026-01-31T15:54:35+00:00',
  ])
})
