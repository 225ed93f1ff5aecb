import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button, ButtonLink } from '../../design/button.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page } from '../../design/page.tsx'
import { withQuery } from '../../lib/api.ts'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { type Form, type Saved, useForm } from '../../lib/use-form.ts'
import { useUnsaved } from '../../lib/use-unsaved.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import type { EndingLogin } from '../../records/ending-login.tsx'
import { MauticField } from '../../records/mautic-field.tsx'
import { transportWords } from '../../words/transports.ts'
import { type Draft, draftOf } from './draft.ts'
import { DsnEditor } from './dsn-editor.tsx'
import type { Provider } from './dsn-fields.tsx'
import { EndingNotice } from './ending-notice.tsx'
import { MoveButton } from './move-button.tsx'
import { MoveHelp } from './move-help.tsx'
import { SameName } from './same-name.tsx'
import { failedTestOf, saveTransport } from './save-transport.ts'
import { TestRecipient } from './test-recipient.tsx'
import { TestReport } from './test-report.tsx'
import { TransportTest } from './transport-test.tsx'
import { type DsnEditing, type DsnForm, useDsn } from './use-dsn.ts'
import { useEndingLogins } from './use-ending-logins.ts'
import { useListed } from './use-listed.ts'

const { editor } = transportWords

interface TransportEditorProps {
  /** Undefined for a new transport. */
  id: number | undefined
  saved: Saved<Draft>
  providers: readonly Provider[]
  load: (() => Promise<Saved<Draft>>) | undefined
  /** Called after the saved transport was moved to OAuth. */
  onMoved: () => void
}

/** How the form is saved. */
interface Saving {
  /** Whether the transport is tested first. */
  isTested: boolean
  /** Stops the test. */
  controller?: AbortController | undefined
}

const canTest = () => can('multipleTransports:edit')

/** The form of a transport, with its test beside it. */
export function TransportEditor({ id, saved, providers, load, onMoved }: TransportEditorProps) {
  const { route } = useLocation()
  const saving = useRef<Saving>({ isTested: canTest() })
  useEffect(() => () => saving.current.controller?.abort(), [])
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
      const changes = Object.fromEntries(changed.map((name) => [name, values[name]]))
      const transport = id === undefined ? { id, values } : { id, values: changes, etag }
      const controller = saving.current.isTested ? new AbortController() : undefined
      saving.current.controller = controller
      const answer = await saveTransport(transport, controller?.signal)
      showToast(editor.saved(answer.body.name))
      if (id === undefined) route(`/transports/${answer.body.id}`, true)
      return { draft: draftOf(answer.body), etag: answer.etag }
    },
  })
  const dsn = useDsn({ id, dsn: form.draft.mailerDsn, onDsn: form.set('mailerDsn') })
  const listed = useListed(id, [form.etag])
  const endingLogins = useEndingLogins(id, form.saved.mailerDsn)
  // A test takes a while. If the page is left, it is stopped, and nothing is saved.
  useUnsaved(form.isBusy && saving.current.isTested)
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
      {id !== undefined && (
        <EndingNotice logins={endingLogins} usage={listed.data?.usage}>
          <MoveButton
            id={id}
            saved={{ draft: form.saved, etag: form.etag }}
            logins={endingLogins}
            providers={providers}
            isDisabled={form.isChanged}
            onMoved={onMoved}
          />
        </EndingNotice>
      )}
      <div class="columns">
        <TransportFields
          id={id}
          form={form}
          dsn={dsn}
          providers={providers}
          endingLogins={endingLogins}
          saving={saving}
        />
        {canTest() && (
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

function TransportFields({
  id,
  form,
  dsn,
  providers,
  endingLogins,
  saving,
}: Pick<TransportEditorProps, 'id' | 'providers'> & {
  form: Form<Draft>
  dsn: DsnEditing
  endingLogins: readonly EndingLogin[]
  saving: { current: Saving }
}) {
  const { draft, set, faultOf, fault } = form
  const { labels } = editor
  const failedTest = failedTestOf(fault)
  const submit = (event: SubmitEvent) => {
    if (form.isBusy) return event.preventDefault()
    const isUntested = (event.submitter as HTMLButtonElement | null)?.value === untested
    saving.current = { isTested: canTest() && !isUntested }
    form.submit(event)
  }
  return (
    <form class="card" onSubmit={submit}>
      {failedTest === undefined && (
        <FormFault form={form} labels={labels} show={{ mailerDsn: hideSecrets }} />
      )}
      <TextField
        label={labels.name}
        required
        autocomplete="off"
        value={draft.name}
        onValue={set('name')}
        fault={faultOf('name')}
      />
      <SameName id={id} name={draft.name} />
      <DsnEditor
        editing={dsn}
        providers={providers}
        transport={{ id, testedEmailFrom: draft.testedEmailFrom, mautic: draft.mautic }}
        endingLogins={endingLogins}
        fault={faultOf('mailerDsn')}
      />
      <TextField
        label={labels.testedEmailFrom}
        type="email"
        value={draft.testedEmailFrom}
        onValue={set('testedEmailFrom')}
        fault={faultOf('testedEmailFrom')}
        help={
          dsn.form !== undefined && usesSenderMailbox(dsn.form, providers)
            ? editor.testedMailboxHelp
            : editor.testedEmailFromHelp
        }
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
      {failedTest !== undefined && <TestReport result={failedTest} message={fault?.message} />}
      {canTest() ? <SaveActions form={form} saving={saving} /> : <FormActions form={form} />}
    </form>
  )
}

/** Whether a message is sent through the mailbox of its sender: the form, or a member, leaves its field empty. */
function usesSenderMailbox(form: DsnForm, providers: readonly Provider[]): boolean {
  const variant = providers
    .find(({ name }) => name === form.provider)
    ?.variants.find(({ name }) => name === form.variant)
  const hasField = variant?.fields.some(({ name }) => name === 'mailbox') ?? false
  return (
    (hasField && !form.fields['mailbox']) ||
    form.members.some((member) => usesSenderMailbox(member, providers))
  )
}

/** The value of the button that saves without a test. */
const untested = 'untested'

/** Saves after a test or without one; while the test runs, cancels it. */
function SaveActions({ form, saving }: { form: Form<Draft>; saving: { current: Saving } }) {
  const { isBusy, isChanged, draft } = form
  return (
    <>
      <FormActions form={form} label={editor.testAndSave}>
        {isBusy && saving.current.isTested ? (
          <Button
            key="cancel"
            onClick={({ currentTarget }) => {
              saving.current.controller?.abort()
              // This button is gone next.
              currentTarget.form?.querySelector<HTMLElement>('[data-kind="primary"]')?.focus()
            }}
          >
            {transportWords.test.cancel}
          </Button>
        ) : (
          <Button
            key="untested"
            type="submit"
            value={untested}
            isBusy={isBusy}
            disabled={!isChanged}
          >
            {editor.saveUntested}
          </Button>
        )}
      </FormActions>
      <TestRecipient testedEmailFrom={draft.testedEmailFrom} />
    </>
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
        {transportWords.assigned(emails, users)}
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
