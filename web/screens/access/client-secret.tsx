import { Button } from '../../design/button.tsx'
import { CopyField } from '../../design/copy-field.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { accessWords } from '../../words/access.ts'

const { secret: texts } = accessWords.clients

/** The secret of a new client, with what it is for. */
export function ClientSecret({
  name,
  clientId,
  clientSecret,
  onClose,
}: {
  name: string
  clientId: string
  clientSecret: string
  onClose: () => void
}) {
  const { origin, hostname } = globalThis.location
  const curl = `curl ${origin}/oauth/v2/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret}`
  return (
    <Dialog title={texts.title(name)} onClose={onClose}>
      <Notice tone="warn">{texts.once}</Notice>
      <CopyField label={accessWords.clients.clientId} text={clientId} />
      <CopyField label={texts.clientSecret} text={clientSecret} />
      <CopyField label={texts.curl} text={curl} />
      <CopyField
        label={texts.dsn}
        help={texts.dsnHelp}
        text={`smtp://${clientId}:${clientSecret}@${hostname}:2525`}
      />
      <div class="row">
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  )
}
