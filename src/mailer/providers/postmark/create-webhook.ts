import { isObject } from '../../api/json.ts'
import { memberOf } from '../../events/event-fields.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { apiKey } from '../provider.ts'
import { findObject, idOf, type WebhookSetup } from '../webhook-api.ts'

const triggers = {
  Delivery: { Enabled: true },
  Bounce: { Enabled: true, IncludeContent: false },
  SpamComplaint: { Enabled: true, IncludeContent: false },
  SubscriptionChange: { Enabled: true },
}

/**
 * A webhook of the message stream of the DSN.
 * @see https://postmarkapp.com/developer/api/webhooks-api
 */
export const postmarkSetup: WebhookSetup = {
  title: 'Postmark',
  permission: 'Use the server API token of the server (Postmark, Server, API Tokens) in the DSN.',
  host: () => 'api.postmarkapp.com',
  login(dsn) {
    const token = apiKey(dsn, 'the server API token')
    return { headers: { 'x-postmark-server-token': token }, secrets: [token] }
  },
  async add(api, dsn) {
    const stream = streamOf(dsn)
    const listed = await api.call('GET', `/webhooks?MessageStream=${encodeURIComponent(stream)}`)
    const webhook = findObject(listed['Webhooks'], 'Url', api.url)
    const body = { Url: api.url, MessageStream: stream, Triggers: triggers }
    if (webhook === undefined) await api.call('POST', '/webhooks', body)
    else if (!isComplete(webhook))
      await api.call('PUT', `/webhooks/${idOf(webhook, 'ID')}`, {
        Url: api.url,
        Triggers: { ...(isObject(webhook['Triggers']) ? webhook['Triggers'] : {}), ...triggers },
      })
    return null
  },
}

function isComplete(webhook: unknown): boolean {
  return Object.keys(triggers).every(
    (name) => memberOf(webhook, 'Triggers', name, 'Enabled') === true,
  )
}

function streamOf({ host, options }: DsnReader): string {
  const named = options.text('message_stream') || options.text('messageStream')
  const isBroadcast = host.toLowerCase() === 'smtp-broadcasts.postmarkapp.com'
  return named || (isBroadcast ? 'broadcast' : 'outbound')
}
