import { useLocation } from 'preact-iso/router'
import { ButtonLink } from '../../design/button.tsx'
import { showToast } from '../../design/feedback.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page } from '../../design/page.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, type Saved, useForm } from '../../lib/use-form.ts'
import { words } from '../../words.ts'
import { DeleteRecords } from '../deleted/delete-records.tsx'
import { MauticField } from '../mautics/mautic-field.tsx'
import { type Draft, draftOf } from './draft.ts'
import { DsnEditor } from './dsn-editor.tsx'
import type { Provider } from './dsn-fields.tsx'
import { MoveHelp } from './move-help.tsx'
import { SameName } from './same-name.tsx'
import { TransportTest } from './transport-test.tsx'
import { type DsnEditing, useDsn } from './use-dsn.ts'

const { editor } = words.transports

interface TransportEditorProps {
  /** Undefined for a new transport. */
  id: number | undefined
  saved: Saved<Draft>
  providers: readonly Provider[]
  load: (() => Promise<Saved<Draft>>) | undefined
}

/** The form of a transport, with its test beside it. */
export function TransportEditor({ id, saved, providers, load }: TransportEditorProps) {
  const { route } = useLocation()
  const form = useForm<Draft>({
    saved,
    ...(load === undefined ? {} : { load }),
    prepare: async (draft) =>
      draft.mailerDsn === dsn.dsn ? { ...draft, mailerDsn: await dsn.settle() } : draft,
    async save(draft, { etag, changed }) {
      const values = {
        ...draft,
        testedEmailFrom: draft.testedEmailFrom || null,
        mautic: draft.mautic === '' ? null : Number(draft.mautic),
      }
      const body = Object.fromEntries(changed.map((name) => [name, values[name]]))
      const answer =
        id === undefined
          ? await ask('POST', '/api/multipleTransports/new', { body: values })
          : await ask('PATCH', '/api/multipleTransports/{id}/edit', { path: { id }, body, etag })
      showToast(editor.saved(answer.body.name))
      if (id === undefined) route(`/transports/${answer.body.id}`, true)
      return { draft: draftOf(answer.body), etag: answer.etag }
    },
  })
  const dsn = useDsn({ id, dsn: form.draft.mailerDsn, onDsn: form.set('mailerDsn') })
  const listed = useListed(id, [form.saved.mailerDsn])
  return (
    <Page
      title={id === undefined ? editor.newTitle : form.saved.name}
      actions={
        id !== undefined && (
          <Actions
            id={id}
            name={form.saved.name}
            mautic={form.saved.mautic}
            usage={listed.data?.usage}
          />
        )
      }
    >
      <div class="columns">
        <TransportFields id={id} form={form} dsn={dsn} providers={providers} />
        {can('multipleTransports:edit') && (
          <TransportTest
            id={id}
            settleDsn={dsn.settle}
            testedEmailFrom={form.draft.testedEmailFrom}
            lastTest={listed.data?.lastTest}
            onTested={listed.reload}
          />
        )}
      </div>
    </Page>
  )
}

/** What only the list tells of a transport: its assignments and its last test. */
function useListed(id: number | undefined, keys: readonly unknown[]) {
  return useData(
    async (signal) => {
      if (id === undefined) return undefined
      const query = { search: `ids:${id}`, with: 'usage,lastTest' }
      return (await ask('GET', '/api/multipleTransports', { query, signal })).body[0]
    },
    [id, ...keys],
  )
}

function TransportFields({
  id,
  form,
  dsn,
  providers,
}: Pick<TransportEditorProps, 'id' | 'providers'> & { form: Form<Draft>; dsn: DsnEditing }) {
  const { draft, set, faultOf } = form
  const { labels } = editor
  return (
    <form class="card" onSubmit={form.submit}>
      <FormFault form={form} labels={labels} show={{ mailerDsn: hideSecrets }} />
      <TextField
        label={labels.name}
        required
        autocomplete="off"
        value={draft.name}
        onValue={set('name')}
        fault={faultOf('name')}
      />
      <SameName id={id} name={draft.name} />
      <DsnEditor editing={dsn} providers={providers} fault={faultOf('mailerDsn')} />
      <TextField
        label={labels.testedEmailFrom}
        type="email"
        value={draft.testedEmailFrom}
        onValue={set('testedEmailFrom')}
        fault={faultOf('testedEmailFrom')}
        help={editor.testedEmailFromHelp}
      />
      <TextArea
        label={labels.description}
        rows={3}
        value={draft.description}
        onValue={set('description')}
        fault={faultOf('description')}
      />
      <MauticField
        label={labels.mautic}
        help={editor.mauticHelp}
        none={editor.everyMautic}
        optionOf={editor.onlyMautic}
        value={draft.mautic}
        onValue={set('mautic')}
        fault={faultOf('mautic')}
      />
      {can('multipleTransports:publish') && (
        <CheckField
          label={labels.isPublished}
          value={draft.isPublished}
          onValue={set('isPublished')}
          help={editor.publishedHelp}
        />
      )}
      <FormActions form={form} />
    </form>
  )
}

function Actions({
  id,
  name,
  mautic,
  usage: { emails, users } = { emails: 0, users: 0 },
}: {
  id: number
  name: string
  mautic: string
  usage: { emails: number; users: number } | undefined
}) {
  const { route } = useLocation()
  return (
    <>
      <ButtonLink href={withQuery('/assignments', { transport: id, mautic })}>
        {words.transports.assigned(emails, users)}
      </ButtonLink>
      {can('multipleTransports:create') && (
        <ButtonLink href={`/transports/new?copy=${id}`}>{editor.duplicate}</ButtonLink>
      )}
      <DeleteRecords
        kind="transports"
        ids={[id]}
        title={editor.deleteTitle(name)}
        text={
          <>
            {editor.deleteText} <MoveHelp />
          </>
        }
        onDeleted={() => route('/transports')}
        onRestored={() => route(`/transports/${id}`)}
      />
    </>
  )
}
