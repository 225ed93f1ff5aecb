import type { DeliveryResult, RecipientResult } from '../../mailer/index.ts'
import type { Dispatched, Earlier } from '../../sending/index.ts'
import { createReply, type Reply } from '../smtp/index.ts'

/** What became of a message for one recipient, as he who handed it in is told. */
export interface Verdict {
  readonly address: string
  readonly reply: Reply
}

/** The verdicts of what was dispatched to these recipients. */
export function verdictsOf(
  dispatched: Dispatched,
  recipients: readonly string[],
): readonly Verdict[] {
  const { result, known, missing } = dispatched
  if (missing !== undefined) {
    const reply = createReply(451, '4.3.5', missing)
    return unlessKnown(
      recipients.map((address) => ({ address, reply })),
      known,
    )
  }
  return [
    ...known.map(verdictOnKnown),
    ...(result?.recipients ?? []).map((recipient) => ({
      address: recipient.address,
      reply: replyTo(recipient, result),
    })),
  ]
}

/** Verdicts that no server was asked for; who is known to have, or may have, the message is told that. */
export function unlessKnown(
  verdicts: readonly Verdict[],
  known: Dispatched['known'],
): readonly Verdict[] {
  const byAddress = new Map(known.map((each) => [each.address, verdictOnKnown(each)]))
  return verdicts.map((verdict) => byAddress.get(verdict.address) ?? verdict)
}

function verdictOnKnown({ address, earlier }: Dispatched['known'][number]): Verdict {
  return { address, reply: replyToKnown(earlier) }
}

function replyToKnown({ id, outcome }: Earlier): Reply {
  switch (outcome) {
    case 'accepted':
      return createReply(250, '2.0.0', `Already delivered (delivery ${id}); not sent again`)
    case 'uncertain': {
      const text = `Delivery ${id} of this message may have arrived; held off until it is settled`
      return createReply(451, '4.4.2', text)
    }
    default:
      return createReply(451, '4.4.5', `This message is being sent just now (delivery ${id})`)
  }
}

function replyTo(recipient: RecipientResult, result: DeliveryResult | undefined): Reply {
  const reason = result?.fault?.message
  switch (recipient.outcome) {
    case 'accepted':
      return createReply(250, '2.0.0', accepted(recipient))
    case 'uncertain':
      return createReply(451, '4.4.2', reason ?? 'The message may have arrived; not sent again yet')
    case 'refused':
      return refusal(recipient, reason)
  }
}

function accepted({ reply }: RecipientResult): string {
  return reply === null || reply.text === '' ? 'Accepted' : `Accepted: ${reply.text}`
}

/**
 * The server's own code and words, where they mean to the sender what they meant to us: a server that
 * wants us to log in, or says goodbye to us, has refused nothing that the sender did.
 */
function refusal({ reply, isPermanent }: RecipientResult, reason: string | undefined): Reply {
  const family = isPermanent ? '5' : '4'
  const isSame = reply?.protocol === 'smtp' && String(reply.code).startsWith(family)
  if (reply !== null && isSame && reply.code !== 421) {
    return createReply(reply.code, statusOf(reply.enhancedCode, family), reply.text)
  }
  const text = reason ?? reply?.text ?? 'The message was refused'
  return isPermanent ? createReply(554, '5.0.0', text) : createReply(451, '4.3.0', text)
}

function statusOf(enhancedCode: string | null, family: string): string {
  const isSound = enhancedCode !== null && /^[245]\.\d{1,3}\.\d{1,3}$/.test(enhancedCode)
  return isSound && enhancedCode.startsWith(family) ? enhancedCode : `${family}.0.0`
}

/**
 * The one answer to a message. 250 only where every recipient's is; else the first that is temporary,
 * since trying again may help, else the first refusal. It names who has the message and who has not.
 */
export function answerOf(verdicts: readonly Verdict[]): Reply {
  const failed = verdicts.filter(({ reply }) => reply.code >= 400)
  const [first] = verdicts
  if (first === undefined) return createReply(451, '4.3.0', 'Mailyard has a fault; try again later')
  if (failed.length === 0) return first.reply
  const { reply } = failed.find((each) => each.reply.code < 500) ?? failed[0] ?? first
  if (verdicts.length === 1) return reply
  const taken = verdicts.filter((each) => each.reply.code < 400)
  const names = (some: readonly Verdict[]) => some.map(({ address }) => address).join(', ')
  const rest = taken.length === 0 ? '' : `; accepted for ${names(taken)}, who will not get it again`
  return createReply(reply.code, reply.status, `${reply.text} (not for ${names(failed)}${rest})`)
}
