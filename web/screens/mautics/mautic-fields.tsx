import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, SecretField, SelectField, TextArea, TextField } from '../../design/field.tsx'
import type { Choice } from '../../design/picker.tsx'
import { Picker } from '../../design/picker.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import type { Form } from '../../lib/use-form.ts'
import { findTransports } from '../../records/find.ts'
import { type SmtpModeDraft, smtpModeOptions } from '../../records/smtp-mode.ts'
import { useRoleOptions } from '../../records/use-roles.ts'
import { accessWords } from '../../words/access.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import type { Draft } from './draft.ts'
import { RoleMapField } from './role-map-field.tsx'

const { labels, help } = text

/** Where Mautic is, and how to log in to its API. */
export function LoginFields({ form: { draft, set, faultOf } }: { form: Form<Draft> }) {
  return (
    <>
      <TextField
        label={labels.url}
        required
        placeholder={text.urlExample}
        help={help.url}
        value={draft.url}
        onValue={set('url')}
        fault={faultOf('url')}
      />
      <TextField
        label={labels.name}
        required
        help={help.name}
        value={draft.name}
        onValue={set('name')}
        fault={faultOf('name')}
      />
      <SelectField
        label={labels.login}
        value={draft.login}
        onValue={(value) => set('login')(value as Draft['login'])}
        help={help[draft.login]}
        options={Object.entries(text.logins).map(([value, label]) => ({ value, label }))}
      />
      {draft.login === 'user' ? (
        <>
          <TextField
            label={labels.username}
            required
            autocomplete="off"
            value={draft.username}
            onValue={set('username')}
            fault={faultOf('username')}
          />
          <SecretField
            label={labels.password}
            required
            value={draft.password}
            onValue={set('password')}
            fault={faultOf('password')}
          />
        </>
      ) : (
        <>
          <TextField
            label={labels.clientId}
            required
            isMono
            autocomplete="off"
            value={draft.clientId}
            onValue={set('clientId')}
            fault={faultOf('clientId')}
          />
          <SecretField
            label={labels.clientSecret}
            required
            value={draft.clientSecret}
            onValue={set('clientSecret')}
            fault={faultOf('clientSecret')}
          />
        </>
      )}
      <TransportField
        value={draft.transport}
        onValue={set('transport')}
        fault={faultOf('transport')}
      />
    </>
  )
}

/** What is seldom changed. */
export function MoreFields({ form: { draft, set, faultOf } }: { form: Form<Draft> }) {
  const roles = useRoleOptions()
  return (
    <>
      <SelectField
        label={labels.smtpMode}
        value={draft.smtpMode}
        onValue={(mode) => set('smtpMode')(mode as SmtpModeDraft)}
        help={accessWords.smtpModeHelp}
        fault={faultOf('smtpMode')}
        options={smtpModeOptions}
      />
      <TextArea
        label={labels.hosts}
        rows={2}
        isMono
        help={help.hosts}
        value={draft.hosts}
        onValue={set('hosts')}
        fault={faultOf('hosts')}
      />
      <RoleMapField
        value={draft.roleMap}
        roles={roles}
        onValue={set('roleMap')}
        fault={faultOf('roleMap')}
      />
      <CheckField
        label={labels.isReporting}
        value={draft.isReporting}
        onValue={set('isReporting')}
      />
      <CheckField label={labels.isTagging} value={draft.isTagging} onValue={set('isTagging')} />
      <TextField
        label={labels.refusalsTo}
        type="email"
        help={help.refusalsTo}
        value={draft.refusalsTo}
        onValue={set('refusalsTo')}
        fault={faultOf('refusalsTo')}
      />
      <CheckField
        label={labels.isPublished}
        value={draft.isPublished}
        onValue={set('isPublished')}
      />
    </>
  )
}

/** One transport, or none. */
function TransportField({
  value,
  fault,
  onValue,
}: {
  value: string
  fault: string | undefined
  onValue: (value: string) => void
}) {
  const { data: saved } = useData<Choice | undefined>(
    async (signal) => {
      if (value === '') return undefined
      if (!can('multipleTransports:view')) return { value, label: text.transport(Number(value)) }
      const path = { id: Number(value) }
      const { body } = await ask('GET', '/api/multipleTransports/{id}', { path, signal })
      return { value, label: body.name }
    },
    [value],
  )
  return (
    <>
      <Picker
        label={labels.transport}
        help={help.transport}
        fault={fault}
        value={value === '' ? undefined : saved}
        onValue={(choice) => onValue(choice?.value ?? '')}
        find={findTransports}
      />
      {value === '' && can('multipleTransports:create') && <UseInbox onValue={onValue} />}
    </>
  )
}

/** Chooses a transport that captures messages; it is created if there is none. */
function UseInbox({ onValue }: { onValue: (value: string) => void }) {
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const use = async () => {
    setBusy(true)
    setFault(undefined)
    try {
      onValue(String(await findOrCreateInbox()))
    } catch (error) {
      setFault((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <div class="row">
      <Button isBusy={isBusy} onClick={() => void use()}>
        {text.inbox.use}
      </Button>
      <span class="quiet small">{text.inbox.help}</span>
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
    </div>
  )
}

const inboxDsn = 'inbox://local'

/** Returns the id of a transport that captures messages. */
async function findOrCreateInbox(): Promise<number> {
  const { name } = text.inbox
  const query = { search: name, published: 1 }
  const { body: found } = await ask('GET', '/api/multipleTransports', { query })
  const existing = found.find(({ mailerDsn, mautic }) => mailerDsn === inboxDsn && !mautic)
  if (existing !== undefined) return existing.id
  const values = { name, mailerDsn: inboxDsn }
  const { body } = await ask('POST', '/api/multipleTransports/new', { body: values })
  return body.id
}
