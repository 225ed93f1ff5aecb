import { isObject, objectsOf, textOf } from '../../api/json.ts'
import { type CreateWebhookOptions, WebhookError } from '../../events/provider-webhooks.ts'
import { apiEndpoint } from '../provider.ts'
import {
  asWebhookError,
  hasAll,
  idOf,
  isApiDsn,
  readAccountDsn,
  union,
  WebhookApi,
} from '../webhook-api.ts'

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
 * Adds a webhook to the account of the token. Mailtrap tells its secret only when it creates one.
 * @see https://docs.mailtrap.io/developers/webhooks
 */
export async function createMailtrapWebhook({ url, dsn: text, fetch }: CreateWebhookOptions) {
  const dsn = readAccountDsn(text)
  const host = dsn.host.toLowerCase()
  if (dsn.scheme === 'mailtrap+sandbox' || host === 'sandbox.smtp.mailtrap.io')
    throw new WebhookError(
      'A sandbox of Mailtrap delivers nothing, so it has no events. Use mailtrap+api:// or mailtrap+smtp://.',
    )
  // smtp:// has the user name "api".
  const token = asWebhookError(() =>
    dsn.user === 'api' && dsn.password !== undefined
      ? dsn.password
      : dsn.requireUser('the API token'),
  )
  const api = new WebhookApi({
    title: 'Mailtrap',
    endpoint: isApiDsn(dsn) ? apiEndpoint(dsn, 'mailtrap.io') : 'https://mailtrap.io',
    headers: { authorization: `Bearer ${token}` },
    secrets: [token],
    permission:
      'Give the API token admin access to the account (Mailtrap, Settings, API Tokens), or set the webhook up by hand as the steps say.',
    url,
    fetch,
  })
  const path = `/api/accounts/${await accountOf(api)}/webhooks`
  const stream = host === 'bulk.smtp.mailtrap.io' ? 'bulk' : 'transactional'
  const listed = await api.call('GET', path)
  const webhook = objectsOf(listed['data']).find(
    (one) =>
      one['url'] === url &&
      one['webhook_type'] === 'email_sending' &&
      one['sending_stream'] === stream,
  )
  if (webhook === undefined) {
    const created = await api.call('POST', path, {
      webhook: {
        url,
        webhook_type: 'email_sending',
        active: true,
        payload_format: 'json',
        sending_stream: stream,
        event_types: events,
      },
    })
    const { data } = created
    return { signingKey: (isObject(data) && textOf(data['signing_secret'])) || null }
  }
  if (!hasAll(webhook['event_types'], events) || webhook['active'] === false)
    await api.call('PATCH', `${path}/${idOf(webhook)}`, {
      webhook: { active: true, event_types: union(webhook['event_types'], events) },
    })
  return { signingKey: null }
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
