import type { DeliveryIntervals } from '../../core/delivery/index.ts'
import { type Screen, withoutControls } from './table.ts'

/** The output of a command: lines, or one JSON value with `--json`. */
export class Output {
  readonly isJson: boolean
  readonly #stdout: CliEnvironment['stdout']

  constructor(stdout: CliEnvironment['stdout'], isJson: boolean) {
    this.#stdout = stdout
    this.isJson = isJson
  }

  /** Prints lines of a command that takes long, as they come. With `--json`, nothing. */
  say(...lines: readonly string[]): void {
    if (!this.isJson) this.#write(lines.map(withoutControls))
  }

  /** Prints the value as JSON, or the lines. */
  print(value: unknown, lines: readonly string[]): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`)
    else this.#write(lines)
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

/** The process, as an argument of commands, so that tests can replace it. */
export interface CliEnvironment {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadStream
  stdout: {
    write(text: string | Uint8Array): unknown
    once?(event: 'drain', listener: () => void): unknown
    isTTY?: boolean
    columns?: number
  }
  stderr: { write(text: string): unknown; isTTY?: boolean }
  cwd(): string
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  /** Default: those of a service. */
  intervals?: DeliveryIntervals
}

/** The arguments of every command. */
export interface CommandContext {
  environment: CliEnvironment
  output: Output
}
