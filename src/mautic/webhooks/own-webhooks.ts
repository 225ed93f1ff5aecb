import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { MauticClient } from '../client/mautic-client.ts'
import type { MauticClients } from '../client/mautic-clients.ts'
import { MauticError, toAppError } from '../client/mautic-error.ts'
import type { MauticWebhookRow } from '../table.ts'
import { addHook, deleteHook, type Hook, listHooks, type NewHook } from './mautic-hooks.ts'
import { webhookEvents } from './read-events.ts'
import { proveAddress, webhookPath } from './webhook-address.ts'
import type { WebhookState, WebhookStore } from './webhook-store.ts'

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

/** How a webhook is created. */
export interface CreateWebhookOptions {
  /** Where the Mautic reaches Mailyard. Default: its public URL. */
  baseUrl?: string | undefined
  /** Whether Mautic calls Mailyard for each message. */
  announcesMessages?: boolean | undefined
  /** Whether it is created although Mailyard does not reach itself at its address. */
  acceptsUnproven?: boolean | undefined
}

/** A webhook that is changed again and again is replaced once in this time at most. */
const replaceMs = 3_600_000

/** Creates, checks, replaces and deletes the webhooks of Mailyard in Mautics, through their API. */
export class OwnWebhooks {
  readonly #store: WebhookStore
  readonly #clients: Pick<MauticClients, 'find' | 'get' | 'http'>
  readonly #publicUrl: string
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: {
    store: WebhookStore
    clients: Pick<MauticClients, 'find' | 'get' | 'http'>
    /** What addresses of Mailyard start with, without a slash at the end. */
    publicUrl: string
    clock: Clock
    log: Log
  }) {
    this.#store = parts.store
    this.#clients = parts.clients
    this.#publicUrl = parts.publicUrl
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /**
   * Creates the webhook of a Mautic. One that is there already and right is used; others of Mailyard are deleted.
   *
   * @throws {AppError} `not_found`, or `upstream`: Mautic refuses it, or its address does not lead here.
   */
  async create(mauticId: number, options: CreateWebhookOptions = {}): Promise<CreatedWebhook> {
    const {
      baseUrl = this.#publicUrl,
      announcesMessages = false,
      acceptsUnproven = false,
    } = options
    const url = `${baseUrl.replace(/\/+$/, '')}${webhookPath(mauticId)}`
    const state = await this.#store.read(mauticId)
    const client = await this.#clients.get(mauticId)
    const secret = await this.#store.ensureSecret(mauticId)
    const expected = { url, secret, events: eventsOf(announcesMessages) }
    try {
      if (!acceptsUnproven) await proveAddress(this.#clients.http, expected)
      const hooks = await listHooks(client, { isProbe: true })
      const existing = hooks.find(
        (hook) => reasonOf(hook, expected) === null && (hook.hasOwner || !state.hasUser),
      )
      const hook = existing ?? (await addHook(client, expected))
      const row = {
        mautic_id: mauticId,
        hook_id: hook.id,
        url,
        announces_messages: announcesMessages,
        accepts_unproven: acceptsUnproven,
        is_by_user: state.hasUser,
        replaced_at: null,
      }
      await this.#store.save(row, { isReplacement: false })
      const former = ownHooks(hooks, secret, [state.webhook?.url, url]).filter(
        ({ id }) => id !== hook.id,
      )
      const remaining = await deleteAll(client, former)
      return {
        id: hook.id,
        url,
        isNew: existing === undefined,
        warnings: [
          ...remaining.map(warnOfOther),
          ...warnOfAddress(url, state.mauticUrl),
          ...(hook.hasOwner ? [] : [warnOfOwner(state)]),
          ...(announcesMessages ? [announcementWarning] : []),
        ],
      }
    } catch (error) {
      throw toAppError(error)
    }
  }

  /**
   * Looks at the webhook of a Mautic and replaces it where it was changed, unpublished or deleted in Mautic. What is wrong
   * and cannot be repaired now is stored as its problem.
   */
  async inspect(mauticId: number, signal: AbortSignal): Promise<void> {
    const state = await this.#store.read(mauticId)
    const { secret, webhook } = state
    const client = await this.#clients.find(mauticId)
    if (client === undefined || (secret === null && webhook === undefined)) return
    const before = webhook?.problem ?? null
    const problem =
      secret === null
        ? 'The secret of the webhook cannot be decrypted, because its key is missing. Create the webhook again.'
        : await this.#repair(mauticId, { ...state, secret, client, signal }).catch(
            (error: unknown) => {
              if (!(error instanceof MauticError)) throw error
              // That Mautic does not work at the moment says nothing of the webhook.
              return error.isOutage ? before : error.message
            },
          )
    if (problem !== before) await this.#store.noteProblem(mauticId, problem, this.#clock.now())
    if (problem !== null && before === null && webhook !== undefined)
      this.#log.warn({ mauticId, problem }, 'webhook of mautic has a problem')
  }

  /**
   * Deletes the webhooks of Mailyard in a Mautic, and what is stored of them. Returns how many were deleted.
   *
   * @throws {AppError} `upstream`. What is stored of them is kept.
   */
  async remove(mauticId: number): Promise<number> {
    const state = await this.#store.read(mauticId)
    try {
      const count = await this.#deleteInMautic(mauticId, state)
      await this.#store.remove(mauticId)
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
    const state = await this.#store.read(mauticId)
    // Before the request, so that no synchronization replaces it.
    await this.#store.forget(mauticId)
    try {
      await this.#deleteInMautic(mauticId, state)
      return undefined
    } catch (error) {
      if (state.webhook === undefined) return undefined
      const { hook_id: id, url } = state.webhook
      const reason = error instanceof Error ? ` ${error.message}` : ''
      return `Webhook ${id} to ${url} remains in Mautic: delete it there, under Settings, Webhooks.${reason}`
    }
  }

  async #deleteInMautic(mauticId: number, { secret, webhook }: WebhookState): Promise<number> {
    if (secret === null && webhook === undefined) return 0
    const client = await this.#clients.get(mauticId)
    const hooks = await listHooks(client, { isProbe: true })
    const created = ownHooks(hooks, secret, [webhook?.url])
    for (const { id } of created) await deleteHook(client, id)
    return created.length
  }

  /** Returns what is wrong with the webhook; null where it is right, or was replaced. */
  async #repair(
    mauticId: number,
    {
      client,
      secret,
      hasUser,
      webhook: stored,
      signal,
    }: WebhookState & { client: MauticClient; secret: string; signal: AbortSignal },
  ): Promise<string | null> {
    const hooks = await listHooks(client, { isProbe: true, signal })
    const webhook = stored ?? (await this.#adopt(mauticId, hooks, secret))
    if (webhook === undefined) return null
    const expected = expectedHook(webhook, secret)
    const hook = hooks.find(({ id }) => id === webhook.hook_id)
    const reason =
      reasonOf(hook, expected) ?? (hasUser && !webhook.is_by_user ? 'has no owner' : null)
    if (reason === null) {
      const former = ownHooks(hooks, secret, [webhook.url]).filter(({ id }) => id !== hook?.id)
      const remaining = await deleteAll(client, former)
      return warnOfOthers(remaining)
    }
    const now = this.#clock.now()
    const fault = `Webhook ${webhook.hook_id} ${reason}.`
    if (webhook.replaced_at !== null && now - webhook.replaced_at < replaceMs)
      return (
        webhook.problem ??
        `${fault} It was replaced less than an hour ago. Find out who changes it, or delete it here.`
      )
    try {
      if (!webhook.accepts_unproven) await proveAddress(this.#clients.http, { ...expected, signal })
      await this.#store.noteReplacement(mauticId, now)
      const replacement = await addHook(client, expected)
      const row = { ...webhook, hook_id: replacement.id, is_by_user: hasUser, replaced_at: now }
      const isStored = await this.#store.save(row, { isReplacement: true })
      const former = ownHooks(hooks, secret, [webhook.url])
      // Where it is not stored, the webhook or its connection was deleted meanwhile.
      const remaining = await deleteAll(client, isStored ? former : [...former, replacement])
      if (isStored)
        this.#log.warn(
          { mauticId, webhookId: replacement.id, formerId: webhook.hook_id, reason },
          'webhook of mautic replaced',
        )
      return warnOfOthers(remaining)
    } catch (error) {
      if (!(error instanceof MauticError)) throw error
      return `${fault} It was not replaced: ${error.message} It is tried again within an hour; or create it again here.`
    }
  }

  /** Finds a webhook that an earlier version created, and stores it. */
  async #adopt(
    mauticId: number,
    hooks: readonly Hook[],
    secret: string,
  ): Promise<MauticWebhookRow | undefined> {
    const hook = hooks.find((each) => each.secret === secret)
    if (hook === undefined) return undefined
    const row = {
      mautic_id: mauticId,
      hook_id: hook.id,
      url: hook.url,
      announces_messages: false,
      accepts_unproven: false,
      is_by_user: hook.hasOwner,
      replaced_at: null,
    }
    await this.#store.save(row, { isReplacement: false })
    return { ...row, problem: null, problem_since: null }
  }
}

/** Returns a stored webhook as it has to be in Mautic. */
export function expectedHook(
  { url, announces_messages: announcesMessages }: MauticWebhookRow,
  secret: string,
): NewHook {
  return { url, secret, events: eventsOf(Boolean(announcesMessages)) }
}

/** Returns the events that a webhook has to send. */
function eventsOf(announcesMessages: boolean): string[] {
  const { sent, subscription } = webhookEvents
  return announcesMessages ? [sent, subscription] : [subscription]
}

/** Returns what is wrong with a webhook, as the rest of a sentence; null if nothing is. */
export function reasonOf(hook: Hook | undefined, expected: NewHook): string | null {
  if (hook === undefined) return 'was deleted in Mautic'
  if (!hook.isPublished) return 'is unpublished'
  if (hook.url !== expected.url || hook.secret !== expected.secret) return 'was changed in Mautic'
  if (expected.events.some((event) => !hook.events.includes(event)))
    return 'does not send the events that Mailyard needs'
  if (hook.events.includes(webhookEvents.sent) && !expected.events.includes(webhookEvents.sent))
    return 'calls Mailyard for each message, which can end a run of Mautic and lose messages'
  return hook.events.length === expected.events.length ? null : 'was changed in Mautic'
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

/** Deletes webhooks, and returns those that Mautic does not delete. */
async function deleteAll(
  client: Pick<MauticClient, 'send'>,
  hooks: readonly Hook[],
): Promise<Hook[]> {
  const remaining: Hook[] = []
  for (const hook of hooks)
    await deleteHook(client, hook.id).catch((error: unknown) => {
      if (!(error instanceof MauticError)) throw error
      remaining.push(hook)
    })
  return remaining
}

function warnOfOthers(hooks: readonly Hook[]): string | null {
  return hooks.length === 0 ? null : hooks.map(warnOfOther).join(' ')
}

function warnOfOther({ id }: Hook): string {
  return `Webhook ${id} of this Mautic is a former one, and Mailyard may not delete it. Delete it there, or allow the role to delete webhooks of others (deleteother).`
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

const announcementWarning =
  'Mautic calls this webhook for each message. If Mailyard does not answer, Mautic may end its run, and messages that it shows as sent are lost.'
