import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  findObject,
  hasAll,
  idOf,
  isApiDsn,
  readAccountDsn,
  smtpOnly,
  union,
  WebhookApi,
} from '../webhook-api.ts'

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
 * Adds a webhook for transactional email.
 * @see https://developers.brevo.com/reference/create-webhook
 */
export async function createBrevoWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  if (!isApiDsn(dsn)) throw smtpOnly('Brevo', 'brevo+api')
  const key = asWebhookError(() => dsn.requireUser('the API key'))
  const api = new WebhookApi({
    title: 'Brevo',
    endpoint: apiEndpoint(dsn, 'api.brevo.com'),
    headers: { 'api-key': key },
    secrets: [key],
    permission:
      'Check that the API key is active and that the address of this server is an authorised IP (Brevo, Settings, Security, Authorised IPs).',
    url: options.url,
    fetch: options.fetch,
  })
  // An account without webhooks is answered 400 or 404, document_not_found.
  const listed = await api.tryCall([400, 404], 'GET', '/v3/webhooks?type=transactional')
  const webhook = findObject(listed?.['webhooks'], 'url', options.url)
  if (webhook === undefined)
    await api.call('POST', '/v3/webhooks', {
      url: options.url,
      description: 'Mailyard',
      type: 'transactional',
      channel: 'email',
      events,
    })
  else if (!hasAll(webhook['events'], events))
    await api.call('PUT', `/v3/webhooks/${idOf(webhook)}`, {
      events: union(webhook['events'], events),
    })
  return { signingKey: null }
}
