import { type Submission, submitterOf } from '../delivery/index.ts'
import type { SmtpMode } from '../kit/smtp-mode.ts'
import type { RecipientReply, Submissions } from '../queue/index.ts'
import { createReply, type Reply, type SubmittedMessage } from './smtp/index.ts'

/** Submits a message and returns the reply to its sender. It does not throw. */
export type SubmitMessage = (message: SubmittedMessage) => Promise<Reply>

/** `mode`: what 250 means to a caller without an own mode. */
export function createSubmitMessage(
  delivery: { submissions: Pick<Submissions, 'submit'> },
  mode: SmtpMode,
): SubmitMessage {
  return async ({ caller, ...message }) => {
    const submission: Submission = { ...message, submitter: submitterOf(caller) }
    const { replies, acknowledge } = await delivery.submissions.submit(
      submission,
      caller.smtpMode ?? mode,
    )
    const reply = combineReplies(replies)
    const isAcknowledged = reply.code < 400 && acknowledge !== undefined
    return isAcknowledged ? { ...reply, onWritten: acknowledge } : reply
  }
}

const unexpected = createReply(451, '4.3.0', 'An unexpected error occurred; try again later')

/**
 * Combines the replies into the one reply that SMTP allows. It is 250 only if all are; else the first temporary one,
 * because a retry may help, else the first permanent one. It names the recipients who have the message and those who
 * do not.
 */
export function combineReplies(replies: readonly RecipientReply[]): Reply {
  const failed = replies.filter(({ reply }) => reply.code >= 400)
  const [first] = replies
  if (first === undefined) return unexpected
  if (failed.length === 0) return first.reply
  const { reply } = failed.find((each) => each.reply.code < 500) ?? failed[0] ?? first
  if (replies.length === 1) return reply
  const accepted = replies.filter((each) => each.reply.code < 400)
  const names = (some: readonly RecipientReply[]) => some.map(({ address }) => address).join(', ')
  const rest =
    accepted.length === 0 ? '' : `; accepted for ${names(accepted)}, who will not get it again`
  return createReply(reply.code, reply.status, `${reply.text} (not for ${names(failed)}${rest})`)
}
