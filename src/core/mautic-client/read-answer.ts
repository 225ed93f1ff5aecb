import type { HttpResponse } from '../../libraries/mailer/index.ts'
import { MauticError, type MauticErrorCode, notMautic } from './mautic-error.ts'

/**
 * Reads a successful answer as JSON.
 *
 * @throws {MauticError} that quotes Mautic's words.
 */
export function readAnswer(
  { status, body, headers }: HttpResponse,
  { method, url }: { method: string; url: string },
): unknown {
  const { origin, pathname } = new URL(url)
  const where = `${method} ${pathname}`
  const json = parse(body)
  if (status < 300 && json !== undefined) {
    if (isRefusal(json)) throw refused(where, json)
    return json
  }
  if (status < 300) {
    const detail = `${where} was answered with something that is not JSON.`
    const hint = `Check that ${origin} is the address of Mautic, not of another site.`
    throw new MauticError('unexpected', { detail, hint })
  }
  if (status < 400) {
    const detail = `${where} was redirected to ${(headers['location'] ?? 'nowhere').slice(0, 200)}.`
    throw new MauticError('redirected', { detail, hint: 'Enter the final address as url.' })
  }
  const words = wordsOf(json)
  const quoted = words === undefined ? '' : `: ${words.replace(/\.$/, '')}`
  const detail = `${where} was answered ${status}${quoted}.`
  const [code, hint] = failureOf(status, words ?? '')
  throw new MauticError(code, { detail, hint })
}

/** Lists of statistics are refused with status 200, and nothing but the errors. */
function isRefusal(json: unknown): boolean {
  return Object.keys(asObject(json)).length === 1 && asList(asObject(json)['errors']).length > 0
}

function refused(where: string, json: unknown): MauticError {
  const [first] = asList(asObject(json)['errors'])
  const words = (wordsOf(json) ?? 'an error without a message').replace(/\.$/, '')
  const [code, hint] = failureOf(asCount(asObject(first)['code']) ?? 400, words)
  return new MauticError(code, { detail: `${where} was refused: ${words}.`, hint })
}

function failureOf(status: number, words: string): [MauticErrorCode, string] {
  if (status === 401)
    return ['unauthorized', 'Check the client and its secret, or user and password.']
  if (/API disabled/.test(words))
    return ['refused', 'Enable the API in the configuration of Mautic (API settings).']
  if (/Basic Auth disabled/.test(words))
    return ['refused', 'Enable HTTP basic auth in the API settings of Mautic, or use clientId.']
  if (status === 403) return ['forbidden', 'Give the user or the client a role that may do this.']
  if (status === 404) {
    // An unknown address, or the page of a web server, says nothing of the record.
    const isOfRecord = /^(?:Item was|Contact) not found/.test(words)
    return [isOfRecord ? 'not_found' : 'unexpected', 'Check url, and clear the cache of Mautic.']
  }
  if (status === 429) return ['failed', 'Mautic gets too many requests. They are repeated later.']
  if (status >= 500) return ['failed', 'Look into the log of Mautic (var/logs).']
  return ['refused', 'Check the values of the request.']
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Returns what Mautic says is wrong, on one line. */
function wordsOf(json: unknown): string | undefined {
  const { errors, error_description: description } = asObject(json)
  const [first] = asList(errors)
  const { message = description } = asObject(first)
  if (typeof message !== 'string' || message === '') return undefined
  return message.replace(/\s+/g, ' ').slice(0, 300)
}

/** An object of an answer; empty where it is something else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}

/** A list of an answer: Mautic sends an array, or an object keyed by id, or either of them for an empty list. */
export function asList(value: unknown): unknown[] {
  return Object.values(asObject(value))
}

/**
 * The list of an answer.
 *
 * @throws {MauticError} where there is none, or an empty one whose total is not 0: what is not there does not say that nothing exists.
 */
export function listOf(answer: unknown, name: string): unknown[] {
  const { [name]: list, total, errors } = asObject(answer)
  const rows = asList(list)
  const isCut = rows.length === 0 && asCount(total) !== 0
  const isList = typeof list === 'object' && list !== null && !isCut
  if (isList && asList(errors).length === 0) return rows
  throw notMautic(`The answer has no ${name}.`)
}

/** A text of an answer; empty for null. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** An id or a count: Mautic sends numbers, or numbers as text. Undefined for anything else. */
export function asCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined
}

/** A flag: Mautic sends true, 1 or `"1"`. */
export function asFlag(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}

/** A date in milliseconds since the epoch; null if there is none. A date without an offset is in UTC. */
export function asTime(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const text = value.trim()
  const isPlain = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)
  const time = Date.parse(isPlain ? `${text.replace(' ', 'T')}Z` : text)
  return Number.isNaN(time) ? null : time
}

/** Writes a time as the filters of Mautic's lists read it. */
export function toFilterDate(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}
