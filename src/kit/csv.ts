const lineEnd = '\r\n'

/** A value of a cell; null is an empty one. */
export type CsvValue = string | number | boolean | null

/**
 * Formats one line of CSV with its line end.
 *
 * @see RFC 4180
 */
export function formatCsvLine(values: readonly CsvValue[]): string {
  return `${values.map(formatCell).join(',')}${lineEnd}`
}

/**
 * Formats a value. A spreadsheet would run a text that begins with `=` or the like as a formula, so such a text gets an
 * apostrophe before it.
 */
function formatCell(value: CsvValue): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
