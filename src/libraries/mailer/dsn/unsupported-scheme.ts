import { suggest } from '../../../kit/suggest.ts'
import { DsnError } from '../grammar/dsn.ts'
import { schemeNames } from '../providers/registry.ts'

const allSchemes = 'The full list of schemes is in docs/mailer.md.'

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
  const other = otherNames[lower]
  if (other !== undefined) return refusal(scheme, `Did you mean "${other}"? ${allSchemes}`)
  const related = names.filter((name) => familyOf(name) === familyOf(lower))
  if (related.length > 0) return refusal(scheme, `There are ${related.join(', ')}.`)
  const near = suggest(lower, names)
  if (near !== undefined) return refusal(scheme, `${near} ${allSchemes}`)
  const families = [...new Set(names.filter((name) => !name.startsWith('mautic+')).map(familyOf))]
  return refusal(scheme, `There are ${families.join(', ')}. ${allSchemes}`)
}

function familyOf(name: string): string {
  return name.split('+')[0] ?? name
}

function refusal(scheme: string, advice: string): DsnError {
  // In a broken DSN the text before "://" may be part of a secret. A scheme is short.
  const shown = scheme.length <= 32 ? `The scheme "${scheme}"` : 'The scheme'
  return new DsnError('unsupported_scheme', `${shown} is not supported. ${advice}`)
}
