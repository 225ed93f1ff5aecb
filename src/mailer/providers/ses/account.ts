import { Secret } from '../../secret.ts'
import { type DsnReader, invalidOption } from '../dsn-reader.ts'
import { apiEndpoint, isPlugin } from '../provider.ts'
import type { SigningScope } from './sign-v4.ts'

/** What signs the requests of a DSN, but the time. */
export type Signing = Omit<SigningScope, 'now'>

/** Reads the access key of a DSN. */
export function readSigning(dsn: DsnReader): Signing {
  const token = dsn.options.text('session_token') ?? ''
  return {
    // Symfony falls back to the credentials of the machine, which users of a DSN must not use.
    accessKeyId: dsn.requireUser('the access key id'),
    secretAccessKey: new Secret(dsn.requirePassword('the secret access key')),
    sessionToken: token === '' ? null : new Secret(token),
    region: readRegion(dsn),
    service: 'ses',
  }
}

/** Reads the endpoint. A plug-in of Mautic has it in an option, as a host or a URL. */
export function readEndpoint(dsn: DsnReader): string {
  const endpoint = isPlugin(dsn) ? (dsn.options.text('endpoint') ?? '') : ''
  if (endpoint === '') return apiEndpoint(dsn, `email.${readRegion(dsn)}.amazonaws.com`)
  if (/^(https:\/\/)?[A-Za-z0-9.-]+(:\d{1,5})?\/?$/.test(endpoint))
    return `https://${endpoint.replace(/^https:\/\//, '').replace(/\/$/, '')}`
  throw invalidOption('endpoint', 'must be a host or an https URL.')
}

/** The region of a DSN without one: Symfony's default, Ireland. */
export const standardRegion = 'eu-west-1'

/** Reads the AWS region of a DSN. */
export function readRegion({ options }: DsnReader): string {
  return options.word('region') ?? standardRegion
}
