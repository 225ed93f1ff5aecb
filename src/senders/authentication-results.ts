import { asciiDomain } from '../mailer/index.ts'

/** The result of one method, such as `pass`, and the domain that it is about. */
export interface MethodResult {
  /** In lower case: `pass`, `fail`, `softfail`, `neutral`, `none`, `temperror`, `permerror`, and others of some servers. */
  result: string
  domain: string | null
}

/** What a server says about the signatures and the sender of a message. */
export interface AuthenticationResults {
  /** The authserv-id; null where the server gives none, as Outlook.com does. */
  server: string | null
  spf: MethodResult | null
  dkim: (MethodResult & { selector: string | null })[]
  dmarc: MethodResult | null
}

/** A longer field, or more results in it, are not read. */
const fieldLengthMax = 16_384
const resultsMax = 50
const tokenLengthMax = 255

/**
 * Parses the value of an `Authentication-Results` field. Comments and folds are left out, as is what cannot be read.
 * @see RFC 8601, section 2.2
 */
export function parseAuthenticationResults(value: string): AuthenticationResults {
  const results: AuthenticationResults = { server: null, spf: null, dkim: [], dmarc: null }
  const parts = splitResults(value.slice(0, fieldLengthMax)).slice(0, resultsMax)
  const [first = ''] = parts
  const [name = ''] = first.trim().split(/\s/)
  // Outlook.com begins with the first result.
  if (!name.includes('=') && name !== '')
    results.server = name.toLowerCase().slice(0, tokenLengthMax)
  for (const part of parts) addResult(results, part.trim())
  return results
}

/** Merges the fields of one server: each method is taken from the first field that has it, signatures from all. */
export function mergeResults(all: readonly AuthenticationResults[]): AuthenticationResults {
  const has = <Key extends 'server' | 'spf' | 'dmarc'>(key: Key) =>
    all.find((each) => each[key] !== null)?.[key] ?? null
  return {
    server: all[0]?.server ?? null,
    spf: has('spf'),
    dkim: all.flatMap(({ dkim }) => dkim).slice(0, resultsMax),
    dmarc: has('dmarc'),
  }
}

/** Splits at semicolons, outside of quoted strings, and without comments, which nest. */
function splitResults(value: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  let isQuoted = false
  for (let index = 0; index < value.length; index += 1) {
    const character = value.charAt(index)
    if (character === '\\' && (isQuoted || depth > 0)) {
      index += 1
      if (depth === 0) part += value.charAt(index)
    } else if (character === '"' && depth === 0) isQuoted = !isQuoted
    else if (isQuoted) part += character
    else if (character === '(') {
      depth += 1
      part += ' '
    } else if (character === ')') depth = Math.max(0, depth - 1)
    else if (depth > 0) continue
    else if (character === ';') {
      parts.push(part)
      part = ''
    } else part += character
  }
  return [...parts, part]
}

function addResult(results: AuthenticationResults, part: string): void {
  const [, method = '', word = ''] =
    /^([a-z][a-z0-9-]{0,30})(?:\s{0,9}\/\s{0,9}\d{1,9})?\s{0,9}=\s{0,9}([a-z]{1,30})/i.exec(part) ??
    []
  const result = word.toLowerCase()
  if (result === '') return
  switch (method.toLowerCase()) {
    case 'spf':
      results.spf ??= {
        result,
        domain: findDomain(part, ['smtp.mailfrom', 'smtp.mail', 'smtp.helo']),
      }
      return
    case 'dkim': {
      const selector = findProperty(part, 'header.s')?.toLowerCase() ?? null
      results.dkim.push({ result, domain: findDomain(part, ['header.d', 'header.i']), selector })
      return
    }
    case 'dmarc':
      results.dmarc ??= { result, domain: findDomain(part, ['header.from']) }
      return
    default:
  }
}

/** The domain of the first of some properties: `header.i=@example.com`, `smtp.mailfrom=ann@example.com`. */
function findDomain(part: string, names: readonly string[]): string | null {
  for (const name of names) {
    const value = findProperty(part, name)
    const domain =
      value === undefined ? undefined : asciiDomain(value.slice(value.lastIndexOf('@') + 1))
    if (domain !== undefined) return domain
  }
  return null
}

function findProperty(part: string, name: string): string | undefined {
  for (const word of part.replace(/\s*=\s*/g, '=').split(/\s+/)) {
    const at = word.indexOf('=')
    if (word.slice(0, at).toLowerCase() !== name) continue
    return word.slice(at + 1, at + 1 + tokenLengthMax).replace(/^<|>$/g, '')
  }
  return undefined
}
