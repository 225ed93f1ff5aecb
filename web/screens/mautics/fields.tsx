import { ActionButton } from '../../design/button.tsx'
import {
  CheckField,
  SecretField,
  SelectField,
  TextArea,
  TextField,
  WhileEditing,
} from '../../design/field.tsx'
import { Picker } from '../../design/picker.tsx'
import { RowsField } from '../../design/rows-field.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { findTransports } from '../../records/find.ts'
import { LoginFields, useRoles } from '../../records/logins.tsx'
import { useTransportNames } from '../../records/transports.tsx'
import { mauticWords as text } from '../../words/mautics.ts'
import type { Draft } from './record.tsx'

interface FormProps {
  form: Form<Draft>
}

/** Where Mautic is, and how to log in to its API. */
export function ConnectionFields({ form }: FormProps) {
  const { draft, set } = form
  return (
    <>
      <TextField {...field(form, 'url')} required placeholder={text.urlExample} />
      <TextField
        {...field(form, 'name')}
        required
        // As its rule says.
        onValue={(name) => set('name')(name.toLowerCase().replace(/[^a-z0-9-]+/g, '-'))}
      />
      <SelectField
        {...field(form, 'login')}
        help={text.logins[draft.login].help}
        options={[
          { value: 'user', label: text.logins.user.label },
          { value: 'client', label: text.logins.client.label },
        ]}
      />
      {draft.login === 'user' ? (
        <div class="fields">
          <TextField {...field(form, 'username')} required autocomplete="off" />
          <SecretField {...field(form, 'password')} required />
        </div>
      ) : (
        <>
          <TextField {...field(form, 'clientId')} required isMono autocomplete="off" />
          <SecretField {...field(form, 'clientSecret')} required />
        </>
      )}
      <BrandField {...field(form, 'brand')} help={text.brandHelp} />
      <TransportField form={form} />
    </>
  )
}

/** What is seldom changed. */
export function MoreFields({ form }: FormProps) {
  return (
    <>
      <TextArea {...field(form, 'hosts')} rows={2} isMono />
      <RoleMapField form={form} />
      <CheckField {...field(form, 'isReporting')} />
      <CheckField {...field(form, 'isTagging')} />
      <LoginFields form={form} />
    </>
  )
}

/** One transport, or none; or one that captures messages, which is created if there is none. */
function TransportField({ form }: FormProps) {
  const { value, onValue, ...bound } = field(form, 'transport')
  const nameOf = useTransportNames(value === '' ? [] : [Number(value)])
  return (
    <>
      <Picker
        {...bound}
        value={value === '' ? undefined : { value, label: nameOf(Number(value)) }}
        onValue={(choice) => onValue(choice?.value ?? '')}
        find={findTransports}
      />
      {value === '' && can('multipleTransports:create') && (
        <WhileEditing>
          <div class="row">
            <ActionButton action={async () => onValue(String(await findOrCreateInbox()))}>
              {text.inbox.use}
            </ActionButton>
            <span class="quiet small">{text.inbox.help}</span>
          </div>
        </WhileEditing>
      )}
    </>
  )
}

const inboxDsn = 'inbox://local'

/** Returns the id of a transport that captures messages. */
async function findOrCreateInbox(): Promise<number> {
  const { name } = text.inbox
  const query = { search: name, published: 1 }
  const { body: found } = await ask('GET', '/api/multipleTransports', { query })
  const existing = found.find(({ mailerDsn, brand }) => mailerDsn === inboxDsn && !brand)
  if (existing !== undefined) return existing.id
  const values = { name, mailerDsn: inboxDsn }
  return (await ask('POST', '/api/multipleTransports/new', { body: values })).body.id
}

/** The roles of Mautic that have a role here. */
function RoleMapField({ form }: FormProps) {
  const roles = useRoles()
  return (
    <RowsField
      {...field(form, 'roleMap')}
      texts={text.role}
      empty={{ theirs: '', ours: '' }}
      shown={({ theirs, ours }) =>
        // Readers who may not view roles see its id.
        `${theirs}: ${roles.find(({ value }) => value === ours)?.label ?? ours}`
      }
    >
      {({ theirs, ours }, place, change) => (
        <>
          <input
            class="input"
            aria-label={text.role.theirs(place)}
            value={theirs}
            onInput={(event) => change({ theirs: event.currentTarget.value })}
          />
          <select
            class="input"
            aria-label={text.role.ours(place)}
            value={ours}
            onChange={(event) => change({ ours: event.currentTarget.value })}
          >
            <option value="">{text.role.choose}</option>
            {roles.map((role) => (
              <option key={role.value} value={role.value}>
                {role.label}
              </option>
            ))}
          </select>
        </>
      )}
    </RowsField>
  )
}
