import { basicAuthorization, objectsOf } from '../../api/json.ts'
import { hostOf, idOf, type WebhookSetup } from '../webhook-api.ts'

const events = ['sent', 'bounce', 'blocked', 'spam', 'unsub']

const path = '/v3/REST/eventcallbackurl'

/**
 * The address for each event. Mailjet calls one address for an event, so one of others is left in place.
 * @see https://dev.mailjet.com/email/reference/webhook/
 */
export const mailjetSetup: WebhookSetup = {
  title: 'Mailjet',
  permission: 'Check API key and secret key in the DSN (Mailjet, Account, API key management).',
  host: () => 'api.mailjet.com',
  login(dsn) {
    const key = dsn.requireUser('the API key')
    const secret = dsn.requirePassword('the secret key')
    return { headers: { authorization: basicAuthorization(key, secret) }, secrets: [key, secret] }
  },
  async add(api) {
    const listed = await api.call('GET', `${path}?Limit=100`)
    const callbacks = objectsOf(listed['Data']).filter(({ IsBackup }) => IsBackup !== true)
    const callbackOf = (event: string) => callbacks.find(({ EventType }) => EventType === event)
    const taken = events.filter((event) => {
      const callback = callbackOf(event)
      return callback !== undefined && callback['Url'] !== api.url
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
        await api.call('POST', path, { EventType: event, Url: api.url, Version: 2 })
      else if (callback['Status'] === 'dead')
        await api.call('PUT', `${path}/${idOf(callback, 'ID')}`, { Status: 'alive' })
    }
    return null
  },
}
