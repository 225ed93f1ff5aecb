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

function formatCell(value: CsvValue): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = guardCell(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * What a spreadsheet may skip before a formula: blanks, invisible characters and quotation marks. Each character is tried
 * once, so a long text takes linear time.
 */
const skipped = /^[\s\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0"'`´‘-‟«»‹›]*/u
const formulaSign = /^[=+\-@|\u2212]/

/** Adds an apostrophe to a text that a spreadsheet could run as a formula, such as `=1+1`, `|cmd` or `＝1+1`. */
export function guardCell(text: string): string {
  return isFormula(text) ? `'${text}` : text
}

/** Removes the apostrophe that `guardCell` added. */
export function unguardCell(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text
}

function isFormula(text: string): boolean {
  if (/^[\t\r\n]/.test(text)) return true
  const length = skipped.exec(text)?.[0].length ?? 0
  // Full-width, small and raised signs are read as the plain one.
  return formulaSign.test(text.charAt(length).normalize('NFKC'))
}
