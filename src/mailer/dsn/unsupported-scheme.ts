import { editsBetween } from '../../kit/suggest.ts'
import { DsnError } from '../grammar/dsn.ts'
import { schemeNames } from '../providers/registry.ts'

// cspell:ignore smpt
const allSchemes = 'The full list of schemes is in docs/mailer.md.'
const suggestionsMax = 3

/** Scheme names of other software. */
const otherNames: Readonly<Record<string, string>> = {
  ssl: 'smtps',
  tls: 'smtps',
  'smtp+ssl': 'smtps',
  'smtp+tls': 'smtps',
  'smtp+starttls': 'smtp',
  submission: 'smtp',
  mailto: 'smtp',
}

/** Creates the error for an unknown scheme. It suggests schemes with similar names. */
export function unsupportedScheme(scheme: string): DsnError {
  const names = schemeNames()
  const lower = scheme.toLowerCase()
  if (names.includes(lower))
    return refusal(scheme, `Schemes are written in lower case: "${lower}".`)
  const near = otherNames[lower] === undefined ? findNear(lower, names) : [otherNames[lower]]
  if (near.length > 0) return refusal(scheme, `Did you mean ${near.join(' or ')}? ${allSchemes}`)
  const family = familyOf(lower)
  const related = names.filter((name) => familyOf(name) === family)
  if (related.length > 0) return refusal(scheme, `There are ${related.join(', ')}.`)
  const families = [...new Set(names.filter((name) => !name.startsWith('mautic+')).map(familyOf))]
  return refusal(scheme, `There are ${families.join(', ')}. ${allSchemes}`)
}

/** Finds similar names for typing mistakes such as `smpt`, `sendgird+api`, `ses-smtp`; the nearest first. */
function findNear(scheme: string, names: readonly string[]): string[] {
  const parts = partsOf(scheme)
  const near = names.flatMap((name) => {
    const cost = costOf(parts, partsOf(name))
    return cost === undefined ? [] : [{ name, cost }]
  })
  const best = Math.min(...near.map(({ cost }) => cost))
  const nearest = near.filter(({ cost }) => cost === best)
  return nearest.slice(0, suggestionsMax).map(({ name }) => name)
}

/** Counts the edits between two names, part by part. Returns undefined when a part is a different word. */
function costOf(parts: readonly string[], others: readonly string[]): number | undefined {
  if (parts.length !== others.length) return undefined
  const edits = parts.map((part, index) => editsBetween(part, others[index] ?? ''))
  const isNear = edits.every(
    (count, index) => count <= Math.max(1, (parts[index] ?? '').length / 3),
  )
  return isNear ? edits.reduce((sum, count) => sum + count, 0) : undefined
}

function partsOf(scheme: string): string[] {
  return scheme.split(/[+.-]/)
}

function familyOf(name: string): string {
  return name.split('+')[0] ?? name
}

function refusal(scheme: string, advice: string): DsnError {
  // In a broken DSN the text before "://" may be part of a secret. A scheme is short.
  const shown = scheme.length <= 32 ? `The scheme "${scheme}"` : 'The scheme'
  return new DsnError('unsupported_scheme', `${shown} is not supported. ${advice}`)
}
