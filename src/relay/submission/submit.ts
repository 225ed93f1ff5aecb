import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/email-key.ts'
import type { Log } from '../../kit/log.ts'
import type { Stage } from '../../mailer/index.ts'
import {
  contactDataOf,
  type Dispatched,
  prepareTemplates,
  type Sending,
  strangerData,
  type Way,
} from '../../sending/index.ts'
import type { Storage } from '../../storage/index.ts'
import { TwigError } from '../../twig/index.ts'
import {
  type RelayedMessage,
  readMessage,
  renderTokens,
  TooLargeToRender,
} from '../message/index.ts'
import { createReply, memoryLimitReached, type Reply, type Submission } from '../smtp/index.ts'
import { openContactLookup } from './contact-lookup.ts'
import { type Copy, findCopies } from './copies.ts'
import { addresseeOf, callerKey, createMessageKeys, type MessageKeys } from './message-keys.ts'
import { createRefusalMemory } from './refusal-memory.ts'
import { answerOf, unlessKnown, type Verdict, verdictsOf } from './verdicts.ts'

/** Sends a message that was handed in on its way, and answers what became of it. It does not throw. */
export type Submit = (submission: Submission) => Promise<Reply>

/** What messages are sent with. */
export interface SubmitOptions {
  sending: Pick<Sending, 'findWay' | 'deliver' | 'recall' | 'noteAcknowledged' | 'rendering'>
  storage: Storage
  clock: Clock
  log: Log
  /** The largest message, in bytes, rendered or not. */
  messageBytesMax: number
  /** How long a recipient who was refused for good is answered from memory. */
  rememberRefusalsMs: number
}

export function createSubmit(options: SubmitOptions): Submit {
  const { sending, storage, clock, log } = options
  const contacts = openContactLookup(storage)
  const refusals = createRefusalMemory(clock, options.rememberRefusalsMs)
  const dispatch = createDispatch(options, refusals)
  return async (submission) => {
    try {
      const message = readMessage(submission.chunks)
      const { caller } = submission
      if (message.holdsTokens && !caller.can('twigtemplates:view')) return templatesForbidden
      const keysOf = createMessageKeys(message, submission)
      const copies = await findCopies(message, submission.recipients, contacts)
      const verdicts: Verdict[] = []
      for (const copy of copies) {
        verdicts.push(...(await dispatch({ submission, message, copy, keysOf })))
      }
      const reply = answerOf(verdicts)
      const isKnownByBytes = message.head.messageId === undefined
      if (reply.code >= 400 || !isKnownByBytes) return reply
      const keys = verdicts.map(({ address }) => keysOf(address).messageKey)
      return { ...reply, onWritten: () => sending.noteAcknowledged(keys) }
    } catch (err) {
      return explain(err, log)
    }
  }
}

const templatesForbidden = createReply(
  550,
  '5.7.1',
  'The message uses Twig templates, and you do not have permission to view them (twigtemplates:view)',
)

interface Work {
  submission: Submission
  message: RelayedMessage
  copy: Copy
  keysOf: MessageKeys
}

function createDispatch(options: SubmitOptions, refusals: ReturnType<typeof createRefusalMemory>) {
  const { sending, log } = options
  const report = createReport(log)
  return async (work: Work): Promise<Verdict[]> => {
    const { submission, message, copy, keysOf } = work
    const { caller, sender, notification } = submission
    const { emailId, contactId, ownerId, from, transport, messageId } = message.head
    const { contact } = copy
    const unlessHad = async (verdicts: readonly Verdict[]) => {
      const recipients = verdicts.map(({ address }) => ({ address, ...keysOf(address) }))
      return unlessKnown(verdicts, await sending.recall(recipients))
    }
    const question = { transport, emailId, contactId: contact?.id, ownerId, from }
    const way = withNotes(await sending.findWay(question), notesOf(work))
    const exit = way.exit.kind === 'transport' ? way.exit.row.id : way.exit.kind
    const who = callerKey(caller)
    const addressee = addresseeOf(message.head)
    const memory = openMemory(refusals, { who, emailId, exit, sender, addressee })
    const remembered = await unlessHad(copy.recipients.flatMap(memory.find))
    const out = new Set(remembered.map(({ address }) => address))
    const to = copy.recipients.filter((address) => !out.has(address))
    if (to.length === 0) return [...remembered]
    const failed = async (reply: Reply) => {
      return [...remembered, ...(await unlessHad(to.map((address) => ({ address, reply }))))]
    }
    const rendered = await render(work, options).catch((err: unknown) => explain(err, log))
    if ('code' in rendered) return failed(rendered)
    const release = submission.reserve(copyBytesOf(submission, rendered))
    if (release === undefined) return failed(memoryLimitReached)
    const envelope = { from: sender, to, ...(notification === undefined ? {} : { notification }) }
    const sent = sending.deliver({
      source: 'smtp',
      caller: caller.name,
      emailId: emailId ?? null,
      contactId: contact?.id ?? (copy.ignored === undefined ? (contactId ?? null) : null),
      sendingId: null,
      requestHash: null,
      messageId: messageId ?? null,
      message: { envelope, raw: joined(rendered.chunks) },
      way,
      keysOf,
    })
    const dispatched = await sent.finally(release)
    const verdicts = verdictsOf(dispatched, to)
    memory.keep(verdicts, dispatched.result?.fault?.stage)
    report(dispatched, verdicts)
    return [...remembered, ...verdicts]
  }
}

/** Of what a refusal is remembered, besides the email, its exit and the recipient. */
interface Remembered {
  who: string
  emailId: number | undefined
  exit: number | string
  sender: string
  addressee: string
}

/** The refusals that are remembered of one email; none of a message that is of no email. */
function openMemory(refusals: ReturnType<typeof createRefusalMemory>, about: Remembered) {
  const { who, emailId, exit, sender, addressee } = about
  const keyOf = (address: string, scope: string) =>
    JSON.stringify([who, emailId, exit, emailKey(address), scope])
  // What a server says of a sender holds for him alone, and what it does not say of the recipient for whom
  // the message is written to. An accepted message has no stage: who is refused it is so for himself.
  const scopes = { recipient: '', sender: `from ${sender}`, message: `for ${addressee}` }
  const scopeOf = (stage: Stage = 'recipient') =>
    stage === 'recipient' || stage === 'sender' ? scopes[stage] : scopes.message
  return {
    find: (address: string): Verdict[] => {
      if (emailId === undefined) return []
      const replies = Object.values(scopes).map((scope) => refusals.find(keyOf(address, scope)))
      const reply = replies.find((each) => each !== undefined)
      return reply === undefined ? [] : [{ address, reply }]
    },
    keep(verdicts: readonly Verdict[], stage: Stage | undefined): void {
      if (emailId === undefined) return
      for (const { address, reply } of verdicts)
        if (reply.code >= 500) refusals.remember(keyOf(address, scopeOf(stage)), reply)
    },
  }
}

/** What the tokens in the message stand for, for the contact of this copy. */
async function render(
  { submission, message, copy }: Work,
  { sending: { rendering }, messageBytesMax }: SubmitOptions,
): Promise<RelayedMessage> {
  if (!message.holdsTokens) return message
  const [recipient = ''] = copy.recipients
  const known = submission.caller.can('contact:view') ? copy.contact : undefined
  const contact = known === undefined ? strangerData(recipient) : contactDataOf(known)
  const context = { contact, variables: {} }
  const template = await prepareTemplates(message.templateIds, context, rendering)
  return renderTokens(message, template, messageBytesMax)
}

/** What the trace says of the contact, besides how the transport was chosen. */
function notesOf({ submission, message, copy }: Work): string[] {
  const notes = copy.ignored === undefined ? [] : [copy.ignored]
  const isHidden = message.holdsTokens && !submission.caller.can('contact:view')
  if (copy.contact !== undefined && isHidden)
    notes.push(
      `the data of contact ${copy.contact.id} is left out: the sender may not view contacts (contact:view)`,
    )
  return notes
}

function withNotes(way: Way, notes: readonly string[]): Way {
  const steps = notes.map((reason) => {
    return { source: 'owner' as const, transport: null, outcome: 'skipped' as const, reason }
  })
  return { ...way, trace: [...steps, ...way.trace] }
}

/**
 * How much memory the copies hold that are made to send a message, in bytes: what was copied or rendered, all of it
 * in one piece, and as the transport encodes it.
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

/** One line for each message. Its fields are none that hold secrets, so that nobody has to look for such. */
function createReport(log: Log) {
  const plain = log.child({}, { redact: [] })
  return ({ result, begun, missing }: Dispatched, verdicts: readonly Verdict[]): void => {
    if (!plain.isLevelEnabled('info')) return
    if (missing !== undefined) {
      plain.info({ recipients: verdicts.length, reason: missing }, 'message refused')
      return
    }
    if (result === undefined || begun === undefined) return
    const { deliveryIds, transportId, transport } = begun
    const [deliveryId] = deliveryIds
    const recipients = deliveryIds.length
    const durationMs = Math.round(result.durationMs)
    const line = { deliveryId, recipients, transportId, transport, durationMs }
    const failed = verdicts.find(({ reply }) => reply.code >= 400)
    if (failed === undefined) plain.info(line, 'message relayed')
    else
      plain.info(
        { ...line, reply: failed.reply.code, status: failed.reply.status },
        'message refused',
      )
  }
}

/** Where the message is not at fault, we or an operator are, so it may come again. */
function explain(err: unknown, log: Log): Reply {
  if (err instanceof TooLargeToRender) {
    log.info({ reason: err.message }, 'a message could not be rendered')
    return createReply(552, '5.3.4', err.message)
  }
  if (err instanceof TwigError) {
    log.info({ reason: err.message }, 'a message could not be rendered')
    return createReply(451, '4.3.5', `A template in the message cannot be rendered: ${err.message}`)
  }
  if (err instanceof AppError) {
    log.warn({ err }, 'a message could not be relayed')
    return createReply(451, '4.3.0', err.message)
  }
  log.error({ err }, 'a message could not be relayed')
  return createReply(451, '4.3.0', 'Mailyard has a fault, which is in its log; try again later')
}
