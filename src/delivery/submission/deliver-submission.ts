import { type Log, maskAddresses } from '../../kit/log.ts'
import { largeBytes } from '../../kit/pause.ts'
import type { Mautics } from '../../mautic/index.ts'
import type { EmailRendererOptions, IdentifyMessage, IdentityNote } from '../../messages/index.ts'
import {
  prepareTemplates,
  type RelayedMessage,
  renderTokens,
  StepRunner,
  strangerData,
} from '../../messages/index.ts'
import type { ResolveRoute, Route, RouteQuestion } from '../../routing/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { Deliverer, DeliverReport, DeliverRequest } from '../deliver.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import {
  type ContactLookup,
  type Copy,
  findIdentifiedCopies,
  openContactLookup,
  type SubmissionIdentity,
} from './copies.ts'
import { addresseeOf, type MessageKeys, type ReadSubmission, subjectOf } from './read-submission.ts'
import {
  explainError,
  type RecipientReport,
  ReplyError,
  reportDuplicate,
  reportResult,
  reportResults,
  reportSuppressed,
  reportUnanswered,
  reportUnsent,
  withReplaced,
} from './recipient-reports.ts'
import type { RefusalMemory } from './refusal-memory.ts'
import { createReply, memoryLimitReached } from './reply.ts'
import { type ComposedMessage, isNotification, type Submission } from './submission.ts'

export interface SubmissionDelivererOptions {
  storage: Storage
  log: Log
  resolveRoute: ResolveRoute
  deliverer: Pick<Deliverer, 'deliver'>
  deliveryLog: Pick<DeliveryLog, 'findDuplicates'>
  refusals: RefusalMemory
  /** Identifies messages that come from a Mautic. */
  identify: IdentifyMessage
  findListRule: Mautics['findListRule']
  rendering: EmailRendererOptions
  /** The size limit of a message in bytes, before and after rendering. */
  messageBytesMax: number
}

/** How a message is delivered. */
export type DeliverSubmissionOptions = Pick<
  DeliverRequest,
  'admit' | 'limitWaitMs' | 'startSending'
> & {
  /** Who has decided that the message is sent without what its Mautic has not answered; null if no one has. */
  decidedBy?: string | null
}

/** A message for some of its recipients. */
interface ReadCopy extends ReadSubmission {
  copy: Copy
  identity: SubmissionIdentity
}

/** Delivers submitted messages: identifies them, chooses the route, renders the tokens, and sends. */
export class SubmissionDeliverer {
  readonly #options: SubmissionDelivererOptions
  readonly #ownContacts: ContactLookup
  /** The fields of its lines contain no secrets, so redaction is skipped. */
  readonly #plainLog: Log

  constructor(options: SubmissionDelivererOptions) {
    this.#options = options
    this.#ownContacts = openContactLookup(options.storage)
    this.#plainLog = options.log.child({}, { redact: [] })
  }

  /** Makes one attempt for each recipient. Throws an AppError (`upstream`) if the database is lost. */
  async deliver(
    read: ReadSubmission,
    options: DeliverSubmissionOptions = {},
  ): Promise<RecipientReport[]> {
    const { submission, message } = read
    const { identify, rendering } = this.#options
    // Afterwards its tokens are known, so nothing else searches it as a whole.
    if (message.sizeBytes > largeBytes)
      await new StepRunner(() => rendering.work.turn()).run(message.search())
    if (usesTemplates(read) && !submission.submitter.canViewTemplates)
      return submission.recipients.map((address) => reportUnsent(address, templatesForbidden))
    const parts = { identify, ownContacts: this.#ownContacts }
    const { copies, identity } = await findIdentifiedCopies(read, parts)
    const reports: RecipientReport[] = []
    for (const copy of copies)
      reports.push(...(await this.#deliverCopy({ ...read, copy, identity }, options)))
    return reports
  }

  async #deliverCopy(
    read: ReadCopy,
    { admit, limitWaitMs, startSending, decidedBy = null }: DeliverSubmissionOptions,
  ): Promise<RecipientReport[]> {
    const { resolveRoute, refusals, deliverer, findListRule } = this.#options
    const { submission, message, subject, keysOf, copy, identity } = read
    const { sender, submitter, rendered } = submission
    const { messageId, from, isBulk, isList } = message.head
    const { mautic, unanswered } = identity
    const isOpen = decidedBy === null
    const question = { ...questionOf(read), unanswered: isOpen ? unanswered?.problem : undefined }
    const route = withNotes(await resolveRoute(question), notesOf(read, decidedBy))
    const needed = unanswered === undefined ? undefined : neededAnswer(read, route)
    if (unanswered !== undefined && needed !== undefined)
      return this.#markDuplicates(
        keysOf,
        copy.recipients.map((address) => reportUnanswered(address, unanswered, needed)),
      )
    const context = refusalContextOf(read, route)
    const refused = await this.#markDuplicates(
      keysOf,
      copy.recipients.flatMap((address) => {
        const refusal = refusals.find(context, address)
        return refusal === undefined ? [] : [reportResult(refusal.result, refusal.reason)]
      }),
    )
    const isRefused = new Set(refused.map(({ address }) => address))
    const to = copy.recipients.filter((address) => !isRefused.has(address))
    if (to.length === 0) return refused
    const reserved: (() => void)[] = []
    const namedContact = copy.ignored === undefined ? identity.contactId : undefined
    try {
      const report = await deliverer.deliver({
        source: rendered === undefined ? 'smtp' : 'api',
        caller: submitter.name,
        mauticId: mautic?.id,
        emailId: identity.emailId ?? null,
        contactId: copy.contact?.id ?? namedContact ?? null,
        requestHash: rendered?.requestHash ?? null,
        messageId: messageId ?? null,
        subject,
        envelope: { from: sender, to },
        compose: () => this.#compose(read, reserved),
        isBulk: isBulk || isList,
        from,
        list: mautic && findListRule(mautic, { ...identity, isDecided: decidedBy !== null }),
        route,
        keysOf,
        admit,
        limitWaitMs,
        startSending,
      })
      const reports = reportsOf(report, to)
      this.#logReport(report, reports)
      for (const { result } of report.sent) refusals.keep(context, result, report.bounced)
      return [...refused, ...reports]
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      const unsent = to.map((address) => reportUnsent(address, error.reply))
      return [...refused, ...(await this.#markDuplicates(keysOf, unsent))]
    } finally {
      for (const release of reserved) release()
    }
  }

  async #markDuplicates(
    keysOf: MessageKeys,
    reports: readonly RecipientReport[],
  ): Promise<RecipientReport[]> {
    const recipients = reports.map(({ address }) => ({ address, ...keysOf(address) }))
    const duplicates = await this.#options.deliveryLog.findDuplicates(recipients)
    return withReplaced(reports, duplicates.map(reportDuplicate))
  }

  /**
   * Composes the message of a copy. Adds to `reserved` how to release the memory for it. Throws a ReplyError for whatever
   * keeps it from being composed.
   */
  async #compose(read: ReadCopy, reserved: (() => void)[]): Promise<ComposedMessage> {
    const { submission, message, subject } = read
    try {
      const rendered = await this.#render(read)
      const release = submission.reserve(copyBytesOf(submission, rendered))
      if (release === undefined) throw new ReplyError(memoryLimitReached)
      reserved.push(release)
      const raw = joined(rendered.chunks)
      return { raw, subject: rendered === message ? subject : subjectOf(rendered) }
    } catch (error) {
      throw new ReplyError(explainError(error, this.#options.log))
    }
  }

  /** Renders the tokens with the data of the contact of this copy. Throws TwigError, TooLargeToRender and ReplyError. */
  async #render(read: ReadCopy): Promise<RelayedMessage> {
    const { submission, message, copy, identity } = read
    if (!usesTemplates(read)) return message
    const { rendering, messageBytesMax } = this.#options
    const [recipient = ''] = copy.recipients
    const visible = submission.submitter.canViewContacts ? copy.contact : undefined
    const contact = visible === undefined ? strangerData(recipient) : await visible.data()
    const from = { ...rendering, mauticId: identity.mautic?.id }
    const templates = await prepareTemplates(message.templateIds, contact, from)
    return renderTokens(message, templates, { sizeMax: messageBytesMax, work: rendering.work })
  }

  /** Logs one line for each message that was sent or has no transport. */
  #logReport(
    { sent, started, problem, deferral, suppressed }: DeliverReport,
    reports: readonly RecipientReport[],
  ): void {
    const log = this.#plainLog
    if (!log.isLevelEnabled('info')) return
    if (problem !== undefined) {
      const line = { recipients: reports.length, reason: maskAddresses(problem) }
      log.info(line, deferral === undefined ? 'message refused' : 'message put off')
      return
    }
    if (suppressed.length > 0) log.info({ recipients: suppressed.length }, 'recipients suppressed')
    const [first] = sent
    if (first === undefined || started === undefined) return
    const { deliveryIds, transportId, transport } = started
    const [deliveryId] = deliveryIds
    const recipients = deliveryIds.length
    const durationMs = Math.round(first.result.durationMs)
    const line = { deliveryId, recipients, transportId, transport, durationMs }
    const failed = reports.find(({ reply }) => reply.code >= 400)?.reply
    if (failed === undefined) log.info(line, 'message relayed')
    else log.info({ ...line, reply: failed.code, status: failed.status }, 'message refused')
  }
}

const templatesForbidden = createReply(
  550,
  '5.7.1',
  'The message uses Twig templates, and you do not have permission to view them (twigtemplates:view)',
)

/** Reports all recipients: duplicates, those that a server answered, and those for whom there is no transport. */
function reportsOf(report: DeliverReport, to: readonly string[]): RecipientReport[] {
  const { duplicates, suppressed, undecided, started, problem, deferral, limit } = report
  // RFC 3463, section 3.4: X.3.2 accepts no messages now; X.3.5 is not configured correctly.
  const status = limit === undefined && deferral === undefined ? '4.3.5' : '4.3.2'
  const reply = createReply(451, status, problem ?? 'The message was not sent')
  const { until: deferredUntil, brakeId } = deferral ?? {}
  const { transportId } = deferral ?? report
  const isLimited = limit !== undefined
  const isUnroutable = problem !== undefined && !isLimited
  const waitsForRepair = deferral === undefined ? isUnroutable : deferral.isFailing === true
  const waits = { deferredUntil, transportId, brakeId, waitsForRepair, isLimited }
  const unsent = to.map((address) => ({ ...reportUnsent(address, reply), ...waits }))
  const sent = report.sent.flatMap(({ result, retryAt }) =>
    reportResults(result, { transportId: started?.transportId ?? null, deferredUntil: retryAt }),
  )
  return withReplaced(unsent, [
    ...sent,
    ...duplicates.map(reportDuplicate),
    ...[...suppressed, ...undecided].map(reportSuppressed),
  ])
}

/** What the message needs of an answer that has not come; undefined if it can be sent without. */
function neededAnswer(read: ReadCopy, { target }: Route): string | undefined {
  if (target.kind === 'open') return 'it to choose its transport'
  const isGreeted = usesTemplates(read) && read.copy.contact === undefined
  return isGreeted ? 'the data of its contact' : undefined
}

/**
 * Counts the bytes of the copies that are made to send a message: its copied or rendered chunks, all of it in one
 * piece, and its encoded form in the transport.
 */
function copyBytesOf(received: Submission, { chunks, sizeBytes }: RelayedMessage): number {
  const own = new Set<ArrayBufferLike>(received.chunks.map(({ buffer }) => buffer))
  const copied = chunks.filter(({ buffer }) => !own.has(buffer))
  const inOnePiece = chunks.length === 1 ? 0 : sizeBytes
  return copied.reduce((sum, { length }) => sum + length, inOnePiece + sizeBytes)
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/** The text of a notification quotes servers and messages: a token in it is none. */
function usesTemplates({ message, submission }: ReadSubmission): boolean {
  return !isNotification(submission) && message.holdsTokens
}

function questionOf({ submission, message, copy, identity }: ReadCopy): RouteQuestion {
  if (isNotification(submission)) return { mautic: undefined }
  const { transport, from } = message.head
  const { mautic, emailId, ownerId } = identity
  // The identified contact of a Mautic has its owner already.
  const contactId =
    mautic === undefined ? (copy.contact?.id ?? submission.rendered?.contactId) : undefined
  return { mautic, transport, emailId, contactId, ownerId, from }
}

/** Returns what the trace says of the email and the contact, besides how the route was chosen. */
function notesOf(read: ReadCopy, decidedBy: string | null): IdentityNote[] {
  const { submission, copy, identity } = read
  const notes = [...identity.notes]
  if (decidedBy !== null && identity.unanswered !== undefined)
    notes.push({ about: 'email', text: `${decidedBy} has decided to send it without the answer` })
  if (copy.ignored !== undefined) notes.push({ about: 'contact', text: copy.ignored })
  const isHidden = usesTemplates(read) && !submission.submitter.canViewContacts
  if (copy.contact !== undefined && isHidden)
    notes.push({
      about: 'contact',
      text: `the data of contact ${copy.contact.id} is left out: the sender may not view contacts (contact:view)`,
    })
  return notes
}

function withNotes(route: Route, notes: readonly IdentityNote[]): Route {
  const steps = notes.map(({ about, text: reason }) => {
    const source = about === 'email' ? ('email' as const) : ('owner' as const)
    return { source, transport: null, outcome: 'noted' as const, reason }
  })
  return { ...route, trace: [...steps, ...route.trace] }
}

function refusalContextOf({ submission, message, identity }: ReadCopy, { target }: Route) {
  const { submitter, sender, rendered } = submission
  return {
    callerKey: submitter.key,
    // A person who sends an email again after a refusal wants another answer of the server.
    emailId: rendered === undefined ? identity.emailId : undefined,
    target: target.kind === 'transport' ? target.row.id : target.kind,
    sender,
    addressee: addresseeOf(message.head),
  }
}
