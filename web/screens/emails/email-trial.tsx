import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { ConfirmButton } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice, Warnings } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { type ApiFault, ask, type Body } from '../../lib/api.ts'
import { can, session } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useData } from '../../lib/use-data.ts'
import type { Form } from '../../lib/use-form.ts'
import { EmailFrame } from '../../records/email-frame.tsx'
import { findContacts } from '../../records/find.ts'
import { bodyOf, type Draft } from './draft.ts'

const text = {
  title: 'Preview',
  contact: 'As this contact gets it',
  contactHelp: 'Without one, the fallbacks of the fields are shown.',
  example: 'An example contact',
  subject: 'Subject',
  from: 'From',
  to: 'To',
  route: 'Transport',
  defaultTransport: 'The default transport',
  html: 'HTML',
  text: 'Text',
  noHtml: 'The email has no HTML.',
  noText: 'The email has no text.',
  frame: 'The email as HTML',
  error: (message: string, template: string | null, line: number, column: number) =>
    `${template === null ? '' : `Template ${template}, `}line ${line}, column ${column}: ${message}`,
} as const

const send = {
  toContact: 'Send to this contact',
  chooseContact: 'Choose a contact to send the email to it.',
  confirm: (name: string, to: string) => `Send “${name}” to ${to}?`,
  confirmText: 'The contact gets the email at once, as it is saved.',
  toMe: 'Send a test to yourself',
  toMeHelp: (address: string) => `To ${address}, with the values of the form, saved or not.`,
  noAddress: 'Your user has no email address that a test could be sent to.',
  accepted: (to: string) => `The transport accepted the message to ${to}.`,
  queued: (to: string, reason: string | null) =>
    `The message to ${to} is stored, not sent: ${reason ?? 'the server has not answered yet'}. Mailyard tries again; see the queue.`,
  unsaved: 'Save the email to send it to a contact.',
  unpublished: 'Publish the email to send it to a contact.',
} as const

interface TrialProps {
  /** Undefined for a new email. */
  id: number | undefined
  form: Form<Draft>
}

type Preview = Body<'POST', '/api/emails/preview'>

/** What a preview and a test are made of: the values of the form, and the chosen contact. */
function requestOf({ id, form }: TrialProps, contact: Choice | undefined) {
  return {
    ...(id === undefined ? {} : { id }),
    email: bodyOf(form.draft),
    ...(contact === undefined ? {} : { contactId: Number(contact.value) }),
  }
}

/** An email as a contact gets it, with the values of the form; and sending it, as a test or to that contact. */
export function EmailTrial({ id, form }: TrialProps) {
  const [contact, setContact] = useState<Choice>()
  const body = requestOf({ id, form }, contact)
  const { data: preview, fault } = useData(
    async (signal) =>
      (await ask('POST', '/api/emails/preview', { body, signal, isRead: true })).body,
    [JSON.stringify(body)],
    { isTyped: true },
  )
  return (
    <Card title={text.title}>
      {can('contact:view') && (
        <Picker
          label={text.contact}
          help={text.contactHelp}
          value={contact}
          onValue={setContact}
          find={findContacts}
        />
      )}
      {fault !== undefined && <Notice tone="bad">{sayFault(fault, form.texts.labels)}</Notice>}
      {preview !== undefined && <PreviewOf preview={preview} isExample={contact === undefined} />}
      {can('email:send') && can('contact:view') && (
        <EmailSend id={id} form={form} contact={contact} />
      )}
    </Card>
  )
}

/** Says which fields keep an email from being rendered, by their labels. */
function sayFault({ message, details }: ApiFault, labels: Partial<Record<string, string>>): string {
  const faults = Object.entries(details).map(([path, reasons]) => {
    const name = path.replace(/^email\./, '')
    return `${labels[name] ?? name} ${reasons.join(', ')}.`
  })
  return faults.join(' ') || message
}

/** A rendered email: why it cannot be sent, its subject and sender, HTML and text. */
function PreviewOf({ preview, isExample }: { preview: Preview; isExample: boolean }) {
  const { from, to, subject, html, error, warnings, route } = preview
  const [shown, setShown] = useState<'html' | 'text'>('html')
  const transport = route.transport?.name ?? (route.isDefault ? text.defaultTransport : undefined)
  const problems = route.problem === null ? warnings : [...warnings, route.problem]
  return (
    <>
      {error !== null && (
        <Notice tone="bad">
          {text.error(error.message, error.template, error.line, error.column)}
        </Notice>
      )}
      <Warnings texts={problems} />
      {error === null && (
        <>
          <Facts
            facts={[
              [text.subject, <strong key="subject">{subject}</strong>],
              [text.from, from && writeMailbox(from)],
              [text.to, isExample ? text.example : writeMailbox(to)],
              ...(transport === undefined ? [] : [[text.route, transport] as const]),
            ]}
          />
          <Tabs
            kind="segments"
            label={text.title}
            tabs={{ html: text.html, text: text.text }}
            shown={shown}
            onShow={setShown}
          >
            {shown === 'text' && <pre>{preview.text || text.noText}</pre>}
            {shown === 'html' &&
              (html ? (
                <EmailFrame html={html} title={text.frame} />
              ) : (
                <p class="quiet">{text.noHtml}</p>
              ))}
          </Tabs>
        </>
      )}
    </>
  )
}

function writeMailbox({ name, address }: { name: string; address: string }): string {
  return name === '' ? address : `${name} <${address}>`
}

interface Result {
  tone: Tone
  message: string
}

/** Sends an email: a test of the values in the form to the user, or what is saved to the chosen contact. */
function EmailSend({ id, form, contact }: TrialProps & { contact: Choice | undefined }) {
  const [result, setResult] = useState<Result>()
  const { isBusy, run } = useAction()
  const { email: address } = session.value?.user ?? {}
  const obstacle = findObstacle({ id, form }, contact)
  const sendTest = async () => {
    setResult(undefined)
    const body = requestOf({ id, form }, contact)
    const { success, message } = (await ask('POST', '/api/emails/send/test', { body })).body
    setResult({ tone: success ? 'good' : 'bad', message })
  }
  return (
    <div class="stack">
      {result !== undefined && <Notice tone={result.tone}>{result.message}</Notice>}
      <div class="row">
        <Button isBusy={isBusy} disabled={!address} onClick={() => run(sendTest)}>
          {send.toMe}
        </Button>
        {obstacle === undefined && id !== undefined && contact !== undefined && (
          <ConfirmButton
            title={send.confirm(form.draft.name, contact.label)}
            text={send.confirmText}
            action={send.toContact}
            onConfirm={async () => setResult(await sendToContact(id, contact))}
          />
        )}
      </div>
      <p class="quiet small">
        {address ? send.toMeHelp(address) : send.noAddress} {obstacle}
      </p>
    </div>
  )
}

/** Why the email cannot be sent to a contact now; undefined where it can. */
function findObstacle({ id, form }: TrialProps, contact: Choice | undefined): string | undefined {
  if (id === undefined || form.isChanged) return send.unsaved
  if (!form.draft.isPublished) return send.unpublished
  return contact === undefined ? send.chooseContact : undefined
}

async function sendToContact(id: number, contact: Choice): Promise<Result> {
  const options = { path: { id, contactId: contact.value }, body: {} }
  const { body } = await ask('POST', '/api/emails/{id}/contact/{contactId}/send', options)
  const { success, queued, failed = '' } = body
  if (queued !== undefined)
    return { tone: 'warn', message: send.queued(contact.label, queued.reason) }
  if (success) return { tone: 'good', message: send.accepted(contact.label) }
  return { tone: 'bad', message: failed }
}
