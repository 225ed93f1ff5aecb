import { textOf } from '../../api/json.ts'
import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  findObject,
  hasAll,
  idOf,
  isApiDsn,
  readAccountDsn,
  union,
  WebhookApi,
} from '../webhook-api.ts'

const events = [
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.suppressed',
]

/**
 * Adds a webhook.
 * @see https://resend.com/docs/api-reference/webhooks/create-webhook
 */
export async function createResendWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  const isApi = isApiDsn(dsn)
  const key = asWebhookError(() =>
    isApi ? dsn.requireUser('the API key') : dsn.requirePassword('the API key'),
  )
  const api = new WebhookApi({
    title: 'Resend',
    endpoint: isApi ? apiEndpoint(dsn, 'api.resend.com') : 'https://api.resend.com',
    headers: { authorization: `Bearer ${key}` },
    secrets: [key],
    permission:
      'A key with "Sending access" may only send: use one with "Full access" (Resend, API Keys), or set the webhook up by hand as the steps say.',
    url: options.url,
    fetch: options.fetch,
  })
  const listed = await api.call('GET', '/webhooks?limit=100')
  const webhook = findObject(listed['data'], 'endpoint', options.url)
  if (webhook === undefined) {
    const created = await api.call('POST', '/webhooks', { endpoint: options.url, events })
    return { signingKey: textOf(created['signing_secret']) || null }
  }
  if (!hasAll(webhook['events'], events) || webhook['status'] === 'disabled')
    await api.call('PATCH', `/webhooks/${idOf(webhook)}`, {
      events: union(webhook['events'], events),
      status: 'enabled',
    })
  const details = await api.call('GET', `/webhooks/${idOf(webhook)}`)
  return { signingKey: textOf(details['signing_secret']) || null }
}
