import { textOf } from '../../api/json.ts'
import { isApiDsn } from '../account-api.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { changesOf, findObject, type WebhookSetup } from '../webhook-api.ts'

const path = '/api/1.0/webhooks'

const events = ['delivered', 'deferral', 'hard_bounce', 'soft_bounce', 'spam', 'unsub', 'reject']

/**
 * Mandrill tests the address before it answers. Its key is in the body.
 * @see https://mailchimp.com/developer/transactional/api/webhooks/
 */
export const mandrillSetup: WebhookSetup = {
  title: 'Mailchimp Transactional',
  permission:
    'Allow the API key the calls "webhooks" (Mailchimp Transactional, Settings, SMTP & API info), or use a key without restrictions.',
  host: () => 'mandrillapp.com',
  login: (dsn) => ({ secrets: [keyOf(dsn)] }),
  async add(api, dsn) {
    const account = { key: keyOf(dsn), url: api.url }
    const listed = await api.list('POST', `${path}/list.json`, { key: account.key })
    const webhook = findObject(listed, 'url', api.url)
    if (webhook === undefined) {
      const body = { ...account, description: 'Mailyard', events }
      return textOf((await api.call('POST', `${path}/add.json`, body))['auth_key'])
    }
    const changes = changesOf(webhook, { events })
    if (changes !== undefined)
      await api.call('POST', `${path}/update.json`, { ...account, id: webhook['id'], ...changes })
    return textOf(webhook['auth_key'])
  },
}

/** The user name of an SMTP log-in is any text. */
function keyOf(dsn: DsnReader): string {
  return isApiDsn(dsn) ? dsn.requireUser('the API key') : dsn.requirePassword('the API key')
}
