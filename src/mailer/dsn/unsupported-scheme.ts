import { DsnError } from '../grammar/dsn-error.ts'
import { schemeNames } from '../providers/registry.ts'

/** The refusal of a scheme, with those that its author may have meant. */
export function unsupportedScheme(scheme: string): DsnError {
  const names = schemeNames()
  const lower = scheme.toLowerCase()
  if (names.includes(lower))
    return refusal(scheme, `Schemes are written in lower case: "${lower}".`)
  const family = lower.split('+')[0] ?? lower
  const related = names.filter((name) => name.split('+')[0] === family)
  if (related.length > 0) return refusal(scheme, `There are ${related.join(', ')}.`)
  const families = [...new Set(names.filter((name) => !name.startsWith('mautic+')).map(familyOf))]
  return refusal(scheme, `There are ${families.join(', ')}.`)
}

function familyOf(name: string): string {
  return name.split('+')[0] ?? name
}

function refusal(scheme: string, advice: string): DsnError {
  // What stands before "://" may be half a secret when the DSN is broken; a scheme is short.
  const shown = scheme.length <= 32 ? `The scheme "${scheme}"` : 'The scheme'
  return new DsnError('unsupported_scheme', `${shown} is not supported. ${advice}`)
}
