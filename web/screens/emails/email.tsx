import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { Notice } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, type Saved, useForm } from '../../lib/use-form.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { emailWords } from '../../words/emails.ts'
import { type Draft, draftOf, emptyDraft, loadEmail, saveEmail } from './draft.ts'
import { EmailFacts } from './email-facts.tsx'
import { EmailForm } from './email-form.tsx'
import { EmailTransport } from './email-transport.tsx'
import { EmailTrial } from './email-trial.tsx'

const text = emailWords

/** One email: change it or add a new one, see it as a contact gets it, send it to one contact. */
export function EmailScreen() {
  const { id } = useRoute().params
  if (id === 'new')
    return <Editor key="new" id={undefined} saved={{ draft: emptyDraft, etag: undefined }} />
  return <SavedEmail key={id} id={Number(id)} />
}

function SavedEmail({ id }: { id: number }) {
  const loaded = useData(() => loadEmail(id), [id])
  return <Show loaded={loaded}>{(saved) => <Editor id={id} saved={saved} />}</Show>
}

/** `id` is undefined for a new email. */
function Editor({ id, saved }: { id: number | undefined; saved: Saved<Draft> }) {
  const { route } = useLocation()
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const form = useForm<Draft>({
    saved,
    ...(id === undefined ? {} : { load: () => loadEmail(id) }),
    async save(draft, at) {
      const { email, etag } = await saveEmail(id, draft, at)
      setWarnings(email.warnings ?? [])
      showToast(text.saved(email.name))
      if (id === undefined) route(`/emails/${email.id}`, true)
      return { draft: draftOf(email), etag }
    },
  })
  const canSave = can(id === undefined ? 'email:create' : 'email:edit')
  return (
    <Page
      title={id === undefined ? text.new : form.saved.name}
      actions={<Actions id={id} form={form} />}
    >
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <div class="columns">
        {canSave ? (
          <EmailForm form={form} isNew={id === undefined} />
        ) : (
          <EmailFacts draft={form.saved} />
        )}
        <div class="stack">
          <EmailTrial id={id} form={form} />
          {id !== undefined && can('multipleTransports:view') && <EmailTransport id={id} />}
        </div>
      </div>
    </Page>
  )
}

function Actions({ id, form: { saved } }: { id: number | undefined; form: Form<Draft> }) {
  const { route } = useLocation()
  return (
    <>
      <a href="/emails">{text.all}</a>
      {id !== undefined && (
        <DeleteRecords
          kind="emails"
          ids={[id]}
          title={text.remove.title(saved.name)}
          text={text.remove.text}
          onDeleted={() => route('/emails')}
          onRestored={() => route(`/emails/${id}`)}
        />
      )}
    </>
  )
}
