import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Field, SelectField } from '../../design/field.tsx'
import { type Body, request, withQuery } from '../../lib/api.ts'
import { words } from '../../words/common.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'
import { reasonOptions } from './reasons.ts'

type Result = Body<'POST', '/api/suppressions/import'>

const faultsShown = 10

/** Imports a CSV file: the server reads it while it is sent, whatever its size. */
export function ImportSuppressions({
  onDone,
  onClose,
}: {
  onDone: () => void
  onClose: () => void
}) {
  const [file, setFile] = useState<File>()
  const [reason, setReason] = useState('unsubscribed')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const [problem, setProblem] = useState<string>()
  const run = async () => {
    if (file === undefined) return
    setBusy(true)
    setProblem(undefined)
    setResult(undefined)
    try {
      const url = withQuery('/api/suppressions/import', { reason, source: file.name.slice(0, 255) })
      const headers = { 'content-type': 'text/csv', accept: 'application/json' }
      const response = await request(url, { method: 'POST', headers, body: file, isRead: false })
      setResult((await response.json()) as Result)
      onDone()
    } catch (error) {
      setProblem((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <Dialog title={text.importTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label={text.file} help={text.help.file}>
          {(described) => (
            <input
              {...described}
              class="input"
              type="file"
              accept=".csv,.txt,text/csv"
              required
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <SelectField
          label={text.importReason}
          value={reason}
          onValue={setReason}
          options={reasonOptions}
        />
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        {result !== undefined && <Imported result={result} />}
        <div class="row">
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={file === undefined}>
            {text.runImport}
          </Button>
          <Button onClick={onClose}>{words.close}</Button>
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
