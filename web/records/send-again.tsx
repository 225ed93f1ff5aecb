import { ConfirmButton } from '../design/dialog.tsx'
import { ask } from '../lib/api.ts'
import { showToast } from '../lib/toasts.ts'

const text = {
  action: 'Send again',
  title: (recipient: string) => `Send the email to ${recipient} again?`,
  text: 'It is rendered again: with the email and the contact as they are now.',
  sent: 'Sent.',
  queued: 'Stored in the queue: the server did not take it at once.',
} as const

/** Sends an email to a contact again, after a question. */
export function SendAgain({
  emailId,
  contactId,
  recipient,
  kind,
  onSent,
}: {
  emailId: number
  contactId: number
  recipient: string
  kind?: 'plain'
  onSent: () => void
}) {
  const send = async () => {
    const options = { path: { id: emailId, contactId }, body: {} }
    const operation = '/api/emails/{id}/contact/{contactId}/send'
    const { failed, queued } = (await ask('POST', operation, options)).body
    if (failed !== undefined) throw new Error(failed)
    showToast(queued === undefined ? text.sent : text.queued)
    onSent()
  }
  return (
    <ConfirmButton
      kind={kind}
      action={text.action}
      title={text.title(recipient)}
      text={text.text}
      onConfirm={send}
    />
  )
}
