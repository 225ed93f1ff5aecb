import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { SingleFlight } from '../../../kit/single-flight.ts'
import type { Installation } from '../../../platform/installation/index.ts'
import { type MauticClient, MauticError, toAppError } from '../../mautic-client/index.ts'
import type { MauticClients } from '../mautic-clients.ts'
import type { MauticWebhookRow } from '../table.ts'
import { addHook, deleteHook, type Hook, listHooks, type NewHook } from './mautic-hooks.ts'
import { subscriptionEvent } from './read-events.ts'
import { proveAddress, webhookPath } from './webhook-address.ts'
import { type WebhookState, type WebhookStore, withoutOwner } from './webhook-store.ts'

/** A webhook of Mautic that leads here. */
export interface CreatedWebhook {
  /** Mautic's id. */
  id: number
  url: string
  /** Whether it was created; else it was there already. */
  isNew: boolean
  /** What may keep it from working, and what it can do to Mautic. */
  warnings: readonly string[]
}

/** How a webhook is created. Without `baseUrl`, one that was created before is the default. */
export interface CreateWebhookOptions {
  /** Where the Mautic reaches Mailyard. Default: its public URL. */
  baseUrl?: string | undefined
  /** Whether it is created although Mailyard does not reach itself at its address. */
  acceptsUnproven?: boolean | undefined
}

export interface OwnWebhooksParts {
  store: WebhookStore
  clients: Pick<MauticClients, 'find' | 'get' | 'http'>
  /** What addresses of Mailyard start with, without a slash at the end. */
  publicUrl: string
  /** The webhooks of the original are no copy's to change. */
  installation: Pick<Installation, 'check'>
  clock: Clock
  log: Log
}

/** Creates, checks and deletes the webhooks of Mailyard in Mautics, through their API. */
export class OwnWebhooks {
  readonly #parts: OwnWebhooksParts
  /** Two callers at once create one webhook. */
  readonly #creating = new SingleFlight<string, CreatedWebhook>()

  constructor(parts: OwnWebhooksParts) {
    this.#parts = parts
  }

  /**
   * Creates the webhook of a Mautic. One that is there already and right is used; others of Mailyard are deleted.
   *
   * @throws {AppError} `not_found`, or `upstream`: Mautic refuses it, or its address does not lead here.
   */
  create(mauticId: number, options: CreateWebhookOptions = {}): Promise<CreatedWebhook> {
    const key = JSON.stringify([mauticId, options])
    return this.#creating.run(key, () => this.#create(mauticId, options))
  }

  async #create(mauticId: number, options: CreateWebhookOptions): Promise<CreatedWebhook> {
    this.#parts.installation.check()
    const state = await this.#parts.store.read(mauticId)
    const path = webhookPath(mauticId)
    const former = options.baseUrl === undefined ? state.webhook : undefined
    const {
      baseUrl = former?.url.slice(0, -path.length) ?? this.#parts.publicUrl,
      acceptsUnproven = Boolean(former?.accepts_unproven),
    } = options
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`
    const client = await this.#parts.clients.get(mauticId)
    const secret = await this.#parts.store.ensureSecret(mauticId)
    const expected = { url, secret }
    try {
      if (!acceptsUnproven) await proveAddress(this.#parts.clients.http, expected)
      const hooks = await listHooks(client, { isProbe: true })
      const existing = hooks.find((hook) => reasonOf(hook, expected, state) === null)
      const hook = existing ?? (await addHook(client, expected))
      const row = {
        mautic_id: mauticId,
        hook_id: hook.id,
        url,
        accepts_unproven: acceptsUnproven,
        created_at: this.#parts.clock.now(),
      }
      await this.#parts.store.save(row, existing === undefined)
      const others = ownHooks(hooks, secret, [state.webhook?.url, url]).filter(
        ({ id }) => id !== hook.id,
      )
      const remaining = await deleteAll(client, others)
      return {
        id: hook.id,
        url,
        isNew: existing === undefined,
        warnings: [
          ...(remaining === undefined ? [] : [remaining.message]),
          ...warnOfAddress(url, state.mauticUrl),
          ...(hook.hasOwner ? [] : [warnOfOwner(state)]),
        ],
      }
    } catch (error) {
      throw toAppError(error)
    }
  }

  /** Looks at the webhook of a Mautic, and stores what is wrong with it: it was deleted, unpublished or changed in Mautic. */
  async inspect(mauticId: number, signal: AbortSignal): Promise<void> {
    const state = await this.#parts.store.read(mauticId)
    const { webhook } = state
    const client = await this.#parts.clients.find(mauticId)
    if (client === undefined || webhook === undefined) return
    const before = webhook.problem
    const now = this.#parts.clock.now()
    const problem = await findProblem(client, { ...state, webhook, now, signal }).catch(
      (error: unknown) => {
        if (!(error instanceof MauticError)) throw error
        // That Mautic does not work at the moment says nothing of the webhook.
        return error.isOutage ? before : error.message
      },
    )
    if (problem === before) return
    await this.#parts.store.noteProblem(mauticId, problem, now)
    if (before === null)
      this.#parts.log.warn({ mauticId, problem }, 'webhook of mautic has a problem')
  }

  /**
   * Deletes the webhooks of Mailyard in a Mautic, and what is stored of them. Returns how many were deleted.
   *
   * @throws {AppError} `upstream`, with the webhooks that remain. What is stored of them is kept.
   */
  async remove(mauticId: number): Promise<number> {
    const state = await this.#parts.store.read(mauticId)
    try {
      const count = await this.#deleteInMautic(mauticId, state)
      await this.#parts.store.remove(mauticId)
      return count
    } catch (error) {
      throw toAppError(error)
    }
  }

  /**
   * Deletes the webhooks of Mailyard in a Mautic whose connection is being deleted. Returns what remains there, as a
   * sentence; undefined for nothing.
   */
  async removeWithConnection(mauticId: number): Promise<string | undefined> {
    const state = await this.#parts.store.read(mauticId)
    try {
      await this.#deleteInMautic(mauticId, state)
      return undefined
    } catch (error) {
      if (error instanceof RemainingError) return error.message
      if (state.webhook === undefined) return undefined
      const { hook_id: id, url } = state.webhook
      const names = `${nameHook({ id, url })}, and any former one to ${webhookPath(mauticId)}`
      return describeRemaining(names, error instanceof Error ? error.message : '')
    }
  }

  async #deleteInMautic(mauticId: number, { secret, webhook }: WebhookState): Promise<number> {
    if (secret === null && webhook === undefined) return 0
    this.#parts.installation.check()
    const client = await this.#parts.clients.get(mauticId)
    const hooks = await listHooks(client, { isProbe: true })
    const created = ownHooks(hooks, secret, [webhook?.url])
    const remaining = await deleteAll(client, created)
    if (remaining !== undefined) throw remaining
    return created.length
  }
}

/** Returns what is wrong with a webhook in Mautic, as a sentence; null if nothing is. Throws a MauticError. */
export async function findProblem(
  client: MauticClient,
  {
    webhook: { hook_id: id, url, expected_since: expectedSince },
    secret,
    hasUser,
    now,
    signal,
  }: Pick<WebhookState, 'secret' | 'hasUser'> & {
    webhook: MauticWebhookRow
    now: number
    signal: AbortSignal | undefined
  },
): Promise<string | null> {
  if (secret === null)
    return 'The secret of the webhook cannot be decrypted, because its key is missing.'
  const hooks = await listHooks(client, { isProbe: true, signal })
  const hook = hooks.find((each) => each.id === id)
  const reason = reasonOf(hook, { url, secret }, { hasUser })
  if (reason !== null) return `Webhook ${id} ${reason}.`
  const former = ownHooks(hooks, secret, [url]).filter((each) => each.id !== id)
  if (former.length > 0) {
    const advice = 'Delete it in Mautic, under Settings, Webhooks, or create the webhook again.'
    return `A former webhook of this Mailyard remains: ${former.map(nameHook).join(', ')}. ${advice}`
  }
  if (expectedSince === null || now - expectedSince < arrivalMs) return null
  return `A change of Do not contact was found by reading the list, and the webhook has not come for it. Check that Mautic reaches ${url}. ${privateAddresses}`
}

/** Mautic may send its webhooks by a job that runs from time to time. */
const arrivalMs = 30 * 60_000

export const privateAddresses =
  'Newer versions of Mautic call a private address only if webhook_allowed_private_addresses of their configuration lists it.'

/** Returns what is wrong with a webhook, as the rest of a sentence; null if nothing is. */
function reasonOf(
  hook: Hook | undefined,
  expected: NewHook,
  { hasUser }: Pick<WebhookState, 'hasUser'>,
): string | null {
  if (hook === undefined) return 'was deleted in Mautic'
  if (!hook.isPublished) return 'is unpublished'
  if (hook.url !== expected.url || hook.secret !== expected.secret) return 'was changed in Mautic'
  if (!hook.events.includes(subscriptionEvent))
    return 'does not send the events that Mailyard needs'
  if (hook.events.includes('mautic.email_on_send'))
    return 'calls Mailyard for each message, which can end a run of Mautic and lose messages'
  if (hook.events.length > 1) return 'was changed in Mautic'
  return hasUser && !hook.hasOwner ? withoutOwner : null
}

/**
 * Returns the webhooks of this Mailyard: they have its secret, or one of its addresses. Another Mailyard may have the same
 * path, and after Mautic was restored from a backup, another webhook may have the id of ours.
 */
function ownHooks(
  hooks: readonly Hook[],
  secret: string | null,
  urls: readonly (string | undefined)[],
): Hook[] {
  return hooks.filter(
    (hook) => (secret !== null && hook.secret === secret) || urls.includes(hook.url),
  )
}

/** Some webhooks of Mailyard are still in Mautic, because it does not delete them. */
class RemainingError extends MauticError {}

/** Deletes webhooks. Returns an error that names those that Mautic does not delete; undefined if it has deleted all. */
async function deleteAll(
  client: Pick<MauticClient, 'send'>,
  hooks: readonly Hook[],
): Promise<RemainingError | undefined> {
  const failures: { name: string; error: MauticError }[] = []
  for (const hook of hooks)
    await deleteHook(client, hook.id).catch((error: unknown) => {
      if (!(error instanceof MauticError)) throw error
      failures.push({ name: nameHook(hook), error })
    })
  const [first] = failures
  if (first === undefined) return undefined
  const { code, detail: reason, hint } = first.error
  const names = failures.map(({ name }) => name).join(', ')
  return new RemainingError(code, { detail: describeRemaining(names, reason), hint }, first.error)
}

function nameHook({ id, url }: Pick<Hook, 'id' | 'url'>): string {
  return `webhook ${id} to ${url}`
}

function describeRemaining(names: string, reason: string): string {
  return `This remains in Mautic: ${names}. Delete it there, under Settings, Webhooks. ${reason}`
}

const isLocal = (url: string) => /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)

function warnOfAddress(url: string, mauticUrl: string): string[] {
  if (!isLocal(url) || isLocal(mauticUrl)) return []
  const advice = 'Set MAILYARD_PUBLIC_URL, or say in url where Mautic reaches Mailyard.'
  return [`${new URL(url).origin} is reached only from this machine. ${advice}`]
}

function warnOfOwner({ hasUser }: WebhookState): string {
  const consequence =
    'The webhook has no owner. If Mautic unpublishes it during a run, that run ends with an error.'
  if (hasUser) return consequence
  return `${consequence} Connect this Mautic as a user, with a password, and its webhook gets an owner.`
}
