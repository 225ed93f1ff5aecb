import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { type ApiFault, ask } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { words } from '../../words/common.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'
import { type Reason, reasonOptions } from './reasons.ts'

/** Suppresses one address. */
export function AddSuppression({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [draft, setDraft] = useState({
    address: '',
    reason: 'manual',
    senderDomain: '',
    source: '',
  })
  const [fault, setFault] = useState<ApiFault>()
  const [isBusy, setBusy] = useState(false)
  const set = (name: keyof typeof draft) => (value: string) => setDraft({ ...draft, [name]: value })
  const faultOf = (name: string) => fault?.details[name]?.join(', ')
  const save = async () => {
    setBusy(true)
    try {
      const { address, reason, senderDomain, source } = draft
      const body = {
        address: address.trim(),
        reason: reason as Reason,
        senderDomain: senderDomain.trim() || null,
        source: source.trim() || null,
      }
      await ask('POST', '/api/suppressions/new', { body })
      showToast(text.added(body.address))
      onClose()
      onDone()
    } catch (error) {
      setFault(error as ApiFault)
      setBusy(false)
    }
  }
  return (
    <Dialog title={text.addTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label={text.address}
          type="email"
          value={draft.address}
          onValue={set('address')}
          fault={faultOf('address')}
          required
        />
        <SelectField
          label={text.reason}
          help={text.help.reason}
          value={draft.reason}
          onValue={set('reason')}
          options={reasonOptions}
        />
        <TextField
          label={text.scope}
          help={text.help.scope}
          value={draft.senderDomain}
          onValue={set('senderDomain')}
          fault={faultOf('senderDomain')}
        />
        <TextField
          label={text.source}
          help={text.help.source}
          value={draft.source}
          onValue={set('source')}
          fault={faultOf('source')}
        />
        {fault instanceof Error && Object.keys(fault.details ?? {}).length === 0 && (
          <Notice tone="bad">{fault.message}</Notice>
        )}
        <div class="row">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {text.add}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
