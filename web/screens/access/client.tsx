import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { CopyField } from '../../design/copy-field.tsx'
import { DeleteButton } from '../../design/delete-button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../design/field.tsx'
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
import { ClientSecret } from './client-secret.tsx'

const { clients: texts } = accessWords
const { labels } = texts

type Grant = keyof typeof texts.grants
const grants = Object.keys(texts.grants) as Grant[]

interface Draft {
  name: string
  /** One on each line. */
  redirectUris: string
  grantTypes: readonly Grant[]
  /** Id of the role; empty for none. */
  role: string
  smtpMode: SmtpModeDraft
  isPublished: boolean
}

const empty: Draft = {
  name: '',
  redirectUris: '',
  grantTypes: ['client_credentials'],
  role: '',
  smtpMode: '',
  isPublished: true,
}

/** One OAuth client: change it, or add a new one, whose secret is then shown once. */
export function ClientScreen() {
  const { id } = useRoute().params
  const [created, setCreated] = useState<Schema<'OAuthClient'>>()
  return (
    <>
      {id === 'new' ? (
        <Editor
          key="new"
          client={undefined}
          saved={{ draft: empty, etag: undefined }}
          onCreated={setCreated}
        />
      ) : (
        <SavedClient key={id} id={Number(id)} />
      )}
      {created?.clientSecret !== undefined && (
        <ClientSecret
          name={created.name}
          clientId={created.clientId}
          clientSecret={created.clientSecret}
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  )
}

function SavedClient({ id }: { id: number }) {
  const loaded = useData(
    async () => await ask('GET', '/api/oauthClients/{id}', { path: { id } }),
    [id],
  )
  return (
    <Show loaded={loaded}>
      {({ body: { oauthClient }, etag }) => (
        <Editor client={oauthClient} saved={{ draft: draftOf(oauthClient), etag }} />
      )}
    </Show>
  )
}

async function load(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/oauthClients/{id}', { path: { id } })
  return { draft: draftOf(body.oauthClient), etag }
}

/** `client` is undefined for a new one. */
function Editor({
  client,
  saved,
  onCreated,
}: {
  client: Schema<'OAuthClient'> | undefined
  saved: Saved<Draft>
  onCreated?: (client: Schema<'OAuthClient'>) => void
}) {
  const { route } = useLocation()
  const roles = useRoleOptions()
  const id = client?.id
  const form = useForm<Draft>({
    saved,
    ...(id === undefined ? {} : { load: () => load(id) }),
    async save(draft, { etag }) {
      const body = inputOf(draft)
      const answer =
        id === undefined
          ? await ask('POST', '/api/oauthClients/new', { body })
          : await ask('PATCH', '/api/oauthClients/{id}/edit', { path: { id }, body, etag })
      const { oauthClient } = answer.body
      showToast(texts.saved(oauthClient.name))
      if (id === undefined) {
        onCreated?.(oauthClient)
        route(`/access/clients/${oauthClient.id}`, true)
      }
      return { draft: draftOf(oauthClient), etag: answer.etag }
    },
  })
  const { draft, set, faultOf } = form
  const canSave = can(id === undefined ? 'api:create' : 'api:edit')
  const toggle = (grant: Grant) => (isOn: boolean) =>
    set('grantTypes')(
      grants.filter((each) => (each === grant ? isOn : draft.grantTypes.includes(each))),
    )
  return (
    <Page
      title={id === undefined ? texts.newTitle : form.saved.name}
      actions={
        id !== undefined &&
        can('api:delete') && (
          <DeleteButton
            title={texts.deleteTitle(form.saved.name)}
            text={texts.deleteText}
            onDelete={async () => {
              const path = '/api/oauthClients/{id}/delete'
              showToast((await ask('DELETE', path, { path: { id } })).body.message)
              route('/access?tab=clients')
            }}
          />
        )
      }
    >
      <form class="card narrow" onSubmit={form.submit}>
        <FormFault form={form} labels={labels} />
        {client !== undefined && <CopyField label={texts.clientId} text={client.clientId} />}
        <fieldset disabled={!canSave}>
          <TextField
            label={labels.name}
            required
            value={draft.name}
            onValue={set('name')}
            fault={faultOf('name')}
          />
          <fieldset class="group">
            <legend>{labels.grantTypes}</legend>
            {grants.map((grant) => (
              <CheckField
                key={grant}
                label={texts.grants[grant]}
                value={draft.grantTypes.includes(grant)}
                onValue={toggle(grant)}
              />
            ))}
          </fieldset>
          {draft.grantTypes.includes('authorization_code') && (
            <TextArea
              label={labels.redirectUris}
              rows={2}
              value={draft.redirectUris}
              onValue={set('redirectUris')}
              fault={faultOf('redirectUris')}
            />
          )}
          {draft.grantTypes.includes('client_credentials') && (
            <SelectField
              label={labels.role}
              value={draft.role}
              onValue={set('role')}
              fault={faultOf('role')}
              help={texts.roleHelp}
              options={[{ value: '', label: texts.noRole }, ...roles]}
            />
          )}
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
        {canSave && <FormActions form={form} />}
      </form>
    </Page>
  )
}

function inputOf({ name, redirectUris, grantTypes, role, smtpMode, isPublished }: Draft) {
  const uris = redirectUris.split('\n').map((line) => line.trim())
  return {
    name,
    redirectUris: uris.filter((uri) => uri !== ''),
    grantTypes: [...grantTypes],
    role: role === '' ? null : Number(role),
    smtpMode: smtpModeOf(smtpMode),
    isPublished,
  }
}

function draftOf({
  name,
  redirectUris,
  grantTypes,
  role,
  smtpMode,
  isPublished,
}: Schema<'OAuthClient'>): Draft {
  return {
    name,
    redirectUris: redirectUris.join('\n'),
    grantTypes: grants.filter((grant) => grantTypes.includes(grant)),
    role: role === null ? '' : String(role),
    smtpMode: smtpMode ?? '',
    isPublished,
  }
}
