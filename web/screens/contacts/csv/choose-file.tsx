import { useState } from 'preact/hooks'
import { Notice } from '../../../design/feedback.tsx'
import { Field } from '../../../design/field.tsx'
import { importWords } from '../../../words/import.ts'
import type { ChosenFile } from '../import.tsx'
import { countRows, openCsv } from './read-csv.ts'

const text = importWords

/** Chooses a file, or takes one that is dropped, and counts its rows. */
export function ChooseFile({ onChosen }: { onChosen: (chosen: ChosenFile) => void }) {
  const [fault, setFault] = useState<string>()
  const [count, setCount] = useState<number>()
  const [isOver, setOver] = useState(false)
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    setFault(undefined)
    setCount(0)
    try {
      const csv = await openCsv(file)
      onChosen({ csv, rowCount: await countRows(csv, setCount) })
    } catch (error) {
      setFault((error as Error).message)
      setCount(undefined)
    }
  }
  return (
    <section
      class="card drop"
      data-over={isOver}
      aria-label={text.choose}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void choose(event.dataTransfer?.files[0])
      }}
    >
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      <Field label={text.choose} help={text.drop}>
        {(described) => (
          <input
            {...described}
            class="input"
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            disabled={count !== undefined}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      {count === undefined ? (
        <p class="quiet">{text.notes}</p>
      ) : (
        <p role="status">{text.reading(count)}</p>
      )}
    </section>
  )
}
