import { objectsOf, textOf } from '../../api/json.ts'
import { findObject, hostOf, idOf, type WebhookApi, type WebhookSetup } from '../webhook-api.ts'

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
 * An event webhook with a signature.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/webhooks/create-an-event-webhook
 */
export const sendgridSetup: WebhookSetup = {
  title: 'SendGrid',
  permission:
    'Give the API key full access to "Mail Settings", "Event Notification" (the scopes user.webhooks.event.settings.*; SendGrid, Settings, API Keys).',
  host({ host, options }) {
    const regionOfHost = /^smtp\.([\w-]+)\.sendgrid\.net$/i.exec(host)?.[1]
    const region = regionOfHost ?? options.word('region') ?? 'global'
    return region === 'global' ? 'api.sendgrid.com' : `api.${region}.sendgrid.com`
  },
  login(dsn) {
    // The SMTP password of the user "apikey" is the API key.
    const key =
      dsn.user === 'apikey' && dsn.password !== undefined
        ? dsn.password
        : dsn.requireUser('the API key')
    return { headers: { authorization: `Bearer ${key}` }, secrets: [key] }
  },
  async add(api) {
    const listed = await api.call('GET', `${settings}/all`)
    const webhook = findObject(listed['webhooks'], 'url', api.url)
    if (webhook === undefined) {
      refuseIfFull(api, listed)
      const created = await api.call('POST', settings, {
        ...events,
        ...others,
        enabled: true,
        url: api.url,
        friendly_name: 'Mailyard',
      })
      return sign(api, idOf(created))
    }
    const isComplete = Object.keys(events).every((name) => webhook[name] === true)
    if (!isComplete || webhook['enabled'] !== true)
      await api.call('PATCH', `${settings}/${idOf(webhook)}`, {
        ...others,
        ...pickFlags(webhook),
        ...events,
        enabled: true,
        url: api.url,
      })
    const signed = await api.call('GET', `${settings}/signed/${idOf(webhook)}`)
    return textOf(signed['public_key']) || sign(api, idOf(webhook))
  },
}

/** Enables the signature, and returns the key to verify it with. */
async function sign(api: WebhookApi, id: string): Promise<string> {
  const signed = await api.call('PATCH', `${settings}/signed/${id}`, { enabled: true })
  return textOf(signed['public_key'])
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
