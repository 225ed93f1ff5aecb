import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCsvLine, guardCell, unguardCell } from './csv.ts'

const signs = [...'=+-@|＝＋－＠｜﹦﹢﹣﹫⁼−']
const before = [
  '',
  ' ',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u00ad',
  '\u0000',
  '\u3164',
  '"',
  '“',
  ' \n"',
]
const formulas = before.flatMap((start) => signs.map((sign) => `${start}${sign}1+1`))

test('a text that a spreadsheet could run as a formula gets an apostrophe', () => {
  for (const text of [...formulas, '\tx', '\rx', '\nx', '='])
    assert.equal(guardCell(text), `'${text}`, JSON.stringify(text))
  assert.equal(formatCsvLine(['|cmd', '＝1', ' =1,2', -1]), `'|cmd,'＝1,"' =1,2",-1\r\n`)
})

test('other texts stay as they are', () => {
  for (const text of [
    '',
    'a=b',
    ' Zoë',
    "'quoted'",
    '"Ada" <ada@example.com>',
    '1-2',
    '１',
    '😀=1',
  ])
    assert.equal(guardCell(text), text)
})

test('reading a guarded text gives the text back', () => {
  for (const text of [...formulas, '\tx', "''=1", "'a", "'", '', 'a'])
    assert.equal(unguardCell(guardCell(text)), text, JSON.stringify(text))
})
