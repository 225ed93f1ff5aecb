import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import { session } from '../../lib/session.ts'
import { findTransports } from '../../records/find.ts'
import { words } from '../../words/common.ts'
import { type PreviewData, requestOf } from './preview-data.tsx'

const text = {
  title: 'Send as a test',
  about: 'Sends what is in the editor, rendered with the data of the preview.',
  transport: 'Transport',
  transportHelp: 'Type a part of its name, then choose it.',
  to: 'To',
  subject: 'Subject',
  send: 'Send the test',
} as const

interface SendTestProps {
  id: number | undefined
  name: string
  /** As it is in the editor, saved or not. */
  code: string
  data: PreviewData
  onClose: () => void
}

type TestResult = Body<'POST', '/api/twigTemplates/send/test'>

/** Sends what the template prints, with the data of the preview, through one transport. */
export function SendTest({ id, name, code, data, onClose }: SendTestProps) {
  const [transport, setTransport] = useState<Choice>()
  const [to, setTo] = useState(session.value?.user.email ?? '')
  const [subject, setSubject] = useState(name)
  const [result, setResult] = useState<TestResult>()
  const [fault, setFault] = useState<ApiFault>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (transport === undefined || isBusy) return
    setBusy(true)
    setFault(undefined)
    setResult(undefined)
    try {
      const source = id === undefined ? { template: code } : { template: code, id }
      const body = {
        ...source,
        ...requestOf(data),
        to,
        subject,
        transportId: Number(transport.value),
      }
      setResult((await ask('POST', '/api/twigTemplates/send/test', { body })).body)
    } catch (error) {
      setFault(error instanceof ApiFault ? error : new ApiFault(0, String(error)))
    }
    setBusy(false)
  }
  return (
    <Dialog title={text.title} onClose={onClose}>
      <form class="stack" onSubmit={send}>
        <p class="quiet small">{text.about}</p>
        <Picker
          label={text.transport}
          help={text.transportHelp}
          value={transport}
          onValue={setTransport}
          find={findTransports}
        />
        <TextField
          label={text.to}
          type="email"
          required
          value={to}
          onValue={setTo}
          fault={fault?.details['to']?.join(' ')}
        />
        <TextField label={text.subject} value={subject} onValue={setSubject} />
        {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
        {result !== undefined && (
          <Notice tone={result.success ? 'good' : 'bad'}>{result.message}</Notice>
        )}
        <div class="row dialog-actions">
          <Button onClick={onClose}>{words.close}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={transport === undefined}>
            {text.send}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
