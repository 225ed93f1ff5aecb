import { useState } from 'preact/hooks'
import { Notice } from '../../design/feedback.tsx'
import { Field } from '../../design/field.tsx'
import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { contactWords } from '../../words/contacts.ts'
import { importWords as text } from '../../words/import.ts'
import { MapColumns } from './import/columns.tsx'
import { type CsvFile, openCsv } from './import/read-file.ts'
import { RunImport } from './import/run.tsx'
import type { Mapping } from './import/targets.ts'

/** Imports contacts from a CSV file in four steps: choose it, map its columns, check its rows, import them. */
export function ImportScreen() {
  const [step, setStep] = useState(0)
  const [csv, setCsv] = useState<CsvFile>()
  const [mapping, setMapping] = useState<Mapping>()
  const open = (next: CsvFile | undefined) => {
    setCsv(next)
    setMapping(undefined)
    setStep(next === undefined ? 0 : 1)
  }
  return (
    <Page title={text.title} back={{ href: '/contacts', label: contactWords.title }}>
      {can('contact:create') && (
        <>
          <ol class="steps" aria-label={text.progress}>
            {text.steps.map((name, index) => (
              <li key={name} aria-current={index === step ? 'step' : undefined}>
                <span>{index + 1}</span> {name}
              </li>
            ))}
          </ol>
          {csv === undefined && <ChooseFile onChosen={open} />}
          {csv !== undefined && step === 1 && (
            <MapColumns
              key={`${csv.format.encoding} ${csv.format.separator}`}
              csv={csv}
              mapping={mapping}
              onFile={open}
              onMapped={(next) => {
                setMapping(next)
                setStep(2)
              }}
            />
          )}
          {csv !== undefined && mapping !== undefined && step > 1 && (
            <RunImport
              csv={csv}
              mapping={mapping}
              onImport={() => setStep(3)}
              onBack={() => setStep(1)}
              onRestart={() => open(undefined)}
            />
          )}
        </>
      )}
    </Page>
  )
}

/** Chooses a file, or takes one that is dropped, and counts its rows. */
function ChooseFile({ onChosen }: { onChosen: (csv: CsvFile) => void }) {
  const [fault, setFault] = useState<string>()
  const [count, setCount] = useState<number>()
  const [isOver, setOver] = useState(false)
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    setFault(undefined)
    setCount(0)
    try {
      onChosen(await openCsv(file, { onCount: setCount }))
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
