import type { Surroundings } from './surroundings.ts'

/** What a command answers: for people as lines, for programs, with `--json`, as one JSON value. */
export interface Output {
  /** Prints the value as JSON, or the lines. */
  print(value: unknown, lines: readonly string[]): void
  /** Prints a list as JSON, or as a table with these columns. */
  printTable(rows: readonly Record<string, unknown>[], columns: readonly string[]): void
}

export function createOutput(stdout: Surroundings['stdout'], isJson: boolean): Output {
  const writeJson = (value: unknown) => stdout.write(`${JSON.stringify(value, null, 2)}\n`)
  return {
    print(value, lines) {
      if (isJson) writeJson(value)
      else for (const line of lines) stdout.write(`${line}\n`)
    },
    printTable(rows, columns) {
      if (isJson) writeJson(rows)
      else for (const line of formatTable(rows, columns)) stdout.write(`${line}\n`)
    },
  }
}

function formatTable(
  rows: readonly Record<string, unknown>[],
  columns: readonly string[],
): string[] {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])))
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((line) => line[index]?.length ?? 0)),
  )
  const format = (line: readonly string[]) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return [columns, ...cells].map(format)
}

function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (Array.isArray(value)) return value.join(', ')
  // What a stranger's server said must not command the terminal.
  if (typeof value === 'string') return value.replaceAll(/\p{Cc}/gu, ' ')
  return JSON.stringify(value)
}
