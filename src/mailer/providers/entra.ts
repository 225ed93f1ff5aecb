import { DsnError } from '../grammar/dsn.ts'
import type { TokenGrant } from '../oauth/token-grant.ts'
import { Secret } from '../secret.ts'
import type { DsnReader } from './dsn-reader.ts'
import { httpsEndpoint } from './provider.ts'

/**
 * Reads the application of Microsoft Entra ID that logs in: id, secret, tenant and cloud.
 * @throws {DsnError}
 * @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export function readEntraGrant(dsn: DsnReader, scope: string): TokenGrant {
  return {
    type: 'client_credentials',
    issuer: 'entra',
    tokenUrl: `${readEndpoint(dsn)}/${readTenant(dsn)}/oauth2/v2.0/token`,
    clientId: dsn.requireUser('the application (client) id'),
    clientSecret: new Secret(dsn.requirePassword('the client secret')),
    scope,
  }
}

/** Reads the tenant: an id, or a domain, whose dots `options.word` would refuse. */
function readTenant({ options }: DsnReader): string {
  const tenant = options.text('tenantId') ?? ''
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(tenant)) return tenant
  throw new DsnError(
    'invalid_option',
    'The option tenantId must be the directory (tenant) id, or a domain of the tenant.',
    'tenantId',
  )
}

/** Reads the log-in host. Each national cloud has its own. */
function readEndpoint({ options }: DsnReader): string {
  const text = options.text('authEndpoint') ?? ''
  if (text === '') return 'https://login.microsoftonline.com'
  const [, host = '', port] = /^([A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (host !== '') return httpsEndpoint(host, port === undefined ? undefined : Number(port))
  throw new DsnError(
    'invalid_option',
    'The option authEndpoint must be a host, such as login.microsoftonline.us.',
    'authEndpoint',
  )
}
