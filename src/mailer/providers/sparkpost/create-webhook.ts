import { isApiDsn } from '../account-api.ts'
import { apiKey } from '../provider.ts'
import { changesOf, findObject, idOf, type WebhookSetup } from '../webhook-api.ts'

const path = '/api/v1/webhooks'

const events = [
  'delivery',
  'delay',
  'bounce',
  'out_of_band',
  'policy_rejection',
  'generation_failure',
  'generation_rejection',
  'spam_complaint',
  'list_unsubscribe',
  'link_unsubscribe',
]

/**
 * SparkPost tests the address before it answers.
 * @see https://developers.sparkpost.com/api/webhooks/
 */
export const sparkpostSetup: WebhookSetup = {
  title: 'SparkPost',
  permission:
    'Give the API key the permission "Event Webhooks: Read/Write" (SparkPost, Configuration, API Keys), and check the region of the DSN.',
  host({ host, options }) {
    const regionOfHost = /^smtp\.([\w-]+)\.sparkpostmail\.com$/i.exec(host)?.[1]
    const region = regionOfHost ?? options.word('region') ?? 'us'
    return region === 'us' ? 'api.sparkpost.com' : `api.${region}.sparkpost.com`
  },
  login(dsn) {
    // The SMTP password is an API key.
    const key = isApiDsn(dsn) ? apiKey(dsn, 'the API key') : dsn.requirePassword('the API key')
    return { headers: { authorization: key }, secrets: [key] }
  },
  async add(api) {
    const listed = await api.call('GET', path)
    const webhook = findObject(listed['results'], 'target', api.url)
    if (webhook === undefined) {
      const body = { name: 'Mailyard', target: api.url, auth_type: 'none', events }
      await api.call('POST', path, body)
      return null
    }
    const changes = changesOf(webhook, { events, active: true })
    if (changes !== undefined) await api.call('PUT', `${path}/${idOf(webhook)}`, changes)
    return null
  },
}
