import { useLocation, useRoute } from 'preact-iso/router'
import { Page, Show } from '../../design/page.tsx'
import { withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type Saved, useForm } from '../../lib/use-form.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { contactWords } from '../../words/contacts.ts'
import { ContactFacts } from './contact-facts.tsx'
import { ContactForm } from './contact-form.tsx'
import { ContactSuppressions } from './contact-suppressions.tsx'
import { type Contact, type Draft, draftOf, loadContact, saveContact } from './draft.ts'

const text = contactWords

/** One contact: change it, or add a new one. */
export function ContactScreen() {
  const { id } = useRoute().params
  if (id === 'new')
    return <Editor key="new" id={undefined} saved={{ draft: draftOf(), etag: undefined }} />
  return <SavedContact key={id} id={Number(id)} />
}

function SavedContact({ id }: { id: number }) {
  const loaded = useData(() => loadContact(id), [id])
  return (
    <Show loaded={loaded}>
      {({ contact, saved }) => <Editor id={id} contact={contact} saved={saved} />}
    </Show>
  )
}

interface EditorProps {
  /** Undefined for a new contact. */
  id: number | undefined
  contact?: Contact
  saved: Saved<Draft>
}

function Editor({ id, contact, saved }: EditorProps) {
  const { route } = useLocation()
  const form = useForm<Draft>({
    saved,
    ...(id === undefined ? {} : { load: async () => (await loadContact(id)).saved }),
    async save(draft, at) {
      const next = await saveContact(id, draft, at)
      showToast(text.saved(labelOf(next.saved.draft, next.contact.id)))
      if (id === undefined) route(`/contacts/${next.contact.id}`, true)
      return next.saved
    },
  })
  const canSave = can(id === undefined ? 'contact:create' : 'contact:edit')
  return (
    <Page
      title={id === undefined ? text.new : labelOf(form.saved, id)}
      actions={<Actions id={id} draft={form.saved} />}
    >
      {form.saved.email !== '' && id !== undefined && (
        <ContactSuppressions address={form.saved.email} />
      )}
      {canSave && <ContactForm form={form} isNew={id === undefined} />}
      {!canSave && contact !== undefined && <ContactFacts contact={contact} />}
    </Page>
  )
}

function labelOf({ email, firstname, lastname }: Draft, id: number): string {
  return email || `${firstname} ${lastname}`.trim() || text.one(id)
}

function Actions({ id, draft }: { id: number | undefined; draft: Draft }) {
  const { route } = useLocation()
  const { email } = draft
  return (
    <>
      <a href="/contacts">{text.all}</a>
      {can('email:view') && email !== '' && (
        <a href={withQuery('/deliveries', { recipient: email })}>{text.deliveries}</a>
      )}
      {id !== undefined && (
        <DeleteRecords
          kind="contacts"
          ids={[id]}
          title={text.remove.title(labelOf(draft, id))}
          text={text.remove.text}
          onDeleted={() => route('/contacts')}
          onRestored={() => route(`/contacts/${id}`)}
        />
      )}
    </>
  )
}
