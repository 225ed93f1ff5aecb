import { encodePercent } from '../grammar/characters.ts'
import { secretMask } from '../secret.ts'

/** Masks the secrets in a text, for example in a reply that repeats them. */
export type Redactor = (text: string) => string

/** A shorter secret is masked only when it is a separate word. */
const lengthAnywhere = 4

/** Creates a redactor for the secrets of a DSN: plain, percent-encoded, in base64, and inside a longer base64 text. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const patterns = new Set<string>()
  for (const secret of secrets) {
    if (secret === '') continue
    for (const form of formsOf(secret)) patterns.add(patternOf(form))
    for (const pattern of patternsWithin(secret)) patterns.add(pattern)
  }
  if (patterns.size === 0) return (text) => text
  // The longest first, so that no part of a longer secret remains.
  const pattern = new RegExp([...patterns].sort((a, b) => b.length - a.length).join('|'), 'gi')
  return (text) => text.replace(pattern, secretMask)
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64')
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  return [secret, encodePercent(secret), form, base64, base64.replace(/=+$/, '')]
}

/**
 * Returns patterns of a secret inside a longer base64 text such as the `user:password` of a log-in: for each of the three
 * positions in a base64 group where it can start, including the characters that it shares with its neighbours.
 */
function patternsWithin(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')])
    const encoded = bytes.toString('base64').replace(/=+$/, '')
    const isShared = bytes.length % 3 !== 0
    const characters = encoded.slice(offset === 0 ? 0 : offset + 1, isShared ? -1 : undefined)
    if (characters.length < lengthAnywhere) return []
    return `${offset === 0 ? '' : shared}${escaped(characters)}${isShared ? `${shared}={0,2}` : ''}`
  })
}

const shared = '[A-Za-z0-9+/]?'

function patternOf(needle: string): string {
  return needle.length >= lengthAnywhere ? escaped(needle) : `(?<![\\w])${escaped(needle)}(?![\\w])`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
