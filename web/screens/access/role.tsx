import { Button } from '../../design/button.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import type { Schema } from '../../lib/api.ts'
import { field } from '../../lib/use-form.ts'
import { readUsers } from '../../records/find.ts'
import { Part } from '../../records/part.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { resourceOf } from '../../records/stored.ts'
import { accessWords } from '../../words/access.ts'
import { PermissionMatrix, type Permissions } from './permissions.tsx'

/** Roles that fit most installations: a start for a new one. */
const rolePresets: readonly {
  name: string
  description: string
  rawPermissions: Permissions
}[] = [
  {
    name: 'Operator',
    description: 'Runs the service: transports, limits, the queue and everything that is sent.',
    rawPermissions: {
      multipleTransports: ['full'],
      twigtemplates: ['full'],
      email: ['full'],
      queue: ['full'],
      contact: ['full'],
      user: ['view'],
      api: ['view'],
    },
  },
  {
    name: 'Marketer',
    description: 'Writes emails and templates, keeps contacts, and sends.',
    rawPermissions: {
      multipleTransports: ['view'],
      twigtemplates: ['full'],
      email: ['full'],
      contact: ['full'],
    },
  },
  {
    name: 'Read only',
    description: 'Sees everything and changes nothing.',
    rawPermissions: Object.fromEntries(
      Object.keys(accessWords.roles.areas).map((area) => [area, ['view']]),
    ),
  },
]

const { roles: text } = accessWords

type Role = Schema<'Role'>
type Draft = ReturnType<typeof draftOf>

const draftOf = (role: Role | undefined) => ({
  name: role?.name ?? '',
  description: role?.description ?? '',
  isAdmin: role?.isAdmin ?? false,
  rawPermissions: (role?.rawPermissions ?? {}) as Permissions,
})

const roles = resourceOf('role', {
  path: '/access/roles',
  area: 'user',
  texts: text,
  draftOf,
  inputOf({ rawPermissions, ...draft }: Draft) {
    const permissions = Object.entries(rawPermissions).map(([area, levels]) => [area, [...levels]])
    return { ...draft, rawPermissions: Object.fromEntries(permissions) }
  },
  nameOf: ({ name }) => name,
})

export default function RoleScreen() {
  return <ResourceScreen resource={roles} content={RolePage} />
}

function RolePage(editor: Editor<Draft, Role>) {
  const { form, id, isEditing } = editor
  return (
    <RecordPage
      editor={editor}
      side={id === undefined ? <Presets form={form} /> : <UsersOfRole id={id} />}
    >
      <TextField {...field(form, 'name')} required />
      <TextArea {...field(form, 'description')} rows={2} />
      <CheckField {...field(form, 'isAdmin')} />
      {!form.draft.isAdmin && (
        <PermissionMatrix
          value={form.draft.rawPermissions}
          onValue={isEditing ? form.set('rawPermissions') : undefined}
        />
      )}
    </RecordPage>
  )
}

function Presets({ form }: Pick<Editor<Draft, Role>, 'form'>) {
  return (
    <Card title={text.presets}>
      <p class="quiet small">{text.presetsHelp}</p>
      <ul class="lines">
        {rolePresets.map((preset) => (
          <li key={preset.name}>
            <div class="spread">
              <strong>{preset.name}</strong>
              <Button
                aria-label={text.usePreset(preset.name)}
                onClick={() => form.setDraft({ ...preset, isAdmin: false })}
              >
                {text.use}
              </Button>
            </div>
            <p class="quiet small">{preset.description}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function UsersOfRole({ id }: { id: number }) {
  return (
    <Part
      texts={{ title: text.usersOf, all: text.allUsers, none: text.noUsers }}
      href="/access/users"
      load={(signal) => readUsers(({ role }) => role?.id === id, signal)}
      show={(user) => ({ href: `/access/users/${user.id}`, name: user.username })}
    />
  )
}
