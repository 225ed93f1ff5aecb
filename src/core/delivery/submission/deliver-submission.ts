import { noBrand } from '../../../kit/caller.ts'
import { type Log, maskAddresses, withoutRedaction } from '../../../kit/log.ts'
import { largeBytes } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { type EmailRendererOptions, prepareTemplates, strangerData } from '../../emails/index.ts'
import type { Mautics } from '../../mautic/index.ts'
import { type RelayedMessage, renderTokens, StepRunner } from '../../mime/index.ts'
import {
  brandOf,
  type IdentifyMessage,
  type ResolveRoute,
  type Route,
  type RouteQuestion,
  type RouteStep,
} from '../../routing/index.ts'
import type { Deliverer, DeliverReport, DeliverRequest } from '../deliver.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import { type Copy, findCopies, type OwnLookups, openOwnLookups } from './copies.ts'
import {
  createReply,
  explainError,
  memoryLimitReached,
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
import type { RefusalContext, RefusalMemory } from './refusal-memory.ts'
import {
  addresseeOf,
  type ComposedMessage,
  isNotification,
  type Submission,
  subjectOf,
} from './submission.ts'

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
export interface DeliverSubmissionOptions extends Pick<DeliverRequest, 'gate' | 'limitWaitMs'> {
  /** Who has decided that the message is sent without what its Mautic has not answered; null if no one has. */
  decidedBy?: string | null
}

/** Delivers submitted messages: identifies them, chooses the route, renders the tokens, and sends. */
export class SubmissionDeliverer {
  readonly #options: SubmissionDelivererOptions
  readonly #own: OwnLookups
  readonly #plainLog: Log

  constructor(options: SubmissionDelivererOptions) {
    this.#options = options
    this.#own = openOwnLookups(options.storage)
    this.#plainLog = withoutRedaction(options.log)
  }

  /** Makes one attempt for each recipient. Throws an AppError (`upstream`) if the database is lost. */
  async deliver(
    submission: Submission,
    options: DeliverSubmissionOptions = {},
  ): Promise<RecipientReport[]> {
    const { message } = submission
    const { identify, rendering } = this.#options
    // Afterwards its tokens are known, so nothing else searches it as a whole.
    if (message.sizeBytes > largeBytes)
      await new StepRunner(() => rendering.work.turn()).run(message.search())
    if (usesTemplates(submission) && !submission.submitter.canViewTemplates)
      return submission.recipients.map((address) => reportUnsent(address, templatesForbidden))
    const reports: RecipientReport[] = []
    for (const copy of await findCopies(submission, identify, this.#own))
      reports.push(...(await this.#deliverCopy(copy, options)))
    return reports
  }

  async #deliverCopy(copy: Copy, options: DeliverSubmissionOptions): Promise<RecipientReport[]> {
    const { resolveRoute, refusals } = this.#options
    const { decidedBy = null } = options
    const route = withNotes(await resolveRoute(questionOf(copy, decidedBy)), copy, decidedBy)
    const needed = neededAnswer(copy, route)
    if (needed !== undefined)
      return this.#withDuplicates(
        copy,
        copy.recipients.map((address) => reportUnanswered(address, needed, needed.what)),
      )
    const context = refusalContextOf(copy, route)
    const refused: RecipientReport[] = []
    const to: string[] = []
    for (const address of copy.recipients) {
      const refusal = refusals.find(context, address)
      if (refusal === undefined) to.push(address)
      else refused.push(reportResult(refusal.result, refusal.reason))
    }
    const reports = await this.#withDuplicates(copy, refused)
    if (to.length > 0) reports.push(...(await this.#send(copy, { route, to, context }, options)))
    return reports
  }

  async #send(
    copy: Copy,
    { route, to, context }: { route: Route; to: readonly string[]; context: RefusalContext },
    { gate, limitWaitMs, decidedBy = null }: DeliverSubmissionOptions,
  ): Promise<RecipientReport[]> {
    const { deliverer, findListRule, refusals } = this.#options
    const { submission, identity } = copy
    const { sender, submitter, rendered, message, subject, keysOf } = submission
    const { messageId, from, isBulk, isList } = message.head
    const { mautic } = identity
    const namedContact = copy.ignored === undefined ? identity.contactId : undefined
    const content = new CopyContent(copy, this.#options)
    try {
      const report = await deliverer.deliver({
        source: rendered === undefined ? 'smtp' : 'api',
        caller: submitter.name,
        mauticId: mautic?.id,
        brand: brandOf(copy.brand, route),
        emailId: identity.emailId ?? null,
        contactId: copy.contact?.id ?? namedContact ?? null,
        requestHash: rendered?.requestHash ?? null,
        messageId: messageId ?? null,
        subject,
        envelope: { from: sender, to },
        compose: () => content.compose(),
        isBulk: isBulk || isList,
        from,
        list: mautic && findListRule(mautic, { ...identity, isDecided: decidedBy !== null }),
        route,
        keysOf,
        gate,
        limitWaitMs,
      })
      const reports = reportsOf(report, to)
      this.#logReport(report, reports)
      for (const { result } of report.sent) refusals.keep(context, result, report.bounced)
      return reports
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      const unsent = to.map((address) => reportUnsent(address, error.reply))
      return await this.#withDuplicates(copy, unsent)
    } finally {
      content.release()
    }
  }

  /** Reports those recipients as duplicates who have had the message before, or may have had it. */
  async #withDuplicates(
    { submission: { keysOf } }: Copy,
    reports: RecipientReport[],
  ): Promise<RecipientReport[]> {
    if (reports.length === 0) return reports
    const recipients = reports.map(({ address }) => ({ address, ...keysOf(address) }))
    const duplicates = await this.#options.deliveryLog.findDuplicates(recipients)
    return withReplaced(reports, duplicates.map(reportDuplicate))
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
    if (failed === undefined) log.info(line, 'message accepted')
    else log.info({ ...line, reply: failed.code, status: failed.status }, 'message refused')
  }
}

/** The content of a copy, composed once, and the memory for it. */
class CopyContent {
  readonly #copy: Copy
  readonly #options: SubmissionDelivererOptions
  #composed: Promise<ComposedMessage> | undefined
  #release: (() => void) | undefined

  constructor(copy: Copy, options: SubmissionDelivererOptions) {
    this.#copy = copy
    this.#options = options
  }

  /** Throws a ReplyError for whatever keeps it from being composed. */
  compose(): Promise<ComposedMessage> {
    this.#composed ??= this.#compose()
    return this.#composed
  }

  release(): void {
    this.#release?.()
  }

  async #compose(): Promise<ComposedMessage> {
    const { submission } = this.#copy
    const { message, subject } = submission
    try {
      const rendered = await this.#render()
      this.#release = submission.reserve(copyBytesOf(submission, rendered))
      if (this.#release === undefined) throw new ReplyError(memoryLimitReached)
      const raw = joined(rendered.chunks)
      return { raw, subject: rendered === message ? subject : subjectOf(rendered) }
    } catch (error) {
      throw new ReplyError(explainError(error, this.#options.log))
    }
  }

  /** Renders the tokens with the data of the contact. Throws TwigError, TooLargeToRender and ReplyError. */
  async #render(): Promise<RelayedMessage> {
    const { submission, contact, recipients, brand } = this.#copy
    const { message } = submission
    if (!usesTemplates(submission)) return message
    const { rendering, messageBytesMax } = this.#options
    const [recipient = ''] = recipients
    const visible = submission.submitter.canViewContacts ? contact : undefined
    const data = visible === undefined ? strangerData(recipient) : await visible.data()
    const { engines, sources } = rendering
    const options = { engines, sources, brand: brand ?? noBrand }
    const templates = await prepareTemplates(message.templateIds, data, options)
    return renderTokens(message, templates, { sizeMax: messageBytesMax, work: rendering.work })
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
  const { until: deferredUntil, brakeId, brand } = deferral ?? {}
  const { transportId } = deferral ?? report
  const isLimited = limit !== undefined
  const isUnroutable = problem !== undefined && !isLimited
  const waitsForRepair = deferral === undefined ? isUnroutable : deferral.isFailing === true
  const waits = { deferredUntil, transportId, brand, brakeId, waitsForRepair, isLimited }
  const unsent = to.map((address) => ({ ...reportUnsent(address, reply), ...waits }))
  const sent = report.sent.flatMap(({ result, retryAt }) =>
    reportResults(result, {
      transportId: started?.transportId ?? null,
      brand: started?.brand,
      deferredUntil: retryAt,
    }),
  )
  return withReplaced(unsent, [
    ...sent,
    ...duplicates.map(reportDuplicate),
    ...[...suppressed, ...undecided].map(reportSuppressed),
  ])
}

/** The answer that has not come, and what the message needs of it; undefined if it can be sent without. */
function neededAnswer({ submission, contact, identity }: Copy, { target }: Route) {
  const { unanswered } = identity
  if (target.kind === 'open') {
    const answered = unanswered?.answered ?? noAnswer
    return { problem: target.unanswered, answered, what: 'it to choose its transport' }
  }
  const needsContact = usesTemplates(submission) && contact === undefined
  return unanswered && needsContact ? { ...unanswered, what: 'the data of its contact' } : undefined
}

/** Stands for the answer of a person: what they change makes the message due. */
const noAnswer: Promise<unknown> = Promise.reject(new Error('No Mautic is asked.'))
noAnswer.catch(() => undefined)

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
function usesTemplates(submission: Submission): boolean {
  return !isNotification(submission) && submission.message.holdsTokens
}

function questionOf(
  { submission, contact, identity, brand }: Copy,
  decidedBy: string | null,
): RouteQuestion {
  const { mautic, emailId, ownerId } = identity
  if (isNotification(submission)) return { mautic: undefined }
  const { transport, from } = submission.message.head
  // The identified contact of a Mautic has its owner already.
  const contactId =
    mautic === undefined ? (contact?.id ?? submission.rendered?.contactId) : undefined
  const unanswered = identity.unanswered?.problem
  const isDecided = decidedBy !== null
  return { mautic, brand, transport, emailId, contactId, ownerId, from, unanswered, isDecided }
}

/** Adds to the trace what it says of the email and the contact, besides how the route was chosen. */
function withNotes(
  route: Route,
  { submission, contact, ignored, identity }: Copy,
  decidedBy: string | null,
): Route {
  const steps: RouteStep[] = []
  const note = (source: RouteStep['source'], reason: string) =>
    steps.push({ source, transport: null, outcome: 'noted', reason })
  for (const { about, text } of identity.notes) note(about === 'email' ? 'email' : 'owner', text)
  if (decidedBy !== null) note('email', `${decidedBy} has decided to send it without the answer`)
  if (ignored !== undefined) note('owner', ignored)
  const isHidden = usesTemplates(submission) && !submission.submitter.canViewContacts
  if (contact !== undefined && isHidden)
    note(
      'owner',
      `the data of contact ${contact.id} is left out: the sender may not view contacts (contact:view)`,
    )
  return steps.length === 0 ? route : { ...route, trace: [...steps, ...route.trace] }
}

function refusalContextOf({ submission, identity }: Copy, { target }: Route): RefusalContext {
  const { submitter, sender, rendered, message } = submission
  return {
    callerKey: submitter.key,
    // A person who sends an email again after a refusal wants another answer of the server.
    emailId: rendered === undefined ? identity.emailId : undefined,
    target: target.kind === 'transport' ? target.row.id : target.kind,
    sender,
    addressee: addresseeOf(message.head),
  }
}
