import type { DeliveryIntervals } from '../delivery/index.ts'
import type { GoogleEndpoints } from '../transports/index.ts'
import { type Columns, formatRecord, formatTable, type Screen, withoutControls } from './table.ts'

/** The output of a command: lines, or one JSON value with `--json`. */
export class Output {
  readonly #stdout: CliEnvironment['stdout']
  readonly #isJson: boolean

  constructor(stdout: CliEnvironment['stdout'], isJson: boolean) {
    this.#stdout = stdout
    this.#isJson = isJson
  }

  /** Prints lines of a command that takes long, as they come. With `--json`, nothing. */
  say(...lines: readonly string[]): void {
    if (!this.#isJson) this.#write(lines.map(withoutControls))
  }

  /** Prints the value as JSON, or the lines. */
  print(value: unknown, lines: readonly string[]): void {
    if (this.#isJson) this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`)
    else this.#write(lines)
  }

  /**
   * Prints a list as JSON, or as a table. `empty` is the sentence for a list without rows: it says so, and how to get the first
   * row. A list of `limit` rows says in a terminal that there may be more.
   */
  printTable<Row>(
    rows: readonly Row[],
    columns: Columns<Row>,
    { empty, limit }: { empty: string; limit?: number | undefined },
  ): void {
    const { screen } = this
    const more = `The first ${limit} are shown; --limit ${(limit ?? 0) * 10} shows more.`
    const isCut = screen.isTerminal && rows.length === limit
    const lines = rows.length === 0 ? [empty] : formatTable(rows, columns, screen)
    this.print(rows, isCut ? [...lines, '', more] : lines)
  }

  /** Prints one record as JSON, or as lines; then its texts, which may have many lines. */
  printRecord<Row>(
    record: Row,
    columns: Columns<Row>,
    ...texts: (string | null | undefined)[]
  ): void {
    const lines = formatRecord(record, columns, this.screen)
    for (const text of texts)
      if (text !== null && text !== undefined && text !== '')
        lines.push(
          '',
          ...text
            .replace(/\r?\n$/, '')
            .split(/\r?\n/)
            .map(withoutControls),
        )
    this.print(record, lines)
  }

  /** Where tables are shown. */
  get screen(): Screen {
    const { isTTY: isTerminal = false, columns } = this.#stdout
    return { isTerminal, width: isTerminal ? columns : undefined }
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) this.#stdout.write(`${line}\n`)
  }
}

/** Formats how long a command waits: `5 min`, `30 s`. */
export function formatWait(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes >= 1 ? `${minutes} min` : `${Math.round(ms / 1_000)} s`
}

/** The process, as an argument of commands, so that tests can replace it. */
export interface CliEnvironment {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadStream
  stdout: { write(text: string): unknown; isTTY?: boolean; columns?: number }
  stderr: { write(text: string): unknown; isTTY?: boolean }
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
