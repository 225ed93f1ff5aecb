import type { SingleDsn } from '../grammar/dsn.ts'
import { asciiHost } from '../providers/dsn-reader.ts'
import { variantsOf } from '../providers/provider.ts'
import { findProvider } from '../providers/registry.ts'
import { type ParsedSingleDsn, serverOf } from './parsed-dsn.ts'
import { secretSpans } from './secret-spans.ts'

/** Finds the parts of a DSN with which it cannot work, or that change nothing: one sentence each, without secrets. */
export function* partWarnings(dsn: SingleDsn, parsed: ParsedSingleDsn): Generator<string> {
  const { scheme, host, port } = dsn
  const { kind, provider } = parsed
  for (const { part, value } of secretSpans(dsn)) {
    if (part === 'fragment') yield 'Everything from "#" on is ignored; write "#" as %23.'
    if (part === 'path') yield 'The path after the host is ignored; write options after "?".'
    // In an option "+" stands for a space. A password for SMTP may have one; no key has.
    if (value.includes(' ') && (part.startsWith('?') || kind === 'api' || provider === 'ses'))
      yield `The ${part.replace('?', 'option ')} has a space, which no key has; write "+" as %2B.`
    if (/^\$\{?[A-Z]\w*\}?$|\$\{\w+\}/.test(value))
      yield `The ${part.replace('?', 'option ')} has a variable, which is not replaced; write its value.`
  }
  // The form of Mautic writes some host and port for its plug-ins.
  if (scheme.startsWith('mautic+')) return
  const server = serverOf(parsed)
  if (server === undefined) {
    if (port !== undefined || dsn.user !== undefined)
      yield `${scheme}:// has no server; leave out user, password and port, which it ignores.`
    return
  }
  const isApi = kind === 'api'
  const { tls } = server
  if (host !== 'default' && asciiHost(host).toLowerCase() !== server.host.toLowerCase())
    yield `The host of the DSN is not used: ${scheme} always connects to ${server.host}; write "default".`
  if (port !== undefined && port !== server.port)
    yield `The port of the DSN is not used: ${scheme} always connects to ${server.port}; leave it out.`
  else if (isApi && [25, 80, 465, 587, 2525].includes(server.port))
    yield `Port ${port} is not one of HTTPS, which ${scheme} uses; leave the port out.`
  else if (!isApi && [80, 110, 143, 443, 993, 995].includes(server.port))
    yield `Port ${port} is not one of SMTP; write 587, or 465 for smtps.`
  else if (!isApi && tls === 'implicit' && [25, 587].includes(server.port))
    yield `Port ${port} begins without TLS, and ${scheme} with it; write smtp://, or port 465.`
  else if (tls !== 'implicit' && server.port === 465)
    yield 'Port 465 begins with TLS; leave out auto_tls=0, or write port 587.'
  // At Amazon the region is part of each signature.
  if (isApi && dsn.options.has('region') && host !== 'default' && provider !== 'ses')
    yield 'The option region is not used where a host is written; write "default" as the host.'
  const region = dsn.options.get('region')?.value ?? ''
  const regions = regionsOf(provider)
  // Amazon and Scaleway add regions.
  const isKnown = /^[a-z]{2}(-[a-z]+)+(-\d)?$/.test(region) || regions.includes(region)
  if (region !== '' && host === 'default' && regions.length > 0 && !isKnown)
    yield `The option region is none of ${provider}; write one such as ${regions.slice(0, 2).join(' or ')}.`
}

/** The regions that the form of a provider offers. */
function regionsOf(provider: string | null): string[] {
  const known = findProvider(provider ?? '')
  const fields = known === undefined ? [] : variantsOf(known).flatMap(({ fields }) => fields)
  return fields.find(({ name }) => name === 'region')?.options.map(({ value }) => value) ?? []
}
