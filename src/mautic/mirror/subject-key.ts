import { hash } from 'node:crypto'

/** A token of Mautic, `{contactfield=firstname}`, or what a test has in its place: the field's name, `[First Name]`. */
const placeholder = /(\{[^{}]*\}|\[[^[\]]*\])/

const plain = (subject: string) => subject.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** Splits a subject: the parts with an odd index are placeholders. */
function partsOf(subject: string): string[] {
  return plain(subject).split(placeholder)
}

/** Returns the key by which an email is looked up: equal for its subject and for that of a test of it. */
export function subjectKey(subject: string): string {
  const parts = partsOf(subject).map((part, index) => (index % 2 === 0 ? part : '[]'))
  return hash('sha256', parts.join(''))
}

/**
 * Whether a test of an email with this subject may have the subject `shown`, whose key is the same: each token is there as it
 * is, or as a name in brackets.
 */
export function mayShow(subject: string, shown: string): boolean {
  const parts = partsOf(shown)
  return partsOf(subject).every((part, index) => {
    const other = parts[index] ?? ''
    const isNamed = index % 2 === 1 && part.startsWith('{') && other.startsWith('[')
    return isNamed || part === other
  })
}

/** A subject with less text than this besides its tokens may be that of any message. */
const textMin = 8

/** Whether an email with this subject may be sent with the subject `shown`, with values in place of its tokens. */
export function mayRender(subject: string, shown: string): boolean {
  const texts = plain(subject).split(/\{[^{}]*\}/)
  const [first = '', ...rest] = texts
  const last = rest.pop()
  if (last === undefined || texts.join('').replaceAll(' ', '').length < textMin) return false
  const text = plain(shown)
  if (!text.startsWith(first.trimEnd()) || !text.endsWith(last.trimStart())) return false
  let at = first.trimEnd().length
  for (const part of [...rest, last.trimStart()]) {
    const next = part === '' ? at : text.indexOf(part, at)
    if (next < 0) return false
    at = next + part.length
  }
  return true
}
