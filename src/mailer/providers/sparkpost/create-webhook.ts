import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { apiEndpoint, apiKey } from '../provider.ts'
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
 * Adds a webhook. SparkPost tests the address before it answers.
 * @see https://developers.sparkpost.com/api/webhooks/
 */
export async function createSparkpostWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  // The SMTP password is an API key.
  const key = asWebhookError(() =>
    isApiDsn(dsn) ? apiKey(dsn, 'the API key') : dsn.requirePassword('the API key'),
  )
  const api = new WebhookApi({
    title: 'SparkPost',
    endpoint: asWebhookError(() => endpointOf(dsn)),
    headers: { authorization: key },
    secrets: [key],
    permission:
      'Give the API key the permission "Event Webhooks: Read/Write" (SparkPost, Configuration, API Keys), and check the region of the DSN.',
    url: options.url,
    fetch: options.fetch,
  })
  const listed = await api.call('GET', '/api/v1/webhooks')
  const webhook = findObject(listed['results'], 'target', options.url)
  if (webhook === undefined)
    await api.call('POST', '/api/v1/webhooks', {
      name: 'Mailyard',
      target: options.url,
      auth_type: 'none',
      events,
    })
  else if (!hasAll(webhook['events'], events) || webhook['active'] === false)
    await api.call('PUT', `/api/v1/webhooks/${idOf(webhook)}`, {
      events: union(webhook['events'], events),
      active: true,
    })
  return { signingKey: null }
}

function endpointOf(dsn: DsnReader): string {
  const regionOfHost = /^smtp\.([\w-]+)\.sparkpostmail\.com$/i.exec(dsn.host)?.[1]
  const region = regionOfHost ?? dsn.options.word('region') ?? 'us'
  const host = region === 'us' ? 'api.sparkpost.com' : `api.${region}.sparkpost.com`
  return isApiDsn(dsn) ? apiEndpoint(dsn, host) : `https://${host}`
}
