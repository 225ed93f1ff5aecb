import { mayEdit, type TransportRow, type Transports } from '../../../core/transports/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { type Caller, owns } from '../../../kit/caller.ts'
import { formatDate, formatOptionalDate } from '../../../kit/iso-date.ts'
import {
  DsnError,
  describeProviders,
  type EventProvider,
  eventProvidersOf,
  findProviderWebhooks,
  possibleProvidersOf,
  secretMask,
} from '../../../libraries/mailer/index.ts'
import type { TransportWebhookItem, WebhookAnswer, WebhookList } from './schema.ts'
import { type WebhookCount, webhookCounts } from './table.ts'
import type { TransportWebhookCounts } from './transport-webhook-counts.ts'
import type { StoredWebhook, TransportWebhookStore } from './transport-webhook-store.ts'

export interface TransportWebhooksOptions {
  store: TransportWebhookStore
  counts: TransportWebhookCounts
  transports: Pick<Transports, 'getRow' | 'getChangeable' | 'findDsn'>
  /** Where providers reach Mailyard; undefined: that is not configured. */
  publicUrl: string | undefined
  /** What addresses are shown with while it is not configured. */
  localUrl: string
}

/** Returns the address that a provider calls. */
export function webhookUrl(publicUrl: string, transportId: number, secret: string): string {
  return `${publicUrl}/webhooks/transports/${transportId}/${secret}`
}

/** Sets up and shows the webhooks of transports. Every method throws an AppError where the caller may not do that. */
export class TransportWebhooks {
  readonly #options: TransportWebhooksOptions

  constructor(options: TransportWebhooksOptions) {
    this.#options = options
  }

  /** Returns the webhooks of a transport. */
  async list(id: number, caller: Caller): Promise<WebhookList> {
    const row = await this.#options.transports.getRow(id, caller)
    await this.#options.counts.flush()
    return this.#list(row, caller)
  }

  /** Creates the webhook of a provider, or changes its signing key. */
  async put(
    id: number,
    input: { provider?: string | undefined; signingKey?: string | null | undefined },
    caller: Caller,
  ): Promise<{ answer: WebhookAnswer; isNew: boolean }> {
    const row = await this.#options.transports.getChangeable(id, caller)
    if (this.#options.publicUrl === undefined) throw publicUrlMissing()
    const { name: provider } = chooseProvider(await this.#providersOf(row), input.provider)
    const signingKey = readKey(provider, input.signingKey)
    const isNew = await this.#options.store.save({ transportId: id, provider }, signingKey)
    if (isNew === undefined) throw transportDeleted()
    const list = await this.#list(row, caller)
    const webhook = list.webhooks.find((each) => each.provider === provider)
    if (webhook === undefined) throw webhookNotFound(provider)
    return { answer: { ...list, webhook }, isNew }
  }

  /** Deletes the webhook of a provider, or all of the transport; returns how many. */
  async remove(id: number, provider: string | undefined, caller: Caller): Promise<number> {
    const { store, transports } = this.#options
    await transports.getChangeable(id, caller)
    const count = await store.remove(id, provider)
    if (count === 0) throw webhookNotFound(provider)
    return count
  }

  async #list(row: TransportRow, caller: Caller): Promise<WebhookList> {
    const isEditor = mayEdit(row, caller)
    const titles = titlesOfProviders()
    const dsn = await this.#options.transports.findDsn(row)
    const { providers, otherProviders } = readProviders(dsn ?? '')
    // What they count is of all brands.
    const stored = owns(caller, row.brand_id) ? await this.#options.store.list(row.id) : []
    return {
      webhooks: stored.map((each) => this.#present(each, { isEditor, titles })),
      providers,
      ...(otherProviders.length > 0 ? { otherProviders } : {}),
      problem: this.#options.publicUrl === undefined ? publicUrlMissing().message : null,
    }
  }

  #present(
    { row, secret, signingKey }: StoredWebhook,
    { isEditor, titles }: { isEditor: boolean; titles: ReadonlyMap<string, string> },
  ): TransportWebhookItem {
    const { localUrl, publicUrl = localUrl } = this.#options
    const webhooks = findProviderWebhooks(row.provider)
    const shownSecret = isEditor && secret !== undefined ? secret : secretMask
    const url = webhookUrl(publicUrl, row.transport_id, shownSecret)
    const counts = webhookCounts.map((name) => [name, row[name]] as const)
    return {
      transportId: row.transport_id,
      provider: row.provider,
      providerTitle: titles.get(row.provider) ?? row.provider,
      url,
      signingKey: signingKey === null ? null : secretMask,
      signingKeyLabel: webhooks?.signingKeyLabel ?? null,
      steps: [...(webhooks?.steps(url) ?? [])],
      dateAdded: formatDate(row.created_at),
      lastEventAt: formatOptionalDate(row.last_event_at),
      counts: Object.fromEntries(counts) as Record<WebhookCount, number>,
      problem: secret === undefined ? unreadableSecret : row.problem,
    }
  }

  /** Throws an AppError (`conflict`) where the DSN cannot be decrypted. */
  async #providersOf(row: TransportRow): Promise<DsnProviders> {
    const dsn = await this.#options.transports.findDsn(row)
    if (dsn === undefined) throw dsnUnreadable()
    return readProviders(dsn)
  }
}

/** Returns the titles of the providers that report events, by name. */
function titlesOfProviders(): ReadonlyMap<string, string> {
  const readable = describeProviders({}).filter(({ name }) => findProviderWebhooks(name))
  return new Map(readable.map(({ name, title }) => [name, title]))
}

interface DsnProviders {
  /** Those that the DSN names. */
  providers: EventProvider[]
  /** Those that a caller may name, because a server of the DSN is not known. */
  otherProviders: EventProvider[]
}

/** A stored DSN that cannot be read any more has none. */
function readProviders(dsn: string): DsnProviders {
  try {
    const providers = eventProvidersOf(dsn)
    const isOther = ({ name }: EventProvider) => providers.every((each) => each.name !== name)
    return { providers, otherProviders: possibleProvidersOf(dsn).filter(isOther) }
  } catch (error) {
    if (error instanceof DsnError) return { providers: [], otherProviders: [] }
    throw error
  }
}

/** Throws an AppError (`invalid`) that lists the providers of the DSN, or those that report events. */
function chooseProvider(
  { providers, otherProviders }: DsnProviders,
  name: string | undefined,
): EventProvider {
  const other = otherProviders.find((each) => each.name === name)
  if (other !== undefined) return other
  const [first, ...others] = providers
  if (first === undefined) throw withoutEvents(otherProviders)
  const chosen = name === undefined ? first : providers.find((each) => each.name === name)
  if (chosen !== undefined && (name !== undefined || others.length === 0)) return chosen
  const names = providers.map((each) => each.name).join(', ')
  const reason =
    name === undefined
      ? `is required: name one of ${names}`
      : `must be ${others.length > 0 ? 'one of ' : ''}${names}: the DSN names each server`
  throw providerInvalid(reason)
}

/**
 * Reads a signing key that was pasted: undefined leaves the stored one as it is.
 *
 * @throws AppError (`invalid`) for what cannot be a key of the provider.
 */
function readKey(provider: string, given: string | null | undefined): string | null | undefined {
  const key = given?.trim()
  if (key === secretMask) return undefined
  if (key === undefined) return given
  const problem = findProviderWebhooks(provider)?.checkKey?.(key)
  if (problem === undefined && key !== '') return key
  const message = problem ?? 'The signing key is blank. Paste the key, or send null to remove it.'
  const options = { details: { signingKey: [message] } }
  throw new AppError('invalid', 'signing_key_invalid', message, options)
}

function withoutEvents(otherProviders: readonly EventProvider[]): AppError {
  const readable = [...titlesOfProviders().values()].join(', ')
  const names = otherProviders.map(({ name }) => name).join(', ')
  const message =
    names === ''
      ? `The DSN of this transport has no provider whose events Mailyard reads. It reads those of ${readable}.`
      : `The server of this transport is not known. If it sends through a provider, name that as "provider": one of ${names}.`
  return new AppError('invalid', 'provider_without_events', message)
}

function providerInvalid(reason: string): AppError {
  const options = { details: { provider: [reason] } }
  return new AppError('invalid', 'provider_invalid', `provider ${reason}.`, options)
}

function publicUrlMissing(): AppError {
  const message =
    'Providers have no address to call. Set MAILYARD_PUBLIC_URL to the one where the internet reaches Mailyard, such as https://mail.example.com, and restart.'
  return new AppError('conflict', 'public_url_missing', message)
}

function webhookNotFound(provider: string | undefined): AppError {
  const which = provider === undefined ? '' : ` for the provider "${provider}"`
  const message = `This transport has no webhook${which}. Create it with PUT.`
  return new AppError('not_found', 'webhook_not_found', message)
}

const transportDeleted = () =>
  new AppError('not_found', 'transport_not_found', 'Transport not found')

function dsnUnreadable(): AppError {
  const message =
    'The DSN of this transport cannot be decrypted, because its key is missing. Save the DSN again first.'
  return new AppError('conflict', 'dsn_unreadable', message)
}

const unreadableSecret =
  'The secret of its address cannot be decrypted, because its key is missing. Create the webhook again; its address changes.'
