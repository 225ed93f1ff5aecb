import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import type { Choice } from '../../design/picker.tsx'
import { ask } from '../../lib/api.ts'
import { session } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { emailWords } from '../../words/emails.ts'
import { bodyOf } from './draft.ts'
import type { TrialProps } from './email-trial.tsx'

const text = emailWords.send

type SendProps = TrialProps & { contact: Choice | undefined }

interface Result {
  tone: Tone
  message: string
}

/** Sends an email: a test of the values in the form to the user, or what is saved to the chosen contact. */
export function EmailSend({ id, form, contact }: SendProps) {
  const { draft } = form
  const isSaved = id !== undefined && !form.isChanged
  const [result, setResult] = useState<Result>()
  const [isAsking, setAsking] = useState(false)
  const { isBusy, run } = useAction()
  const { email: address } = session.value?.user ?? {}
  const sendTest = async () => {
    setResult(undefined)
    const body = {
      ...(id !== undefined && { id }),
      email: bodyOf(draft),
      ...(contact && { contactId: Number(contact.value) }),
    }
    const { success, message } = (await ask('POST', '/api/emails/send/test', { body })).body
    setResult({ tone: success ? 'good' : 'bad', message })
  }
  const obstacle = findObstacle({ id, form, contact })
  return (
    <div class="stack">
      {result !== undefined && <Notice tone={result.tone}>{result.message}</Notice>}
      <div class="row">
        <Button isBusy={isBusy} disabled={!address} onClick={() => run(sendTest)}>
          {text.toMe}
        </Button>
        {obstacle === undefined && (
          <Button onClick={() => setAsking(true)}>{text.toContact}</Button>
        )}
        {isSaved && draft.isPublished && (
          <ButtonLink href={`/broadcasts/new?emailId=${id}`}>{text.broadcast}</ButtonLink>
        )}
      </div>
      <p class="quiet small">
        {address ? text.toMeHelp(address) : text.noAddress} {obstacle}
      </p>
      {id !== undefined && (
        <p class="small">
          <a href={`/deliveries?emailId=${id}`}>{text.deliveries}</a>
        </p>
      )}
      {isAsking && id !== undefined && contact !== undefined && (
        <Confirm
          title={text.confirm(draft.name, contact.label)}
          text={text.confirmText}
          action={text.confirmAction}
          onConfirm={async () => setResult(await sendToContact(id, contact))}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

/** Why the email cannot be sent to a contact now; undefined where it can. */
function findObstacle({ id, form, contact }: SendProps): string | undefined {
  if (id === undefined || form.isChanged) return text.unsaved
  if (!form.draft.isPublished) return text.unpublished
  return contact === undefined ? text.chooseContact : undefined
}

async function sendToContact(id: number, contact: Choice): Promise<Result> {
  const path = { id, contactId: contact.value }
  const options = { path, body: {} }
  const { body } = await ask('POST', '/api/emails/{id}/contact/{contactId}/send', options)
  const { success, queued, failed = '' } = body
  if (queued !== undefined)
    return { tone: 'warn', message: text.queued(contact.label, queued.reason) }
  if (success) return { tone: 'good', message: text.accepted(contact.label) }
  return { tone: 'bad', message: failed }
}
