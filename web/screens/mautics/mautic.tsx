import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { DeleteButton } from '../../design/delete-button.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { Page, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type Form, type Saved, useForm } from '../../lib/use-form.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import { Connect } from './connect.tsx'
import { type Draft, draftOf, inputOf, type Mautic } from './draft.ts'
import { LastMessage } from './first-message.tsx'
import { MauticCheck } from './mautic-check.tsx'
import { LoginFields, MoreFields } from './mautic-fields.tsx'
import { MauticStatus } from './mautic-status.tsx'
import { OwnWebhook } from './own-webhook.tsx'
import { Refusals } from './refusals.tsx'
import { Reports } from './reports.tsx'
import { SmtpLogin } from './smtp-login.tsx'

const { labels } = text
const intervalMs = 10_000

/** One Mautic: how it is connected, and what is known of it. Or the steps to connect a new one. */
export function MauticScreen() {
  const { id } = useRoute().params
  return id === 'new' ? <Connect key="new" /> : <SavedMautic key={id} id={Number(id)} />
}

async function load(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/mautics/{id}', { path: { id } })
  return { draft: draftOf(body.mautic), etag }
}

function SavedMautic({ id }: { id: number }) {
  const loaded = useData(
    async (signal) => await ask('GET', '/api/mautics/{id}', { path: { id }, signal }),
    [id],
  )
  useRepeat(async () => loaded.reload(), intervalMs)
  return (
    <Show loaded={loaded}>
      {({ body: { mautic }, etag }) => (
        <Editor
          mautic={mautic}
          saved={{ draft: draftOf(mautic), etag }}
          onChanged={loaded.reload}
        />
      )}
    </Show>
  )
}

const isSame = (one: Draft, other: Draft) => JSON.stringify(one) === JSON.stringify(other)

function Editor({
  mautic,
  saved,
  onChanged,
}: {
  mautic: Mautic
  /** When the page was opened. */
  saved: Saved<Draft>
  onChanged: () => void
}) {
  const { route } = useLocation()
  const { id } = mautic
  const [warnings, setWarnings] = useState(mautic.warnings ?? [])
  const form: Form<Draft> = useForm<Draft>({
    saved,
    load: () => load(id),
    async save(draft, { etag }) {
      const body = inputOf(draft)
      const now = await load(id)
      // A new password or webhook changes the entity tag, and nothing of the form.
      const seen = isSame(now.draft, form.saved) ? now.etag : etag
      const options = { path: { id }, body, etag: seen }
      const answer = await ask('PATCH', '/api/mautics/{id}/edit', options)
      const { mautic: changed } = answer.body
      showToast(text.saved(changed.name))
      setWarnings(changed.warnings ?? [])
      onChanged()
      return { draft: draftOf(changed), etag: answer.etag }
    },
  })
  // Administrators of a connected Mautic may do everything.
  const canSave = can('*')
  return (
    <Page
      title={form.saved.name}
      actions={
        canSave && (
          <DeleteButton
            title={text.deleteTitle(form.saved.name)}
            text={
              <>
                {text.deleteText} <HelpLink page="leave-mailyard">{text.leaveTask}</HelpLink>
              </>
            }
            onDelete={async () => {
              const { body } = await ask('DELETE', '/api/mautics/{id}/delete', { path: { id } })
              showToast(body.message)
              route('/mautics')
            }}
          />
        )
      }
    >
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <MauticStatus mautic={mautic} onChanged={onChanged} />
      <form class="card narrow" onSubmit={form.submit}>
        <FormFault form={form} labels={labels} />
        <fieldset disabled={!canSave}>
          <LoginFields form={form} />
          <MoreFields form={form} />
        </fieldset>
        {canSave && <FormActions form={form} />}
      </form>
      <SmtpLogin mautic={mautic} onChanged={onChanged} />
      <MauticCheck id={id} title={text.check.title} />
      <OwnWebhook id={id} webhook={mautic.status?.webhook} onChanged={onChanged} />
      <LastMessage id={id} />
      <Refusals id={id} />
      <Reports id={id} isReporting={mautic.isReporting} />
    </Page>
  )
}
