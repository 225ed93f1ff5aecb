import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { mauticWords } from '../../words/mautics.ts'

const text = mauticWords.webhook

type Created = Body<'POST', '/api/mautics/{id}/webhook'>

/** Creates the webhook of a Mautic, in Mautic. */
export function Webhook({ id, title = text.title }: { id: number; title?: string }) {
  const [url, setUrl] = useState('')
  const [created, setCreated] = useState<Created>()
  const [fault, setFault] = useState<ApiFault>()
  const [isBusy, setBusy] = useState(false)
  const create = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault(undefined)
    try {
      const body = url.trim() === '' ? {} : { url: url.trim() }
      setCreated((await ask('POST', '/api/mautics/{id}/webhook', { path: { id }, body })).body)
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
          <div class="row">
            <Button type="submit" isBusy={isBusy}>
              {text.create}
            </Button>
          </div>
        </form>
      )}
    </section>
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
