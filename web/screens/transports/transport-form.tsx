import { Button } from '../../design/button.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions } from '../../design/form-fault.tsx'
import { hideSecrets } from '../../lib/hide-secrets.ts'
import { can } from '../../lib/session.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import type { EndingLogin } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { transportWords } from '../../words/transports.ts'
import type { Draft, Saving } from './draft.ts'
import { DsnEditor } from './dsn-editor.tsx'
import { Rerouted } from './rerouted.tsx'
import type { DsnEditing } from './use-dsn.ts'

const { editor } = transportWords

/** How values with a secret are shown. */
export const secretFields = { mailerDsn: hideSecrets }

export function TransportFields({
  id,
  form,
  dsn,
  providers,
  endingLogins,
}: {
  /** Undefined for a new transport. */
  id: number | undefined
  form: Form<Draft>
  dsn: DsnEditing
  providers: readonly Provider[]
  /** Those that the page shows. */
  endingLogins: readonly EndingLogin[]
}) {
  const { draft, faultOf } = form
  return (
    <>
      <TextField {...field(form, 'name')} required autocomplete="off" />
      <DsnEditor
        editing={dsn}
        providers={providers}
        endingLogins={endingLogins}
        fault={faultOf('mailerDsn')}
      />
      <div data-field="testedEmailFrom">
        <TextField {...field(form, 'testedEmailFrom')} type="email" />
      </div>
      <TextArea {...field(form, 'description')} rows={2} />
      <BrandField {...field(form, 'brand')} />
      {can('multipleTransports:publish') && <CheckField {...field(form, 'isPublished')} />}
      {id !== undefined && form.saved.isPublished && !draft.isPublished && <Rerouted id={id} />}
    </>
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
