import type { DsnReader } from '../dsn-reader.ts'
import { createMimeAdapter, domainOption } from '../mailgun/messages-mime.ts'
import { type ApiScheme, apiKey, httpsEndpoint, isPlugin, type Provider } from '../provider.ts'
import { hostField, keyField, regionField } from '../provider-form.ts'

/**
 * Omnivery implements Mailgun's API with its own hosts and keys.
 * @see https://docs.omnivery.com/api-ref/mailgun-api
 */
const omniveryApi: ApiScheme = {
  kind: 'api',
  names: ['omnivery+api', 'mautic+omnivery+api'],
  publicOptions: ['domain', 'maxBatchLimit', 'region'],
  form: {
    pluginOptions: { maxBatchLimit: null },
    hasPluginHost: true,
    fields: [
      keyField('API token', 'A token of the domain, from "Credentials", "API Keys".'),
      hostField('domain', 'Sending domain', { example: 'mg.example.com' }),
      regionField(
        { us: 'United States', eu: 'Europe' },
        { example: 'eu', help: 'Empty for the nearest server.' },
      ),
    ],
  },
  read(dsn) {
    // The plug-in's batch size; here each message is one call.
    dsn.options.text('maxBatchLimit')
    return createMimeAdapter({
      endpoint: readEndpoint(dsn),
      key: apiKey(dsn, 'the API key'),
      domain: domainOption(dsn),
    })
  },
}

/** Reads the endpoint. Unlike other plug-ins of Mautic, this one uses the host of the DSN, but not its port. */
function readEndpoint(dsn: DsnReader): string {
  const region = dsn.options.word('region')
  const host = region === undefined ? 'mg-api.omnivery.net' : `${region}.mg-api.omnivery.net`
  return httpsEndpoint(dsn.hasDefaultHost ? host : dsn.host, isPlugin(dsn) ? undefined : dsn.port)
}

/**
 * Omnivery.
 * @see https://docs.omnivery.com/docs/sending/email
 */
export const omnivery: Provider = {
  name: 'omnivery',
  title: 'Omnivery',
  form: { link: 'https://docs.omnivery.com/docs/sending/email' },
  // Each domain has records that only the account knows.
  domains: { link: 'https://docs.omnivery.com/docs/sending/email' },
  schemes: [omniveryApi],
  accountDomain: domainOption,
}
