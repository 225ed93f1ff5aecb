import { textOf } from '../../api/json.ts'
import { isApiDsn } from '../account-api.ts'
import { changesOf, findObject, idOf, type WebhookSetup } from '../webhook-api.ts'

const events = [
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.suppressed',
]

/** @see https://resend.com/docs/api-reference/webhooks/create-webhook */
export const resendSetup: WebhookSetup = {
  title: 'Resend',
  permission:
    'A key with "Sending access" may only send: use one with "Full access" (Resend, API Keys), or set the webhook up by hand as the steps say.',
  host: () => 'api.resend.com',
  login(dsn) {
    const key = isApiDsn(dsn) ? dsn.requireUser('the API key') : dsn.requirePassword('the API key')
    return { headers: { authorization: `Bearer ${key}` }, secrets: [key] }
  },
  async add(api) {
    const listed = await api.call('GET', '/webhooks?limit=100')
    const webhook = findObject(listed['data'], 'endpoint', api.url)
    if (webhook === undefined) {
      const created = await api.call('POST', '/webhooks', { endpoint: api.url, events })
      return textOf(created['signing_secret'])
    }
    const path = `/webhooks/${idOf(webhook)}`
    const changes = changesOf(webhook, { events, status: 'enabled' })
    if (changes !== undefined) await api.call('PATCH', path, changes)
    return textOf((await api.call('GET', path))['signing_secret'])
  },
}
