import { type Kysely, sql, type Transaction } from 'kysely'
import type { DeliveryRow } from '../../delivery/index.ts'
import { outcomes } from '../../delivery/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import type { Message } from '../../mailer/index.ts'
import type { Mautics, MauticTables, NewReport } from '../../mautic/index.ts'
import { composeNotice } from '../../messages/index.ts'
import type { SubmitNotification } from '../../queue/index.ts'
import type { Storage } from '../../storage/index.ts'
import { RefusalSummary, writeDigest } from './digest-text.ts'
import type { Refusals } from './refusals.ts'

export interface RefusalReporterOptions {
  storage: Storage
  refusals: Refusals
  mautics: { reports: Pick<Mautics['reports'], 'add'> }
  /** Stores a digest. */
  submitNotification: SubmitNotification
  /** The operator's default transport. Digests of a Mautic are sent through the Mautic's own default without it. */
  defaultDsn: string | undefined
  /** The address in From of digests. */
  defaultFrom: string
  /** What links start with; undefined without one. */
  publicUrl: string | undefined
  clock: Clock
  log: Log
  /** How often it looks for what is due. */
  idleMs: number
}

/** A Mautic, what it is reported, and up to when that was done. */
interface ReportedMautic {
  id: number
  name: string
  refusals_to: string | null
  is_tagging: boolean
  digest_at: number | null
  tag_at: number | null
}

type Purpose = 'digest' | 'tag'

const dayMs = 86_400_000
/** When digests are due, after midnight UTC. */
const digestAtMs = 6 * 3_600_000
/** The log has the time at which an attempt started. After this time its outcome is in the log, too. */
const settledMs = 15 * 60_000

/** Reports the refused messages of Mautics: by a daily email, and as a tag of their contacts. */
export class RefusalReporter {
  readonly #options: RefusalReporterOptions
  readonly #db: Kysely<MauticTables>
  readonly #loop: WorkLoop

  constructor(options: RefusalReporterOptions) {
    const { storage, log, idleMs } = options
    this.#options = options
    this.#db = storage.tables<MauticTables>()
    this.#loop = new WorkLoop({
      work: async () => {
        await this.run()
        return idleMs
      },
      idleMs,
      log,
      events: { failed: 'refusals not reported', recovered: 'refusals reported again' },
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Reports what is due, until it is stopped. Several processes may do it at the same time. */
  async run(): Promise<void> {
    for (const mautic of await this.#findMautics()) {
      if (this.#loop.isStopped) return
      const { id, refusals_to: to } = mautic
      const tagAt = await this.#startAt(id, 'tag', { at: mautic.tag_at, isOn: mautic.is_tagging })
      if (tagAt !== undefined) await this.#tag(id, tagAt)
      const digestAt = await this.#startAt(id, 'digest', {
        at: mautic.digest_at,
        isOn: to !== null,
      })
      if (to !== null && digestAt !== undefined) await this.#sendDigest(mautic, to, digestAt)
    }
  }

  async #findMautics(): Promise<ReportedMautic[]> {
    const { rows } = await sql<ReportedMautic>`
      select mautics.id, name, refusals_to, is_tagging,
        digest.reached_at as digest_at, tag.reached_at as tag_at
      from mautics
        left join mautic_refusal_marks as digest
          on digest.mautic_id = mautics.id and digest.purpose = 'digest'
        left join mautic_refusal_marks as tag
          on tag.mautic_id = mautics.id and tag.purpose = 'tag'
      order by mautics.id`.execute(this.#db)
    return rows
  }

  /** Returns the time from which refusals are reported; undefined for none. Earlier ones are not reported. */
  async #startAt(
    mauticId: number,
    purpose: Purpose,
    { at, isOn }: { at: number | null; isOn: boolean },
  ): Promise<number | undefined> {
    if (isOn && at !== null) return at
    if (isOn) {
      const row = { mautic_id: mauticId, purpose, reached_at: this.#options.clock.now() }
      const insert = this.#db.insertInto('mautic_refusal_marks').values(row)
      await insert.onConflict((conflict) => conflict.doNothing()).execute()
    } else if (at !== null) {
      const mark = this.#db.deleteFrom('mautic_refusal_marks').where('mautic_id', '=', mauticId)
      await mark.where('purpose', '=', purpose).execute()
    }
    return undefined
  }

  /**
   * Queues a tag for each contact, and moves the mark after each batch, until another process moves it. The same report is
   * queued once, so two processes may do it.
   */
  async #tag(mauticId: number, from: number): Promise<void> {
    const { refusals, mautics, clock } = this.#options
    const until = clock.now() - settledMs
    if (until <= from) return
    let after = from
    for await (const { rows, readUntil } of refusals.read(mauticId, { after, until })) {
      const tagged = rows.filter(({ outcome }) => outcomes[outcome].refusal?.isTagged)
      await mautics.reports.add(tagged.map((row) => toReport(mauticId, row)))
      const mark = { mauticId, purpose: 'tag' as const, after, until: readUntil }
      if (!(await this.#advance(this.#db, mark)) || this.#loop.isStopped) return
      after = readUntil
    }
  }

  async #sendDigest(mautic: ReportedMautic, to: string, after: number): Promise<void> {
    const { refusals, submitNotification, defaultDsn, clock, log } = this.#options
    const until = lastDigestAt(clock.now()) - settledMs
    if (until <= after) return
    const { id: mauticId, name } = mautic
    const mark = { mauticId, purpose: 'digest' as const, after, until }
    const summary = new RefusalSummary()
    for await (const { rows } of refusals.read(mauticId, mark)) {
      if (this.#loop.isStopped) return
      for (const row of rows) summary.add(row)
    }
    if (summary.count === 0) {
      await this.#advance(this.#db, mark)
      return
    }
    const isStored = await submitNotification(await this.#compose(mark, { name, to, summary }), {
      mautic: defaultDsn === undefined ? { id: mauticId, name } : undefined,
      claim: (tx) => this.#advance(tx.withTables<MauticTables>(), mark),
    })
    if (isStored) log.info({ mauticId, refusals: summary.count }, 'refusals reported')
  }

  /** It is no message of the Mautic: so it is not reported itself. */
  async #compose(
    { mauticId, after, until }: Mark,
    { name, to, summary }: { name: string; to: string; summary: RefusalSummary },
  ): Promise<Message> {
    const { refusals, defaultFrom, publicUrl, clock } = this.#options
    const emailIds = summary.groups().map(({ emailId }) => ({ email_id: emailId }))
    const { subject, text } = writeDigest(summary, {
      mautic: name,
      emailNames: await refusals.findEmailNames(mauticId, emailIds),
      after,
      until,
      url: publicUrl === undefined ? undefined : `${publicUrl}/mautics/${mauticId}#refusals`,
    })
    return composeNotice({
      from: defaultFrom,
      to,
      subject,
      text,
      id: `refusals.${mauticId}.${until.toString(36)}`,
      now: clock.now(),
    })
  }

  /** Moves a mark. Returns false if another process has moved it. */
  async #advance(
    db: Kysely<MauticTables> | Transaction<MauticTables>,
    { mauticId, purpose, after, until }: Mark,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('mautic_refusal_marks')
      .set({ reached_at: until })
      .where('mautic_id', '=', mauticId)
      .where('purpose', '=', purpose)
      .where('reached_at', '=', after)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
}

/** What was read of the refusals of a Mautic: those that started after `after`, up to `until`. */
interface Mark {
  mauticId: number
  purpose: Purpose
  after: number
  until: number
}

/** Returns when digests were due last. */
function lastDigestAt(now: number): number {
  return Math.floor((now - digestAtMs) / dayMs) * dayMs + digestAtMs
}

function toReport(mauticId: number, row: DeliveryRow): NewReport {
  const { contact_id: contactId, email_id: emailId, recipient: address } = row
  const comments = row.reply ?? row.reason ?? ''
  return { mauticId, contactId, emailId, address, reason: 'refused', comments }
}
