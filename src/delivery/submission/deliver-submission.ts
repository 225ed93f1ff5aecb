import { type Log, maskAddresses } from '../../kit/log.ts'
import { largeBytes } from '../../kit/pause.ts'
import { StepRunner } from '../../kit/steps.ts'
import type { EmailRendererOptions, IdentifyMessage, IdentityNote } from '../../messages/index.ts'
import {
  prepareTemplates,
  type RelayedMessage,
  renderTokens,
  strangerData,
} from '../../messages/index.ts'
import type { ResolveRoute, Route, RouteQuestion } from '../../routing/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { Deliverer, DeliverReport, DeliverRequest } from '../deliver.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import { type Copy, createFindIdentifiedCopies, type SubmissionIdentity } from './copies.ts'
import { addresseeOf, type MessageKeys, type ReadSubmission, subjectOf } from './read-submission.ts'
import {
  explainError,
  type RecipientReport,
  ReplyError,
  reportResult,
  reportResults,
  reportUnsent,
  withDuplicates,
  withSuppressed,
} from './recipient-reports.ts'
import type { RefusalMemory } from './refusal-memory.ts'
import { createReply, memoryLimitReached, type Reply } from './reply.ts'
import { type ComposedMessage, isNotification, type Submission } from './submission.ts'

export interface DeliverSubmissionOptions {
  storage: Storage
  log: Log
  resolveRoute: ResolveRoute
  deliverer: Pick<Deliverer, 'deliver'>
  deliveryLog: Pick<DeliveryLog, 'findDuplicates'>
  refusals: RefusalMemory
  /** Identifies messages that come from a Mautic. */
  identify: IdentifyMessage
  rendering: EmailRendererOptions
  /** The size limit of a message in bytes, before and after rendering. */
  messageBytesMax: number
}

type HowToDeliver = Pick<DeliverRequest, 'admit' | 'limitWaitMs' | 'startSending'> & {
  /** How long the API of the Mautic that a message comes from may be waited for. Default: as long as a client waits. */
  mauticWaitMs?: number
}

/**
 * Makes one attempt to deliver a message to each of its recipients: chooses the route, renders the tokens, and sends.
 * Throws an AppError (`upstream`) if the database is lost.
 */
export type DeliverSubmission = (
  read: ReadSubmission,
  options?: HowToDeliver,
) => Promise<RecipientReport[]>

export function createDeliverSubmission(options: DeliverSubmissionOptions): DeliverSubmission {
  const findIdentifiedCopies = createFindIdentifiedCopies(options)
  const deliverCopy = createDeliverCopy(options)
  const { work } = options.rendering
  return async (read, how = {}) => {
    const { submission, message } = read
    // Afterwards its tokens are known, so nothing else searches it as a whole.
    if (message.sizeBytes > largeBytes)
      await new StepRunner(() => work.turn()).run(message.search())
    const { canViewTemplates } = submission.submitter
    if (usesTemplates(read) && !canViewTemplates)
      return submission.recipients.map((address) => reportUnsent(address, templatesForbidden))
    const reports: RecipientReport[] = []
    const { copies, identity } = await findIdentifiedCopies(read, how)
    for (const copy of copies)
      reports.push(...(await deliverCopy({ ...read, ...how, copy, identity })))
    return reports
  }
}

const templatesForbidden = createReply(
  550,
  '5.7.1',
  'The message uses Twig templates, and you do not have permission to view them (twigtemplates:view)',
)

/** A message for some of its recipients, who get the same content. */
interface CopyWork extends ReadSubmission, HowToDeliver {
  copy: Copy
  identity: SubmissionIdentity
}

function createDeliverCopy(options: DeliverSubmissionOptions) {
  const { resolveRoute, refusals, deliveryLog, log } = options
  const send = createSend(options)
  const findDuplicates = (some: readonly RecipientReport[], keysOf: MessageKeys) =>
    deliveryLog.findDuplicates(some.map(({ address }) => ({ address, ...keysOf(address) })))
  return async (work: CopyWork): Promise<RecipientReport[]> => {
    const { copy, keysOf } = work
    const route = withNotes(await resolveRoute(questionOf(work)), notesOf(work))
    const context = refusalContextOf(work, route)
    const remembered = copy.recipients.flatMap((address) => {
      const refusal = refusals.find(context, address)
      return refusal === undefined ? [] : [reportResult(refusal.result, refusal.reason)]
    })
    const refused = withDuplicates(remembered, await findDuplicates(remembered, keysOf))
    const isRefused = new Set(refused.map(({ address }) => address))
    const to = copy.recipients.filter((address) => !isRefused.has(address))
    if (to.length === 0) return refused
    const content = new Content(work, options)
    try {
      const { reports, report } = await send({ ...work, route, to, content })
      if (report.result !== undefined) refusals.keep(context, report.result, report.bounced)
      return [...refused, ...reports]
    } catch (error) {
      if (!content.hasFailed) throw error
      const reply = explainError(error, log)
      const unsent = to.map((address) => reportUnsent(address, reply))
      return [...refused, ...withDuplicates(unsent, await findDuplicates(unsent, keysOf))]
    } finally {
      content.release()
    }
  }
}

interface SendWork extends CopyWork {
  route: Route
  to: readonly string[]
  content: Content
}

function createSend({ deliverer, log }: DeliverSubmissionOptions) {
  const logReport = createReportLog(log)
  return async (work: SendWork): Promise<{ reports: RecipientReport[]; report: DeliverReport }> => {
    const { submission, message, copy, identity, keysOf, route, to, content } = work
    const { sender, submitter, rendered } = submission
    const { messageId, from, isBulk, isList } = message.head
    const { mautic, emailId, contactId } = identity
    const report = await deliverer.deliver({
      source: rendered === undefined ? 'smtp' : 'api',
      caller: submitter.name,
      mauticId: mautic?.id,
      emailId: emailId ?? null,
      contactId: copy.contact?.id ?? (copy.ignored === undefined ? (contactId ?? null) : null),
      requestHash: rendered?.requestHash ?? null,
      messageId: messageId ?? null,
      subject: work.subject,
      envelope: { from: sender, to },
      compose: () => content.render(),
      isBulk: isBulk || isList,
      from,
      route,
      keysOf,
      admit: work.admit,
      limitWaitMs: work.limitWaitMs,
      startSending: work.startSending,
    })
    const reports = reportsOf(report, to)
    logReport(report, reports)
    return { reports, report }
  }
}

/** Reports all recipients: duplicates, those that a server answered, and those for whom there is no transport. */
function reportsOf(report: DeliverReport, to: readonly string[]): RecipientReport[] {
  const { result, duplicates, suppressed, started, problem, deferral, limit } = report
  // RFC 3463, section 3.4: X.3.2 accepts no messages now; X.3.5 is not configured correctly.
  const status = limit === undefined && deferral === undefined ? '4.3.5' : '4.3.2'
  const reply = createReply(451, status, problem ?? 'The message was not sent')
  const { until: deferredUntil, brakeId } = deferral ?? {}
  const { transportId } = deferral ?? report
  const isUnroutable = problem !== undefined && limit === undefined
  const waitsForRepair = deferral === undefined ? isUnroutable : deferral.isFailing === true
  const unsent = to.map((address) => {
    return { ...reportUnsent(address, reply), deferredUntil, transportId, brakeId, waitsForRepair }
  })
  const sent = result === undefined ? [] : reportResults(result, started?.transportId ?? null)
  const byAddress = new Map(sent.map((each) => [each.address, each]))
  const reports = unsent.map((each) => byAddress.get(each.address) ?? each)
  return withSuppressed(withDuplicates(reports, duplicates), suppressed)
}

/** The rendered message of a copy and the memory that is reserved for it. */
class Content {
  readonly #work: CopyWork
  readonly #options: DeliverSubmissionOptions
  #release: (() => void) | undefined
  /** Whether rendering has thrown an error. */
  hasFailed = false

  constructor(work: CopyWork, options: DeliverSubmissionOptions) {
    this.#work = work
    this.#options = options
  }

  /** Renders the tokens with the data of the contact of this copy. Throws TwigError, TooLargeToRender and ReplyError. */
  async render(): Promise<ComposedMessage> {
    try {
      const { submission, message, subject } = this.#work
      const rendered = await this.#renderTokens()
      this.#release = submission.reserve(copyBytesOf(submission, rendered))
      if (this.#release === undefined) throw new ReplyError(memoryLimitReached)
      const raw = joined(rendered.chunks)
      return { raw, subject: rendered === message ? subject : subjectOf(rendered) }
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }

  async #renderTokens(): Promise<RelayedMessage> {
    const { submission, message, copy, identity } = this.#work
    if (!usesTemplates(this.#work)) return message
    const { rendering, messageBytesMax } = this.#options
    const [recipient = ''] = copy.recipients
    const visible = submission.submitter.canViewContacts ? copy.contact : undefined
    if (copy.contact === undefined && identity.problem !== undefined)
      throw new ReplyError(contactUnknown(identity.problem))
    const contact = visible === undefined ? strangerData(recipient) : await visible.data()
    const from = { ...rendering, mauticId: identity.mautic?.id }
    const templates = await prepareTemplates(message.templateIds, contact, from)
    return renderTokens(message, templates, { sizeMax: messageBytesMax, work: rendering.work })
  }

  release(): void {
    this.#release?.()
  }
}

/** RFC 3463, section 3.5: X.4.3, directory server failure. */
function contactUnknown(problem: string): Reply {
  return createReply(451, '4.4.3', `${problem}; the message needs the data of its contact`)
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

function questionOf({ submission, message, copy, identity }: CopyWork): RouteQuestion {
  if (isNotification(submission)) return { mautic: undefined }
  const { transport, from } = message.head
  const { mautic, emailId, ownerId } = identity
  // The identified contact of a Mautic has its owner already.
  const contactId =
    mautic === undefined ? (copy.contact?.id ?? submission.rendered?.contactId) : undefined
  return { mautic, transport, emailId, contactId, ownerId, from }
}

/** Returns what the trace says of the email and the contact, besides how the route was chosen. */
function notesOf(work: CopyWork): IdentityNote[] {
  const { submission, copy, identity } = work
  const notes = [...identity.notes]
  if (copy.ignored !== undefined) notes.push({ about: 'contact', text: copy.ignored })
  const isHidden = usesTemplates(work) && !submission.submitter.canViewContacts
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

function refusalContextOf({ submission, message, identity }: CopyWork, { target }: Route) {
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

/** Logs one line for each message that was sent or has no transport. */
function createReportLog(log: Log) {
  // These fields contain no secrets, so redaction is skipped.
  const plain = log.child({}, { redact: [] })
  return (report: DeliverReport, reports: readonly RecipientReport[]): void => {
    const { result, started, problem, deferral } = report
    if (!plain.isLevelEnabled('info')) return
    if (problem !== undefined) {
      const line = { recipients: reports.length, reason: maskAddresses(problem) }
      plain.info(line, deferral === undefined ? 'message refused' : 'message put off')
      return
    }
    const suppressed = report.suppressed.length
    if (suppressed > 0) plain.info({ recipients: suppressed }, 'recipients suppressed')
    if (result === undefined || started === undefined) return
    const { deliveryIds, transportId, transport } = started
    const [deliveryId] = deliveryIds
    const recipients = deliveryIds.length
    const durationMs = Math.round(result.durationMs)
    const line = { deliveryId, recipients, transportId, transport, durationMs }
    const failed = reports.find(({ reply }) => reply.code >= 400)?.reply
    if (failed === undefined) plain.info(line, 'message relayed')
    else plain.info({ ...line, reply: failed.code, status: failed.status }, 'message refused')
  }
}
