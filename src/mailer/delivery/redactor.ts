import { encodePercent } from '../grammar/percent.ts'
import { secretMask } from '../secret.ts'

/** Takes the secrets out of a text that a server or a dialogue may repeat them in. */
export type Redactor = (text: string) => string

/** Below this length a secret is blanked only where it stands as a word of its own. */
const lengthAnywhere = 4

/** Makes a redactor of the secrets of one DSN: as they are, in base64, percent-encoded. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const needles = new Set<string>()
  for (const secret of secrets) {
    if (secret === '') continue
    for (const form of formsOf(secret)) needles.add(form)
  }
  if (needles.size === 0) return (text) => text
  const pattern = new RegExp(
    // The longest first, so that no tail of one survives.
    [...needles]
      .sort((a, b) => b.length - a.length)
      .map(patternOf)
      .join('|'),
    'gi',
  )
  return (text) => text.replace(pattern, secretMask)
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64')
  return [secret, encodePercent(secret), base64, base64.replace(/=+$/, '')]
}

function patternOf(needle: string): string {
  const escaped = needle.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return needle.length >= lengthAnywhere ? escaped : `(?<![\\w])${escaped}(?![\\w])`
}
