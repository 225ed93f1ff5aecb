import {
  asCount,
  asFlag,
  asList,
  asObject,
  asText,
  type MauticClient,
  MauticError,
  type MauticRequestOptions,
  notMautic,
} from '../../mautic-client/index.ts'
import { subscriptionEvent } from './read-events.ts'

/** A webhook as Mautic's API shows it. */
export interface Hook {
  id: number
  url: string
  secret: string
  isPublished: boolean
  events: readonly string[]
  /** Whether a user created it. Mautic notifies its owner when it fails. */
  hasOwner: boolean
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

/** What a new webhook has. */
export type NewHook = Pick<Hook, 'url' | 'secret'>

/**
 * Creates a webhook.
 *
 * @throws {MauticError} `forbidden` where Mautic created it unpublished, for want of a right. It is deleted again.
 */
export async function addHook(
  client: Pick<MauticClient, 'send'>,
  { url, secret }: NewHook,
): Promise<Hook> {
  const answer = await client.send('POST', '/api/hooks/new', {
    name: 'Mailyard',
    description: 'Created by Mailyard.',
    webhookUrl: url,
    eventsOrderbyDir: 'ASC',
    secret,
    triggers: [subscriptionEvent],
  })
  const hook = readHook(asObject(answer)['hook'])
  if (hook === undefined) throw notMautic('Mautic has answered without the new webhook.')
  if (hook.isPublished) return { ...hook, secret }
  const isDeleted = await deleteHook(client, hook.id).then(
    () => true,
    () => false,
  )
  const detail = `Mautic created webhook ${hook.id} unpublished.`
  const rest = isDeleted ? '' : ` Delete webhook ${hook.id} there.`
  const hint = `Allow the role to publish webhooks of others (publishother), in Mautic under Settings, Roles, and create it again.${rest}`
  throw new MauticError('forbidden', { detail, hint })
}

/** Deletes a webhook. One that does not exist is deleted already. */
export async function deleteHook(client: Pick<MauticClient, 'send'>, id: number): Promise<void> {
  try {
    await client.send('DELETE', `/api/hooks/${id}/delete`, undefined)
  } catch (error) {
    const code = error instanceof MauticError ? error.code : undefined
    if (code === 'not_found') return
    if (code !== 'forbidden') throw error
    // Mautic asks for one right for what the user has created, and for another for the rest.
    const hint =
      'Allow the role to delete webhooks, its own and those of others (deleteown, deleteother), in Mautic under Settings, Roles.'
    throw new MauticError(code, { detail: (error as MauticError).detail, hint }, error)
  }
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
    hasOwner: asCount(hook['createdBy']) !== undefined,
  }
}
