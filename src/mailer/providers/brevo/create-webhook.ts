import { changesOf, findObject, idOf, type WebhookSetup } from '../webhook-api.ts'

const path = '/v3/webhooks'

const events = [
  'delivered',
  'deferred',
  'hardBounce',
  'softBounce',
  'blocked',
  'invalid',
  'spam',
  'unsubscribed',
]

/**
 * A webhook for transactional email.
 * @see https://developers.brevo.com/reference/create-webhook
 */
export const brevoSetup: WebhookSetup = {
  title: 'Brevo',
  apiScheme: 'brevo+api',
  permission:
    'Check that the API key is active and that the address of this server is an authorised IP (Brevo, Settings, Security, Authorised IPs).',
  host: () => 'api.brevo.com',
  login(dsn) {
    const key = dsn.requireUser('the API key')
    return { headers: { 'api-key': key }, secrets: [key] }
  },
  async add(api) {
    // An account without webhooks is answered 400 or 404, document_not_found.
    const listed = await api.tryCall([400, 404], 'GET', `${path}?type=transactional`)
    const webhook = findObject(listed?.['webhooks'], 'url', api.url)
    if (webhook === undefined) {
      await api.call('POST', path, {
        url: api.url,
        description: 'Mailyard',
        type: 'transactional',
        channel: 'email',
        events,
      })
      return null
    }
    const changes = changesOf(webhook, { events })
    if (changes !== undefined) await api.call('PUT', `${path}/${idOf(webhook)}`, changes)
    return null
  },
}
