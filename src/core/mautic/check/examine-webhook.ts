import type { Clock } from '../../../kit/clock.ts'
import type { OutboundClient } from '../../../libraries/mailer/index.ts'
import { type MauticClient, MauticError } from '../../mautic-client/index.ts'
import { findProblem, privateAddresses } from '../webhooks/own-webhooks.ts'
import { proveAddress } from '../webhooks/webhook-address.ts'
import type { WebhookState } from '../webhooks/webhook-store.ts'
import { missingRights, type Right } from './rights.ts'

/** What a role needs to look at a webhook, to create it again and to delete it. */
const webhookRights: readonly Right[] = [
  ['webhook:webhooks', ['viewother'], 'view the webhooks of others'],
  ['webhook:webhooks', ['create'], 'create webhooks'],
  ['webhook:webhooks', ['publishother'], 'publish the webhooks of others'],
  ['webhook:webhooks', ['deleteown'], 'delete its own webhooks'],
  ['webhook:webhooks', ['deleteother'], 'delete the webhooks of others'],
]

const createIt =
  'Create it in the console, or with POST /api/mautics/{id}/webhook: changes of its Do not contact list are then taken over at once.'
const createAgain = 'Create it again in the console, or with POST /api/mautics/{id}/webhook.'

/** Examines the webhook that Mailyard created in a Mautic: it is as it was created, and what Mautic sends comes here. */
export async function examineWebhook(
  self: unknown,
  {
    client,
    webhook: { webhook, secret, hasUser },
    http,
    clock,
    signal,
  }: {
    client: MauticClient
    webhook: WebhookState
    http: OutboundClient
    clock: Clock
    signal?: AbortSignal | undefined
  },
) {
  const missing = missingRights(self, webhookRights)
  if (webhook === undefined || secret === null) {
    const hint =
      missing.length === 0
        ? createIt
        : `It needs a role that may also ${missing.join(', ')}, in Mautic under Settings, Roles. ${createIt}`
    return { outcome: 'skipped' as const, detail: 'There is no webhook to this Mailyard.', hint }
  }
  if (missing.length > 0) {
    const detail = `The role may not ${missing.join(', ')}, so the webhook cannot be looked at, created again or deleted.`
    const hint = 'Allow it in Mautic, under Settings, Roles.'
    throw new MauticError('forbidden', { detail, hint })
  }
  const now = clock.now()
  const problem = await findProblem(client, { webhook, secret, hasUser, now, signal })
  if (problem !== null) throw new MauticError('refused', { detail: problem, hint: createAgain })
  const leads = `The webhook leads to ${webhook.url}.`
  if (webhook.arrived_at !== null) return `${leads} Mautic has sent changes.`
  if (!webhook.accepts_unproven) await proveAddress(http, { url: webhook.url, secret, signal })
  const unproven = webhook.accepts_unproven ? ' Mailyard does not check this address.' : ''
  const detail = `${leads}${unproven} It is not known yet whether Mautic reaches it: no change of Do not contact has come.`
  return { outcome: 'ok' as const, detail, hint: privateAddresses }
}
