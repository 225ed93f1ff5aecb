import { HelpLink } from '../../design/feedback.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import type { Schema } from '../../lib/api.ts'
import { newUserBrands } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { field } from '../../lib/use-form.ts'
import { brandName, brands, findBrands } from '../../records/brands.tsx'
import { ChosenField } from '../../records/chosen-field.tsx'
import {
  LoginFields,
  loginDraftOf,
  loginInputOf,
  SmtpFacts,
  useRoles,
} from '../../records/logins.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { resourceOf } from '../../records/stored.ts'
import { accessWords } from '../../words/access.ts'
import { smtpWords } from '../../words/smtp.ts'
import { MayDo } from './permissions.tsx'
import { UserSessions } from './sessions.tsx'

const { users: text } = accessWords

type User = Schema<'User'>
type Draft = ReturnType<typeof draftOf>

const draftOf = (user: User | undefined) => ({
  username: user?.username ?? '',
  firstName: user?.firstName ?? '',
  lastName: user?.lastName ?? '',
  email: user?.email ?? '',
  /** Id; empty for none. */
  role: String(user?.role?.id ?? ''),
  /** Empty keeps the password. */
  password: '',
  brands: user === undefined ? newUserBrands() : user.brands,
  ...loginDraftOf(user),
})

const users = resourceOf('user', {
  path: '/access/users',
  area: 'user',
  texts: text,
  draftOf,
  inputOf({ password, role, brands, ...draft }: Draft) {
    const values = {
      ...draft,
      brands: [...brands],
      role: Number(role),
      ...loginInputOf(draft),
    }
    return password === '' ? values : { ...values, plainPassword: { password, confirm: password } }
  },
  nameOf: ({ username }) => username,
})

export default function UserScreen() {
  return <ResourceScreen resource={users} content={UserPage} />
}

function UserPage(editor: Editor<Draft, User>) {
  const { form, id } = editor
  const roles = useRoles()
  const chosen = roles.find(({ value }) => value === form.draft.role)?.role
  const ofRecord = editor.record?.role ?? undefined
  const role = chosen ?? (String(ofRecord?.id) === form.draft.role ? ofRecord : undefined)
  const password = field(form, 'password')
  return (
    <RecordPage
      editor={editor}
      side={
        <>
          <MayDo role={role as Parameters<typeof MayDo>[0]['role']} />
          {id !== undefined && can('user:edit') && <UserSessions id={id} />}
          {id !== undefined && (
            <Card title={smtpWords.title}>
              <SmtpFacts user={form.saved.username} password={text.ownPassword} />
            </Card>
          )}
        </>
      }
    >
      <TextField {...field(form, 'username')} required autocomplete="off" />
      <TextField {...field(form, 'email')} type="email" required />
      <div class="fields">
        <TextField {...field(form, 'firstName')} autocomplete="off" />
        <TextField {...field(form, 'lastName')} autocomplete="off" />
      </div>
      <SelectField
        {...field(form, 'role')}
        options={[{ value: '', label: text.noRole }, ...roles]}
      />
      {(brands.value.length > 0 || form.draft.brands.length > 0) && (
        <ChosenField
          {...field(form, 'brands')}
          help={
            <>
              {text.allBrands} <HelpLink page="give-a-colleague-one-brand" />
            </>
          }
          add={text.addBrand}
          nameOf={brandName}
          href="/brands"
          find={findBrands}
        />
      )}
      <TextField
        {...password}
        fault={form.fault?.details['plainPassword.password']?.join(' ')}
        type="password"
        autocomplete="new-password"
        required={id === undefined}
        help={id === undefined ? text.passwordHelp : text.keepPassword}
      />
      <LoginFields form={form} />
    </RecordPage>
  )
}
