import { encodePercent } from '../grammar/characters.ts'
import { secretMask } from '../secret.ts'

/** Masks the secrets in a text, for example in a reply that repeats them. */
export type Redactor = (text: string) => string

/** A text to mask, folded, and which characters around it belong to it. */
interface Needle {
  readonly text: string
  /** Before and after it: `shared`: a character of base64 has bits of it. `word`: it is masked only where it ends there. */
  readonly edges: readonly [Edge, Edge]
}

type Edge = 'shared' | 'word' | undefined

/** A shorter secret is masked only when it is a separate word. */
const lengthAnywhere = 4
/** So much of the beginning of a secret is masked at the end of a text, which may have been cut there. */
const lengthAtEnd = 8

/**
 * Creates a redactor for the secrets of a DSN: plain, percent-encoded, in base64, and inside a longer base64 text, in any case. It
 * builds no regular expression: a long secret would be too large for one, and the error would show it.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [...formsOf(secret), ...formsWithin(secret)])
  if (needles.length === 0) return (text) => text
  return (text) => {
    const folded = fold(text)
    return mask(
      text,
      needles.flatMap((needle) => findSpans(folded, needle)),
    )
  }
}

function formsOf(secret: string): Needle[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64')
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  const forms = new Set([secret, encodePercent(secret), form, base64, base64.replace(/=+$/, '')])
  return [...forms].map((each) => {
    const edge = each.length < lengthAnywhere ? 'word' : undefined
    return { text: fold(each), edges: [edge, edge] }
  })
}

/**
 * Returns the forms of a secret inside a longer base64 text such as the `user:password` of a log-in: for each of the three
 * positions in a base64 group where it can start, including the characters that it shares with its neighbours.
 */
function formsWithin(secret: string): Needle[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, 'utf8')])
    const encoded = bytes.toString('base64').replace(/=+$/, '')
    const isShared = bytes.length % 3 !== 0
    const characters = encoded.slice(offset === 0 ? 0 : offset + 1, isShared ? -1 : undefined)
    if (characters.length < lengthAnywhere) return []
    const edges = [offset === 0 ? undefined : 'shared', isShared ? 'shared' : undefined] as const
    return { text: fold(characters), edges }
  })
}

type Span = readonly [start: number, end: number]

function findSpans(folded: string, { text, edges: [before, after] }: Needle): Span[] {
  const spans: Span[] = []
  for (let at = folded.indexOf(text); at !== -1; at = folded.indexOf(text, at + text.length)) {
    const end = at + text.length
    const [left = '', right = ''] = [folded[at - 1], folded[end]]
    if (before === 'word' && /\w/.test(left + right)) continue
    const start = before === 'shared' && isBase64(left) ? at - 1 : at
    const last = after === 'shared' && isBase64(right) ? end + 1 : end
    const padding =
      after === 'shared' ? (/^={0,2}/.exec(folded.slice(last, last + 2))?.[0] ?? '') : ''
    spans.push([start, last + padding.length])
  }
  const beginning = text.slice(0, lengthAtEnd)
  let at =
    beginning.length < lengthAtEnd ? -1 : folded.indexOf(beginning, folded.length - text.length)
  while (at !== -1 && !text.startsWith(folded.slice(at))) at = folded.indexOf(beginning, at + 1)
  if (at !== -1) spans.push([at, folded.length])
  return spans
}

const isBase64 = (character: string) => /^[A-Z0-9+/]$/.test(character)

/** Replaces each span, and those that overlap together. */
function mask(text: string, spans: Span[]): string {
  let masked = ''
  let shownFrom = 0
  for (const [start, end] of spans.sort(([one], [other]) => one - other)) {
    if (start >= shownFrom) masked += text.slice(shownFrom, start) + secretMask
    shownFrom = Math.max(shownFrom, end)
  }
  return masked + text.slice(shownFrom)
}

/** Folds the case of each character that does not change its length by that. */
function fold(text: string): string {
  const upper = text.toUpperCase()
  if (upper.length === text.length) return upper
  return text.replace(/./gsu, (character) => {
    const folded = character.toUpperCase()
    return folded.length === character.length ? folded : character
  })
}
