import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { choicesOf, Field, SelectField, TextField } from '../../design/field.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { ask, type Body, request, type Schema, withQuery } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { showToast } from '../../lib/toasts.ts'
import { field, useForm } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { words } from '../../words/common.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'

interface DialogProps {
  onDone: () => void
  onClose: () => void
}

export const reasonOptions = choicesOf(text.reasons)

const emptyDraft = () => ({
  address: '',
  reason: 'manual',
  brand: brandDraft(undefined),
  senderDomain: '',
  source: '',
})

export function AddSuppression({ onDone, onClose }: DialogProps) {
  const form = useForm({
    texts: text,
    saved: { draft: emptyDraft(), etag: undefined },
    async save(draft) {
      const body = {
        address: draft.address.trim(),
        reason: draft.reason as Schema<'Suppression'>['reason'],
        ...brandInput(draft.brand),
        senderDomain: draft.senderDomain.trim() || null,
        source: draft.source.trim() || null,
      }
      const { etag } = await ask('POST', '/api/suppressions/new', { body })
      showToast(text.added(body.address))
      onClose()
      onDone()
      return { draft, etag }
    },
  })
  return (
    <Dialog title={text.addTitle} onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <FormFault form={form} />
        <TextField {...field(form, 'address')} type="email" required />
        <SelectField {...field(form, 'reason')} options={reasonOptions} />
        <BrandField {...field(form, 'brand')} />
        <TextField {...field(form, 'senderDomain')} />
        <TextField {...field(form, 'source')} />
        <div class="row dialog-actions">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {text.add}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type Result = Body<'POST', '/api/suppressions/import'>

const faultsShown = 10

/** Imports a CSV file: the server reads it while it is sent, whatever its size. */
export function ImportSuppressions({ onDone, onClose }: DialogProps) {
  const [file, setFile] = useState<File>()
  const [result, setResult] = useState<Result>()
  const form = useForm({
    texts: { labels: { reason: text.importReason } },
    saved: { draft: { reason: 'unsubscribed' }, etag: undefined },
    async save(draft) {
      setResult(undefined)
      const query = { reason: draft.reason, source: file?.name.slice(0, 255) }
      const headers = { 'content-type': 'text/csv', accept: 'application/json' }
      const init = { method: 'POST', headers, body: file ?? '', isRead: false }
      const response = await request(withQuery('/api/suppressions/import', query), init)
      setResult((await response.json()) as Result)
      onDone()
      return { draft, etag: undefined }
    },
  })
  return (
    <Dialog title={text.importTitle} onClose={onClose}>
      <form class="stack" onSubmit={form.submit}>
        <FormFault form={form} />
        <Field label={text.file} help={text.fileHelp}>
          {(described) => (
            <div class="file">
              <input
                {...described}
                type="file"
                accept=".csv,.txt,text/csv"
                required
                onChange={(event) => setFile(event.currentTarget.files?.[0])}
              />
              <span aria-hidden="true">{file?.name ?? text.chooseFile}</span>
            </div>
          )}
        </Field>
        <SelectField {...field(form, 'reason')} options={reasonOptions} />
        {result !== undefined && <Imported result={result} />}
        <div class="row dialog-actions">
          <Button onClick={onClose}>{words.close}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={file === undefined}>
            {text.runImport}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Imported({ result: { created, updated, failed, faults } }: { result: Result }) {
  return (
    <Notice tone={failed === 0 ? 'good' : 'warn'}>
      <p>{text.imported(created, updated)}</p>
      {failed > 0 && <p>{text.failed(failed)}</p>}
      <ul>
        {faults.slice(0, faultsShown).map(({ row, error }) => (
          <li key={row}>{text.fault(row, error)}</li>
        ))}
      </ul>
    </Notice>
  )
}
