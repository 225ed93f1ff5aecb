import { apiEndpoint, apiKey, isPlugin } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'
import { createMimeAdapter } from './messages-mime.ts'
import { domainOption, sendingDomain } from './sending-domain.ts'

/** Mailgun's messages.mime for all of Symfony's Mailgun API schemes, and for the plug-in of Mautic. */
export const mailgunApi: ApiScheme = {
  kind: 'api',
  names: ['mailgun', 'mailgun+https', 'mailgun+api', 'mautic+mailgun+api'],
  isUserSecret: true,
  publicOptions: ['domain', 'maxBatchLimit', 'region'],
  read(dsn) {
    // The plug-in's number of messages in one call; here each message is one.
    dsn.options.text('maxBatchLimit')
    const region = dsn.options.word('region') ?? 'us'
    const host = region === 'us' ? 'api.mailgun.net' : `api.${region}.mailgun.net`
    return createMimeAdapter({
      endpoint: apiEndpoint(dsn, host),
      key: isPlugin(dsn) ? apiKey(dsn, 'the API key') : dsn.requireUser('the API key'),
      // Symfony has the domain in the password part, the plug-in in an option.
      domain: isPlugin(dsn)
        ? domainOption(dsn)
        : sendingDomain(dsn.requirePassword('the sending domain')),
    })
  },
}
