import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { session } from '../../lib/session.ts'
import { field, useForm } from '../../lib/use-form.ts'
import { findTransports } from '../../records/find.ts'
import { words } from '../../words/common.ts'
import { type PreviewData, requestOf } from './preview-data.tsx'

const text = {
  title: 'Send as a test',
  about: 'Sends what is in the editor, rendered with the data of the preview.',
  send: 'Send the test',
  labels: { transport: 'Transport', to: 'To', subject: 'Subject' },
  help: { transport: 'Type a part of its name, then choose it.' },
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
  const [result, setResult] = useState<TestResult>()
  const to = session.value?.user.email ?? ''
  const draft = { transport: undefined as Choice | undefined, to, subject: name }
  const form = useForm({
    texts: text,
    saved: { draft, etag: undefined },
    async save({ transport, ...message }) {
      setResult(undefined)
      const source = id === undefined ? { template: code } : { template: code, id }
      const transportId = Number(transport?.value)
      const body = { ...source, ...requestOf(data), ...message, transportId }
      setResult((await ask('POST', '/api/twigTemplates/send/test', { body })).body)
      return { draft: { transport, ...message }, etag: undefined }
    },
  })
  return (
    <Dialog title={text.title} onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <p class="quiet small">{text.about}</p>
        <Picker {...field(form, 'transport')} find={findTransports} />
        <TextField {...field(form, 'to')} type="email" required />
        <TextField {...field(form, 'subject')} />
        <FormFault form={form} />
        {result !== undefined && (
          <Notice tone={result.success ? 'good' : 'bad'}>{result.message}</Notice>
        )}
        <div class="row dialog-actions">
          <Button onClick={onClose}>{words.close}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={form.isBusy}
            disabled={form.draft.transport === undefined}
          >
            {text.send}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
