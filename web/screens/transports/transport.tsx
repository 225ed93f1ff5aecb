import { useEffect, useRef } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Facts } from '../../design/facts.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page, RecordLayout, Show } from '../../design/page.tsx'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useAnswer, useData } from '../../lib/use-data.ts'
import { type Form, field, type Saved, useForm } from '../../lib/use-form.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import type { EndingLogin } from '../../records/ending-login.tsx'
import { MauticField, useMauticName } from '../../records/mautics.tsx'
import { loadProviders, type Provider } from '../../records/providers.tsx'
import { PublishedBadge } from '../../records/published-badge.tsx'
import { openAgain } from '../../records/resource-screen.tsx'
import { dsnWords } from '../../words/dsn-form.ts'
import { transportWords } from '../../words/transports.ts'
import { type Draft, draftOf, failedTestOf, loadTransport, saveTransport } from './draft.ts'
import { DsnEditor, DsnMeaning } from './dsn-editor.tsx'
import { TransportEvents } from './events.tsx'
import { MoveButton } from './move-to-oauth.tsx'
import { EndingNotice, SameName, TestRecipient, useEndingLogins } from './parts.tsx'
import { Rerouted } from './rerouted.tsx'
import { TransportSide } from './side.tsx'
import { TransportTest } from './transport-test.tsx'
import { type DsnEditing, type DsnForm, useDsn } from './use-dsn.ts'

const { editor } = transportWords
const back = { href: '/transports', label: transportWords.title }

/** One transport: change it, or add a new one (`?copy=` another), and test it before or after it is saved. */
export default function TransportScreen() {
  const { id } = useRoute().params
  const { copy } = useAddress().query
  return <Loaded key={id} id={id === 'new' ? undefined : Number(id)} copied={copy} />
}

function Loaded({ id, copied }: { id: number | undefined; copied: string | undefined }) {
  const loaded = useData(async () => {
    const [saved, { providers }] = await Promise.all([
      id === undefined ? copyOf(copied) : loadTransport(id),
      loadProviders(),
    ])
    return { saved, providers }
  }, [id, copied])
  return (
    <Show loaded={loaded} back={back}>
      {(data) => <TransportPage key={data.saved.etag} id={id} {...data} onMoved={loaded.reload} />}
    </Show>
  )
}

async function copyOf(copied: string | undefined): Promise<Saved<Draft>> {
  if (copied === undefined) return { draft: draftOf(), etag: undefined }
  const { draft } = await loadTransport(Number(copied))
  return { draft: { ...draft, name: editor.copyName(draft.name) }, etag: undefined }
}

/** What only the list tells of a transport: what depends on it, and its last test. `id` is undefined for a new one. */
function useListed(id: number | undefined, etag: string | undefined) {
  const query = { search: `ids:${id}`, with: 'usage,lastTest' }
  const path = id === undefined ? undefined : '/api/multipleTransports'
  const { data, reload } = useAnswer(path, { query }, { keys: [etag] })
  return { data: data?.[0], reload }
}

interface TransportProps {
  /** Undefined for a new transport. */
  id: number | undefined
  saved: Saved<Draft>
  providers: readonly Provider[]
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

/** The form of a transport, or its values for those who may not change it; its test and its state at the right. */
function TransportPage({ id, saved, providers, onMoved }: TransportProps) {
  const { route } = useLocation()
  const saving = useRef<Saving>({ isTested: canTest() })
  useEffect(() => () => saving.current.controller?.abort(), [])
  const form = useForm<Draft>({
    texts: editor,
    saved,
    ...(id === undefined ? {} : { load: () => loadTransport(id) }),
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
      showToast(transportWords.saved(answer.body.name))
      if (id === undefined) route(`/transports/${answer.body.id}`, true)
      return { draft: draftOf(answer.body), etag: answer.etag }
    },
  })
  const dsn = useDsn({ id, dsn: form.draft.mailerDsn, onDsn: form.set('mailerDsn') })
  const listed = useListed(id, form.etag)
  const usage = listed.data?.usage
  const endingLogins = useEndingLogins(id, form.saved.mailerDsn)
  const canEdit = id === undefined || canTest()
  const content = { id, form, dsn, providers, endingLogins, saving }
  return (
    <Page
      title={id === undefined ? transportWords.new : form.saved.name}
      back={back}
      badge={id !== undefined && <PublishedBadge isPublished={form.saved.isPublished} />}
      actions={id !== undefined && canEdit && <Actions id={id} name={form.saved.name} />}
    >
      {id !== undefined && (
        <EndingNotice logins={endingLogins} usage={usage}>
          {canEdit && (
            <MoveButton
              id={id}
              saved={{ draft: form.saved, etag: form.etag }}
              logins={endingLogins}
              providers={providers}
              isDisabled={form.isChanged}
              onMoved={onMoved}
            />
          )}
        </EndingNotice>
      )}
      <RecordLayout
        side={
          <>
            {canTest() && (
              <TransportTest
                id={id}
                settleDsn={dsn.settle}
                testedEmailFrom={form.draft.testedEmailFrom}
                lastTest={listed.data?.lastTest}
                failed={failedTestOf(form.fault)}
                notSaved={form.fault?.message}
                onTested={listed.reload}
              />
            )}
            {id !== undefined && <TransportSide id={id} mautic={form.saved.mautic} usage={usage} />}
          </>
        }
      >
        {canEdit ? <TransportForm {...content} /> : <TransportFacts {...content} />}
        {id !== undefined && <TransportEvents id={id} dsn={form.saved.mailerDsn} />}
      </RecordLayout>
    </Page>
  )
}

/** What the form and the values of a transport need. */
interface ContentProps extends Pick<TransportProps, 'id' | 'providers'> {
  form: Form<Draft>
  dsn: DsnEditing
  /** Those that the page shows. */
  endingLogins: readonly EndingLogin[]
  saving: { current: Saving }
}

/** A transport for those who may not change it. The API has masked its secrets. */
function TransportFacts({ form: { draft }, dsn, providers, endingLogins }: ContentProps) {
  const { labels } = editor
  const provider = providers.find(({ name }) => name === dsn.form?.provider)
  const mauticName = useMauticName()(Number(draft.mautic))
  return (
    <section class="card">
      <Facts
        facts={[
          [dsnWords.provider, provider?.title],
          [labels.mailerDsn, <code key="dsn">{draft.mailerDsn}</code>],
          [labels.testedEmailFrom, draft.testedEmailFrom],
          [labels.description, draft.description],
          [labels.mautic, draft.mautic === '' ? editor.everyMautic : mauticName],
        ]}
      />
      <DsnMeaning inspection={dsn.inspection} endingLogins={endingLogins} />
    </section>
  )
}

function TransportForm({ id, form, dsn, providers, endingLogins, saving }: ContentProps) {
  const { draft, faultOf, fault } = form
  const failedTest = failedTestOf(fault)
  const isCancelled = fault?.message === transportWords.test.cancelled
  const usesSender = dsn.form !== undefined && usesSenderMailbox(dsn.form, providers)
  const submit = (event: SubmitEvent) => {
    if (form.isBusy) return event.preventDefault()
    const isUntested = (event.submitter as HTMLButtonElement | null)?.value === untested
    saving.current = { isTested: canTest() && !isUntested }
    form.submit(event)
  }
  return (
    <form class="card" onSubmit={submit}>
      {failedTest === undefined && !isCancelled && (
        <FormFault form={form} show={{ mailerDsn: hideSecrets }} />
      )}
      <TextField {...field(form, 'name')} required autocomplete="off" />
      <SameName id={id} name={draft.name} />
      <DsnEditor
        editing={dsn}
        providers={providers}
        transport={{ id, testedEmailFrom: draft.testedEmailFrom, mautic: draft.mautic }}
        endingLogins={endingLogins}
        fault={faultOf('mailerDsn')}
      />
      <div data-field="testedEmailFrom">
        <TextField
          {...field(form, 'testedEmailFrom')}
          type="email"
          help={usesSender ? editor.testedMailboxHelp : editor.testedEmailFromHelp}
        />
      </div>
      <TextArea {...field(form, 'description')} rows={2} />
      <MauticField
        {...field(form, 'mautic')}
        help={editor.mauticHelp}
        none={editor.everyMautic}
        optionOf={editor.onlyMautic}
      />
      {can('multipleTransports:publish') && <CheckField {...field(form, 'isPublished')} />}
      {id !== undefined && form.saved.isPublished && !draft.isPublished && <Rerouted id={id} />}
      {isCancelled && <Notice tone="warn">{fault.message}</Notice>}
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
      <TestRecipient testedEmailFrom={draft.testedEmailFrom} />
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
    </>
  )
}

function Actions({ id, name }: { id: number; name: string }) {
  const { route } = useLocation()
  return (
    <>
      {can('multipleTransports:create') && (
        <ButtonLink href={`/transports/new?copy=${id}`}>{editor.duplicate}</ButtonLink>
      )}
      <DeleteRecords
        kind="transports"
        ids={[id]}
        titleOf={() => transportWords.deleteTitle(name)}
        text={
          <>
            {editor.deleteText} <HelpLink page="move-a-brand-to-another-provider" />
          </>
        }
        onDeleted={() => route('/transports')}
        onRestored={() => openAgain(route, '/transports', id)}
      />
    </>
  )
}
