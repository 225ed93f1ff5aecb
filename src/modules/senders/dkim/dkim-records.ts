import type { Kysely, Transaction } from 'kysely'
import type { BrandTables } from '../../../core/brands/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { callerKey, noBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { formatOptionalDate } from '../../../kit/iso-date.ts'
import { searchTextOf } from '../../../kit/normalize-for-search.ts'
import { asciiDomain } from '../../../libraries/mailer/index.ts'
import { validationError } from '../../../platform/http/index.ts'
import {
  brandAccess,
  type ItemToPrepare,
  type ItemToWrite,
  openResource,
  type Resource,
} from '../../../platform/resource/index.ts'
import { editStamp, openRecordStore, type Storage } from '../../../platform/storage/index.ts'
import type { DkimSecrets } from './dkim-secrets.ts'
import { recordOf } from './dns-record.ts'
import type { KeyChecker } from './key-checker.ts'
import { KeyMaker, type KeyMaterial, rsaBitsOf, UnusableKeyError } from './key-material.ts'
import { type DkimKeyInput, type DkimKeyItem, dkimKeyFields, dkimKeyRecord } from './schema.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

export interface DkimRecordsOptions {
  storage: Storage
  clock: Clock
  secrets: DkimSecrets
  checker: KeyChecker
  /** Called after keys were changed, before the change is answered. */
  onChanged: () => Promise<void>
}

type Item = ItemToPrepare<DkimKeyRow, DkimKeyInput>

/** How many keys one request creates, and how many RSA keys it makes: one takes a thread a quarter of a second. */
const createdMax = { all: 100, rsa: 10 }
/** Gmail and Outlook.com ask for it. */
const recommendedBits = 2_048
/** The length of the public half of such a key, in Base64. */
const recommendedLength = 392

/** Opens the keys as records. No answer has a private key, and a deleted key is gone. */
export function openDkimRecords(
  options: DkimRecordsOptions,
): Resource<DkimKeyRow, DkimKeyItem, DkimKeyInput> {
  const { storage, clock, secrets, onChanged } = options
  const changes = new KeyChanges(options)
  const resource = openResource<DkimKeyRow, DkimKeyItem, DkimKeyInput>({
    clock,
    store: openRecordStore<DkimKeyRow>(storage, {
      table: 'dkim_keys',
      nameColumn: 'domain',
      fields: dkimKeyFields,
      lock: 'dkim keys',
    }),
    area: 'multipleTransports',
    notFound: (id) =>
      new AppError('not_found', 'dkim_key_not_found', `DKIM key ${id} was not found.`),
    access: brandAccess({ label: 'DKIM key', storage }),
    findFaults: findValueFaults,
    toInput: dkimKeyRecord.toValues,
    prepare: (item) =>
      item.current === undefined
        ? changes.prepareNew(item)
        : changes.prepareEdit(item, item.current),
    hooks: {
      beforeWrite: (tx, item) => changes.beforeWrite(tx.withTables<DkimTables>(), item),
      afterCommit: onChanged,
    },
    async present(rows) {
      const published = await findPublished(storage, rows)
      return Promise.all(
        rows.map(async (row) => {
          const key = await secrets.open(row, 'private_key', { isMany: true })
          const isOfPublished = published.has(row.brand_id)
          return presentKey(row, { isReadable: key !== undefined, isOfPublished })
        }),
      )
    },
  })
  return {
    ...resource,
    create(inputs, context) {
      checkCount(inputs)
      return resource.create(inputs, context)
    },
    async edit(edits, context) {
      const creations: DkimKeyInput[] = []
      for (const edit of edits)
        if (edit.mode === 'put' && (await resource.findRow(edit.id, context.caller)) === undefined)
          creations.push(edit.values)
      checkCount(creations)
      return resource.edit(edits, context)
    },
  }
}

/** What creations and edits of keys do beyond storing values. */
class KeyChanges {
  readonly #options: DkimRecordsOptions
  readonly #keys = new KeyMaker()
  /** The keys of inputs: an item that is prepared again gets no other key. */
  readonly #prepared = new WeakMap<DkimKeyInput, KeyMaterial>()

  constructor(options: DkimRecordsOptions) {
    this.#options = options
  }

  /** The first key of a domain and brand is published, and others wait until a person publishes them. */
  async prepareNew(item: Item) {
    const { input, pending, caller } = item
    const { clock, secrets, checker } = this.#options
    const brand_id = input.brand ?? noBrand
    const domain = asciiDomain(input.domain) ?? ''
    const faults = findValueFaults({ ...input })
    const others = await this.#readOthers({ domain, brand_id }, pending)
    const used = others.keys.map(({ selector }) => selector)
    const selector = input.selector?.toLowerCase() ?? chooseSelector(clock.now(), used)
    const selectorFault = findSelectorFault(selector, domain)
    if (selectorFault !== undefined) faults['selector'] = [selectorFault]
    if (Object.keys(faults).length > 0) throw validationError(faults)
    if (used.includes(selector)) throw selectorTaken(domain, selector)
    const isPublished = input.isPublished ?? !others.isPublished
    const isImported = input.privateKey !== undefined
    // No key is made for a request that is refused.
    if (isPublished && others.isPublished && !isImported) throw recordMissing(domain)
    const material = await this.#materialOf(input, callerKey(caller))
    const { algorithm, privateKey, publicKey: public_key } = material
    const sealed = await secrets.seal('private_key', privateKey)
    const found = isImported ? await checker.lookUp({ domain, selector, public_key }) : undefined
    const isFound = found?.state === 'usable'
    if (isPublished && others.isPublished && !isFound) throw recordMissing(domain, found?.problem)
    return {
      columns: {
        ...dkimKeyRecord.toColumns(input),
        domain,
        brand_id,
        algorithm,
        selector,
        private_key: sealed.text,
        public_key,
        is_published: isPublished,
        active_at: isFound ? clock.now() : null,
        absent_since: null,
        problem: found?.problem ?? null,
        checked_at: found === undefined ? null : clock.now(),
        search_text: searchTextOf(domain, selector),
      },
      isCurrent: async (tx: Transaction<object>, ownIds: ReadonlySet<number>) =>
        (await sealed.isCurrent(tx)) && (await others.isCurrent(tx, ownIds)),
    }
  }

  /** Only `isPublished` and `brand` can be edited. Other values may be sent as they are. */
  async prepareEdit(item: Item, current: DkimKeyRow) {
    const { input, pending } = item
    const { clock, checker } = this.#options
    checkUnchanged(input, current)
    const brand_id = input.brand ?? noBrand
    const { id, revision, date_added, date_modified, ...columns } = current
    const { created_by, created_by_id, modified_by, modified_by_id, ...own } = columns
    const edited = { ...own, brand_id, is_published: input.isPublished ?? true }
    const isSame = current.is_published && brand_id === current.brand_id
    if (!edited.is_published || isSame) return { columns: edited }
    const { isPublished, isCurrent } = await this.#readOthers(edited, pending, current.id)
    if (!isPublished) return { columns: edited, isCurrent }
    // The key that signs now is replaced without a gap.
    const { state, problem } = await checker.lookUp(current)
    if (state !== 'usable') throw recordMissing(current.domain, problem)
    const now = clock.now()
    const active_at = current.active_at ?? now
    const found = { active_at, absent_since: null, problem, checked_at: now }
    return { columns: { ...edited, ...found }, isCurrent }
  }

  /** Reads the other keys of a domain as the items before will leave them, and whether one of the same brand is published. */
  async #readOthers(
    { domain, brand_id: brand }: Pick<DkimKeyRow, 'domain' | 'brand_id'>,
    pending: Item['pending'],
    ownId?: number,
  ) {
    const stored = await readKeys(this.#options.storage.tables<DkimTables>(), domain)
    const changed = pending.filter((each) => each.domain === domain && each.id !== ownId)
    const ids = new Set([ownId, ...changed.map(({ id }) => id)])
    const keys = [...stored.filter(({ id }) => !ids.has(id)), ...changed]
    return {
      keys,
      isPublished: keys.some((key) => key.is_published && key.brand_id === brand),
      isCurrent: async (tx: Transaction<object>, ownIds: ReadonlySet<number>) => {
        const now = await readKeys(tx.withTables<DkimTables>(), domain)
        const textOf = (all: typeof stored) =>
          JSON.stringify(all.filter(({ id }) => !ownIds.has(id)))
        return textOf(now) === textOf(stored)
      },
    }
  }

  /** A key that is published takes the place of the one that was. */
  async beforeWrite(
    tx: Transaction<DkimTables>,
    item: ItemToWrite<DkimKeyRow, DkimKeyInput>,
  ): Promise<void> {
    const { domain, brand_id, selector, is_published: isPublished } = item.columns
    const id = item.current?.id ?? 0
    const ofDomain = tx.selectFrom('dkim_keys').selectAll().where('domain', '=', domain)
    for (const row of await ofDomain.where('id', '!=', id).execute()) {
      if (row.selector === selector) throw selectorTaken(domain, selector)
      if (!isPublished || !row.is_published || row.brand_id !== brand_id) continue
      const stamp = editStamp(row, { caller: item.caller, clock: this.#options.clock })
      const update = tx.updateTable('dkim_keys').set({ is_published: false, ...stamp })
      await update.where('id', '=', row.id).execute()
    }
  }

  /** Creates the key of an input, or reads the one that it has. */
  async #materialOf(input: DkimKeyInput, owner: string): Promise<KeyMaterial> {
    const known = this.#prepared.get(input)
    if (known !== undefined) return known
    const { privateKey, algorithm } = input
    const material =
      privateKey === undefined
        ? await this.#keys.create(algorithm ?? 'rsa', owner)
        : await this.#readKey(privateKey, owner)
    if (algorithm !== undefined && algorithm !== material.algorithm)
      throw validationError({
        algorithm: [`is ${algorithm}, but privateKey is a key of ${material.algorithm}`],
      })
    this.#prepared.set(input, material)
    return material
  }

  async #readKey(pem: string, owner: string): Promise<KeyMaterial> {
    try {
      return await this.#keys.read(pem, owner)
    } catch (error) {
      if (error instanceof UnusableKeyError) throw validationError({ privateKey: [error.message] })
      throw error
    }
  }
}

function readKeys(db: Kysely<DkimTables>, domain: string) {
  const query = db.selectFrom('dkim_keys').select(['id', 'brand_id', 'selector', 'is_published'])
  return query.where('domain', '=', domain).orderBy('id').execute()
}

/** Throws an AppError (`invalid`) where a value is edited that cannot be. */
function checkUnchanged(input: DkimKeyInput, current: DkimKeyRow): void {
  const { domain, selector, algorithm, privateKey } = input
  const faults: Record<string, string[]> = {}
  const fault = ['cannot be changed: create another key']
  if (asciiDomain(domain) !== current.domain) faults['domain'] = fault
  if ((selector?.toLowerCase() ?? current.selector) !== current.selector) faults['selector'] = fault
  if ((algorithm ?? current.algorithm) !== current.algorithm) faults['algorithm'] = fault
  if (privateKey !== undefined) faults['privateKey'] = fault
  if (Object.keys(faults).length > 0) throw validationError(faults)
}

/** What a key needs to sign: its private half, and its brand. */
interface KeyParts {
  isReadable: boolean
  isOfPublished: boolean
}

/** Returns the published ones of the brands of some keys; none counts as one. */
async function findPublished(storage: Storage, rows: readonly DkimKeyRow[]): Promise<Set<number>> {
  const ids = rows.map((row) => row.brand_id)
  const query = storage.tables<BrandTables>().selectFrom('brands').select('id')
  const found = await query
    .where(storage.isAmong('id', ids))
    .where('is_published', '=', true)
    .execute()
  return new Set([noBrand, ...found.map(({ id }) => id)])
}

function presentKey(row: DkimKeyRow, parts: KeyParts): DkimKeyItem {
  const { domain, selector, algorithm, public_key: publicKey } = row
  const isUsable = parts.isReadable && parts.isOfPublished
  const warnings = warningsOf(row, parts)
  return {
    ...dkimKeyRecord.present(row, {
      isActive: isUsable && Boolean(row.is_published) && row.active_at !== null,
      record: recordOf({ domain, selector, algorithm, publicKey }),
      problem: row.problem,
      dateChecked: formatOptionalDate(row.checked_at),
      dateActive: formatOptionalDate(row.active_at),
    }),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function warningsOf(
  { algorithm, brand_id: brand, public_key: publicKey }: DkimKeyRow,
  { isReadable, isOfPublished }: KeyParts,
): string[] {
  const warnings: string[] = []
  if (!isOfPublished)
    warnings.push(
      `Brand ${brand} is not published: the key signs nothing. Publish it, or change the brand of the key.`,
    )
  if (!isReadable)
    warnings.push(
      'The private key cannot be decrypted, because its data key is missing: messages are not signed. Create another key.',
    )
  // To read a key takes longer than to present one.
  const isLong = algorithm !== 'rsa' || publicKey.length >= recommendedLength
  const bits = isLong ? recommendedBits : rsaBitsOf(publicKey)
  if (bits < recommendedBits)
    warnings.push(
      `The key has ${bits} bits. Replace it: receivers ask for ${recommendedBits} bits.`,
    )
  return warnings
}

/** Finds faults of single values, which may have any type. */
function findValueFaults({ domain }: Readonly<Record<string, unknown>>): Record<string, string[]> {
  if (typeof domain !== 'string' || domain === '') return {}
  const name = asciiDomain(domain)
  if (name?.includes('.') === true) return {}
  return { domain: ['must be a domain such as example.com, without an address or a path'] }
}

/** @see RFC 6376, section 3.1: as the labels of a domain. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** A domain name has at most 253 characters. */
const nameMax = 253

/** Returns what is wrong with a selector in lower case, as a fault of its field; undefined for nothing. */
function findSelectorFault(selector: string, domain: string): string | undefined {
  if (!selector.split('.').every((part) => label.test(part)))
    return 'must have letters, digits and hyphens, in parts of at most 63 characters with dots between them'
  if (`${selector}._domainkey.${domain}`.length > nameMax)
    return `is too long: with _domainkey.${domain} it has more than ${nameMax} characters`
  return undefined
}

/** Returns a selector for a key of this month that is not in use: `mailyard-202601`, `mailyard-202601-2`, … */
function chooseSelector(now: number, used: readonly string[]): string {
  const first = `mailyard-${new Date(now).toISOString().slice(0, 7).replace('-', '')}`
  for (let number = 1; ; number += 1) {
    const selector = number === 1 ? first : `${first}-${number}`
    if (!used.includes(selector)) return selector
  }
}

function selectorTaken(domain: string, selector: string): AppError {
  const message = `${domain} has a key with the selector "${selector}" already. Choose another one, or delete that key.`
  return new AppError('conflict', 'dkim_selector_taken', message)
}

/** Why a key does not take the place of the one that signs: no message would be signed so that receivers can verify it. */
function recordMissing(domain: string, problem: string | null = null): AppError {
  const message =
    `Another key signs the messages of ${domain}, and stays until DNS has the record of this one. ${problem ?? ''}`.trim() +
    ' Create it with "isPublished": false, publish its record in DNS, and set isPublished then.'
  return new AppError('conflict', 'dkim_record_missing', message)
}

function checkCount(inputs: readonly DkimKeyInput[]): void {
  const made = inputs.filter(({ algorithm, privateKey }) => !privateKey && algorithm !== 'ed25519')
  if (inputs.length <= createdMax.all && made.length <= createdMax.rsa) return
  const message = `One request creates at most ${createdMax.all} DKIM keys, and makes ${createdMax.rsa} RSA keys. Send several requests.`
  throw new AppError('too_large', 'too_many_dkim_keys', message)
}
