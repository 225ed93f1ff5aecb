import { objectsOf, textOf } from '../../api/json.ts'
import type { CreateWebhookOptions } from '../../events/provider-webhooks.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  findObject,
  hostOf,
  idOf,
  isApiDsn,
  readAccountDsn,
  WebhookApi,
} from '../webhook-api.ts'

const settings = '/v3/user/webhooks/event/settings'

const events = {
  delivered: true,
  deferred: true,
  bounce: true,
  dropped: true,
  spam_report: true,
  unsubscribe: true,
  group_unsubscribe: true,
}

const others = { processed: false, open: false, click: false, group_resubscribe: false }

/**
 * Adds an event webhook with a signature.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/webhooks/create-an-event-webhook
 */
export async function createSendgridWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  const key = asWebhookError(() => keyOf(dsn))
  const api = new WebhookApi({
    title: 'SendGrid',
    endpoint: asWebhookError(() => endpointOf(dsn)),
    headers: { authorization: `Bearer ${key}` },
    secrets: [key],
    permission:
      'Give the API key full access to "Mail Settings", "Event Notification" (the scopes user.webhooks.event.settings.*; SendGrid, Settings, API Keys).',
    url: options.url,
    fetch: options.fetch,
  })
  const listed = await api.call('GET', `${settings}/all`)
  const webhook = findObject(listed['webhooks'], 'url', options.url)
  if (webhook === undefined) {
    refuseIfFull(api, listed)
    const created = await api.call('POST', settings, {
      ...events,
      ...others,
      enabled: true,
      url: options.url,
      friendly_name: 'Mailyard',
    })
    return { signingKey: await sign(api, idOf(created)) }
  }
  const isComplete = Object.keys(events).every((name) => webhook[name] === true)
  if (!isComplete || webhook['enabled'] !== true)
    await api.call('PATCH', `${settings}/${idOf(webhook)}`, {
      ...others,
      ...pickFlags(webhook),
      ...events,
      enabled: true,
      url: options.url,
    })
  const signed = await api.call('GET', `${settings}/signed/${idOf(webhook)}`)
  const publicKey = textOf(signed['public_key'])
  return { signingKey: publicKey === '' ? await sign(api, idOf(webhook)) : publicKey }
}

/** Enables the signature, and returns the key to verify it with. */
async function sign(api: WebhookApi, id: string): Promise<string | null> {
  const signed = await api.call('PATCH', `${settings}/signed/${id}`, { enabled: true })
  return textOf(signed['public_key']) || null
}

function refuseIfFull(api: WebhookApi, listed: Readonly<Record<string, unknown>>): void {
  const webhooks = objectsOf(listed['webhooks'])
  const max = listed['max_allowed']
  if (typeof max !== 'number' || webhooks.length < max) return
  const hosts = webhooks.map(({ url }) => hostOf(url)).join(', ')
  throw api.impossible(
    `SendGrid allows ${max} event webhook${max === 1 ? '' : 's'} on this plan, and there ${max === 1 ? 'is one' : `are ${max}`} already (${hosts}). Delete one in SendGrid (Settings, Mail Settings, Event Webhooks), or change its address to the one of Mailyard there.`,
  )
}

/** Other events that the webhook has are kept. */
function pickFlags(webhook: Readonly<Record<string, unknown>>): Record<string, boolean> {
  return Object.fromEntries(
    Object.keys(others).map((name): [string, boolean] => [name, webhook[name] === true]),
  )
}

/** The SMTP password of a DSN with the user "apikey" is the API key. */
function keyOf(dsn: DsnReader): string {
  return dsn.user === 'apikey' && dsn.password !== undefined
    ? dsn.password
    : dsn.requireUser('the API key')
}

function endpointOf(dsn: DsnReader): string {
  const regionOfHost = /^smtp\.([\w-]+)\.sendgrid\.net$/i.exec(dsn.host)?.[1]
  const region = regionOfHost ?? dsn.options.word('region') ?? 'global'
  const host = region === 'global' ? 'api.sendgrid.com' : `api.${region}.sendgrid.com`
  return isApiDsn(dsn) ? apiEndpoint(dsn, host) : `https://${host}`
}
