import { basicAuthorization, objectsOf } from '../../api/json.ts'
import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  hostOf,
  idOf,
  isApiDsn,
  readAccountDsn,
  WebhookApi,
} from '../webhook-api.ts'

const events = ['sent', 'bounce', 'blocked', 'spam', 'unsub']

const path = '/v3/REST/eventcallbackurl'

/**
 * Sets the address for each event. Mailjet calls one address for an event, so one of others is left in place.
 * @see https://dev.mailjet.com/email/reference/webhook/
 */
export async function createMailjetWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  const { key, secret } = asWebhookError(() => ({
    key: dsn.requireUser('the API key'),
    secret: dsn.requirePassword('the secret key'),
  }))
  const api = new WebhookApi({
    title: 'Mailjet',
    endpoint: isApiDsn(dsn) ? apiEndpoint(dsn, 'api.mailjet.com') : 'https://api.mailjet.com',
    headers: { authorization: basicAuthorization(key, secret) },
    secrets: [key, secret],
    permission: 'Check API key and secret key in the DSN (Mailjet, Account, API key management).',
    url: options.url,
    fetch: options.fetch,
  })
  const listed = await api.call('GET', `${path}?Limit=100`)
  const callbacks = objectsOf(listed['Data']).filter(({ IsBackup }) => IsBackup !== true)
  const callbackOf = (event: string) => callbacks.find(({ EventType }) => EventType === event)
  const taken = events.filter((event) => {
    const callback = callbackOf(event)
    return callback !== undefined && callback['Url'] !== options.url
  })
  if (taken.length > 0) {
    const named = taken.map((event) => `"${event}" calls ${hostOf(callbackOf(event)?.['Url'])}`)
    throw api.impossible(
      `Mailjet calls one address for each event, and others are set: ${named.join(', ')}. Nothing was changed. Remove these in Mailjet (Account, Event notifications), and try again; or leave them, and have that application pass the events on.`,
    )
  }
  for (const event of events) {
    const callback = callbackOf(event)
    if (callback === undefined)
      // Version 2 groups events.
      await api.call('POST', path, { EventType: event, Url: options.url, Version: 2 })
    else if (callback['Status'] === 'dead')
      await api.call('PUT', `${path}/${idOf(callback, 'ID')}`, { Status: 'alive' })
  }
  return { signingKey: null }
}
