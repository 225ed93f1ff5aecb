import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { DeleteButton } from '../../design/delete-button.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, TextField } from '../../design/field.tsx'
import { Time } from '../../design/time.tsx'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './draft.ts'

const { webhook: text, since } = mauticWords

type Created = Body<'POST', '/api/mautics/{id}/webhook'>
type WebhookStatus = NonNullable<NonNullable<Mautic['status']>['webhook']>

/** The webhook that Mailyard created in a Mautic. It is created, and deleted, here. */
export function OwnWebhook({
  id,
  webhook = null,
  title = text.title,
  onChanged,
}: {
  id: number
  webhook?: WebhookStatus | null | undefined
  title?: string
  onChanged?: () => void
}) {
  const [url, setUrl] = useState(webhook?.url.replace(/\/webhooks\/mautic\/\d+$/, '') ?? '')
  const [announcesMessages, setAnnouncing] = useState(webhook?.announcesMessages ?? false)
  const [acceptsUnproven, setUnproven] = useState(false)
  const [created, setCreated] = useState<Created>()
  const [fault, setFault] = useState<ApiFault>()
  const [isBusy, setBusy] = useState(false)
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault(undefined)
    setCreated(undefined)
    try {
      const given = url.trim()
      const body = { announcesMessages, acceptsUnproven, ...(given === '' ? {} : { url: given }) }
      setCreated((await ask('POST', '/api/mautics/{id}/webhook', { path: { id }, body })).body)
      onChanged?.()
    } catch (error) {
      setFault(error instanceof ApiFault ? error : new ApiFault(0, String(error)))
    }
    setBusy(false)
  }
  const [urlFault] = fault?.details['url'] ?? []
  return (
    <section class="card narrow" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet small">{text.help}</p>
      {webhook !== null && <WebhookFacts webhook={webhook} />}
      {created !== undefined && <CreatedNotice created={created} />}
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      {can('*') && (
        <form class="stack" onSubmit={create}>
          <TextField
            label={text.url}
            help={text.urlHelp}
            placeholder={globalThis.location.origin}
            value={url}
            onValue={setUrl}
            fault={urlFault}
          />
          <CheckField
            label={text.announces}
            help={text.announcesHelp}
            value={announcesMessages}
            onValue={setAnnouncing}
          />
          <CheckField
            label={text.unproven}
            help={text.unprovenHelp}
            value={acceptsUnproven}
            onValue={setUnproven}
          />
          <div class="row">
            <Button type="submit" isBusy={isBusy}>
              {webhook === null ? text.create : text.createAgain}
            </Button>
            {webhook !== null && (
              <DeleteButton
                title={text.deleteTitle}
                text={text.deleteText}
                onDelete={async () => {
                  const path = { id }
                  const { body } = await ask('DELETE', '/api/mautics/{id}/webhook/delete', { path })
                  showToast(body.message)
                  setCreated(undefined)
                  onChanged?.()
                }}
              />
            )}
          </div>
        </form>
      )}
    </section>
  )
}

function WebhookFacts({ webhook }: { webhook: WebhookStatus }) {
  const { id, url, announcesMessages, problem, problemSince } = webhook
  return (
    <>
      {problem !== null && (
        <Notice tone="bad">
          <p>
            <strong>{text.problem}</strong>{' '}
            {problemSince !== null && (
              <span class="small">
                {since} <Time iso={problemSince} />
              </span>
            )}
          </p>
          <p>{problem}</p>
        </Notice>
      )}
      {announcesMessages && <Notice tone="warn">{text.announcing}</Notice>}
      <Facts
        facts={[
          [text.id, String(id)],
          [text.address, url],
          [text.events, announcesMessages ? text.allEvents : text.changesOnly],
        ]}
      />
    </>
  )
}

function CreatedNotice({ created: { webhook, warnings = [] } }: { created: Created }) {
  const { id, url, isNew } = webhook
  return (
    <Notice tone={warnings.length === 0 ? 'good' : 'warn'}>
      <p>{isNew ? text.created(id, url) : text.existed(id, url)}</p>
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </Notice>
  )
}
