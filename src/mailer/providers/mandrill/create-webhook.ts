import { textOf } from '../../api/json.ts'
import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  findObject,
  hasAll,
  isApiDsn,
  readAccountDsn,
  union,
  WebhookApi,
} from '../webhook-api.ts'

const events = ['delivered', 'deferral', 'hard_bounce', 'soft_bounce', 'spam', 'unsub', 'reject']

/**
 * Adds a webhook. Mandrill tests the address before it answers.
 * @see https://mailchimp.com/developer/transactional/api/webhooks/
 */
export async function createMandrillWebhook({ url, dsn: text, fetch }: CreateWebhookOptions) {
  const dsn = readAccountDsn(text)
  const isApi = isApiDsn(dsn)
  // The user name of an SMTP log-in is any text.
  const key = asWebhookError(() =>
    isApi ? dsn.requireUser('the API key') : dsn.requirePassword('the API key'),
  )
  const api = new WebhookApi({
    title: 'Mailchimp Transactional',
    endpoint: isApi ? apiEndpoint(dsn, 'mandrillapp.com') : 'https://mandrillapp.com',
    secrets: [key],
    permission:
      'Allow the API key the calls "webhooks" (Mailchimp Transactional, Settings, SMTP & API info), or use a key without restrictions.',
    url,
    fetch,
  })
  const listed = await api.list('POST', '/api/1.0/webhooks/list.json', { key })
  const webhook = findObject(listed, 'url', url)
  if (webhook === undefined) {
    const body = { key, url, description: 'Mailyard', events }
    const created = await api.call('POST', '/api/1.0/webhooks/add.json', body)
    return { signingKey: textOf(created['auth_key']) || null }
  }
  if (!hasAll(webhook['events'], events)) {
    const body = { key, id: webhook['id'], url, events: union(webhook['events'], events) }
    await api.call('POST', '/api/1.0/webhooks/update.json', body)
  }
  return { signingKey: textOf(webhook['auth_key']) || null }
}
