import { domainToASCII } from 'node:url'
import { DsnError, type DsnOption, type SingleDsn } from '../grammar/dsn.ts'

/** The parts of a DSN for its scheme. Values are decoded. */
export class DsnReader {
  /** As written, including aliases. */
  readonly scheme: string
  readonly host: string
  /** Whether the host is `default`, the provider's own. */
  readonly hasDefaultHost: boolean
  readonly port: number | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  readonly options: OptionReader
  /** Adds a warning: one sentence for the author of the DSN. */
  readonly warn: (sentence: string) => void

  /** @param warnings What `warn` adds to. */
  constructor(dsn: SingleDsn, warnings: string[]) {
    this.scheme = dsn.scheme
    this.host = dsn.host
    this.hasDefaultHost = dsn.host === 'default'
    this.port = dsn.port
    this.user = dsn.user
    this.password = dsn.password
    this.options = new OptionReader(dsn.options)
    this.warn = (sentence) => void (warnings.includes(sentence) || warnings.push(sentence))
  }

  /**
   * Returns the user part.
   * @param description What belongs there, for the error: `the server token`.
   * @throws {DsnError}
   */
  requireUser(description: string): string {
    if (this.user !== undefined) return this.user
    throw new DsnError(
      'missing_user',
      `The DSN needs ${description} in the user part: ${this.scheme}://HERE${this.password === undefined ? '' : ':…'}@${this.host}.`,
    )
  }

  /**
   * Returns the password part.
   * @throws {DsnError}
   */
  requirePassword(description: string): string {
    if (this.password !== undefined) return this.password
    throw new DsnError(
      'missing_password',
      `The DSN needs ${description} in the password part: ${this.scheme}://…:HERE@${this.host}.`,
    )
  }
}

/** Converts a host for a connection: to ASCII, an IPv6 address without brackets. */
export function asciiHost(host: string): string {
  if (host.startsWith('[')) return host.slice(1, -1)
  // An ASCII host stays as it is, because domainToASCII would rewrite 127.1.
  return /^[A-Za-z0-9._-]+$/.test(host) ? host : domainToASCII(host)
}

/** Whether a host, as a DSN or a URL names it, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(host)
}

/** Reads `1 true yes on` or `0 false no off` in any case; undefined for any other text. */
export function booleanOf(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  return /^(0|false|no|off)$/i.test(text) ? false : undefined
}

/**
 * The options of a DSN, read by name. An option that is never read becomes a warning. Symfony reads any word as false and
 * any text as 0; both are refused here.
 */
export class OptionReader {
  readonly #options: ReadonlyMap<string, DsnOption>
  readonly #read = new Set<string>()

  constructor(options: ReadonlyMap<string, DsnOption>) {
    this.#options = options
  }

  /** Reads a text; undefined when absent. An empty value is '': `verify_peer=` differs from no `verify_peer`. */
  text(name: string): string | undefined {
    this.#read.add(name)
    const option = this.#options.get(name)
    if (
      option === undefined &&
      [...this.#options.keys()].some((full) => full.startsWith(`${name}[`))
    )
      throw invalidOption(name, 'takes one value, not an array.')
    return option?.value
  }

  /**
   * Reads a text that has to be there.
   * @param description What it is, for the error: `the sending domain.`
   * @throws {DsnError}
   */
  requireText(name: string, description: string): string {
    const value = this.text(name)
    if (value) return value
    throw new DsnError('invalid_option', `The DSN needs the option ${name}, ${description}`, name)
  }

  /**
   * Reads a word of letters, digits and `-`, such as a region, which may become part of a host name; undefined when
   * absent or empty.
   * @throws {DsnError}
   */
  word(name: string): string | undefined {
    return this.#matching(name, /^[A-Za-z0-9-]{1,63}$/, 'must consist of letters, digits and "-".')
  }

  /**
   * Reads `1 true yes on` or `0 false no off` in any case; undefined when absent or empty.
   * @throws {DsnError}
   */
  boolean(name: string): boolean | undefined {
    const value = this.text(name)
    if (value === undefined || value === '') return undefined
    const boolean = booleanOf(value)
    if (boolean !== undefined) return boolean
    throw invalidOption(name, 'must be 1 or 0 (true or false).')
  }

  /**
   * Reads a whole number from 0 up; undefined when absent or empty.
   * @throws {DsnError}
   */
  integer(name: string): number | undefined {
    const digits = this.#matching(name, /^\d{1,9}$/, 'must be a whole number, 0 or more.')
    return digits === undefined ? undefined : Number(digits)
  }

  /**
   * Reads a number from 0 up; undefined when absent or empty.
   * @throws {DsnError}
   */
  decimal(name: string): number | undefined {
    const pattern = /^(\d{1,9}(\.\d{0,9})?|\.\d{1,9})$/
    const digits = this.#matching(name, pattern, 'must be a number, 0 or more.')
    return digits === undefined ? undefined : Number(digits)
  }

  /** Reads the elements of `name[key]=value`; a plain `name=value` has the key ''. */
  keyed(name: string): ReadonlyMap<string, string> {
    const elements = new Map<string, string>()
    for (const [full, { value }] of this.#options) {
      if (full !== name && !isElement(full, name)) continue
      this.#read.add(full)
      elements.set(full === name ? '' : full.slice(name.length + 1, -1), value)
    }
    return elements
  }

  /** Returns the names of options that were never read. */
  unread(): string[] {
    return [...this.#options.keys()].filter((name) => !this.#read.has(name))
  }

  #matching(name: string, pattern: RegExp, problem: string): string | undefined {
    const value = this.text(name)
    if (value === undefined || value === '') return undefined
    if (pattern.test(value)) return value
    throw invalidOption(name, problem)
  }
}

/** Creates the error of an option. `problem` ends the sentence: `must be a host.` */
export function invalidOption(name: string, problem: string): DsnError {
  return new DsnError('invalid_option', `The option ${name} ${problem}`, name)
}

function isElement(full: string, name: string): boolean {
  return full.startsWith(`${name}[`) && full.endsWith(']')
}
