import { basicAuthorization, isObject, textOf, textsOf } from '../../api/json.ts'
import { apiKey, isPlugin } from '../provider.ts'
import { hostOf, type WebhookSetup } from '../webhook-api.ts'
import { domainOf } from './messages-mime.ts'

const events = ['delivered', 'temporary_fail', 'permanent_fail', 'complained', 'unsubscribed']

/** Mailgun's limit for each event. */
const urlsMax = 3

/**
 * The address for the events of the domain, beside up to two others.
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/domain-webhooks
 */
export const mailgunSetup: WebhookSetup = {
  title: 'Mailgun',
  apiScheme: 'mailgun+api',
  permission:
    'A sending key of a domain may only send: set the webhook up with an API key of the account with the role "Admin" or "Developer" (Mailgun, API security), or by hand as the steps say. Check the region of the DSN, too.',
  host({ options }) {
    const region = options.word('region') ?? 'us'
    return region === 'us' ? 'api.mailgun.net' : `api.${region}.mailgun.net`
  },
  login(dsn) {
    const key = isPlugin(dsn) ? apiKey(dsn, 'the API key') : dsn.requireUser('the API key')
    return { headers: { authorization: basicAuthorization('api', key) }, secrets: [key] }
  },
  async add(api, dsn) {
    const domain = domainOf(dsn)
    const listed = await api.call('GET', `/v3/domains/${domain}/webhooks`)
    const webhooks = isObject(listed['webhooks']) ? listed['webhooks'] : {}
    const urlsOf = (event: string): string[] => {
      const webhook = webhooks[event]
      return isObject(webhook) ? textsOf(webhook['urls']) : []
    }
    const missing = events.filter((event) => !urlsOf(event).includes(api.url))
    const full = missing.find((event) => urlsOf(event).length >= urlsMax)
    if (full !== undefined)
      throw api.impossible(
        `Mailgun allows ${urlsMax} addresses for each event, and "${full}" of ${domain} has ${urlsMax} already (${urlsOf(full).map(hostOf).join(', ')}). Delete one in Mailgun (Sending, Webhooks), and try again.`,
      )
    if (missing.length > 0) {
      const own = Object.keys(webhooks).filter((event) => urlsOf(event).includes(api.url))
      // Both concern this address only: PUT sets all events of it.
      const form = new URLSearchParams({ url: api.url })
      for (const event of new Set([...own, ...events])) form.append('event_types', event)
      await api.call(own.length === 0 ? 'POST' : 'PUT', `/v4/domains/${domain}/webhooks`, form)
    }
    // Not every key may read it.
    const signing = await api.tryCall([400, 401, 403, 404], 'GET', '/v5/accounts/http_signing_key')
    return textOf(signing?.['http_signing_key'])
  },
}
