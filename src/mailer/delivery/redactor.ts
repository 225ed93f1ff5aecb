import { encodePercent } from '../grammar/percent.ts'
import { secretMask } from '../secret.ts'

/** Takes the secrets out of a text that a server or a dialogue may repeat them in. */
export type Redactor = (text: string) => string

/** Below this length a secret is blanked only where it stands as a word of its own. */
const lengthAnywhere = 4

/** Makes a redactor of the secrets of one DSN: as they are, percent-encoded, in base64 and within a longer text in base64. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const patterns = new Set<string>()
  for (const secret of secrets) {
    if (secret === '') continue
    for (const form of formsOf(secret)) patterns.add(patternOf(form))
    for (const pattern of patternsWithin(secret)) patterns.add(pattern)
  }
  if (patterns.size === 0) return (text) => text
  // The longest first, so that no tail of one survives.
  const pattern = new RegExp([...patterns].sort((a, b) => b.length - a.length).join('|'), 'gi')
  return (text) => text.replace(pattern, secretMask)
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64')
  return [secret, encodePercent(secret), base64, base64.replace(/=+$/, '')]
}

/**
 * A secret as the base64 of a longer text has it, such as the `user:password` of a log-in: at each of the three places where it
 * may begin in a group, with the characters that it shares with its neighbours.
 */
function patternsWithin(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')])
    const encoded = bytes.toString('base64').replace(/=+$/, '')
    const isShared = bytes.length % 3 !== 0
    const own = encoded.slice(offset === 0 ? 0 : offset + 1, isShared ? -1 : undefined)
    if (own.length < lengthAnywhere) return []
    return `${offset === 0 ? '' : shared}${escaped(own)}${isShared ? `${shared}={0,2}` : ''}`
  })
}

const shared = '[A-Za-z0-9+/]?'

function patternOf(needle: string): string {
  return needle.length >= lengthAnywhere ? escaped(needle) : `(?<![\\w])${escaped(needle)}(?![\\w])`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
