import type { Clock } from '../kit/clock.ts'
import { composeNotice } from '../messages/index.ts'
import type { SubmitNotification } from '../queue/index.ts'
import type { SendAlertEmail } from '../webhooks/index.ts'

/** Creates what sends the alerts of webhooks as emails, from this address. */
export function createSendAlertEmail({
  submit,
  from,
  clock,
}: {
  submit: SubmitNotification
  from: string
  clock: Clock
}): SendAlertEmail {
  return async ({ messageId, to, transportId, subject, text }, claim) => {
    const message = await composeNotice({
      from,
      to,
      subject: `Mailyard: ${subject}`,
      text: `${text}\r\n`,
      id: messageId,
      now: clock.now(),
    })
    await submit(message, {
      transportId: transportId ?? undefined,
      claim,
    })
  }
}
