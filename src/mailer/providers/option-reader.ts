import type { DsnOption } from '../grammar/dsn.ts'
import { DsnError } from '../grammar/dsn-error.ts'

/** The options of one DSN, read by name; a name that nobody reads becomes a warning. */
export interface OptionReader {
  /** Undefined when absent; an empty value is '' (`verify_peer=` is not the same as no `verify_peer`). */
  text(name: string): string | undefined
  /**
   * Letters, digits and `-`, as a region is written, so that it may become part of a host name; absent
   * and empty are undefined. Throws DsnError.
   */
  word(name: string): string | undefined
  /** `1 true yes on` and `0 false no off` in any case; absent and empty are undefined. Throws DsnError. */
  boolean(name: string): boolean | undefined
  /** A whole number from 0 up; absent and empty are undefined. Throws DsnError. */
  integer(name: string): number | undefined
  /** A number from 0 up; absent and empty are undefined. Throws DsnError. */
  decimal(name: string): number | undefined
  /** The elements of `name[key]=value`, the plain `name=value` under ''. */
  keyed(name: string): ReadonlyMap<string, string>
  /** Names that were given but read by none of the above. */
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

/** Reads the options of a DSN. Symfony takes any word for false and any text for 0; this refuses both. */
export function createOptionReader(options: ReadonlyMap<string, DsnOption>): OptionReader {
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
    throw new DsnError('invalid_option', `The option ${name} must be ${what}.`)
  }
  return {
    text,
    word(name) {
      const value = text(name)
      if (value === undefined || value === '') return undefined
      if (/^[A-Za-z0-9-]{1,63}$/.test(value)) return value
      throw new DsnError(
        'invalid_option',
        `The option ${name} may hold letters, digits and "-" only.`,
      )
    },
    boolean(name) {
      const value = text(name)
      if (value === undefined || value === '') return undefined
      const found = booleans[value.toLowerCase()]
      if (found !== undefined) return found
      throw new DsnError('invalid_option', `The option ${name} must be 1 or 0 (true or false).`)
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
      throw new DsnError('invalid_option', `The option ${name} takes one value, not an array.`)
}
