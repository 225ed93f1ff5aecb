import { isObject } from '../api/json.ts'
import { classOfReply } from '../delivery/reply-class.ts'
import type { ProviderEvent, ProviderWebhooks } from './provider-webhooks.ts'
import { parseJsonObjects } from './read-body.ts'

/** What an event means: its type, or of a bounce its class. */
export type Meaning = Exclude<ProviderEvent['type'], 'bounced'> | 'hard' | 'soft'

/** What a request says of an event, unchecked. What is left out is null. */
interface EventFields {
  readonly meaning: Meaning
  readonly recipient?: unknown
  readonly providerId?: unknown
  readonly otherIds?: readonly unknown[]
  readonly at?: number | null
  readonly reason?: unknown
  /** What else the provider quotes of the server or calls its words, such as codes and categories, and lists of them. */
  readonly said?: readonly unknown[]
  readonly eventId?: unknown
}

/** Lists what the names of a provider mean. Others are ignored. */
export function meaningsOf(
  names: Partial<Record<Meaning, readonly string[]>>,
): ReadonlyMap<unknown, Meaning> {
  return new Map(
    Object.entries(names).flatMap(([meaning, each]) =>
      each.map((name) => [name, meaning as Meaning]),
    ),
  )
}

/** Creates the reader of a JSON body with an event, or a list of them. */
export function jsonEvents(
  fieldsOf: (event: Readonly<Record<string, unknown>>) => EventFields,
): ProviderWebhooks['read'] {
  return async (body) => parseJsonObjects(body).map((event) => createEvent(fieldsOf(event)))
}

/** The types of feedback that are a wish of the recipient; `fraud`, `virus`, `not-spam` and others are not: RFC 5965. */
const wishes: ReadonlyMap<string, 'complained' | 'unsubscribed'> = new Map([
  ['abuse', 'complained'],
  ['opt-out', 'unsubscribed'],
  ['opt-out-list', 'unsubscribed'],
])

/**
 * Returns what a type of feedback means, of a report by mail or of a provider that passes it on.
 * @example
 * ```ts
 * meaningOfFeedback('abuse') // complained
 * meaningOfFeedback('not-spam') // ignored
 * ```
 */
export function meaningOfFeedback(type: string): 'complained' | 'unsubscribed' | 'ignored' {
  return wishes.get(type.trim().toLowerCase()) ?? 'ignored'
}

/** A text that is longer is no address and no id. RFC 5322 lets a line have 998 characters. */
const lineLengthMax = 998
const reasonLengthMax = 2_000

/**
 * Creates an event of fields of any type: those that are not texts or numbers are null. What the server said counts more than
 * the class that the provider gives a bounce: a full mailbox is no hard bounce.
 */
export function createEvent(fields: EventFields): ProviderEvent {
  const providerId = lineOf(fields.providerId)
  const otherIds = new Set((fields.otherIds ?? []).map(lineOf))
  const said = [fields.reason, fields.said ?? []].flat(2).map(optionalText)
  const about = classOfReply(said.join(' '))
  const isContradicted = fields.meaning === 'hard' && about !== 'address' && about !== 'other'
  const meaning = isContradicted ? 'soft' : fields.meaning
  const isBounce = meaning === 'hard' || meaning === 'soft'
  return {
    type: isBounce ? 'bounced' : meaning,
    recipient: addressOf(fields.recipient),
    providerId,
    otherIds: [...otherIds].filter((id) => id !== null && id !== providerId) as string[],
    at: fields.at ?? null,
    class: isBounce ? meaning : null,
    reason: optionalText(fields.reason)?.slice(0, reasonLengthMax) ?? null,
    eventId: lineOf(fields.eventId),
  }
}

/** Reads a text that is not empty, or a number as a text; anything else gives null. */
export function optionalText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' ? String(value) : null
}

function lineOf(value: unknown): string | null {
  const text = optionalText(value)
  return text === null || text.length > lineLengthMax ? null : text
}

/** Reads an address: `jane@example.com` also from `Jane <jane@example.com>`. */
export function addressOf(value: unknown): string | null {
  const text = typeof value === 'string' ? lineOf(value.trim()) : null
  if (text === null || !text.endsWith('>')) return text
  return lineOf(text.slice(text.lastIndexOf('<') + 1, -1).trim())
}

/** Reads a member of an object, or of an object in it; undefined where one of them is missing. */
export function memberOf(value: unknown, ...names: readonly string[]): unknown {
  let member = value
  for (const name of names)
    if (isObject(member) && Object.hasOwn(member, name)) member = member[name]
    else return undefined
  return member
}

const timeMax = Date.UTC(9999, 11, 31)

/** Reads seconds since the epoch, a number or its digits, as milliseconds. */
export function timeOfSeconds(value: unknown): number | null {
  const seconds =
    typeof value === 'string' && /^\d{1,12}(\.\d{1,12})?$/.test(value) ? Number(value) : value
  if (typeof seconds !== 'number' || !(seconds > 0)) return null
  // A double holds 1534109600.089676 as a little more or less.
  const ms = Math.floor(seconds * 1000 + 1e-3)
  return ms <= timeMax ? ms : null
}

const isoDate =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/i

/** Reads an ISO 8601 date as milliseconds since the epoch. Without a time zone it is UTC. */
export function timeOfDate(value: unknown): number | null {
  const [, date, time, zone = 'Z'] = (typeof value === 'string' && isoDate.exec(value)) || []
  if (date === undefined || time === undefined) return null
  const ms = Date.parse(`${date}T${time}${/^[+-]/.test(zone) ? zone : 'Z'}`)
  return ms > 0 && ms <= timeMax ? ms : null
}
