import { isObject } from '../../api/json.ts'
import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  findObject,
  idOf,
  isApiDsn,
  readAccountDsn,
  WebhookApi,
} from '../webhook-api.ts'

const triggers = {
  Delivery: { Enabled: true },
  Bounce: { Enabled: true, IncludeContent: false },
  SpamComplaint: { Enabled: true, IncludeContent: false },
  SubscriptionChange: { Enabled: true },
}

/**
 * Adds a webhook to the message stream of the DSN.
 * @see https://postmarkapp.com/developer/api/webhooks-api
 */
export async function createPostmarkWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  const token = asWebhookError(
    () => dsn.user ?? dsn.password ?? dsn.requireUser('the server API token'),
  )
  const api = new WebhookApi({
    title: 'Postmark',
    endpoint: isApiDsn(dsn)
      ? apiEndpoint(dsn, 'api.postmarkapp.com')
      : 'https://api.postmarkapp.com',
    headers: { 'x-postmark-server-token': token },
    secrets: [token],
    permission: 'Use the server API token of the server (Postmark, Server, API Tokens) in the DSN.',
    url: options.url,
    fetch: options.fetch,
  })
  const stream = asWebhookError(() => streamOf(dsn))
  const listed = await api.call('GET', `/webhooks?MessageStream=${encodeURIComponent(stream)}`)
  const webhook = findObject(listed['Webhooks'], 'Url', options.url)
  if (webhook === undefined)
    await api.call('POST', '/webhooks', {
      Url: options.url,
      MessageStream: stream,
      Triggers: triggers,
    })
  else if (!isComplete(webhook['Triggers']))
    await api.call('PUT', `/webhooks/${idOf(webhook, 'ID')}`, {
      Url: options.url,
      Triggers: { ...(isObject(webhook['Triggers']) ? webhook['Triggers'] : {}), ...triggers },
    })
  return { signingKey: null }
}

function isComplete(existing: unknown): boolean {
  if (!isObject(existing)) return false
  return Object.keys(triggers).every((name) => {
    const trigger = existing[name]
    return isObject(trigger) && trigger['Enabled'] === true
  })
}

function streamOf({ host, options }: DsnReader): string {
  const named = options.text('message_stream') || options.text('messageStream')
  const isBroadcast = host.toLowerCase() === 'smtp-broadcasts.postmarkapp.com'
  return named || (isBroadcast ? 'broadcast' : 'outbound')
}
