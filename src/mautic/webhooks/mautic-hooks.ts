import { randomBytes } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import type { MauticClient, MauticRequestOptions } from '../client/mautic-client.ts'
import { asCount, asFlag, asList, asObject, asText } from '../client/read-answer.ts'
import { webhookEvents } from './read-events.ts'

/** A webhook as Mautic's API shows it. */
export interface Hook {
  id: number
  url: string
  secret: string
  isPublished: boolean
  events: readonly string[]
}

/** Lists all webhooks of a Mautic. */
export async function listHooks(
  client: Pick<MauticClient, 'get'>,
  options: MauticRequestOptions = {},
): Promise<Hook[]> {
  // 0: all of them.
  const { hooks } = asObject(await client.get('/api/hooks', { limit: 0 }, options))
  return asList(hooks).flatMap((hook) => readHook(hook) ?? [])
}

/** Whether a webhook sends everything that is needed. */
export function isComplete({ isPublished, secret, events }: Hook): boolean {
  const wanted = Object.values(webhookEvents)
  return isPublished && secret !== '' && wanted.every((event) => events.includes(event))
}

/** Creates a webhook with a new secret. */
export async function addHook(client: Pick<MauticClient, 'send'>, url: string): Promise<Hook> {
  const secret = randomBytes(32).toString('hex')
  const answer = await client.send('POST', '/api/hooks/new', {
    name: 'Mailyard',
    description: 'Messages that are sent, and changes of Do not contact.',
    webhookUrl: url,
    eventsOrderbyDir: 'ASC',
    secret,
    triggers: Object.values(webhookEvents),
  })
  const hook = readHook(asObject(answer)['hook'])
  if (hook !== undefined) return { ...hook, secret }
  const message = 'Mautic has answered without the webhook. Create it in Mautic, and try again.'
  throw new AppError('upstream', 'mautic_unexpected', message)
}

function readHook(value: unknown): Hook | undefined {
  const hook = asObject(value)
  const id = asCount(hook['id'])
  if (id === undefined) return undefined
  return {
    id,
    url: asText(hook['webhookUrl']),
    secret: asText(hook['secret']),
    isPublished: asFlag(hook['isPublished']),
    events: asList(hook['triggers']).map(asText),
  }
}
