import type { RelayedMessage } from '../../mime/index.ts'
import { readTrackedLink, type TrackedLink } from './tracked-link.ts'

/** A tracking hash of Mautic in a message, and where it is. */
export interface TrackingHash {
  hash: string
  /** For the trace: `List-Unsubscribe`. */
  where: string
}

/** What a message says of itself besides its headers for Mailyard. It is unverified. */
export interface TrackingClues {
  /** The hashes in the headers, found without reading the body. */
  ofHead: readonly TrackingHash[]
  /** Reads the body, once. */
  ofBody: () => { hashes: readonly TrackingHash[]; link: TrackedLink | undefined }
}

const hash = '([0-9a-f]{16,32})'
const unsubscribe = new RegExp(`/email/unsubscribe/${hash}\\b`)
/** The address to which bounces are returned: `name+bounce_<hash>@example.com`. */
const verp = new RegExp(`\\+bounce_${hash}@`, 'i')
const pixel = new RegExp(`/email/${hash}\\.gif\\b`)
const page = new RegExp(`/email/(?:unsubscribe|view|dnc)/${hash}\\b`)
const tracked = /[?&;]ct=([A-Za-z0-9+/_%=-]{20,3000})/

/** Finds the tracking hashes of a message, the most certain first. */
export function findTrackingClues(
  message: Pick<RelayedMessage, 'head' | 'texts'>,
  sender: string,
): TrackingClues {
  const { listUnsubscribe = '' } = message.head
  return {
    ofHead: [
      ...found(unsubscribe.exec(listUnsubscribe), 'List-Unsubscribe'),
      ...found(verp.exec(sender), 'the VERP sender'),
    ],
    ofBody() {
      const texts = message.texts()
      const firstOf = (form: RegExp) => texts.map((text) => form.exec(text)).find(Boolean) ?? null
      const parameter = firstOf(tracked)?.[1]
      const link = parameter === undefined ? undefined : readTrackedLink(decoded(parameter))
      const ofLink = link?.hash === undefined ? [] : [{ hash: link.hash, where: 'a tracked link' }]
      return {
        hashes: [
          ...found(firstOf(pixel), 'the tracking pixel'),
          ...found(firstOf(page), 'a link of the text'),
          ...ofLink,
        ],
        link,
      }
    },
  }
}

function found(match: RegExpExecArray | null, where: string): TrackingHash[] {
  const [, value] = match ?? []
  return value === undefined ? [] : [{ hash: value.toLowerCase(), where }]
}

function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter)
  } catch {
    return ''
  }
}
