import type { Kysely, Transaction } from 'kysely'
import { presentStamps, validationError } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import { type Caller, callerKey } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { formatDate, formatOptionalDate } from '../kit/iso-date.ts'
import { searchTextOf } from '../kit/normalize-for-search.ts'
import { asciiDomain } from '../mailer/index.ts'
import {
  type EntryChange,
  type EntryRemoval,
  type ItemToPrepare,
  openResource,
  type RemovalContext,
  type Resource,
  type ResourceService,
  type SaveContext,
} from '../resource/index.ts'
import { type ListQuery, openRecordStore, type Storage } from '../storage/index.ts'
import type { DkimSecrets } from './dkim-secrets.ts'
import { recordName, recordOf } from './dns-record.ts'
import { type KeyMaker, type KeyMaterial, rsaBitsOf, UnusableKeyError } from './key-material.ts'
import { type DkimKeyInput, type DkimKeyItem, dkimKeyFields, dkimKeyRecord } from './schema.ts'
import { chooseSelector, findSelectorFault } from './selector.ts'
import { noRotation, readRemovable } from './state-after.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

/** Dependencies of `DkimRecords`. */
export interface DkimRecordsOptions {
  storage: Storage
  clock: Clock
  secrets: DkimSecrets
  keys: KeyMaker
  /** Called after keys were changed, before the change is answered. */
  onChanged: () => Promise<void>
}

/** To create one takes a thread a quarter of a second. */
const createdMax = 100
/** A negative answer stays in the caches of DNS servers: no record is looked up that cannot be there yet. */
export const firstCheckMs = 300_000
/** Gmail and Outlook.com ask for it. */
const recommendedBits = 2_048
/** The length of the public half of such a key, in Base64. */
const recommendedLength = 392

/** The keys as records. No answer has a private key, and a deleted key is gone. */
export class DkimRecords implements ResourceService<DkimKeyItem, DkimKeyInput> {
  readonly #options: DkimRecordsOptions
  readonly #resource: Resource<DkimKeyRow, DkimKeyItem, DkimKeyInput>
  /** The keys of inputs: an item that is prepared again gets no other key. */
  readonly #prepared = new WeakMap<DkimKeyInput, KeyMaterial>()

  constructor(options: DkimRecordsOptions) {
    const { storage, clock, secrets, onChanged } = options
    this.#options = options
    this.#resource = openResource<DkimKeyRow, DkimKeyItem, DkimKeyInput>({
      storage,
      clock,
      store: openRecordStore<DkimKeyRow>(storage, {
        table: 'dkim_keys',
        nameColumn: 'domain',
        fields: dkimKeyFields,
      }),
      area: 'multipleTransports',
      notFound: dkimKeyNotFound,
      checkCaller: checkOwnCaller,
      lock: 'dkim keys',
      findFaults: async (values) => findValueFaults(values),
      toInput: (row) => dkimKeyRecord.toValues(row),
      prepare: (item) => this.#prepare(item),
      async beforeWrite(tx, { columns, current }) {
        if (current === undefined) await checkFree(tx.withTables<DkimTables>(), columns.domain)
      },
      onSaved: onChanged,
      onRemoved: onChanged,
      present: (rows) =>
        Promise.all(
          rows.map(async (row) =>
            presentKey(row, await secrets.open(row, 'private_key', { isMany: true })),
          ),
        ),
    })
  }

  /** Throws an AppError (`not_found`, `forbidden`). */
  getRow(id: number, caller: Caller): Promise<DkimKeyRow> {
    return this.#resource.getRow(id, caller)
  }

  /** Finds the faults of single values. A property, because routes keep it without its object. */
  readonly findFaults = async (values: Readonly<Record<string, unknown>>) => findValueFaults(values)

  get(id: number, caller: Caller) {
    return this.#resource.get(id, caller)
  }

  list(query: ListQuery, caller: Caller) {
    return this.#resource.list(query, caller)
  }

  planCreate(inputs: readonly DkimKeyInput[], caller: Caller) {
    checkCount(inputs)
    return this.#resource.planCreate(inputs, caller)
  }

  create(inputs: readonly DkimKeyInput[], context: SaveContext) {
    checkCount(inputs)
    return this.#resource.create(inputs, context)
  }

  edit(changes: readonly EntryChange<DkimKeyInput>[], context: SaveContext) {
    // A replacement of a missing key creates one.
    checkCount(changes.filter(({ mode }) => mode === 'put'))
    return this.#resource.edit(changes, context)
  }

  remove(removals: readonly EntryRemoval[], context: RemovalContext) {
    return this.#resource.remove(removals, context)
  }

  #prepare(item: ItemToPrepare<DkimKeyRow, DkimKeyInput>) {
    const { current } = item
    return current === undefined ? this.#prepareNew(item) : prepareEdit(item.input, current)
  }

  async #prepareNew({ input, pending, caller }: ItemToPrepare<DkimKeyRow, DkimKeyInput>) {
    const { storage, clock, secrets } = this.#options
    const domain = asciiDomain(input.domain) ?? ''
    const faults = findValueFaults({ ...input })
    const now = clock.now()
    const selector = input.selector?.toLowerCase() ?? chooseSelector(now, [])
    const selectorFault = findSelectorFault(selector, domain)
    if (selectorFault !== undefined) faults['selector'] = [selectorFault]
    if (Object.keys(faults).length > 0) throw validationError(faults)
    if (pending.some((each) => each.domain === domain)) throw domainTaken(domain, undefined)
    // No key is made for a domain that has one.
    await checkFree(storage.tables<DkimTables>(), domain)
    const material = await this.#materialOf(input, callerKey(caller))
    const sealed = await secrets.seal('private_key', material.privateKey)
    const isImported = input.privateKey !== undefined
    return {
      columns: {
        ...dkimKeyRecord.toColumns(input),
        domain,
        algorithm: material.algorithm,
        selector,
        private_key: sealed.text,
        public_key: material.publicKey,
        state: 'waiting' as const,
        active_at: null,
        absent_since: null,
        problem: null,
        checked_at: null,
        check_at: isImported ? now : now + firstCheckMs,
        ...noRotation,
        removable: '[]',
        search_text: searchTextOf(domain, selector),
      },
      isCurrent: (tx: Transaction<object>) => sealed.isCurrent(tx),
    }
  }

  /** Creates the key of an input, or reads the one that it has. */
  async #materialOf(input: DkimKeyInput, owner: string): Promise<KeyMaterial> {
    const { keys } = this.#options
    const known = this.#prepared.get(input)
    if (known !== undefined) return known
    const { privateKey, algorithm } = input
    const material =
      privateKey === undefined
        ? await keys.create(algorithm ?? 'rsa', owner)
        : await readKey(keys, privateKey, owner)
    if (algorithm !== undefined && algorithm !== material.algorithm)
      throw validationError({
        algorithm: [`is ${algorithm}, but privateKey is a key of ${material.algorithm}`],
      })
    this.#prepared.set(input, material)
    return material
  }
}

async function readKey(keys: KeyMaker, pem: string, owner: string): Promise<KeyMaterial> {
  try {
    return await keys.read(pem, owner)
  } catch (error) {
    if (error instanceof UnusableKeyError) throw validationError({ privateKey: [error.message] })
    throw error
  }
}

/** Only `isPublished` can be edited. Other values may be sent as they are. */
function prepareEdit(input: DkimKeyInput, current: DkimKeyRow) {
  const { domain, selector, algorithm, privateKey } = input
  const faults: Record<string, string[]> = {}
  const rotation = `rotate the key: POST /api/dkimKeys/${current.id}/rotate`
  if (asciiDomain(domain) !== current.domain)
    faults['domain'] = ['cannot be changed: create a key for the other domain']
  if ((selector?.toLowerCase() ?? current.selector) !== current.selector)
    faults['selector'] = [`cannot be changed: ${rotation}`]
  if ((algorithm ?? current.algorithm) !== current.algorithm)
    faults['algorithm'] = [`cannot be changed: ${rotation}`]
  if (privateKey !== undefined) faults['privateKey'] = [`cannot be changed: ${rotation}`]
  if (Object.keys(faults).length > 0) throw validationError(faults)
  const { id, revision, date_added, date_modified, ...columns } = current
  const { created_by, created_by_id, modified_by, modified_by_id, ...own } = columns
  return { columns: { ...own, is_published: input.isPublished ?? true } }
}

/** `privateKey`: undefined where it cannot be decrypted. */
function presentKey(row: DkimKeyRow, privateKey: string | null | undefined): DkimKeyItem {
  const { domain, selector, algorithm, public_key: publicKey } = row
  const warnings = warningsOf(row, privateKey !== undefined)
  return {
    id: row.id,
    ...dkimKeyRecord.toValues(row),
    state: row.state,
    record: recordOf({ domain, selector, algorithm, publicKey }),
    problem: row.problem,
    next: presentNext(row),
    removable: readRemovable(row).map((removable) => ({
      selector: removable.selector,
      name: recordName(removable.selector, domain),
      from: formatDate(removable.from),
    })),
    dateChecked: formatOptionalDate(row.checked_at),
    dateActive: formatOptionalDate(row.active_at),
    ...presentStamps(row),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function warningsOf(
  { algorithm, public_key: publicKey }: DkimKeyRow,
  isReadable: boolean,
): string[] {
  const warnings: string[] = []
  if (!isReadable)
    warnings.push(
      'The private key cannot be decrypted, because its data key is missing: messages are not signed. Rotate the key.',
    )
  // To read a key takes longer than to present one.
  const isLong = algorithm !== 'rsa' || publicKey.length >= recommendedLength
  const bits = isLong ? recommendedBits : rsaBitsOf(publicKey)
  if (bits < recommendedBits)
    warnings.push(`The key has ${bits} bits. Rotate it: receivers ask for ${recommendedBits} bits.`)
  return warnings
}

function presentNext({
  domain,
  next_algorithm: algorithm,
  next_selector: selector,
  next_public_key: publicKey,
  next_problem: problem,
  next_added_at: addedAt,
}: DkimKeyRow): DkimKeyItem['next'] {
  if (algorithm === null || selector === null || publicKey === null || addedAt === null) return null
  const record = recordOf({ domain, selector, algorithm, publicKey })
  return { algorithm, selector, record, problem, dateAdded: formatDate(addedAt) }
}

/** Finds faults of single values, which may have any type. */
function findValueFaults({ domain }: Readonly<Record<string, unknown>>): Record<string, string[]> {
  if (typeof domain !== 'string' || domain === '') return {}
  const name = asciiDomain(domain)
  if (name?.includes('.') === true) return {}
  return { domain: ['must be a domain such as example.com, without an address or a path'] }
}

/** Throws an AppError (`conflict`) if a domain has a key. */
async function checkFree(db: Kysely<DkimTables>, domain: string): Promise<void> {
  const query = db.selectFrom('dkim_keys').select('id').where('domain', '=', domain)
  const row = await query.executeTakeFirst()
  if (row !== undefined) throw domainTaken(domain, row.id)
}

function domainTaken(domain: string, id: number | undefined): AppError {
  const key = id === undefined ? 'an earlier item of this request' : `DKIM key ${id}`
  const message =
    `${domain} has a key already: ${key}. Rotate that one to replace it without a gap ` +
    '(POST /api/dkimKeys/{id}/rotate), or delete it first.'
  return new AppError('conflict', 'dkim_domain_taken', message)
}

function checkCount(inputs: readonly unknown[]): void {
  if (inputs.length <= createdMax) return
  const message = `One request creates at most ${createdMax} DKIM keys, and this one has ${inputs.length}. Send several.`
  throw new AppError('too_large', 'too_many_dkim_keys', message)
}

/** A key signs the messages of all: of Mailyard itself and of each Mautic. */
function checkOwnCaller(caller: Caller): void {
  if (caller.mautic === undefined) return
  const message =
    'DKIM keys sign the messages of all. So only callers of Mailyard itself can see and change them, none of a Mautic.'
  throw new AppError('forbidden', 'mautic_forbidden', message)
}

export function dkimKeyNotFound(id: number): AppError {
  return new AppError('not_found', 'dkim_key_not_found', `DKIM key ${id} was not found.`)
}
