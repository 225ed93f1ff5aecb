import { Button } from '../../design/button.tsx'
import { DeleteButton } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { CheckField, TextField } from '../../design/field.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { Card } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { field, useForm } from '../../lib/use-form.ts'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './record.tsx'
import { Problem } from './state.tsx'

const text = mauticWords.webhook

type WebhookStatus = NonNullable<NonNullable<Mautic['status']>['webhook']>

interface Draft {
  url: string
  acceptsUnproven: boolean
}

/** The webhook that Mailyard created in a Mautic. It is created, and deleted, here. */
export function OwnWebhook({
  id,
  webhook,
  title = text.title,
  onChanged,
}: {
  id: number
  webhook: WebhookStatus | null
  title?: string
  onChanged: () => void
}) {
  const form = useForm<Draft>({
    texts: text,
    saved: {
      draft: {
        url: webhook?.url.replace(/\/webhooks\/mautic\/\d+$/, '') ?? '',
        acceptsUnproven: webhook?.acceptsUnproven ?? false,
      },
      etag: undefined,
    },
    async save(draft) {
      const { url, ...flags } = draft
      const body = url.trim() === '' ? flags : { ...flags, url: url.trim() }
      const answer = await ask('POST', '/api/mautics/{id}/webhook', { path: { id }, body })
      const { webhook: created, warnings = [] } = answer.body
      const sentence = (created.isNew ? text.created : text.existed)(created.id, created.url)
      showToast([sentence, ...warnings].join(' '), warnings.length === 0 ? 'good' : 'warn')
      onChanged()
      return { draft, etag: undefined }
    },
  })
  const remove = async () => {
    const path = { id }
    showToast((await ask('DELETE', '/api/mautics/{id}/webhook/delete', { path })).body.message)
    onChanged()
  }
  return (
    <Card
      title={title}
      tools={
        can('*') &&
        webhook !== null && (
          <DeleteButton title={text.deleteTitle} text={text.deleteText} onDelete={remove} />
        )
      }
    >
      <p class="quiet small">{text.about}</p>
      {webhook?.problem != null && (
        <Problem title={text.problem} problem={webhook.problem} iso={webhook.problemSince} />
      )}
      {webhook !== null && (
        <Facts
          facts={[
            [text.id, String(webhook.id)],
            [text.address, webhook.url],
            [
              text.lastChange,
              <Time key="change" iso={webhook.dateLastChange} none={text.unknown} />,
            ],
          ]}
        />
      )}
      {can('*') && (
        <form class="stack" onSubmit={form.submit}>
          <FormFault form={form} />
          <TextField {...field(form, 'url')} placeholder={globalThis.location.origin} />
          <CheckField {...field(form, 'acceptsUnproven')} />
          <div class="row">
            <Button type="submit" isBusy={form.isBusy}>
              {webhook === null ? text.create : text.createAgain}
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}
