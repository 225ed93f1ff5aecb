import type { Kysely } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { createLookUp, type LookUp, type Storage } from '../../../platform/storage/index.ts'
import type { MauticClients } from '../mautic-clients.ts'
import { toRow } from '../mirror/mirror-records.ts'
import type { MirrorStore } from '../mirror/mirror-store.ts'
import { mayShow, subjectKey } from '../mirror/subject-key.ts'
import { checkSameRecords, ReinstalledError, reinstalledProblem } from '../mirror/synchronize.ts'
import type { StateStore } from '../state-store.ts'
import type { MauticEmailRow, MauticTables, MauticUserRow, MirrorRow } from '../table.ts'
import { RemoteLookup } from './remote-lookup.ts'

/** More emails with the same subject are not compared. */
const testedMax = 1_000
/** How long it is remembered that a record does not exist. */
const missingMs = 60_000

export interface RecordFinderOptions<Row extends MirrorRow> {
  storage: Storage
  clock: Clock
  clients: MauticClients
  states: StateStore
  store: MirrorStore<Row>
}

/** Finds records of one kind in what is known, then in Mautic. */
class RecordFinder<Row extends MirrorRow> {
  readonly #options: RecordFinderOptions<Row>
  readonly #findKnown: LookUp<{ mauticId: number; id: number }, Row>
  readonly #remote: RemoteLookup<number, Row>

  constructor(options: RecordFinderOptions<Row>) {
    const { storage, store, clock } = options
    const records = storage.tables<Record<string, MirrorRow>>().selectFrom(store.kind.table)
    this.#options = options
    this.#findKnown = createLookUp<{ mauticId: number; id: number }, Row>(
      storage,
      ({ mauticId, id }) =>
        records.selectAll().where('mautic_id', '=', mauticId).where('id', '=', id),
    )
    this.#remote = new RemoteLookup({
      clock,
      missingMs,
      keysMax: 1,
      requestsMax: 4,
      ask: async (mauticId, [id = 0]) => new Map([[id, await this.#ask(mauticId, id)]]),
    })
  }

  /**
   * Finds a record. One that is not known yet is asked for and kept.
   *
   * @throws AppError (`upstream`) where that Mautic does not answer.
   */
  async find(mauticId: number, id: number): Promise<Row | undefined> {
    if (!Number.isSafeInteger(id) || id <= 0) return undefined
    return (await this.#findKnown({ mauticId, id })) ?? this.#remote.find(mauticId, id)
  }

  async #ask(mauticId: number, id: number): Promise<Row | undefined> {
    const { clients, states, store } = this.#options
    const { kind } = store
    const client = await clients.find(mauticId)
    if (client === undefined || (await states.find(mauticId))?.is_reinstalled) return undefined
    const row = toRow(kind, mauticId, await client.find(kind.many, id))
    if (row === undefined) return undefined
    try {
      // A run may have found it meanwhile.
      checkSameRecords(kind, [row], await store.readSome(mauticId, [id]))
    } catch (error) {
      if (!(error instanceof ReinstalledError)) throw error
      await states.noteReinstalled(mauticId, reinstalledProblem(error.message))
      return undefined
    }
    await store.save([row])
    return row
  }
}

type EmailSubject = Pick<MauticEmailRow, 'id' | 'subject'>

export class EmailFinder extends RecordFinder<MauticEmailRow> {
  readonly #db: Kysely<MauticTables>
  readonly #states: StateStore

  constructor(options: RecordFinderOptions<MauticEmailRow>) {
    super(options)
    this.#states = options.states
    this.#db = options.storage.tables<MauticTables>()
  }

  /** Whether a Mautic says of any email whether it is for contacts on its Do not contact list. */
  async haveListRule(mauticId: number): Promise<boolean> {
    const emails = this.#db.selectFrom('mautic_emails').select('id').limit(1)
    const ruled = emails.where('mautic_id', '=', mauticId).where('send_to_dnc', 'is not', null)
    return (await ruled.executeTakeFirst()) !== undefined
  }

  /**
   * Finds the published emails of which a test ("Send example") has this subject, without its `[TEST] `.
   *
   * @throws AppError (`upstream`) where not all emails of that Mautic are known: another one may have the subject, too.
   */
  async findTested(mauticId: number, subject: string): Promise<EmailSubject[]> {
    const { synchronized_at: readAt = null, problem = null } =
      (await this.#states.find(mauticId)) ?? {}
    const published = this.#db
      .selectFrom('mautic_emails')
      .select(['id', 'subject'])
      .where('mautic_id', '=', mauticId)
      .where('is_published', '=', true)
    const same = published.where('subject_key', '=', subjectKey(subject)).orderBy('id')
    const found = await same.limit(testedMax).execute()
    const rows = found.filter((row) => mayShow(row.subject, subject))
    if (readAt === null || (problem !== null && rows.length > 0))
      throw new AppError('upstream', 'mautic_unread', problem ?? 'Its emails are being read.')
    return rows
  }
}

export class UserFinder extends RecordFinder<MauticUserRow> {
  readonly #findByKey: LookUp<{ mauticId: number; key: string }, MauticUserRow>

  constructor(options: RecordFinderOptions<MauticUserRow>) {
    super(options)
    const users = options.storage.tables<MauticTables>().selectFrom('mautic_users').selectAll()
    this.#findByKey = createLookUp(options.storage, ({ mauticId, key }) => {
      const byKey = users.where('mautic_id', '=', mauticId).where('email_key', '=', key)
      return byKey.orderBy('id').limit(1)
    })
  }

  /** Finds a known user by address; letter case does not matter. Of several, the one with the lowest id. */
  async findByEmail(mauticId: number, address: string): Promise<MauticUserRow | undefined> {
    const key = emailKey(address)
    return key === '' ? undefined : this.#findByKey({ mauticId, key })
  }
}
