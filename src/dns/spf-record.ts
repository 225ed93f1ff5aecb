/** A term of an SPF record that stands for senders. */
export interface SpfMechanism {
  /** As it is written. */
  text: string
  /** Of a match: pass, fail, softfail or neutral. */
  qualifier: '+' | '-' | '~' | '?'
  name: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists'
  /** The domain or the network after the colon; empty where there is none. It may have macros. */
  value: string
}

/** An SPF record. What stands behind `all` is not read, and left out. */
export interface SpfRecord {
  mechanisms: SpfMechanism[]
  /** The domain whose record is read where no mechanism matches. */
  redirect: string | undefined
}

/** A record starts with its version, and a space where more follows (RFC 7208, section 4.5). */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

const domainSpec = '[!-~]+'
const lengths = '(?:/(?:\\d|[12]\\d|3[0-2]))?(?://\\d{1,3})?'
const syntax: Readonly<Record<SpfMechanism['name'], RegExp>> = {
  all: /^$/,
  include: new RegExp(`^:${domainSpec}$`),
  exists: new RegExp(`^:${domainSpec}$`),
  a: new RegExp(`^(?::[!-.0-~]+)?${lengths}$`),
  mx: new RegExp(`^(?::[!-.0-~]+)?${lengths}$`),
  ptr: new RegExp(`^(?::${domainSpec})?$`),
  ip4: /^:\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/,
  ip6: /^:[\da-f:.]+(?:\/\d{1,3})?$/i,
}

/**
 * Parses an SPF record. A fault anywhere makes receivers ignore the whole record.
 * @returns The text of the first term that is wrong, in place of a record.
 * @see RFC 7208, sections 4.6 and 12
 */
export function parseSpfRecord(text: string): SpfRecord | { wrong: string } {
  const mechanisms: SpfMechanism[] = []
  let redirect: string | undefined
  for (const term of text.split(' ').slice(1)) {
    if (term === '') continue
    const modifier = /^([a-z][\w.-]*)=(.*)$/i.exec(term)
    if (modifier !== null) {
      const [, name = '', value = ''] = modifier
      if (name.toLowerCase() !== 'redirect') continue
      if (redirect !== undefined || !/^[!-~]+$/.test(value)) return { wrong: term }
      redirect = value
      continue
    }
    const mechanism = parseMechanism(term)
    if (mechanism === undefined) return { wrong: term }
    mechanisms.push(mechanism)
  }
  const end = mechanisms.findIndex(({ name }) => name === 'all')
  if (end === -1) return { mechanisms, redirect }
  return { mechanisms: mechanisms.slice(0, end + 1), redirect: undefined }
}

function parseMechanism(text: string): SpfMechanism | undefined {
  const [, sign = '', word = '', rest = ''] = /^([+\-~?]?)([a-z]\w*)(.*)$/i.exec(text) ?? []
  const name = word.toLowerCase()
  if (!Object.hasOwn(syntax, name)) return undefined
  const mechanism = name as SpfMechanism['name']
  if (!syntax[mechanism].test(rest)) return undefined
  const isHost = mechanism === 'a' || mechanism === 'mx'
  const value = (isHost ? rest.replace(/\/.*$/, '') : rest).replace(/^:/, '')
  const qualifier = (sign === '' ? '+' : sign) as SpfMechanism['qualifier']
  return { text, qualifier, name: mechanism, value }
}
