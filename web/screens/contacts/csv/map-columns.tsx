import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Notice } from '../../../design/feedback.tsx'
import { SelectField } from '../../../design/field.tsx'
import { Table } from '../../../design/table.tsx'
import { TokenField } from '../../../design/token-field.tsx'
import { contactWords } from '../../../words/contacts.ts'
import { importWords } from '../../../words/import.ts'
import type { ChosenFile } from '../import.tsx'
import { type CsvFormat, countRows, openCsv } from './read-csv.ts'
import { allTargets, faultOfMapping, guessTargets, type Mapping, type Target } from './targets.ts'

const text = importWords
const samplesShown = 3

const targetOptions = [
  { value: '', label: text.ignore },
  ...allTargets.map((value) => ({
    value,
    label: value === 'owner' ? text.owner : contactWords.fields[value],
  })),
]
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

interface MapColumnsProps {
  chosen: ChosenFile
  /** As it was chosen before; undefined for the first time. */
  mapping: Mapping | undefined
  onFormat: (chosen: ChosenFile) => void
  onMapped: (mapping: Mapping) => void
  onRestart: () => void
}

/** Chooses what each column is imported as, and what every contact gets. */
export function MapColumns({ chosen, mapping, onFormat, onMapped, onRestart }: MapColumnsProps) {
  const { csv, rowCount } = chosen
  const [draft, setDraft] = useState<Mapping>(
    () => mapping ?? { targets: guessTargets(csv.columns, csv.samples), tags: [], segments: [] },
  )
  const fault = faultOfMapping(draft)
  const setTarget = (place: number) => (value: string) =>
    setDraft({
      ...draft,
      targets: draft.targets.map((each, index) => (index === place ? (value as Target) : each)),
    })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (fault === undefined) onMapped(draft)
      }}
    >
      <div class="spread">
        <p>{text.file(csv.file.name, rowCount)}</p>
        <Button kind="plain" onClick={onRestart}>
          {text.another}
        </Button>
      </div>
      <Format chosen={chosen} onFormat={onFormat} />
      <Table
        caption={text.column}
        rows={csv.columns.map((name, index) => ({ name, index }))}
        keyOf={({ index }) => index}
        columns={[
          { label: text.column, show: ({ name }) => <strong>{name}</strong> },
          {
            label: text.target,
            show: ({ name, index }) => (
              <SelectField
                label={text.targetOf(name)}
                value={draft.targets[index] ?? ''}
                onValue={setTarget(index)}
                options={targetOptions}
              />
            ),
          },
          {
            label: text.samples,
            show: ({ index }) => (
              <span class="quiet">
                {csv.samples
                  .map(({ values }) => values[index] ?? '')
                  .filter((value) => value !== '')
                  .slice(0, samplesShown)
                  .join(' · ')}
              </span>
            ),
          },
        ]}
      />
      <p class="quiet small">{text.listHelp}</p>
      <section class="card" aria-label={text.everyRow}>
        <h2>{text.everyRow}</h2>
        <div class="columns">
          <TokenField
            label={text.addSegments}
            help={contactWords.help.segments}
            values={draft.segments}
            onValues={(segments) => setDraft({ ...draft, segments })}
          />
          <TokenField
            label={text.addTags}
            help={contactWords.help.tags}
            values={draft.tags}
            onValues={(tags) => setDraft({ ...draft, tags })}
          />
        </div>
      </section>
      {fault !== undefined && <Notice tone="warn">{fault}</Notice>}
      <div class="row">
        <Button kind="primary" type="submit" disabled={fault !== undefined}>
          {text.check}
        </Button>
        <span class="quiet">{text.checkHelp}</span>
      </div>
    </form>
  )
}

/** Separator and encoding, as they were detected; they can be corrected. */
function Format({
  chosen: { csv },
  onFormat,
}: {
  chosen: ChosenFile
  onFormat: (chosen: ChosenFile) => void
}) {
  const [fault, setFault] = useState<string>()
  const change = async (changes: Partial<CsvFormat>) => {
    setFault(undefined)
    try {
      const next = await openCsv(csv.file, { ...csv.format, ...changes })
      onFormat({ csv: next, rowCount: await countRows(next) })
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  return (
    <>
      <div class="filters">
        <SelectField
          label={text.separator}
          value={csv.format.separator}
          onValue={(separator) => void change({ separator })}
          options={optionsOf(text.separators)}
        />
        <SelectField
          label={text.encoding}
          value={csv.format.encoding}
          onValue={(encoding) => void change({ encoding: encoding as CsvFormat['encoding'] })}
          options={optionsOf(text.encodings)}
        />
      </div>
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
    </>
  )
}
