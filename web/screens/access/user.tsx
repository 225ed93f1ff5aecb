import { useLocation, useRoute } from 'preact-iso/router'
import { DeleteButton } from '../../design/delete-button.tsx'
import { CheckField, SelectField, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page, Show } from '../../design/page.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type Saved, useForm } from '../../lib/use-form.ts'
import { type SmtpModeDraft, smtpModeOf, smtpModeOptions } from '../../records/smtp-mode.ts'
import { useRoleOptions } from '../../records/use-roles.ts'
import { accessWords } from '../../words/access.ts'

const { users: texts } = accessWords
const { labels } = texts

interface Draft {
  username: string
  firstName: string
  lastName: string
  email: string
  /** Id of the role; empty for none. */
  role: string
  /** Empty keeps the password. */
  password: string
  smtpMode: SmtpModeDraft
  isPublished: boolean
}

const empty: Draft = {
  username: '',
  firstName: '',
  lastName: '',
  email: '',
  role: '',
  password: '',
  smtpMode: '',
  isPublished: true,
}

/** One user: change it, or add a new one. */
export function UserScreen() {
  const { id } = useRoute().params
  if (id === 'new')
    return <Editor key="new" id={undefined} saved={{ draft: empty, etag: undefined }} />
  return <SavedUser key={id} id={Number(id)} />
}

function SavedUser({ id }: { id: number }) {
  const loaded = useData(() => load(id), [id])
  return <Show loaded={loaded}>{(saved) => <Editor id={id} saved={saved} />}</Show>
}

async function load(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/users/{id}', { path: { id } })
  return { draft: draftOf(body.user), etag }
}

/** `id` is undefined for a new user. */
function Editor({ id, saved }: { id: number | undefined; saved: Saved<Draft> }) {
  const { route } = useLocation()
  const roles = useRoleOptions()
  const form = useForm<Draft>({
    saved,
    ...(id === undefined ? {} : { load: () => load(id) }),
    async save(draft, { etag }) {
      const body = inputOf(draft)
      const answer =
        id === undefined
          ? await ask('POST', '/api/users/new', { body })
          : await ask('PATCH', '/api/users/{id}/edit', { path: { id }, body, etag })
      const { user } = answer.body
      showToast(texts.saved(user.username))
      if (id === undefined) route(`/access/users/${user.id}`, true)
      return { draft: draftOf(user), etag: answer.etag }
    },
  })
  const { draft, set, fault } = form
  const faultOf = (name: keyof Draft) =>
    form.faultOf(name) ??
    (name === 'password' ? fault?.details['plainPassword.password']?.join(' ') : undefined)
  const text = (name: 'username' | 'firstName' | 'lastName', isRequired = false) => (
    <TextField
      label={labels[name]}
      required={isRequired}
      autocomplete="off"
      value={draft[name]}
      onValue={set(name)}
      fault={faultOf(name)}
    />
  )
  return (
    <Page
      title={id === undefined ? texts.newTitle : form.saved.username}
      actions={
        id !== undefined &&
        can('user:delete') && (
          <DeleteButton
            title={texts.deleteTitle(form.saved.username)}
            text={texts.deleteText}
            onDelete={async () => {
              const { body } = await ask('DELETE', '/api/users/{id}/delete', { path: { id } })
              showToast(body.message)
              route('/access?tab=users')
            }}
          />
        )
      }
    >
      <form class="card narrow" onSubmit={form.submit}>
        <FormFault form={form} labels={labels} />
        <fieldset disabled={!can(id === undefined ? 'user:create' : 'user:edit')}>
          {text('username', true)}
          <TextField
            label={labels.email}
            type="email"
            required
            value={draft.email}
            onValue={set('email')}
            fault={faultOf('email')}
          />
          {text('firstName')}
          {text('lastName')}
          <SelectField
            label={labels.role}
            value={draft.role}
            onValue={set('role')}
            fault={faultOf('role')}
            options={[{ value: '', label: texts.noRole }, ...roles]}
          />
          <TextField
            label={labels.password}
            type="password"
            autocomplete="new-password"
            required={id === undefined}
            value={draft.password}
            onValue={set('password')}
            fault={faultOf('password')}
            help={id === undefined ? texts.passwordHelp : texts.keepPassword}
          />
          <SelectField
            label={accessWords.smtpMode}
            value={draft.smtpMode}
            onValue={(mode) => set('smtpMode')(mode as SmtpModeDraft)}
            fault={faultOf('smtpMode')}
            help={accessWords.smtpModeHelp}
            options={smtpModeOptions}
          />
          <CheckField
            label={labels.isPublished}
            value={draft.isPublished}
            onValue={set('isPublished')}
          />
        </fieldset>
        {can(id === undefined ? 'user:create' : 'user:edit') && <FormActions form={form} />}
      </form>
    </Page>
  )
}

function inputOf({ password, role, smtpMode, ...draft }: Draft) {
  return {
    ...draft,
    smtpMode: smtpModeOf(smtpMode),
    role: Number(role),
    ...(password === '' ? {} : { plainPassword: { password, confirm: password } }),
  }
}

function draftOf(user: Schema<'User'>): Draft {
  const { username, firstName, lastName, email, role, isPublished } = user
  const roleId = role === null ? '' : String(role.id)
  const smtpMode = user.smtpMode ?? ''
  return { username, firstName, lastName, email, role: roleId, password: '', smtpMode, isPublished }
}
