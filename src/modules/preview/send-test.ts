import Type, { type Static } from 'typebox'
import { brandOfSender, type CheckSender } from '../../core/brands/index.ts'
import type { Deliverer } from '../../core/delivery/index.ts'
import { composeEmail, createIdentity, type RenderedEmail } from '../../core/emails/index.ts'
import { readMessage, storedSubject } from '../../core/mime/index.ts'
import { brandOf, type Route } from '../../core/routing/index.ts'
import { answerOf } from '../../core/sending/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'

/** A rendered message that is sent to see it, not to reach a contact. */
export interface EmailTestRequest {
  rendered: RenderedEmail
  route: Route
  /** Null for a template and for an unsaved email. */
  emailId: number | null
  /** Null: that of the transport. */
  brand: number | null
  caller: Caller
}

/** The answer to a test, as that to the test of a transport. */
export const testAnswer = Type.Object({
  success: Type.Boolean({ examples: [true] }),
  message: Type.String({ examples: ['Sent to ann@example.com.'] }),
})

/** Sends a message to `rendered.to` and waits for the server's answer. */
export type SendEmailTest = (request: EmailTestRequest) => Promise<Static<typeof testAnswer>>

export interface EmailTestOptions {
  deliverer: Pick<Deliverer, 'deliver'>
  /** See `SendingBrands`. */
  checkSender: CheckSender
  clock: Clock
  log: Log
}

/** As Mautic marks the example of an email. */
const subjectPrefix = '[TEST] '

export function createEmailTest({
  deliverer,
  checkSender,
  clock,
  log,
}: EmailTestOptions): SendEmailTest {
  return async ({ rendered, route, emailId, brand, caller }) => {
    const identity = createIdentity(rendered.from.address, clock)
    const email = { ...rendered, subject: `${subjectPrefix}${rendered.subject}` }
    const { envelope, raw } = composeEmail(email, identity)
    const ofSender = await brandOfSender(checkSender, caller, readMessage([raw]))
    const subject = storedSubject(email.subject)
    const report = await deliverer.deliver({
      source: 'api',
      caller: caller.name,
      mauticId: caller.mautic?.id,
      brand: brandOf(ofSender ?? brand, route),
      emailId,
      contactId: null,
      requestHash: null,
      messageId: identity.messageId,
      subject,
      envelope,
      compose: () => ({ raw, subject }),
      route,
      // The contact may get the same email later.
      keysOf: () => ({ messageKey: null, bulkKey: null }),
    })
    const answer = answerOf(report)
    log.info({ emailId, success: answer.success, caller: caller.name }, 'test message')
    if (!answer.success) return { success: false, message: answer.failed }
    const [recipient] = report.sent.flatMap(({ result }) => result.recipients)
    const captured = recipient?.guarded && recipient.reply?.text
    return { success: true, message: captured ?? `Sent to ${rendered.to.address}.` }
  }
}

/** The address that a test is sent to. Throws an AppError (`invalid`) if there is none. */
export function testRecipient(to: string | undefined, caller: Caller): string {
  const recipient = to ?? caller.email
  if (recipient !== undefined) return recipient
  const message = 'The test has no recipient. Send {"to": "you@example.com"}.'
  throw new AppError('invalid', 'no_test_recipient', message)
}
