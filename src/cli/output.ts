import type { DeliveryIntervals } from '../delivery/index.ts'
import type { GoogleEndpoints } from '../transports/index.ts'

/** The output of a command: lines, or one JSON value with `--json`. */
export interface Output {
  /** Prints lines of a command that takes long, as they come. With `--json`, nothing. */
  say(...lines: readonly string[]): void
  /** Prints the value as JSON, or the lines. */
  print(value: unknown, lines: readonly string[]): void
  /** Prints a list as JSON, or as a table with these columns; an empty one as "None." and how to get the first row. */
  printTable(
    rows: readonly Record<string, unknown>[],
    columns: readonly string[],
    howToAdd: string,
  ): void
}

export function createOutput(stdout: CliEnvironment['stdout'], isJson: boolean): Output {
  const writeLines = (lines: readonly string[]) => {
    for (const line of lines) stdout.write(`${line}\n`)
  }
  const writeJson = (value: unknown) => stdout.write(`${JSON.stringify(value, null, 2)}\n`)
  return {
    say(...lines) {
      if (!isJson) writeLines(lines.map(withoutControls))
    },
    print(value, lines) {
      if (isJson) writeJson(value)
      else writeLines(lines)
    },
    printTable(rows, columns, howToAdd) {
      if (isJson) writeJson(rows)
      else if (rows.length === 0) writeLines([`None. ${howToAdd}`])
      else writeLines(formatTable(rows, columns))
    },
  }
}

/** Formats rows as a table with these columns. */
export function formatTable(
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
  if (typeof value === 'string') return withoutControls(value)
  return JSON.stringify(value)
}

/** Formats how long a command waits: `5 min`, `30 s`. */
export function formatWait(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes >= 1 ? `${minutes} min` : `${Math.round(ms / 1_000)} s`
}

/** Text of an untrusted server must not control the terminal. */
const withoutControls = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ')

/** The process, as an argument of commands, so that tests can replace it. */
export interface CliEnvironment {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadStream
  stdout: { write(text: string): unknown; isTTY?: boolean }
  stderr: { write(text: string): unknown }
  cwd(): string
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  /** Default: those of a service. */
  intervals?: DeliveryIntervals
  /** Default: those of Google. */
  googleEndpoints?: GoogleEndpoints
}

/** The arguments of every command. */
export interface CommandContext {
  environment: CliEnvironment
  output: Output
}
