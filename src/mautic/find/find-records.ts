import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'
import { MauticError, toAppError } from '../client/mautic-error.ts'
import type { MauticClients } from '../client/open-clients.ts'
import { asObject } from '../client/read-answer.ts'
import { emailKind, type MirrorKind, type MirrorRow, userKind } from '../mirror/mirror-records.ts'
import type { MirrorStore } from '../mirror/mirror-store.ts'
import type { StateStore } from '../mirror/state-store.ts'
import { mayShow, subjectKey } from '../mirror/subject-key.ts'
import { checkSameRecords, ReinstalledError } from '../mirror/synchronize.ts'
import { reinstalled } from '../mirror/synchronizer.ts'
import type { MauticEmailRow, MauticTables, MauticUserRow } from '../table.ts'
import { createShared } from './shared-requests.ts'

/** An email of a Mautic. */
export interface MauticEmail {
  id: number
  name: string
  subject: string
  isPublished: boolean
}

/** A user of a Mautic, who may own contacts. */
export interface MauticUser {
  id: number
  username: string
  email: string
  firstName: string
  lastName: string
  isPublished: boolean
}

/** Finds the emails of Mautics. */
export interface FindEmails {
  /**
   * Finds an email. One that is not known yet is asked for and kept.
   *
   * @throws AppError (`upstream`) where that Mautic does not answer.
   */
  find(mauticId: number, id: number): Promise<MauticEmail | undefined>
  /** Finds the known published emails of which a test ("Send example") has this subject, without its `[TEST] `. */
  findTested(mauticId: number, subject: string): Promise<MauticEmail[]>
}

/** Finds the users of Mautics. */
export interface FindUsers {
  /** As for emails. */
  find(mauticId: number, id: number): Promise<MauticUser | undefined>
  /** Finds a known user by address; letter case does not matter. Of several, the one with the lowest id. */
  findByEmail(mauticId: number, address: string): Promise<MauticUser | undefined>
}

/** Dependencies of the look-ups. */
export interface FindOptions {
  storage: Storage
  clock: Clock
  clients: MauticClients
  states: StateStore
  emails: MirrorStore<MauticEmailRow>
  users: MirrorStore<MauticUserRow>
}

/** Opens the look-ups of emails. */
export function openFindEmails(options: FindOptions): FindEmails {
  const db = options.storage.tables<MauticTables>()
  const find = createFind(options, emailKind, options.emails, () =>
    db
      .selectFrom('mautic_emails')
      .selectAll()
      .where('mautic_id', '=', 0)
      .where('id', '=', 0)
      .compile(),
  )
  return {
    async find(mauticId, id) {
      const row = await find(mauticId, id)
      return row && toEmail(row)
    },
    async findTested(mauticId, subject) {
      const rows = await db
        .selectFrom('mautic_emails')
        .selectAll()
        .where('mautic_id', '=', mauticId)
        .where('subject_key', '=', subjectKey(subject))
        .where('is_published', '=', true)
        .orderBy('id')
        .limit(testedMax)
        .execute()
      return rows.filter((row) => mayShow(row.subject, subject)).map(toEmail)
    },
  }
}

/** More emails with the same subject are not compared. */
const testedMax = 1_000

/** Opens the look-ups of users. */
export function openFindUsers(options: FindOptions): FindUsers {
  const db = options.storage.tables<MauticTables>()
  const select = () => db.selectFrom('mautic_users').selectAll().where('mautic_id', '=', 0)
  const find = createFind(options, userKind, options.users, () =>
    select().where('id', '=', 0).compile(),
  )
  const byEmail = createLookUp<MauticUserRow>(options.storage, () =>
    select().where('email_key', '=', '').orderBy('id').limit(1).compile(),
  )
  return {
    async find(mauticId, id) {
      const row = await find(mauticId, id)
      return row && toUser(row)
    },
    async findByEmail(mauticId, address) {
      const key = emailKey(address)
      const row = key === '' ? undefined : await byEmail(mauticId, key, 1)
      return row && toUser(row)
    },
  }
}

function toEmail({ id, name, subject, is_published }: MauticEmailRow): MauticEmail {
  return { id, name, subject, isPublished: Boolean(is_published) }
}

function toUser(row: MauticUserRow): MauticUser {
  const { id, username, email, first_name: firstName, last_name: lastName } = row
  return { id, username, email, firstName, lastName, isPublished: Boolean(row.is_published) }
}

/** How long it is remembered that a record does not exist. */
const missingMs = 60_000

/** Creates a look-up in what is known, then in Mautic. */
function createFind<Row extends MirrorRow>(
  { storage, clock, clients, states }: FindOptions,
  kind: MirrorKind<Row>,
  store: MirrorStore<Row>,
  build: Parameters<typeof createLookUp>[1],
): (mauticId: number, id: number) => Promise<Row | undefined> {
  const findKnown = createLookUp<Row>(storage, build)
  const shared = createShared<Row>({ clock, missingMs })
  const ask = async (mauticId: number, id: number) => {
    const client = await clients.find(mauticId)
    if (client === undefined) return undefined
    const state = (await states.find([mauticId])).get(mauticId)
    if (state?.is_reinstalled) return undefined
    const answer = await client.get(`${kind.path}/${id}`).catch(undefinedIfMissing)
    const row = kind.toRow(mauticId, asObject(answer)[kind.member])
    if (row?.id !== id) return undefined
    try {
      // A run may have found it meanwhile.
      checkSameRecords(kind, [row], await store.readSome(mauticId, [id]))
    } catch (error) {
      if (!(error instanceof ReinstalledError)) throw error
      await states.noteReinstalled(mauticId, reinstalled(error.message))
      return undefined
    }
    await store.save([row])
    return row
  }
  return async (mauticId, id) => {
    if (!Number.isSafeInteger(id) || id <= 0) return undefined
    const known = await findKnown(mauticId, id)
    if (known !== undefined) return known
    try {
      return await shared(`${mauticId} ${id}`, () => ask(mauticId, id))
    } catch (error) {
      throw toAppError(error)
    }
  }
}

/** A 404 means that Mautic has no such record. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof MauticError && error.code === 'not_found') return undefined
  throw error
}
