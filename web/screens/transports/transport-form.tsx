import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, TextArea, TextField, WhileEditing } from '../../design/field.tsx'
import { FormActions } from '../../design/form-fault.tsx'
import { ask } from '../../lib/api.ts'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import type { EndingLogin } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { words } from '../../words/common.ts'
import { transportWords } from '../../words/transports.ts'
import type { Draft, Saving } from './draft.ts'
import { DsnEditor } from './dsn-editor.tsx'
import { Rerouted } from './rerouted.tsx'
import type { DsnEditing, DsnForm } from './use-dsn.ts'

const { editor } = transportWords

/** How values with a secret are shown. */
export const secretFields = { mailerDsn: hideSecrets }

/** What the form and the values of a transport need. */
interface ContentProps {
  /** Undefined for a new transport. */
  id: number | undefined
  providers: readonly Provider[]
  form: Form<Draft>
  dsn: DsnEditing
  /** Those that the page shows. */
  endingLogins: readonly EndingLogin[]
}

/** The fields of a transport. */
export function TransportFields({ id, form, dsn, providers, endingLogins }: ContentProps) {
  const { draft, faultOf } = form
  const usesSender = dsn.form !== undefined && usesSenderMailbox(dsn.form, providers)
  return (
    <>
      <TextField {...field(form, 'name')} required autocomplete="off" />
      <WhileEditing>
        <SameName id={id} name={draft.name} />
      </WhileEditing>
      <DsnEditor
        editing={dsn}
        providers={providers}
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
    </>
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

/** Saves after a test or without one; while the test runs, cancels it. */
export function SaveActions({ form, saving }: { form: Form<Draft>; saving: Saving }) {
  const { isBusy, isChanged } = form
  return (
    <FormActions form={form} label={editor.testAndSave}>
      {isBusy && saving.isTested ? (
        <Button
          key="cancel"
          onClick={({ currentTarget }) => {
            saving.controller?.abort()
            // This button is gone next.
            currentTarget.parentElement?.querySelector('button')?.focus()
          }}
        >
          {transportWords.test.cancel}
        </Button>
      ) : (
        <Button
          key="untested"
          type="submit"
          form={form.id}
          value="untested"
          isBusy={isBusy}
          disabled={!isChanged}
        >
          {editor.saveUntested}
        </Button>
      )}
    </FormActions>
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
