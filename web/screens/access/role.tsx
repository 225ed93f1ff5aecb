import { useLocation, useRoute } from 'preact-iso/router'
import { DeleteButton } from '../../design/delete-button.tsx'
import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page, Show } from '../../design/page.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type Saved, useForm } from '../../lib/use-form.ts'
import { accessWords } from '../../words/access.ts'
import { PermissionMatrix, type Permissions } from './permission-matrix.tsx'

const { roles: texts } = accessWords

interface Draft {
  name: string
  description: string
  isAdmin: boolean
  rawPermissions: Permissions
}

const empty: Draft = { name: '', description: '', isAdmin: false, rawPermissions: {} }

/** One role: change it, or add a new one. */
export function RoleScreen() {
  const { id } = useRoute().params
  if (id === 'new')
    return <Editor key="new" id={undefined} saved={{ draft: empty, etag: undefined }} />
  return <SavedRole key={id} id={Number(id)} />
}

function SavedRole({ id }: { id: number }) {
  const loaded = useData(() => load(id), [id])
  return <Show loaded={loaded}>{(saved) => <Editor id={id} saved={saved} />}</Show>
}

async function load(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/roles/{id}', { path: { id } })
  return { draft: draftOf(body.role), etag }
}

/** `id` is undefined for a new role. */
function Editor({ id, saved }: { id: number | undefined; saved: Saved<Draft> }) {
  const { route } = useLocation()
  const form = useForm<Draft>({
    saved,
    ...(id === undefined ? {} : { load: () => load(id) }),
    async save(draft, { etag }) {
      const rawPermissions = Object.fromEntries(
        Object.entries(draft.rawPermissions).map(([area, levels]) => [area, [...levels]]),
      )
      const body = { ...draft, rawPermissions }
      const answer =
        id === undefined
          ? await ask('POST', '/api/roles/new', { body })
          : await ask('PATCH', '/api/roles/{id}/edit', { path: { id }, body, etag })
      const { role } = answer.body
      showToast(texts.saved(role.name))
      if (id === undefined) route(`/access/roles/${role.id}`, true)
      return { draft: draftOf(role), etag: answer.etag }
    },
  })
  const { draft, set, faultOf } = form
  const canSave = can(id === undefined ? 'user:create' : 'user:edit')
  return (
    <Page
      title={id === undefined ? texts.newTitle : form.saved.name}
      actions={
        id !== undefined &&
        can('user:delete') && (
          <DeleteButton
            title={texts.deleteTitle(form.saved.name)}
            text={texts.deleteText}
            onDelete={async () => {
              const { body } = await ask('DELETE', '/api/roles/{id}/delete', { path: { id } })
              showToast(body.message)
              route('/access?tab=roles')
            }}
          />
        )
      }
    >
      <form class="card" onSubmit={form.submit}>
        <FormFault form={form} labels={texts.labels} />
        <fieldset disabled={!canSave}>
          <TextField
            label={texts.labels.name}
            required
            value={draft.name}
            onValue={set('name')}
            fault={faultOf('name')}
          />
          <TextArea
            label={texts.labels.description}
            rows={2}
            value={draft.description}
            onValue={set('description')}
            fault={faultOf('description')}
          />
          <CheckField label={texts.labels.isAdmin} value={draft.isAdmin} onValue={set('isAdmin')} />
        </fieldset>
        {!draft.isAdmin && (
          <PermissionMatrix
            value={draft.rawPermissions}
            onValue={canSave ? set('rawPermissions') : undefined}
          />
        )}
        {canSave && <FormActions form={form} />}
      </form>
    </Page>
  )
}

function draftOf({ name, description, isAdmin, rawPermissions }: Schema<'Role'>): Draft {
  return { name, description: description ?? '', isAdmin, rawPermissions }
}
