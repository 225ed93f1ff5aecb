import { CheckField, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Picker } from '../../design/picker.tsx'
import { TokenField } from '../../design/token-field.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import type { Form } from '../../lib/use-form.ts'
import { findUsers } from '../../records/find.ts'
import { contactWords } from '../../words/contacts.ts'
import { type Draft, fieldGroups, type TextField as TextFieldName } from './draft.ts'

const text = contactWords
const { fields, help } = text

/** The form of a contact, with all its fields. */
export function ContactForm({ form, isNew }: { form: Form<Draft>; isNew: boolean }) {
  return (
    <form class="stack" onSubmit={form.submit}>
      <FormFault form={form} labels={fields} />
      <div class="columns">
        <div class="stack">
          <section class="card" aria-label={text.personal}>
            <h2>{text.personal}</h2>
            <Texts form={form} names={fieldGroups.personal} />
            {(isNew || can('contact:publish')) && (
              <CheckField
                label={fields.isPublished}
                help={help.isPublished}
                value={form.draft.isPublished}
                onValue={form.set('isPublished')}
              />
            )}
          </section>
          <Sorting form={form} />
        </div>
        <div class="stack">
          <section class="card" aria-label={text.reach}>
            <h2>{text.reach}</h2>
            <Texts form={form} names={fieldGroups.reach} />
          </section>
          <details class="card" open={hasValue(form.draft, fieldGroups.more)}>
            <summary>{text.more}</summary>
            <Texts form={form} names={fieldGroups.more} />
          </details>
          <details class="card" open={hasValue(form.draft, fieldGroups.social)}>
            <summary>{text.social}</summary>
            <Texts form={form} names={fieldGroups.social} />
          </details>
        </div>
      </div>
      <FormActions form={form} />
    </form>
  )
}

function hasValue(draft: Draft, names: readonly TextFieldName[]): boolean {
  return names.some((name) => draft[name] !== '')
}

function Texts({ form, names }: { form: Form<Draft>; names: readonly TextFieldName[] }) {
  return (
    <div class="fields">
      {names.map((name) => (
        <TextField
          key={name}
          label={fields[name]}
          value={form.draft[name]}
          onValue={form.set(name)}
          fault={form.faultOf(name)}
          {...(name === 'email' && { help: help.email })}
        />
      ))}
    </div>
  )
}

/** Owner, tags, segments and points. */
function Sorting({ form: { draft, set, faultOf } }: { form: Form<Draft> }) {
  const { data: segments = [] } = useData(
    async (signal) =>
      (await ask('GET', '/api/segments', { query: { limit: 100 }, signal })).body.lists,
    [],
  )
  return (
    <section class="card" aria-label={text.sorting}>
      <h2>{text.sorting}</h2>
      {can('user:view') ? (
        <Picker
          label={fields.owner}
          help={help.owner}
          value={draft.owner}
          onValue={set('owner')}
          find={findUsers}
          fault={faultOf('owner')}
        />
      ) : (
        <p>
          <span class="quiet">{fields.owner}</span> {draft.owner?.label ?? text.noOwner}
        </p>
      )}
      <TokenField
        label={fields.segments}
        help={help.segments}
        values={draft.segments}
        onValues={set('segments')}
        known={segments.map(({ name }) => name)}
        fault={faultOf('segments')}
      />
      <TokenField
        label={fields.tags}
        help={help.tags}
        values={draft.tags}
        onValues={set('tags')}
        fault={faultOf('tags')}
      />
      <TextField
        label={fields.points}
        type="number"
        value={draft.points}
        onValue={set('points')}
        fault={faultOf('points')}
      />
    </section>
  )
}
