import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Notice } from '../../../design/feedback.tsx'
import { SelectField } from '../../../design/field.tsx'
import { Table } from '../../../design/table.tsx'
import { TokenField } from '../../../design/token-field.tsx'
import { useAction } from '../../../lib/use-action.ts'
import { contactWords } from '../../../words/contacts.ts'
import { importWords } from '../../../words/import.ts'
import { type CsvFile, type CsvFormat, openCsv } from './read-file.ts'
import { allTargets, faultOfMapping, guessTargets, type Mapping, type Target } from './targets.ts'

const text = importWords
const samplesShown = 3

const targetOptions = [
  { value: '', label: text.ignore },
  ...allTargets.map((value) => ({
    value,
    label: value === 'owner' ? text.owner : contactWords.labels[value],
  })),
]
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

/** Chooses what each column is imported as, and what every contact gets. */
export function MapColumns({
  csv,
  mapping,
  onFile,
  onMapped,
}: {
  csv: CsvFile
  /** As it was chosen before; undefined for the first time. */
  mapping: Mapping | undefined
  /** Called with the file as it is read otherwise; undefined for another file. */
  onFile: (csv: CsvFile | undefined) => void
  onMapped: (mapping: Mapping) => void
}) {
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
        <p>{text.file(csv.file.name, csv.rowCount)}</p>
        <Button kind="plain" onClick={() => onFile(undefined)}>
          {text.another}
        </Button>
      </div>
      <Format csv={csv} onFile={onFile} />
      <Table
        caption={text.column}
        rows={csv.columns.map((name, index) => ({ name, index }))}
        keyOf={({ index }) => index}
        columns={[
          { label: text.column, isName: true, show: ({ name }) => <strong>{name}</strong> },
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
            priority: 2,
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
        <div class="filters">
          <TokenField
            label={text.addSegments}
            help={contactWords.help.segments}
            value={draft.segments}
            onValue={(segments) => setDraft({ ...draft, segments })}
          />
          <TokenField
            label={text.addTags}
            help={contactWords.help.tags}
            value={draft.tags}
            onValue={(tags) => setDraft({ ...draft, tags })}
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
function Format({ csv, onFile }: { csv: CsvFile; onFile: (csv: CsvFile) => void }) {
  const { isBusy, run } = useAction()
  const change = (changes: Partial<CsvFormat>) =>
    void run(async () => onFile(await openCsv(csv.file, { format: { ...csv.format, ...changes } })))
  return (
    <div class="filters" aria-busy={isBusy}>
      <SelectField
        label={text.separator}
        value={csv.format.separator}
        onValue={(separator) => change({ separator })}
        options={optionsOf(text.separators)}
      />
      <SelectField
        label={text.encoding}
        value={csv.format.encoding}
        onValue={(encoding) => change({ encoding: encoding as CsvFormat['encoding'] })}
        options={optionsOf(text.encodings)}
      />
    </div>
  )
}
