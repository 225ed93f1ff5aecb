import { hash } from 'node:crypto'

/** A token of Mautic, `{contactfield=firstname}`, or what a test has in its place: the field's name, `[First Name]`. */
const placeholder = /(\{[^{}]*\}|\[[^[\]]*\])/

/** Splits a subject: the parts with an odd index are placeholders. */
function partsOf(subject: string): string[] {
  return subject.normalize('NFC').replaceAll(/\s+/g, ' ').trim().split(placeholder)
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
