import { useState } from 'preact/hooks'
import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { contactWords } from '../../words/contacts.ts'
import { importWords } from '../../words/import.ts'
import { ChooseFile } from './csv/choose-file.tsx'
import { MapColumns } from './csv/map-columns.tsx'
import type { CsvFile } from './csv/read-csv.ts'
import { RunImport } from './csv/run-import.tsx'
import type { Mapping } from './csv/targets.ts'

const text = importWords

/** A file that is being imported. */
export interface ChosenFile {
  csv: CsvFile
  rowCount: number
}

/** Imports contacts from a CSV file in four steps: choose it, map its columns, check its rows, import them. */
export function ImportScreen() {
  const [chosen, setChosen] = useState<ChosenFile>()
  const [mapping, setMapping] = useState<Mapping>()
  const [isRunning, setRunning] = useState(false)
  const step = chosen === undefined ? 0 : isRunning ? 2 : 1
  const restart = () => {
    setChosen(undefined)
    setMapping(undefined)
    setRunning(false)
  }
  return (
    <Page title={text.title} actions={<a href="/contacts">{contactWords.all}</a>}>
      {can('contact:create') && (
        <>
          {!isRunning && <Steps current={step} />}
          {chosen === undefined && <ChooseFile onChosen={setChosen} />}
          {chosen !== undefined && !isRunning && (
            <MapColumns
              key={`${chosen.csv.format.encoding} ${chosen.csv.format.separator}`}
              chosen={chosen}
              mapping={mapping}
              onFormat={(next) => {
                setMapping(undefined)
                setChosen(next)
              }}
              onMapped={(next) => {
                setMapping(next)
                setRunning(true)
              }}
              onRestart={restart}
            />
          )}
          {chosen !== undefined && mapping !== undefined && isRunning && (
            <RunImport
              chosen={chosen}
              mapping={mapping}
              onBack={() => setRunning(false)}
              onRestart={restart}
            />
          )}
        </>
      )}
    </Page>
  )
}

/** The four steps, and which of them is the current one. */
export function Steps({ current }: { current: number }) {
  return (
    <ol class="steps" aria-label={text.progress}>
      {text.steps.map((name, index) => (
        <li key={name} aria-current={index === current ? 'step' : undefined}>
          <span>{index + 1}</span> {name}
        </li>
      ))}
    </ol>
  )
}
