import { type Kysely, sql } from 'kysely'
import type { AuthTables } from '../auth/index.ts'
import type { ContactRow, ContactTables } from '../contacts/index.ts'
import type {
  ComposedMessage,
  DeliveryIntervals,
  DeliveryLog,
  DeliveryTables,
  OnUnattempted,
  UnattemptedEnd,
} from '../delivery/index.ts'
import { createReply, ReplyError, readSubmission, reportUnsent } from '../delivery/index.ts'
import type { EmailRow } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import { backOffMs } from '../kit/back-off.ts'
import { BoundedMemory } from '../kit/bounded-memory.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { normalizeForSearch } from '../kit/normalize-for-search.ts'
import { createPacer } from '../kit/pause.ts'
import { Semaphore } from '../kit/semaphore.ts'
import {
  createLineEncoder,
  type EmailRenderer,
  type FindRefusal,
  findNamedTransport,
  type Links,
  type MimeIdentity,
  ownerColumns,
  readHeaders,
} from '../messages/index.ts'
import type { ClaimedRecipient, MessageFacts, RecipientMessage } from '../queue/index.ts'
import type { Storage } from '../storage/index.ts'
import type { RenderMarks } from './render-marks.ts'
import {
  createRecipientIdentity,
  renderMessage,
  type Subject,
  type Unrenderable,
} from './render-message.ts'
import type { BroadcastTables } from './table.ts'

type Tables = AuthTables & BroadcastTables & ContactTables & DeliveryTables

/** An email that takes longer is marked in the database each time it is rendered. */
const slowMs = 100
/** How long the recipients of an email wait that cannot be sent until a person acts. */
const waitMs = 15_000
/** How long a recipient waits whose message could not be rendered, before it is tried once more. */
const secondTryMs = 1_000
/** How long a broadcast waits after unexpected errors. */
const errorSchedule = { firstMs: 1_000, longestMs: 300_000 }
const errorProblem =
  'An unexpected error occurred in Mailyard; its log has the details. It is tried again.'
const renderedElsewhere = 'Another process renders this email for the first time.'
/** After so many failures to render in a row, the email is considered faulty. */
const failuresMax = 10
/** The broadcasts whose renderers are kept. */
const keptMax = 100

/** Unexpected errors in a row. */
interface Faults {
  count: number
  /** Nothing is tried before this time. */
  until: number
}

/** Why a broadcast cannot be sent until a person acts. */
export interface BroadcastStop {
  state: 'paused' | 'cancelled'
  problem: string
}

export interface RecipientRendererOptions {
  storage: Storage
  clock: Clock
  log: Log
  intervals: Pick<DeliveryIntervals, 'freshMs'>
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  renderMarks: Pick<RenderMarks, 'set' | 'findOthers'>
  /** Returns undefined if the email was deleted. */
  findEmail: (id: number) => Promise<EmailRow | undefined>
  prepareEmail: (email: EmailRow) => Promise<EmailRenderer>
  findRefusal: FindRefusal
  deliveryLog: Pick<DeliveryLog, 'recordUnattempted'>
  onUnattempted?: OnUnattempted | undefined
  /** Pauses or cancels a broadcast that cannot be sent, and says why. */
  stop: (broadcastId: number, stop: BroadcastStop) => Promise<void>
}

/** One recipient, and what its message is rendered from. */
interface RenderWork {
  broadcast: RenderedBroadcast
  recipient: ClaimedRecipient
  subject: Subject
}

/** Why nothing can be rendered, and until when: until a person acts where it says how the broadcast is stopped. */
interface Unready {
  problem: string
  until?: number
  state?: BroadcastStop['state']
}

/** A broadcast that this process renders messages of. */
interface RenderedBroadcast {
  id: number
  emailId: number
  createdAt: number
  messageSeed: string
  renderer: EmailRenderer
  /** The transport that the email names; see `findNamedTransport`. */
  transport: string | undefined
  readAt: number
  /** Contacts whose message could not be rendered. */
  failed: Set<number>
  failuresInARow: number
  /** Why the broadcast was paused: what was prepared before is not rendered. A person who resumes it has repaired the email. */
  faultyBecause: string | undefined
  /** How long the last rendering took that was marked in the database; undefined before the first. */
  markedMs: number | undefined
}

/** Renders the messages of broadcasts for the recipients that the dispatcher has claimed. */
export class RecipientRenderer {
  readonly #options: RecipientRendererOptions
  readonly #db: Kysely<Tables>
  readonly #broadcasts = new BoundedMemory<number, RenderedBroadcast>({ sizeMax: keptMax })
  /** Broadcasts whose email could not be prepared because of an unexpected error. */
  readonly #faulty = new BoundedMemory<number, Faults>({ sizeMax: keptMax })
  readonly #marking = new Semaphore({ permits: 1 })
  /** Messages are rendered one after the other, and the event loop has its turns in between. */
  readonly #rendering = new Semaphore({ permits: 1 })
  readonly #pace = createPacer()
  readonly #encode = createLineEncoder()

  constructor(options: RecipientRendererOptions) {
    this.#options = options
    this.#db = options.storage.tables<Tables>()
  }

  /**
   * Returns a message for each recipient, which is composed once its transport takes it, or why there is none. Throws an
   * AppError (`upstream`) if the database is lost.
   */
  async prepare(
    message: MessageFacts,
    recipients: readonly ClaimedRecipient[],
  ): Promise<RecipientMessage[]> {
    const { clock, stop } = this.#options
    const broadcast = await this.#tryOpen(message)
    if ('problem' in broadcast) {
      const { problem, state, until = clock.now() + waitMs } = broadcast
      if (state !== undefined) await stop(message.broadcast_id ?? 0, { state, problem })
      return recipients.map((recipient) => {
        const { reply, deferredUntil } = putOff(problem, until)
        return { recipient, report: { ...reportUnsent(recipient.address, reply), deferredUntil } }
      })
    }
    const subjects = await this.#findSubjects(broadcast, recipients)
    return recipients.map((recipient) => {
      const subject = subjects.get(recipient.contact_id ?? 0) ?? noSubject
      return this.#prepareOne(message, { broadcast, recipient, subject })
    })
  }

  #prepareOne(message: MessageFacts, work: RenderWork): RecipientMessage {
    const { broadcast, recipient, subject } = work
    const { id, emailId, messageSeed: seed, renderer, transport } = broadcast
    const contactId = recipient.contact_id ?? 0
    // Without an address, it is not composed.
    const address = subject.contact?.email ?? recipient.address
    const identity = createRecipientIdentity(
      { seed, broadcastId: id, contactId, sender: renderer.from },
      this.#options.clock,
    )
    const read = readSubmission({
      submitter: {
        key: `broadcast ${id}`,
        name: message.caller,
        canViewTemplates: true,
        canViewContacts: true,
      },
      sender: renderer.from,
      recipients: [address],
      notification: undefined,
      deliverBy: undefined,
      rendered: {
        messageId: identity.messageId,
        from: renderer.from,
        emailId,
        contactId,
        transport,
        messageKey: recipient.message_key,
        requestHash: null,
        broadcast: { id, queuedId: recipient.id },
      },
      subject: null,
      compose: () => this.#compose(message, { ...work, identity }),
      chunks: [],
      reserve: () => () => undefined,
    })
    return { recipient: { ...recipient, address }, read }
  }

  /** Renders the message to one recipient. Throws a ReplyError where there is none. */
  async #compose(
    message: MessageFacts,
    work: RenderWork & { identity: MimeIdentity },
  ): Promise<ComposedMessage> {
    const { broadcast, recipient, subject } = work
    const { clock, stop } = this.#options
    const rendered = await (isDangerous(broadcast)
      ? this.#renderMarked(work)
      : this.#inTurn(() => this.#render(work)))
    if ('raw' in rendered) {
      broadcast.failuresInARow = 0
      return rendered
    }
    const contactId = recipient.contact_id ?? 0
    const { reason, isOfEmail, outcome } = rendered
    if (isOfEmail && !broadcast.failed.has(contactId)) {
      broadcast.failed.add(contactId)
      broadcast.failuresInARow += 1
      if (broadcast.failuresInARow >= failuresMax && broadcast.faultyBecause === undefined) {
        broadcast.faultyBecause = reason
        await stop(broadcast.id, { state: 'paused', problem: reason }).finally(() =>
          this.#broadcasts.delete(broadcast.id),
        )
      }
      throw putOff(reason, clock.now() + secondTryMs)
    }
    broadcast.failed.delete(contactId)
    // As it was queued, where the contact has none any more.
    const address = subject.contact?.email ?? recipient.address
    await this.#recordUnsent(message, recipient, { address, outcome, reason })
    throw new ReplyError(createReply(554, '5.6.0', reason))
  }

  /**
   * Rendering may end this process if the email was not rendered here yet, or is slow: then it is marked in the database. An
   * email that becomes dangerous later ends one process unmarked, and is marked in the next.
   */
  async #renderMarked(work: RenderWork & { identity: MimeIdentity }) {
    const { renderMarks, clock } = this.#options
    const { broadcast } = work
    const release = await this.#marking.acquire()
    try {
      // It was rendered meanwhile.
      if (!isDangerous(broadcast)) return await this.#inTurn(() => this.#render(work))
      if (await this.#isRenderedElsewhere(broadcast.id, broadcast))
        throw putOff(renderedElsewhere, clock.now() + secondTryMs)
      await renderMarks.set(broadcast.id)
      let tookMs = Number.POSITIVE_INFINITY
      try {
        return await this.#inTurn(() => {
          const startedAt = performance.now()
          try {
            return this.#render(work)
          } finally {
            tookMs = performance.now() - startedAt
          }
        })
      } finally {
        await renderMarks.set(null)
        // Not before: an email whose mark could not be removed is marked again, and then that mark is removed.
        broadcast.markedMs = tookMs
      }
    } finally {
      release()
    }
  }

  #inTurn<T>(render: () => T): Promise<T> {
    return this.#rendering.run(async () => {
      await this.#pace()
      return render()
    })
  }

  /** An unexpected error must not stop the other recipients. */
  #render({
    broadcast,
    recipient,
    subject,
    identity,
  }: RenderWork & { identity: MimeIdentity }): ComposedMessage | Unrenderable {
    const { clock, links, log } = this.#options
    if (broadcast.faultyBecause !== undefined)
      throw putOff(broadcast.faultyBecause, clock.now() + secondTryMs)
    try {
      return renderMessage(subject, {
        broadcastId: broadcast.id,
        emailId: broadcast.emailId,
        contactId: recipient.contact_id ?? 0,
        identity,
        renderer: broadcast.renderer,
        encode: this.#encode,
        links,
      })
    } catch (err) {
      log.error({ err, broadcastId: broadcast.id }, 'broadcast failed')
      throw putOff(errorProblem, clock.now() + errorSchedule.longestMs)
    }
  }

  /** Records that a recipient gets no message. */
  async #recordUnsent(
    message: MessageFacts,
    { contact_id: contactId }: ClaimedRecipient,
    end: UnattemptedEnd,
  ): Promise<void> {
    const { deliveryLog, onUnattempted } = this.#options
    await deliveryLog.recordUnattempted(
      {
        source: 'broadcast',
        caller: message.caller,
        emailId: message.email_id,
        contactId,
        broadcastId: message.broadcast_id,
        sender: '',
        recipients: [],
        transportId: null,
        transport: null,
        messageId: null,
        subject: null,
        requestHash: null,
        trace: [],
      },
      [end],
    )
    onUnattempted?.({ source: 'broadcast', outcome: end.outcome })
  }

  /** As `#open`; an unexpected error stops this broadcast for a while, and no other. */
  async #tryOpen(message: MessageFacts): Promise<RenderedBroadcast | Unready> {
    const { clock, log } = this.#options
    const broadcastId = message.broadcast_id ?? 0
    const faults = this.#faulty.get(broadcastId)
    if (faults !== undefined && faults.until > clock.now())
      return { problem: errorProblem, until: faults.until }
    try {
      const broadcast = await this.#open(message)
      this.#faulty.delete(broadcastId)
      return broadcast
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      log.error({ err, broadcastId }, 'broadcast failed')
      const count = (faults?.count ?? 0) + 1
      const until = clock.now() + backOffMs(errorSchedule, count - 1, Math.random())
      this.#faulty.set(broadcastId, { count, until })
      return { problem: errorProblem, until }
    }
  }

  /** Returns the broadcast with its prepared email, or why nothing can be rendered. */
  async #open(message: MessageFacts): Promise<RenderedBroadcast | Unready> {
    const { intervals, clock, findEmail, findRefusal, prepareEmail } = this.#options
    const id = message.broadcast_id ?? 0
    const emailId = message.email_id ?? 0
    const known = this.#broadcasts.get(id)
    const readAt = performance.now()
    if (known !== undefined && readAt - known.readAt < intervals.freshMs) return known
    if (await this.#isRenderedElsewhere(id, known))
      return { problem: renderedElsewhere, until: clock.now() + secondTryMs }
    const email = await findEmail(emailId)
    if (email === undefined) return { state: 'cancelled', problem: 'The email was deleted.' }
    if (!email.is_published) return { problem: 'The email is not published.' }
    const refusal = await findRefusal(email)
    if (refusal !== undefined) return { state: 'paused', problem: refusal.message }
    const renderer = await prepareEmail(email)
    // It is the same for every contact: an email whose header depends on the contact is refused above.
    const transport = findNamedTransport(readHeaders(email.headers))
    if (known !== undefined) return Object.assign(known, { renderer, transport, readAt })
    const row = await this.#db
      .selectFrom('broadcasts')
      .select(['created_at', 'message_seed'])
      .where('id', '=', id)
      .executeTakeFirst()
    const opened: RenderedBroadcast = {
      id,
      emailId,
      createdAt: row?.created_at ?? 0,
      messageSeed: row?.message_seed ?? '',
      renderer,
      transport,
      readAt,
      failed: new Set(),
      failuresInARow: 0,
      faultyBecause: undefined,
      markedMs: undefined,
    }
    this.#broadcasts.set(id, opened)
    return opened
  }

  /** An email that ended another process would end this one too: it is left alone until that process expires. */
  async #isRenderedElsewhere(id: number, known: RenderedBroadcast | undefined): Promise<boolean> {
    return known?.markedMs === undefined && (await this.#options.renderMarks.findOthers()).has(id)
  }

  async #findSubjects(
    broadcast: RenderedBroadcast,
    recipients: readonly ClaimedRecipient[],
  ): Promise<Map<number, Subject>> {
    const { storage } = this.#options
    const ids = recipients.flatMap(({ contact_id: id }) => id ?? [])
    const contacts = await this.#db
      .selectFrom('contacts')
      .selectAll()
      .where(storage.isAmong('id', ids))
      .execute()
    const ownerIds = [...new Set(contacts.flatMap(({ owner_id: id }) => id ?? []))]
    const owners =
      ownerIds.length === 0
        ? []
        : await this.#db
            .selectFrom('users')
            .select(ownerColumns)
            .where(storage.isAmong('id', ownerIds))
            .execute()
    const ownersById = new Map(owners.map((owner) => [owner.id, owner]))
    const repeated = await this.#findRepeatedAddresses(broadcast, contacts)
    return new Map(
      contacts.map((contact) => [
        contact.id,
        {
          contact,
          owner: ownersById.get(contact.owner_id ?? 0),
          isRepeatedAddress: repeated.has(contact.id),
        },
      ]),
    )
  }

  /**
   * Finds contacts whose address belonged to another contact when it got the message of this broadcast. Contacts have
   * unique addresses, so only those changed since the broadcast was created are looked up.
   */
  async #findRepeatedAddresses(
    { id, createdAt }: RenderedBroadcast,
    contacts: readonly ContactRow[],
  ): Promise<Set<number>> {
    const byKey = new Map<string, number>()
    for (const contact of contacts)
      if (contact.email !== null && (contact.date_modified ?? contact.date_added) >= createdAt)
        byKey.set(normalizeForSearch(contact.email), contact.id)
    if (byKey.size === 0) return new Set()
    const sent = await this.#db
      .selectFrom('deliveries')
      .select(['recipient_key', 'contact_id'])
      .where('recipient_key', 'in', [...byKey.keys()])
      .where(sql<boolean>`${this.#options.storage.unindexed('broadcast_id')} = ${id}`)
      .where('outcome', 'in', ['accepted', 'uncertain'])
      .execute()
    return new Set(
      sent.flatMap((row) => {
        const contactId = byKey.get(row.recipient_key)
        return contactId === undefined || contactId === row.contact_id ? [] : [contactId]
      }),
    )
  }
}

const noSubject: Subject = { contact: undefined, owner: undefined, isRepeatedAddress: false }

/** Whether rendering it may end this process, as far as is known. */
function isDangerous({ markedMs = Number.POSITIVE_INFINITY }: RenderedBroadcast): boolean {
  return markedMs > slowMs
}

/** Puts a recipient off: nothing was tried. */
function putOff(problem: string, until: number): ReplyError {
  return new ReplyError(createReply(451, '4.3.0', problem), until)
}
