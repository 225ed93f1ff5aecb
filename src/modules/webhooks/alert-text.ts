import { type EventType, eventTypes, testType } from '../../core/published/index.ts'
import { oneLine } from '../../kit/one-line.ts'

/** What an alert is about. */
export interface AlertFacts {
  type: string
  data: Readonly<Record<string, unknown>>
  /** How many events were left out. */
  more: number
  /** What links start with; undefined without one. */
  publicUrl: string | undefined
}

const partMax = 500

/** Writes an alert for a chat: what happened, what to do, and where to look. */
export function writeAlert({ type, data, more, publicUrl }: AlertFacts): string {
  const { sentence, path } = describe(type, data)
  const others = more === 0 ? '' : ` And ${more} more.`
  const link = publicUrl === undefined || path === undefined ? '' : ` ${publicUrl}${path}`
  return `${harmless(sentence)}${others}${link}`
}

/** Returns what happened, and the page that shows more. */
function describe(
  type: string,
  data: Readonly<Record<string, unknown>>,
): { sentence: string; path: string | undefined } {
  const word = (name: string) => {
    const value = data[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
  const page = (path: string, name: string) => {
    const id = word(name)
    return id === undefined ? path : `${path}/${id}`
  }
  const [subject = ''] = type.split('.')
  const paths: Readonly<Record<string, string>> = {
    delivery: page('/deliveries', 'deliveryId'),
    suppression: '/suppressions',
    transport: page('/transports', 'transportId'),
    limit: page('/limits', 'limitId'),
    brake: '/queue',
    queue: '/queue',
    dkim: page('/senders/keys', 'dkimKeyId'),
    mautic: page('/mautics', 'mauticId'),
    webhook: page('/webhooks', 'webhookId'),
  }
  const path = paths[subject]
  const message = word('message')
  if (message !== undefined) return { sentence: message, path }
  const why = word('reply') ?? word('reason')
  const because = why === undefined ? '' : `: ${why}`
  const recipient = word('recipient') ?? 'a recipient'
  const isExpired = word('outcome') === 'expired'
  const sentences: Readonly<Record<string, string>> = {
    'delivery.accepted': `A message to ${recipient} was accepted.`,
    'delivery.refused': isExpired
      ? `A message to ${recipient} could not be sent in time${because}. Check the transport.`
      : `A message to ${recipient} was refused for good${because}. Check the address and the transport.`,
    'delivery.deferred': `A message to ${recipient} was refused for now${because}. It may be sent again automatically.`,
    'delivery.uncertain': `A message to ${recipient} may have arrived${because}. Decide whether it is sent again.`,
    'delivery.bounced': `A message to ${recipient} bounced${because}. Check the address.`,
    'delivery.complained': `${recipient} marked a message as spam. Check whether they agreed to get it.`,
    'suppression.created': `${word('address') ?? 'An address'} was suppressed (${word('reason') ?? 'manual'}). It gets no more messages until the suppression is deleted.`,
    [testType]: 'This is a test. The webhook works.',
  }
  const meaning = type in eventTypes ? eventTypes[type as EventType].meaning : type
  return { sentence: sentences[type] ?? meaning, path }
}

/** Servers and senders write parts of alerts: they must not call people of a chat, or be read as its markup. */
function harmless(text: string): string {
  return oneLine(text, partMax)
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll(/@(?=(?:all|channel|everyone|here)\b)/gi, '@\u200b')
}
