import { useEffect, useState } from 'preact/hooks'
import { Notice } from '../../design/feedback.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import type { Form } from '../../lib/use-form.ts'
import { findContacts } from '../../records/find.ts'
import { emailWords } from '../../words/emails.ts'
import { bodyOf, type Draft } from './draft.ts'
import { EmailPreview } from './email-preview.tsx'
import { EmailSend } from './email-send.tsx'

export interface TrialProps {
  /** Undefined for a new email. */
  id: number | undefined
  form: Form<Draft>
}

type Preview = Body<'POST', '/api/emails/preview'>

const text = emailWords.preview
const typingPauseMs = 400

/** An email as a contact gets it, with the values of the form; and sending it, as a test or to that contact. */
export function EmailTrial({ id, form }: TrialProps) {
  const [contact, setContact] = useState<Choice>()
  const { preview, fault } = usePreview(id, form.draft, contact)
  return (
    <section class="card" aria-label={text.title}>
      <h2>{text.title}</h2>
      {can('contact:view') && (
        <Picker
          label={text.contact}
          help={text.contactHelp}
          value={contact}
          onValue={setContact}
          find={findContacts}
        />
      )}
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      {preview !== undefined && <EmailPreview preview={preview} />}
      {can('email:send') && can('contact:view') && (
        <EmailSend id={id} form={form} contact={contact} />
      )}
    </section>
  )
}

/** Renders the draft on the server, a moment after the last change. The last preview stays until the next is there. */
function usePreview(id: number | undefined, draft: Draft, contact: Choice | undefined) {
  const [preview, setPreview] = useState<Preview>()
  const [fault, setFault] = useState<ApiFault>()
  const values = JSON.stringify(bodyOf(draft))
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const load = async () => {
      try {
        const body = {
          ...(id !== undefined && { id }),
          email: JSON.parse(values) as ReturnType<typeof bodyOf>,
          ...(contact && { contactId: Number(contact.value) }),
        }
        const answer = await ask('POST', '/api/emails/preview', { body, signal, isRead: true })
        setPreview(answer.body)
        setFault(undefined)
      } catch (error) {
        if (!signal.aborted)
          setFault(error instanceof ApiFault ? error : new ApiFault(0, String(error)))
      }
    }
    const timer = setTimeout(() => void load(), preview === undefined ? 0 : typingPauseMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [id, values, contact?.value])
  return { preview, fault }
}
