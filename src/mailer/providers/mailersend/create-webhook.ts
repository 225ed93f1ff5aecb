import { isObject, objectsOf, textOf } from '../../api/json.ts'
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
  'activity.delivered',
  'activity.soft_bounced',
  'activity.hard_bounced',
  'activity.unsubscribed',
  'activity.spam_complaint',
]

/** Paid plans have it. */
const paidEvent = 'activity.deferred'

/**
 * Adds a webhook to the domain of the token. Each webhook has its own secret, so the token has to be that of one domain.
 * @see https://developers.mailersend.com/api/v1/webhooks.html
 */
export async function createMailersendWebhook(options: CreateWebhookOptions) {
  const dsn = readAccountDsn(options.dsn)
  if (!isApiDsn(dsn)) throw smtpOnly('MailerSend', 'mailersend+api')
  const token = asWebhookError(() => dsn.requireUser('the API token'))
  const api = new WebhookApi({
    title: 'MailerSend',
    endpoint: apiEndpoint(dsn, 'api.mailersend.com'),
    headers: { authorization: `Bearer ${token}` },
    secrets: [token],
    permission:
      'Give the API token "Full access", or "Domains: read" and "Webhooks: full" (MailerSend, Integrations, API tokens).',
    url: options.url,
    fetch: options.fetch,
  })
  const domain = await onlyDomain(api)
  const listed = await api.call('GET', `/v1/webhooks?domain_id=${idOf(domain)}`)
  const webhook = findObject(listed['data'], 'url', options.url)
  if (webhook !== undefined) {
    if (!hasAll(webhook['events'], events) || webhook['enabled'] === false)
      await api.call('PUT', `/v1/webhooks/${idOf(webhook)}`, {
        events: union(webhook['events'], events),
        enabled: true,
      })
    return { signingKey: secretOf(await api.call('GET', `/v1/webhooks/${idOf(webhook)}`)) }
  }
  const body = { url: options.url, name: 'Mailyard', domain_id: domain['id'], enabled: true }
  const created =
    (await api.tryCall([422], 'POST', '/v1/webhooks', {
      ...body,
      events: [...events, paidEvent],
    })) ?? (await api.call('POST', '/v1/webhooks', { ...body, events }))
  return { signingKey: secretOf(created) }
}

async function onlyDomain(api: WebhookApi): Promise<Readonly<Record<string, unknown>>> {
  const domains = objectsOf((await api.call('GET', '/v1/domains?limit=100'))['data'])
  const [domain] = domains
  if (domain !== undefined && domains.length === 1) return domain
  const names = domains.slice(0, 5).map(({ name }) => textOf(name))
  throw api.impossible(
    domain === undefined
      ? 'MailerSend has a webhook for each domain, and this token sees no domain. Add the domain in MailerSend first, or use a token of it.'
      : `MailerSend has a webhook for each domain, and this token sees ${domains.length} (${names.join(', ')}${domains.length > names.length ? ', …' : ''}). Use an API token of one domain, or set the webhook up by hand as the steps say.`,
  )
}

function secretOf(answer: Readonly<Record<string, unknown>>): string | null {
  const { data } = answer
  return (isObject(data) && textOf(data['secret'])) || null
}
