import { apiKey, httpsEndpoint, isPlugin } from '../api-endpoint.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { createMimeAdapter } from '../mailgun/messages-mime.ts'
import { domainOption } from '../mailgun/sending-domain.ts'
import type { ApiScheme } from '../provider.ts'

/**
 * Omnivery speaks Mailgun's API with other hosts and keys.
 * https://docs.omnivery.com/api-ref/mailgun-api
 */
export const omniveryApi: ApiScheme = {
  kind: 'api',
  names: ['omnivery+api', 'mautic+omnivery+api'],
  isUserSecret: true,
  publicOptions: ['domain', 'maxBatchLimit', 'region'],
  read(dsn) {
    // The plug-in's number of messages in one call; here each message is one.
    dsn.options.text('maxBatchLimit')
    return createMimeAdapter({
      endpoint: readEndpoint(dsn),
      key: apiKey(dsn, 'the API key'),
      domain: domainOption(dsn),
    })
  },
}

/** This plug-in of Mautic means the host behind the `@`, such as eu.mg-api.omnivery.net, but no port. */
function readEndpoint(dsn: DsnReader): string {
  const region = dsn.options.word('region')
  const own = region === undefined ? 'mg-api.omnivery.net' : `${region}.mg-api.omnivery.net`
  return httpsEndpoint(dsn.hasDefaultHost ? own : dsn.host, isPlugin(dsn) ? undefined : dsn.port)
}
