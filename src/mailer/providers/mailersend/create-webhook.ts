import { objectsOf, textOf } from '../../api/json.ts'
import { memberOf } from '../../events/event-fields.ts'
import { changesOf, findObject, idOf, type WebhookApi, type WebhookSetup } from '../webhook-api.ts'

const path = '/v1/webhooks'

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
 * A webhook of the domain of the token. Each webhook has its own secret, so the token has to be that of one domain.
 * @see https://developers.mailersend.com/api/v1/webhooks.html
 */
export const mailersendSetup: WebhookSetup = {
  title: 'MailerSend',
  apiScheme: 'mailersend+api',
  permission:
    'Give the API token "Full access", or "Domains: read" and "Webhooks: full" (MailerSend, Integrations, API tokens).',
  host: () => 'api.mailersend.com',
  login(dsn) {
    const token = dsn.requireUser('the API token')
    return { headers: { authorization: `Bearer ${token}` }, secrets: [token] }
  },
  async add(api) {
    const domain = await onlyDomain(api)
    const listed = await api.call('GET', `${path}?domain_id=${idOf(domain)}`)
    const webhook = findObject(listed['data'], 'url', api.url)
    if (webhook !== undefined) {
      const ownPath = `${path}/${idOf(webhook)}`
      const changes = changesOf(webhook, { events, enabled: true })
      if (changes !== undefined) await api.call('PUT', ownPath, changes)
      return secretOf(await api.call('GET', ownPath))
    }
    const body = { url: api.url, name: 'Mailyard', domain_id: domain['id'], enabled: true }
    const created =
      (await api.tryCall([422], 'POST', path, { ...body, events: [...events, paidEvent] })) ??
      (await api.call('POST', path, { ...body, events }))
    return secretOf(created)
  },
}

/** Of each page; the smallest that MailerSend allows. An answer must not be larger than 64 KB. */
const domainsMax = 10

async function onlyDomain(api: WebhookApi): Promise<Readonly<Record<string, unknown>>> {
  const domains = objectsOf((await api.call('GET', `/v1/domains?limit=${domainsMax}`))['data'])
  const [domain] = domains
  if (domain !== undefined && domains.length === 1) return domain
  const names = domains.slice(0, 5).map(({ name }) => textOf(name))
  throw api.impossible(
    domain === undefined
      ? 'MailerSend has a webhook for each domain, and this token sees no domain. Add the domain in MailerSend first, or use a token of it.'
      : `MailerSend has a webhook for each domain, and this token sees ${domains.length === domainsMax ? 'at least ' : ''}${domains.length} (${names.join(', ')}${domains.length > names.length ? ', …' : ''}). Use an API token of one domain, or set the webhook up by hand as the steps say.`,
  )
}

function secretOf(answer: unknown): string {
  return textOf(memberOf(answer, 'data', 'secret'))
}
