import { domainToASCII } from 'node:url'
import { DsnError } from '../../grammar/dsn-error.ts'
import type { DsnReader } from '../dsn-reader.ts'

/** A sending domain in ASCII, fit for a path. Throws DsnError for what is no domain. */
export function sendingDomain(text: string): string {
  const domain = domainToASCII(text)
  if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(domain)) return domain
  throw new DsnError('invalid_host', 'The sending domain is no domain name.')
}

/** The sending domain of the option `domain`, as Mautic's plug-ins have it. */
export function domainOption({ options }: DsnReader): string {
  const text = options.text('domain') ?? ''
  if (text !== '') return sendingDomain(text)
  throw new DsnError('invalid_option', 'The DSN needs the option domain, the sending domain.')
}
