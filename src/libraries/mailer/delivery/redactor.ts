import { encodePercent } from '../grammar/characters.ts'
import { secretMask } from '../secret.ts'

/** Masks the secrets in a text, for example in a reply that repeats them. */
export type Redactor = (text: string) => string

/** A text to mask, folded, and which characters around it belong to it. */
interface Needle {
  readonly text: string
  /** Before and after it: `shared`: a character of base64 has bits of it. `word`: it is masked only where it ends there. */
  readonly edges: readonly [Edge, Edge]
  /** By length: the length of the longest shorter beginning of the text that a beginning of it ends with. */
  readonly borders: Uint32Array
}

type Edge = 'shared' | 'word' | undefined

/** A shorter secret is masked only when it is a separate word. */
const lengthAnywhere = 4
/** So much of the beginning of a secret is masked at the end of a text, which may have been cut there. */
const lengthAtEnd = 8

/**
 * Creates a redactor for the secrets of a DSN: plain, percent-encoded, escaped as in JSON, in hex, in base64 (also that of
 * addresses), and inside a longer base64 text, in any case. It builds no regular expression: a long secret would be too large for
 * one, and the error would show it.
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
  const hex = Buffer.from(secret, 'utf8').toString('hex')
  const json = JSON.stringify(secret).slice(1, -1)
  const escaped = [json, json.replace(/[^ -~]/g, escapeUnit)].flatMap((each) => [
    each,
    each.replaceAll('/', '\\/'),
  ])
  const encoded = [encodePercent(secret), form, hex, base64, base64.replace(/=+$/, '')]
  return [...new Set([secret, ...escaped, ...encoded])].map((each) => {
    const edge = each.length < lengthAnywhere ? 'word' : undefined
    return needleOf(each, [edge, edge])
  })
}

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

function needleOf(form: string, edges: Needle['edges']): Needle {
  const text = fold(form)
  const borders = new Uint32Array(text.length + 1)
  for (let length = 1, border = 0; length < text.length; length += 1) {
    while (border > 0 && text[length] !== text[border]) border = borders[border] ?? 0
    if (text[length] === text[border]) border += 1
    borders[length + 1] = border
  }
  return { text, edges, borders }
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
    return needleOf(characters, edges)
  })
}

type SecretRange = readonly [start: number, end: number]

/** Finds a needle at every position, also where it overlaps itself, in linear time (Knuth, Morris and Pratt). */
function findSpans(folded: string, needle: Needle): SecretRange[] {
  const { text, borders } = needle
  const spans: SecretRange[] = []
  // Nearly every text has none.
  const start = text.slice(0, lengthAtEnd)
  const isCutOff = folded.includes(start, Math.max(0, folded.length - text.length))
  if (!isCutOff && !folded.includes(text)) return spans
  let length = 0
  for (let at = 0; at < folded.length; at += 1) {
    if (length === text.length) length = borders[length] ?? 0
    while (length > 0 && folded[at] !== text[length]) length = borders[length] ?? 0
    if (folded[at] === text[length]) length += 1
    if (length === text.length) spans.push(...spansAt(folded, needle, at + 1))
  }
  if (length >= lengthAtEnd) spans.push([folded.length - length, folded.length])
  return spans
}

/** Returns what is masked of a needle that ends at a position. */
function spansAt(
  folded: string,
  { text, edges: [before, after] }: Needle,
  end: number,
): SecretRange[] {
  const at = end - text.length
  const [left = '', right = ''] = [folded[at - 1], folded[end]]
  if (before === 'word' && /\w/.test(left + right)) return []
  const start = before === 'shared' && isBase64(left) ? at - 1 : at
  const last = after === 'shared' && isBase64(right) ? end + 1 : end
  const padding =
    after === 'shared' ? (/^={0,2}/.exec(folded.slice(last, last + 2))?.[0] ?? '') : ''
  return [[start, last + padding.length]]
}

const isBase64 = (character: string) => /^[A-Z0-9+/]$/.test(character)

/** Replaces each span, and those that overlap together. */
function mask(text: string, spans: SecretRange[]): string {
  let masked = ''
  let shownFrom = 0
  for (const [start, end] of spans.sort(([one], [other]) => one - other)) {
    if (start >= shownFrom) masked += text.slice(shownFrom, start) + secretMask
    shownFrom = Math.max(shownFrom, end)
  }
  return masked + text.slice(shownFrom)
}

/** Folds the case of each character that does not change its length by that, and both alphabets of base64. */
function fold(text: string): string {
  const upper = text.toUpperCase()
  const folded =
    upper.length === text.length
      ? upper
      : text.replace(/./gsu, (character) => {
          const capital = character.toUpperCase()
          return capital.length === character.length ? capital : character
        })
  return folded.replaceAll('-', '+').replaceAll('_', '/')
}
