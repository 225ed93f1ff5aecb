import { useState } from 'preact/hooks'
import { CopyField } from '../../design/copy-text.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { linesOf } from '../../lib/lines-of.ts'
import { session } from '../../lib/session.ts'
import { field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
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
import { brandWords } from '../../words/brands.ts'
import { words } from '../../words/common.ts'
import { smtpWords } from '../../words/smtp.ts'
import { MayDo } from './permissions.tsx'

const { clients: text } = accessWords

type Client = Schema<'OAuthClient'>
type Grant = keyof typeof text.grants
const grants = Object.keys(text.grants) as Grant[]

type Draft = ReturnType<typeof draftOf>

const draftOf = (client: Client | undefined) => ({
  name: client?.name ?? '',
  /** One on each line. */
  redirectUris: client?.redirectUris.join('\n') ?? '',
  grantTypes: grants.filter((grant) =>
    (client?.grantTypes ?? ['client_credentials']).includes(grant),
  ),
  /** Id; empty for none. */
  role: String(client?.role ?? ''),
  brand: brandDraft(client),
  ...loginDraftOf(client),
})

const clients = (onSecret: (client: Client) => void) =>
  resourceOf('oauthClient', {
    path: '/access/clients',
    area: 'api',
    texts: text,
    draftOf,
    inputOf({ redirectUris, grantTypes, role, brand, ...draft }: Draft) {
      return {
        ...draft,
        redirectUris: linesOf(redirectUris),
        grantTypes: [...grantTypes],
        role: role === '' ? null : Number(role),
        ...brandInput(brand),
        ...loginInputOf(draft),
      }
    },
    onSaved: (client) => client.clientSecret !== undefined && onSecret(client),
    nameOf: ({ name }) => name,
  })

/** One OAuth client: change it, or add a new one, whose secret is then shown once. */
export default function ClientScreen() {
  const [created, setCreated] = useState<Client>()
  return (
    <>
      <ResourceScreen resource={clients(setCreated)} content={ClientPage} />
      {created !== undefined && (
        <ClientSecret client={created} onClose={() => setCreated(undefined)} />
      )}
    </>
  )
}

function ClientPage(editor: Editor<Draft, Client>) {
  const { form, record } = editor
  const { draft, set } = form
  const roles = useRoles()
  const hasAccess = draft.grantTypes.includes('client_credentials')
  const toggle = (grant: Grant) => (isOn: boolean) =>
    set('grantTypes')(
      grants.filter((each) => (each === grant ? isOn : draft.grantTypes.includes(each))),
    )
  return (
    <RecordPage
      editor={editor}
      side={
        <>
          <MayDo
            role={hasAccess ? roles.find(({ value }) => value === draft.role)?.role : undefined}
            reason={hasAccess ? undefined : text.usersRoles}
          />
          {record !== undefined && (
            <Card title={smtpWords.title}>
              {canSubmit(form.saved) ? (
                <SmtpFacts user={record.clientId} password={text.itsSecret} />
              ) : (
                <p class="quiet">{text.noSmtp}</p>
              )}
            </Card>
          )}
        </>
      }
    >
      {record !== undefined && <CopyField label={text.clientId} text={record.clientId} />}
      <TextField {...field(form, 'name')} required />
      <fieldset class="group">
        <legend>{text.labels.grantTypes}</legend>
        {grants.map((grant) => (
          <CheckField
            key={grant}
            label={text.grants[grant]}
            value={draft.grantTypes.includes(grant)}
            onValue={toggle(grant)}
          />
        ))}
      </fieldset>
      {draft.grantTypes.includes('authorization_code') && (
        <TextArea {...field(form, 'redirectUris')} rows={2} />
      )}
      {hasAccess && (
        <SelectField
          {...field(form, 'role')}
          options={[{ value: '', label: text.noRole }, ...roles]}
        />
      )}
      <BrandField {...field(form, 'brand')} none={brandWords.all} />
      <LoginFields form={form} />
    </RecordPage>
  )
}

/** Whether a client can submit messages: as `findClient` of the server decides. */
function canSubmit({ grantTypes, isPublished }: Draft): boolean {
  return isPublished && grantTypes.includes('client_credentials')
}

function ClientSecret({ client, onClose }: { client: Client; onClose: () => void }) {
  const { name, clientId, clientSecret = '' } = client
  const hasAccess = canSubmit(draftOf(client))
  const smtp = hasAccess ? session.value?.smtp : undefined
  const curl = `curl ${globalThis.location.origin}/oauth/v2/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret}`
  return (
    <Dialog
      title={words.secret.of(name)}
      done={words.secret.stored}
      onClose={onClose}
      size="medium"
    >
      <Notice tone="warn">{words.secret.once}</Notice>
      <CopyField label={text.clientId} text={clientId} />
      <CopyField label={words.secret.label} text={clientSecret} />
      {hasAccess && <CopyField label={text.secret.curl} text={curl} />}
      {smtp && (
        <>
          <CopyField
            label={text.secret.dsn}
            text={`${smtp.scheme}://${clientId}:${clientSecret}@${smtp.host}:${smtp.port}`}
          />
          <SmtpFacts user={clientId} password={text.secret.aboveSecret} />
        </>
      )}
    </Dialog>
  )
}
