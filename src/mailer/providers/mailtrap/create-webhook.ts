import { objectsOf, textOf } from '../../api/json.ts'
import { memberOf } from '../../events/event-fields.ts'
import { changesOf, idOf, type WebhookApi, type WebhookSetup } from '../webhook-api.ts'

const events = [
  'delivery',
  'soft_bounce',
  'bounce',
  'suspension',
  'reject',
  'spam_complaint',
  'unsubscribe',
]

/**
 * A webhook of the account of the token. Mailtrap tells its secret only when it creates one.
 * @see https://docs.mailtrap.io/developers/webhooks
 */
export const mailtrapSetup: WebhookSetup = {
  title: 'Mailtrap',
  permission:
    'Give the API token admin access to the account (Mailtrap, Settings, API Tokens), or set the webhook up by hand as the steps say.',
  host: () => 'mailtrap.io',
  login(dsn) {
    // smtp:// has the user name "api".
    const token =
      dsn.user === 'api' && dsn.password !== undefined
        ? dsn.password
        : dsn.requireUser('the API token')
    return { headers: { authorization: `Bearer ${token}` }, secrets: [token] }
  },
  async add(api, dsn) {
    const host = dsn.host.toLowerCase()
    if (dsn.scheme === 'mailtrap+sandbox' || host === 'sandbox.smtp.mailtrap.io')
      throw api.impossible(
        'A sandbox of Mailtrap delivers nothing, so it has no events. Use mailtrap+api:// or mailtrap+smtp://.',
      )
    const path = `/api/accounts/${await accountOf(api)}/webhooks`
    const kind = {
      url: api.url,
      webhook_type: 'email_sending',
      sending_stream: host === 'bulk.smtp.mailtrap.io' ? 'bulk' : 'transactional',
    }
    const listed = await api.call('GET', path)
    const webhook = objectsOf(listed['data']).find((one) =>
      Object.entries(kind).every(([name, value]) => one[name] === value),
    )
    if (webhook === undefined) {
      const created = await api.call('POST', path, {
        webhook: { ...kind, active: true, payload_format: 'json', event_types: events },
      })
      return textOf(memberOf(created, 'data', 'signing_secret'))
    }
    const changes = changesOf(webhook, { event_types: events, active: true })
    if (changes !== undefined)
      await api.call('PATCH', `${path}/${idOf(webhook)}`, { webhook: changes })
    return null
  },
}

async function accountOf(api: WebhookApi): Promise<string> {
  const accounts = objectsOf(await api.list('GET', '/api/accounts'))
  const [account] = accounts
  if (account !== undefined && accounts.length === 1) return idOf(account)
  throw api.impossible(
    account === undefined
      ? 'The API token of Mailtrap sees no account. Give it access to the account (Mailtrap, Settings, API Tokens), or set the webhook up by hand as the steps say.'
      : `The API token of Mailtrap sees ${accounts.length} accounts. Use a token of the account that sends, or set the webhook up by hand as the steps say.`,
  )
}
