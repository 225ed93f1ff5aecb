import { oneLine } from '../../kit/one-line.ts'
import { senderKey } from './brand-domains.ts'

/** A brand of a log-in, and what it sends as. */
export interface SendingBrand {
  readonly id: number
  readonly name: string
  /** From domains and single addresses, as `readDomains` returns them; empty: any. */
  readonly domains: ReadonlySet<string>
  readonly isPublished: boolean
}

/** A message, or the envelope sender alone. Its `senders` are read only where a brand limits them. */
export interface SentMessage {
  /** The address of From first. */
  readonly senders: readonly string[] | { readonly problem: string }
}

/**
 * Finds the brand of a message of a log-in that has brands: that of its From. A problem says why the log-in may not send
 * it, and names no brand of others.
 *
 * @param brands Those that exist; without any, nothing may be sent.
 */
export function checkSenders(
  brands: readonly SendingBrand[],
  message: SentMessage,
): { brand: number } | { problem: string } {
  const published = brands
    .filter(({ isPublished }) => isPublished)
    .sort((one, other) => one.id - other.id)
  const unlimited = published.find(({ domains }) => domains.size === 0)
  if (unlimited !== undefined && published.length === 1) return { brand: unlimited.id }
  const { senders } = message
  if ('problem' in senders) return unlimited === undefined ? senders : { brand: unlimited.id }
  const [from = ''] = senders
  const refused = senders.find((address) => findBrand(published, address) === undefined)
  const brand = findBrand(published, from)
  if (brand !== undefined && refused === undefined) return { brand: brand.id }
  return { problem: explainRefusal(brands, refused ?? from) }
}

/** Finds the brand that has an address, else that has its domain, else that has no domains: of several the first. */
function findBrand(brands: readonly SendingBrand[], address: string): SendingBrand | undefined {
  const key = senderKey(address) ?? ''
  const domain = key.slice(key.lastIndexOf('@') + 1)
  return (
    brands.find(({ domains }) => domains.has(key)) ??
    brands.find(({ domains }) => domains.has(domain)) ??
    brands.find(({ domains }) => domains.size === 0)
  )
}

function explainRefusal(brands: readonly SendingBrand[], address: string): string {
  const start = `You may not send as ${oneLine(senderKey(address) ?? address, 320)}:`
  const unpublished = brands.filter(({ isPublished }) => !isPublished)
  const [only] = brands.length === 1 ? brands : []
  const hidden = only?.isPublished === false ? only : findBrand(unpublished, address)
  if (hidden !== undefined) return `${start} brand "${hidden.name}" is not published`
  if (only !== undefined)
    return `${start} brand "${only.name}" sends as ${shorten([...only.domains])}`
  if (brands.length === 0) return `${start} your brands do not exist any more`
  const names = brands.map(({ name }) => `"${name}"`)
  return `${start} brands ${shorten(names)} do not send as this address`
}

const shownMax = 3
const listFormat = new Intl.ListFormat('en-GB')

function shorten(items: readonly string[]): string {
  const more = items.length - shownMax
  return listFormat.format(more > 0 ? [...items.slice(0, shownMax), `${more} more`] : items)
}
