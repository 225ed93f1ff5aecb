import type { FaultDetails } from '../../kit/app-error.ts'
import { parseBracketed } from './bracketed.ts'
import { validationError } from './schema-compilers.ts'

/** The parameters of a query string, as `parseQuery` returns them. */
export type Query = Readonly<Record<string, unknown>>

/** How many parameters a query, or fields a form, may have. Each costs the parser far more than its length. */
export const parametersMax = 20_000

/**
 * Parses a query string. Names with brackets are read as PHP reads them: `ids[]=1`, `where[0][col]=name`.
 * It never throws, because Fastify's router calls it outside of its error handling; the route validates the values.
 */
export function parseQuery(text: string): Record<string, unknown> {
  if (text === '') return {}
  return text.length > smallLengthMax ? new LargeQuery(text) : parseBracketed(text, parametersMax)
}

/** A query string of this length is parsed in about a millisecond, without a turn. */
const smallLengthMax = 8 * 1024

/** A query string that takes long to parse. The server parses it when its sender has a turn, before anything reads it. */
export class LargeQuery {
  readonly [name: string]: unknown
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  parse(): Record<string, unknown> {
    return parseBracketed(this.#text, parametersMax)
  }
}

/** Reads typed parameters of one query. An empty parameter counts as missing. Faults are collected by name. */
export type QueryReader = ReturnType<typeof createQueryReader>

/** How many faults of one parameter are listed. */
const reasonsMax = 20

/**
 * Creates the reader of a query.
 *
 * @param options.lengthMax How many characters a text may have. Default: any number.
 */
export function createQueryReader(
  query: Query,
  { lengthMax = Number.POSITIVE_INFINITY }: { lengthMax?: number } = {},
) {
  const details: FaultDetails = {}
  const addFault = (name: string, reason: string) => {
    const reasons = details[name] ?? []
    if (reasons.length < reasonsMax) details[name] = [...reasons, reason]
  }
  const text = (name: string): string | undefined => {
    const value = query[name]
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') addFault(name, 'must be given once')
    else if (value.length > lengthMax) addFault(name, `must have ${lengthMax} characters or fewer`)
    else return value
    return undefined
  }
  const read = <T>(name: string, parse: (value: string) => T | undefined, fault: string) => {
    const value = text(name)
    if (value === undefined) return undefined
    const parsed = parse(value)
    if (parsed === undefined) addFault(name, fault)
    return parsed
  }
  const number = (name: string) => read(name, readWholeNumber, 'must be a whole number, 0 or more')
  return {
    text,
    /** A whole number, 0 or more. */
    number,
    /** How many entries a page has: `limit`, from 1 to `max`. Default: 30. */
    limit: (max: number) => Math.min(Math.max(number('limit') ?? 30, 1), max),
    /** `1`, `true`, `yes`, `on`, or `0`, `false`, `no`, `off`. */
    flag: (name: string) => read(name, readFlag, flagFault),
    /** Milliseconds since the epoch; see `readDate`. */
    time: (name: string) => read(name, readDate, 'must be a time, such as 2026-01-31T12:00:00Z'),
    /** One of these words. */
    word: <Word extends string>(name: string, words: readonly Word[]) =>
      read(
        name,
        (value) => words.find((word) => word === value),
        `must be one of ${words.join(', ')}`,
      ),
    /** One or more of these words, with commas between them. */
    words: <Word extends string>(name: string, words: readonly Word[]) =>
      read(name, (value) => readWords(value, words), `must be some of ${words.join(', ')}`),
    addFault,
    /** Throws one AppError (`invalid`) with every fault; returns when there is none. */
    check(): void {
      if (Object.keys(details).length > 0) throw validationError(details)
    },
  }
}

/** Reads words with commas between them, each once; undefined if one is unknown. */
function readWords<Word extends string>(value: string, words: readonly Word[]): Word[] | undefined {
  const names = value.split(',').map((each) => each.trim())
  const known = words.filter((word) => names.includes(word))
  return names.every((each) => known.some((word) => word === each)) ? known : undefined
}

function readWholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** What a flag must be, as the rest of a sentence about it. */
export const flagFault = 'must be 1, true, yes or on, or 0, false, no or off'

/** Reads a flag, in upper or lower case; undefined for any other text. */
export function readFlag(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  return /^(0|false|no|off)$/i.test(text) ? false : undefined
}

/**
 * Whether a query sets a flag that changes what is done, such as `atomic`. Throws an AppError (`invalid`) for an
 * empty or repeated flag, because either value could be meant.
 */
export function isAsked(query: Query, name: string): boolean {
  const value = query[name]
  if (value === undefined) return false
  const flag = typeof value === 'string' ? readFlag(value) : undefined
  if (flag === undefined) throw validationError({ [name]: [flagFault] })
  return flag
}

const dateText =
  /^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(?<zone>Z|[+-][01]\d:?\d{2})?)?$/

/**
 * Reads `2026-01-31`, `2026-01-31 15:54:35` or `2026-01-31T15:54:35+01:00`, in UTC without a zone.
 *
 * @returns Milliseconds since the epoch; undefined for any other text.
 */
export function readDate(text: string): number | undefined {
  const match = dateText.exec(text)
  if (match === null) return undefined
  const hasZone = match.groups?.['zone'] !== undefined
  const time = Date.parse(hasZone || text.length === 10 ? text : `${text}Z`)
  if (Number.isNaN(time)) return undefined
  // Date.parse takes the 31st of every month, and 31 February for 3 March.
  const day = text.slice(0, 10)
  return new Date(day).toISOString().startsWith(day) ? time : undefined
}
