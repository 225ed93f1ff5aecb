import { Button } from '../../design/button.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { ask } from '../../lib/api.ts'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField, brandName } from '../../records/brands.tsx'
import type { EndingLogin } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { brandWords } from '../../words/brands.ts'
import { words } from '../../words/common.ts'
import { dsnWords } from '../../words/dsn-form.ts'
import { transportWords } from '../../words/transports.ts'
import { type Draft, failedTestOf } from './draft.ts'
import { DsnEditor, DsnMeaning } from './dsn-editor.tsx'
import { TestRecipient } from './parts.tsx'
import { Rerouted } from './rerouted.tsx'
import type { DsnEditing, DsnForm } from './use-dsn.ts'

const { editor } = transportWords

/** How the form is saved. */
export interface Saving {
  /** Whether the transport is tested first. */
  isTested: boolean
  /** Stops the test. */
  controller?: AbortController | undefined
}

export const canTest = () => can('multipleTransports:edit')

/** What the form and the values of a transport need. */
interface ContentProps {
  /** Undefined for a new transport. */
  id: number | undefined
  providers: readonly Provider[]
  form: Form<Draft>
  dsn: DsnEditing
  /** Those that the page shows. */
  endingLogins: readonly EndingLogin[]
  saving: { current: Saving }
}

/** A transport for those who may not change it. The API has masked its secrets. */
export function TransportFacts({ form: { draft }, dsn, providers, endingLogins }: ContentProps) {
  const { labels } = editor
  const provider = providers.find(({ name }) => name === dsn.form?.provider)
  return (
    <section class="card">
      <Facts
        facts={[
          [dsnWords.provider, provider?.title],
          [labels.mailerDsn, <code key="dsn">{draft.mailerDsn}</code>],
          [labels.testedEmailFrom, draft.testedEmailFrom],
          [labels.description, draft.description],
          [brandWords.brand, draft.brand && brandName(Number(draft.brand))],
        ]}
      />
      <DsnMeaning inspection={dsn.inspection} endingLogins={endingLogins} />
    </section>
  )
}

export function TransportForm({ id, form, dsn, providers, endingLogins, saving }: ContentProps) {
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
        transport={{ id, testedEmailFrom: draft.testedEmailFrom }}
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
      <BrandField {...field(form, 'brand')} help={editor.brandHelp} />
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

const comparableName = (name: string) => name.trim().toLowerCase()

/** Warns while the name of a transport is typed that another one has: names are looked up, and must then be unique. */
function SameName({ id, name }: { id: number | undefined; name: string }) {
  const { data: others = [] } = useData(
    async (signal) => {
      const text = comparableName(name).replaceAll('"', ' ')
      if (text === '') return []
      const query = { search: `+"${text}"`, fields: 'id,name', limit: 3 }
      return (await ask('GET', '/api/multipleTransports', { query, signal })).body
    },
    [name],
    { pauseMs: 300 },
  )
  const other = others.find(
    (each) => each.id !== id && comparableName(each.name) === comparableName(name),
  )
  if (other === undefined) return null
  return (
    <Notice tone="warn">
      <a href={`/transports/${other.id}`}>{words.transportNumber(other.id)}</a> {editor.sameName}
    </Notice>
  )
}
