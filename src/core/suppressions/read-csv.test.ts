import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CsvRow, OpenQuoteError, readCsv } from './read-csv.ts'

/** Reads a text that arrives in pieces of a length. */
const read = async (text: string, { length = 5 } = {}) => {
  const pieces = async function* () {
    for (let from = 0; from < text.length; from += length) yield text.slice(from, from + length)
  }
  const rows: CsvRow[] = []
  for await (const some of readCsv(pieces())) rows.push(...some)
  return rows
}

describe('a CSV file', () => {
  test('is read in pieces of any length, whatever ends its lines; empty rows are left out, and counted', async () => {
    for (const newlines of [['\r\n'], ['\n'], ['\r'], ['\n', '\r\n', '\r'], ['\r', '\n', '\r\n']])
      for (const length of [1, 3, 7, 100]) {
        const next = (at: number) => newlines[at % newlines.length]
        const text = `name;city${next(0)}"Ann${next(1)}May";Rome${next(2)};${next(2)}Bo;"a ""quoted"" word"${next(1)}`
        assert.deepEqual(await read(text, { length }), [
          { row: 1, values: ['name', 'city'] },
          { row: 2, values: ['Ann\nMay', 'Rome'] },
          { row: 4, values: ['Bo', 'a "quoted" word'] },
        ])
      }
  })

  test('has the separator of its first line', async () => {
    for (const separator of [',', ';', '\t', '|']) {
      const [first] = await read(`name${separator}city\nAnn${separator}Rome`)
      assert.deepEqual(first?.values, ['name', 'city'])
    }
  })

  test('with a quotation mark that is not closed is refused, with the row', async () => {
    const isRow = (row: number) => (error: unknown) =>
      error instanceof OpenQuoteError && error.row === row
    await assert.rejects(read('name\nAnn\n"Bo\n'), isRow(3))
    await assert.rejects(read(`name\n"${'a'.repeat(200_000)}\n`, { length: 60_000 }), isRow(2))
  })
})
