import { hash, randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, mapDone } from '../../kit/batch-item-result.ts'
import { type Caller, mayUse, owns, sees } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { secretMask } from '../../libraries/mailer/index.ts'
import { validationError } from '../../platform/http/index.ts'
import {
  brandAccess,
  type Entry,
  type EntryChange,
  type EntryRemoval,
  type ItemToPrepare,
  type ItemToWrite,
  openResource,
  type Released,
  type RemovalContext,
  type Resource,
  type ResourceService,
  type SaveContext,
} from '../../platform/resource/index.ts'
import { type ListQuery, openRecordStore, type Storage } from '../../platform/storage/index.ts'
import { testLogin } from './check/login-tests.ts'
import type { DoNotContactList } from './do-not-contact/do-not-contact-list.ts'
import { mauticNotFound } from './errors.ts'
import type { MauticClients } from './mautic-clients.ts'
import { mauticRecord } from './mautic-fields.ts'
import { findMauticWarnings, findValueFaults, readCredentials } from './mautic-values.ts'
import { type MauticInput, type MauticItem, mauticFields } from './schema.ts'
import { addState } from './state-store.ts'
import type { MauticStatuses } from './status.ts'
import type { StoredSecrets } from './stored-secrets.ts'
import type { MauticRow, MauticTables } from './table.ts'
import type { OwnWebhooks } from './webhooks/own-webhooks.ts'
import { noteWithoutOwner } from './webhooks/webhook-store.ts'

export interface MauticRecordsOptions {
  storage: Storage
  clock: Clock
  secrets: StoredSecrets
  statuses: MauticStatuses
  webhooks: Pick<OwnWebhooks, 'removeWithConnection'>
  clients: Pick<MauticClients, 'open'>
  list: Pick<DoNotContactList, 'forget'>
  /** Returns those of the ids that transports have, and the brand that each belongs to. */
  findTransportBrands: (
    ids: readonly number[],
    tx: Transaction<object>,
  ) => Promise<ReadonlyMap<number, number>>
  /** Returns those of the ids that roles have. */
  findRoles: (ids: readonly number[], tx: Transaction<object>) => Promise<readonly number[]>
  /** Returns the DSN of an SMTP log-in, for Mautic's configuration. */
  mailerDsn: (login: string, password: string) => string
  /** The host name under which Mautics reach this Mailyard. */
  publicHost: string
  /** Called after Mautics were changed, before the change is answered. */
  onChanged: () => Promise<void>
}

/** The key of a new SMTP password. A symbol, so that no request body can set it. */
const newSmtpPassword = Symbol('new SMTP password')

type MauticValues = MauticInput & { [newSmtpPassword]?: string }

/** The connected Mautics as records. Only the answer that follows a new SMTP password has it; the database has its hash. */
export class MauticRecords implements ResourceService<MauticItem, MauticInput> {
  readonly #options: MauticRecordsOptions
  readonly #resource: Resource<MauticRow, MauticItem, MauticValues>

  constructor(options: MauticRecordsOptions) {
    this.#options = options
    this.#resource = openResource<MauticRow, MauticItem, MauticValues>({
      clock: options.clock,
      store: openRecordStore<MauticRow>(options.storage, {
        table: 'mautics',
        nameColumn: 'name',
        fields: mauticFields,
        // Names and hosts are compared.
        lock: 'mautics',
      }),
      area: 'api',
      notFound: mauticNotFound,
      access: brandAccess({ label: 'Mautic', storage: options.storage, isPrivate: true }),
      toInput,
      prepare: (item) => this.#prepare(item),
      present: (rows) => rows.map(presentMautic),
      hooks: {
        beforeWrite: (tx, item) => this.#check(tx, item),
        async afterWrite(tx, { rows, before }) {
          const now = options.clock.now()
          for (const row of rows) {
            if (before === undefined) await addState(tx, row.id)
            await markTagging(tx, row, { before, now })
            // The next look at the webhook may be a minute away.
            const isUserNow = before?.username === null && row.username !== null
            if (isUserNow) await noteWithoutOwner(tx.withTables<MauticTables>(), row.id, now)
          }
        },
        beforeRemove(_tx, { caller }) {
          checkAdministrator(caller)
          return undefined
        },
        afterCommit: () => options.onChanged(),
      },
      parts: {
        async test(item) {
          // Before a request is sent to an address of their choice.
          checkAdministrator(item.caller)
          await testLogin(options.clients, item)
          return undefined
        },
      },
    })
  }

  /** Throws an AppError (`not_found`), also for one that does not exist for the caller. */
  getRow(id: number, caller: Caller): Promise<MauticRow> {
    return this.#resource.getRow(id, caller)
  }

  /** Finds the faults of single values. A property, because routes keep it without its object. */
  readonly findFaults = async (values: Readonly<Record<string, unknown>>) =>
    findValueFaults(values, this.#options.publicHost)

  /** Returns one Mautic with its status. */
  async get(id: number, caller: Caller): Promise<Entry<MauticItem>> {
    const entry = await this.#resource.get(id, caller)
    const [status] = await this.#options.statuses.find([id])
    return status === undefined ? entry : { ...entry, item: { ...entry.item, status } }
  }

  list(query: ListQuery, caller: Caller) {
    return this.#resource.list(query, caller)
  }

  async create(inputs: readonly MauticInput[], context: SaveContext) {
    const values = inputs.map((input) => ({ ...input, [newSmtpPassword]: createPassword() }))
    return this.#showDsns(await this.#resource.create(values, context), values)
  }

  async edit(changes: readonly EntryChange<MauticInput>[], context: SaveContext) {
    const edits = changes.map(withNewPassword)
    const values = edits.map((edit) => edit.values)
    const results = await mapDone(await this.#resource.edit(edits, context), (entry, index) =>
      values[index]?.username ? this.#warnOfWebhook(entry) : entry,
    )
    return this.#showDsns(results, values)
  }

  /** Adds what is wrong with the webhook of a Mautic whose user was changed. */
  async #warnOfWebhook(entry: Entry<MauticItem>): Promise<Entry<MauticItem>> {
    const { item } = entry
    const [status] = await this.#options.statuses.find([item.id])
    const problem = status?.webhook?.problem ?? null
    if (problem === null) return entry
    return { ...entry, item: { ...item, warnings: [...(item.warnings ?? []), problem] } }
  }

  /**
   * Deletes two things before a Mautic: its webhook, which would fail without the connection and could end a run of Mautic, and
   * what was read of its Do not contact list, which is too much for the transaction that deletes the Mautic. `consequence`
   * says what remains in Mautic.
   */
  async remove(removals: readonly EntryRemoval[], context: RemovalContext) {
    const mayRemove = context.isDryRun !== true && context.caller.isAdmin
    const remaining = mayRemove ? await this.#clearFirst(removals, context) : []
    const results = await this.#resource.remove(removals, context)
    return mapDone(results, (removed, index) => {
      const sentences = [removed.consequence, remaining[index]].filter((each) => each !== undefined)
      return sentences.length === 0 ? removed : { ...removed, consequence: sentences.join(' ') }
    })
  }

  /** Returns what remains in each Mautic, as a sentence. */
  async #clearFirst(
    removals: readonly EntryRemoval[],
    { caller, isAtomic }: RemovalContext,
  ): Promise<(string | undefined)[]> {
    const removable = await Promise.all(
      removals.map(async ({ id, seen }) => {
        const row = await this.#resource.findRow(id, caller)
        return row !== undefined && (seen === undefined || seen.includes(row.revision))
      }),
    )
    if (isAtomic && removable.includes(false)) return []
    return Promise.all(
      removals.map(async ({ id }, index) => {
        if (removable[index] !== true) return undefined
        const sentence = await this.#options.webhooks.removeWithConnection(id)
        await this.#options.list.forget(id)
        return sentence
      }),
    )
  }

  #showDsns(
    results: BatchItemResult<Entry<MauticItem>>[],
    values: readonly Partial<MauticValues>[],
  ): Promise<BatchItemResult<Entry<MauticItem>>[]> {
    return mapDone(results, (entry, index) => {
      const { item, isNew } = entry
      const { [newSmtpPassword]: password, newPassword } = values[index] ?? {}
      if (password === undefined || !(isNew || newPassword === true)) return entry
      const mailerDsn = this.#options.mailerDsn(item.smtpLogin, password)
      return { ...entry, item: { ...item, mailerDsn } }
    })
  }

  async #prepare({ input, current }: ItemToPrepare<MauticRow, MauticValues>) {
    const { secrets, publicHost } = this.#options
    const { credentials, faults } = readCredentials(input, current)
    const allFaults = { ...findValueFaults(input, publicHost), ...faults }
    if (Object.keys(allFaults).length > 0) throw validationError(allFaults)
    const { secret, clientId, username } = credentials
    const columns = { ...toColumns(input, current), client_id: clientId, username }
    if (secret === undefined) return { columns: { ...columns, secret: current?.secret ?? '' } }
    const { text, isCurrent } = await secrets.seal('secret', secret)
    return { columns: { ...columns, secret: text }, isCurrent }
  }

  /** In the transaction. The Mautic at `url` decides who are its administrators, and they may do everything here. */
  async #check(
    anyTx: Transaction<object>,
    { columns, current, caller }: ItemToWrite<MauticRow, MauticValues>,
  ): Promise<void> {
    const { findTransportBrands, findRoles } = this.#options
    checkAdministrator(caller)
    await checkUnique(anyTx.withTables<MauticTables>(), columns, { ownId: current?.id, caller })
    const { transport_id: transportId } = columns
    if (
      transportId !== null &&
      (transportId !== current?.transport_id || columns.brand_id !== current.brand_id)
    ) {
      const brands = await findTransportBrands([transportId], anyTx)
      const brand = brands.get(transportId)
      const isSeen = brand !== undefined && sees(caller, brand)
      checkTransport({ transportId, brand: isSeen ? brand : undefined }, columns.brand_id)
    }
    if (columns.role_map === current?.role_map) return
    const roleIds = Object.values(JSON.parse(columns.role_map) as Record<string, number>)
    const known = new Set(roleIds.length === 0 ? [] : await findRoles(roleIds, anyTx))
    const missing = roleIds.find((id) => !known.has(id))
    if (missing !== undefined)
      throw validationError({ roleMap: [`names an unknown role: ${missing}`] })
  }
}

/** A replacement may create a record, which needs a password. */
function withNewPassword(change: EntryChange<MauticInput>): EntryChange<MauticValues> {
  const isAsked = change.values.newPassword === true
  if (change.mode === 'patch' && !isAsked) return change
  const password = { [newSmtpPassword]: createPassword() }
  return { ...change, values: { ...change.values, ...password } } as EntryChange<MauticValues>
}

/** Mautic takes the password out of a URL and mangles other characters than letters and digits. */
function createPassword(): string {
  return randomBytes(32).toString('hex')
}

/** Throws an AppError for a transport that does not exist for the caller (`brand` is undefined), or belongs to another brand. */
function checkTransport(
  { transportId, brand }: { transportId: number; brand: number | undefined },
  ownBrand: number,
): void {
  if (brand === undefined)
    throw new AppError('not_found', 'transport_not_found', `Transport not found: ${transportId}`)
  if (mayUse({ brand_id: brand }, ownBrand)) return
  const message =
    `Transport ${transportId} belongs to another brand (id ${brand}): only its messages are sent through it. ` +
    'Choose another transport, or change "brand" of this one.'
  throw new AppError('invalid', 'transport_of_brand', message)
}

function checkAdministrator(caller: Caller): void {
  if (caller.isAdmin) return
  const message =
    'Administrators of a connected Mautic may do everything. So only administrators can connect, change or delete one.'
  throw new AppError('forbidden', 'more_than_own_rights', message)
}

/** Notes since when the refusals of a Mautic are tagged: from this moment on. */
async function markTagging(
  anyTx: Transaction<object>,
  { id, is_tagging: isTagging }: MauticRow,
  { before, now }: { before: MauticRow | undefined; now: number },
): Promise<void> {
  const tx = anyTx.withTables<MauticTables>()
  if (Boolean(isTagging) === Boolean(before?.is_tagging)) return
  await tx.deleteFrom('mautic_tag_marks').where('mautic_id', '=', id).execute()
  const mark = { mautic_id: id, reached_at: now - 1 }
  if (isTagging) await tx.insertInto('mautic_tag_marks').values(mark).execute()
}

async function checkUnique(
  tx: Transaction<MauticTables>,
  { name, hosts }: Pick<MauticRow, 'name' | 'hosts'>,
  { ownId, caller }: { ownId: number | undefined; caller: Caller },
): Promise<void> {
  const query = tx.selectFrom('mautics').select(['id', 'name', 'hosts', 'brand_id'])
  const others = (await query.execute()).filter(({ id }) => id !== ownId)
  const namesake = others.find((other) => other.name === name)
  if (namesake !== undefined)
    throw new AppError(
      'conflict',
      'mautic_name_taken',
      `${owns(caller, namesake.brand_id) ? `Mautic ${namesake.id}` : 'Another Mautic'} is named "${name}" already. Choose another name.`,
    )
  const ownHosts = JSON.parse(hosts) as string[]
  for (const other of others) {
    const shared = (JSON.parse(other.hosts) as string[]).find((host) => ownHosts.includes(host))
    if (shared === undefined) continue
    const message = owns(caller, other.brand_id)
      ? `The host name ${shared} belongs to the Mautic "${other.name}". Remove it there first.`
      : `The host name ${shared} belongs to another Mautic.`
    throw new AppError('conflict', 'mautic_host_taken', message)
  }
}

function toInput(row: MauticRow) {
  return { ...mauticRecord.toValues(row), ...maskedSecrets(row) } satisfies MauticInput
}

function maskedSecrets({ client_id: clientId, username }: MauticRow) {
  return {
    clientId,
    clientSecret: clientId === null ? null : secretMask,
    username,
    password: username === null ? null : secretMask,
  }
}

function toColumns(input: MauticValues, current: MauticRow | undefined) {
  const { [newSmtpPassword]: password } = input
  const isNew = current === undefined || input.newPassword === true
  return {
    ...mauticRecord.toColumns(input),
    smtp_login: current?.smtp_login ?? randomBytes(16).toString('hex'),
    smtp_password_hash:
      isNew && password !== undefined
        ? hash('sha256', password)
        : (current?.smtp_password_hash ?? ''),
    webhook_secret: current?.webhook_secret ?? null,
  }
}

function presentMautic(row: MauticRow): MauticItem {
  const warnings = findMauticWarnings(toInput(row))
  return {
    ...mauticRecord.present(row, { ...maskedSecrets(row), smtpLogin: row.smtp_login }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** Removes a transport that is being deleted from all Mautics. `related` has the ids of these Mautics. */
export async function releaseTransport(id: number, tx: Transaction<object>): Promise<Released> {
  const update = tx.withTables<MauticTables>().updateTable('mautics').set({ transport_id: null })
  const rows = await update.where('transport_id', '=', id).returning(['id', 'name']).execute()
  if (rows.length === 0) return {}
  const names = rows.map(({ name }) => `"${name}"`).sort()
  const one = names.length === 1
  const which = `${one ? 'Mautic' : 'Mautics'} ${names.join(', ')}`
  return {
    consequence: {
      planned: `The ${which} ${one ? 'loses its' : 'lose their'} default transport.`,
      done: `It was the default transport of the ${which}.`,
    },
    related: rows.map((row) => row.id),
  }
}

/**
 * Makes a restored transport the default of the Mautics that `releaseTransport` removed it from, where they have none. Returns
 * what could not be restored, as sentences.
 */
export async function restoreTransport(
  id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  const ids = (related ?? []) as number[]
  if (ids.length === 0) return []
  const update = tx.withTables<MauticTables>().updateTable('mautics').set({ transport_id: id })
  const free = update.where('id', 'in', ids).where('transport_id', 'is', null)
  const restored = new Set((await free.returning('id').execute()).map((row) => row.id))
  const others = ids.filter((each) => !restored.has(each))
  if (others.length === 0) return []
  return [
    `It is not the default of these Mautics again (deleted, or with another default by now): ${others.join(', ')}.`,
  ]
}
