import type { ProviderDomains } from '../domains/provider-domains.ts'
import type { TokenGrant } from '../oauth/token-grant.ts'
import { Secret } from '../secret.ts'
import { type DsnReader, invalidOption } from './dsn-reader.ts'
import { httpsEndpoint } from './provider.ts'
import { type FieldDescription, secretField, textField } from './provider-form.ts'

/** Where the applications of a tenant are listed. */
export const applicationsPage =
  'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade'

/** Creates the fields of an application: id, secret and tenant. */
export function entraFields(help: string): readonly FieldDescription[] {
  return [
    textField('user', 'Application (client) id', {
      example: '11111111-2222-3333-4444-555555555555',
      help,
    }),
    secretField('password', 'Client secret', {
      example: 'sample~secret',
      help: 'The value, not the id, of a client secret.',
    }),
    textField('tenantId', 'Directory (tenant) id', {
      example: '66666666-7777-8888-9999-000000000000',
      help: 'On the overview of the app registration. Or a domain of the tenant.',
    }),
  ]
}

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
  throw invalidOption('tenantId', 'must be the directory (tenant) id, or a domain of the tenant.')
}

/** Reads the log-in host. Each national cloud has its own. */
function readEndpoint({ options }: DsnReader): string {
  const text = options.text('authEndpoint') ?? ''
  if (text === '') return 'https://login.microsoftonline.com'
  const [, host = '', port] = /^([A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (host !== '') return httpsEndpoint(host, port === undefined ? undefined : Number(port))
  throw invalidOption('authEndpoint', 'must be a host, such as login.microsoftonline.us.')
}

const target =
  /^selector[12]-[a-z0-9-]+\._domainkey\.[a-z0-9.-]+\.(onmicrosoft\.(com|us)|onmschina\.cn|dkim\.mail\.microsoft)$/i

/**
 * Exchange Online signs for the tenant (`tenant.onmicrosoft.com`, with another selector) until an administrator turns
 * DKIM on for the domain, which DNS does not show. The targets of the CNAMEs have two forms.
 * @see https://learn.microsoft.com/defender-office-365/email-authentication-dkim-configure
 */
export const microsoft365Domains: ProviderDomains = {
  selectors: [
    { name: 'selector1', target },
    { name: 'selector2', target },
  ],
  include: 'spf.protection.outlook.com',
  link: 'https://learn.microsoft.com/defender-office-365/email-authentication-dkim-configure',
}
