import { domainToASCII } from 'node:url'
import { DsnError, type DsnOption, type SingleDsn } from '../grammar/dsn.ts'

/** The parts of a DSN for its scheme. Values are decoded. */
export interface DsnReader {
  /** As written, including aliases. */
  readonly scheme: string
  readonly host: string
  /** Whether the host is `default`, the provider's own. */
  readonly hasDefaultHost: boolean
  readonly port: number | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  readonly options: OptionReader
  /**
   * Returns the user part.
   * @param what What belongs there, for the error: `the server token`.
   * @throws {DsnError}
   */
  requireUser(what: string): string
  /**
   * Returns the password part.
   * @throws {DsnError}
   */
  requirePassword(what: string): string
  /** Adds a warning: one sentence for the author of the DSN. */
  readonly warn: (sentence: string) => void
}

/** Creates the reader of a DSN. Warnings are added to `warnings`. */
export function createDsnReader(dsn: SingleDsn, warnings: string[]): DsnReader {
  return {
    scheme: dsn.scheme,
    host: dsn.host,
    hasDefaultHost: dsn.host === 'default',
    port: dsn.port,
    user: dsn.user,
    password: dsn.password,
    options: createOptionReader(dsn.options),
    requireUser(what) {
      if (dsn.user !== undefined) return dsn.user
      throw new DsnError(
        'missing_user',
        `The DSN needs ${what} in the user part: ${dsn.scheme}://HERE${dsn.password === undefined ? '' : ':…'}@${dsn.host}.`,
      )
    },
    requirePassword(what) {
      if (dsn.password !== undefined) return dsn.password
      throw new DsnError(
        'missing_password',
        `The DSN needs ${what} in the password part: ${dsn.scheme}://…:HERE@${dsn.host}.`,
      )
    },
    warn: (sentence) => void warnings.push(sentence),
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

/** The options of a DSN, read by name. An option that is never read becomes a warning. */
export interface OptionReader {
  /** Reads a text; undefined when absent. An empty value is '': `verify_peer=` differs from no `verify_peer`. */
  text(name: string): string | undefined
  /**
   * Reads a word of letters, digits and `-`, such as a region, which may become part of a host name; undefined when
   * absent or empty.
   * @throws {DsnError}
   */
  word(name: string): string | undefined
  /**
   * Reads `1 true yes on` or `0 false no off` in any case; undefined when absent or empty.
   * @throws {DsnError}
   */
  boolean(name: string): boolean | undefined
  /**
   * Reads a whole number from 0 up; undefined when absent or empty.
   * @throws {DsnError}
   */
  integer(name: string): number | undefined
  /**
   * Reads a number from 0 up; undefined when absent or empty.
   * @throws {DsnError}
   */
  decimal(name: string): number | undefined
  /** Reads the elements of `name[key]=value`; a plain `name=value` has the key ''. */
  keyed(name: string): ReadonlyMap<string, string>
  /** Returns the names of options that were never read. */
  unread(): string[]
}

const booleans: Record<string, boolean> = {
  '1': true,
  true: true,
  yes: true,
  on: true,
  '0': false,
  false: false,
  no: false,
  off: false,
}

/** Creates the reader of options. Symfony reads any word as false and any text as 0; both are refused here. */
function createOptionReader(options: ReadonlyMap<string, DsnOption>): OptionReader {
  const read = new Set<string>()
  const text = (name: string): string | undefined => {
    read.add(name)
    const option = options.get(name)
    if (option === undefined && options.size > 0) refuseArray(options, name)
    return option?.value
  }
  const number = (name: string, pattern: RegExp, what: string): number | undefined => {
    const value = text(name)
    if (value === undefined || value === '') return undefined
    if (pattern.test(value)) return Number(value)
    throw new DsnError('invalid_option', `The option ${name} must be ${what}.`, name)
  }
  return {
    text,
    word(name) {
      const value = text(name)
      if (value === undefined || value === '') return undefined
      if (/^[A-Za-z0-9-]{1,63}$/.test(value)) return value
      const message = `The option ${name} must consist of letters, digits and "-".`
      throw new DsnError('invalid_option', message, name)
    },
    boolean(name) {
      const value = text(name)
      if (value === undefined || value === '') return undefined
      const found = booleans[value.toLowerCase()]
      if (found !== undefined) return found
      throw new DsnError(
        'invalid_option',
        `The option ${name} must be 1 or 0 (true or false).`,
        name,
      )
    },
    integer: (name) => number(name, /^\d{1,9}$/, 'a whole number, 0 or more'),
    decimal: (name) => number(name, /^(\d{1,9}(\.\d{0,9})?|\.\d{1,9})$/, 'a number, 0 or more'),
    keyed(name) {
      const elements = new Map<string, string>()
      for (const [full, { value }] of options) {
        if (full !== name && !isElement(full, name)) continue
        read.add(full)
        elements.set(full === name ? '' : full.slice(name.length + 1, -1), value)
      }
      return elements
    },
    unread: () => [...options.keys()].filter((name) => !read.has(name)),
  }
}

function isElement(full: string, name: string): boolean {
  return full.startsWith(`${name}[`) && full.endsWith(']')
}

function refuseArray(options: ReadonlyMap<string, DsnOption>, name: string): void {
  for (const full of options.keys())
    if (full.startsWith(`${name}[`))
      throw new DsnError(
        'invalid_option',
        `The option ${name} takes one value, not an array.`,
        name,
      )
}
