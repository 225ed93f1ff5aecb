import { guardCell } from '../../../../src/kit/csv.ts'
import { Button } from '../../../design/button.tsx'
import { type Column, Table } from '../../../design/table.tsx'
import { download } from '../../../lib/download.ts'
import { contactWords } from '../../../words/contacts.ts'
import { formatNumber } from '../../../words/format.ts'
import { importWords } from '../../../words/import.ts'
import type { CsvFile } from './read-csv.ts'
import {
  changesMax,
  type Progress,
  type RowChange,
  type RowFault,
  type RowOutcome,
} from './run-rows.ts'

const text = importWords
const faultsMax = 100

/** How many rows do what. */
export function Counts({ counts, isImport }: { counts: Progress['counts']; isImport: boolean }) {
  const outcomes: RowOutcome[] = isImport
    ? ['create', 'update', 'merged', 'failed']
    : ['create', 'update', 'none', 'merged', 'failed']
  return (
    <dl class="figures">
      {outcomes.map((outcome) => (
        <div
          key={outcome}
          class="figure"
          data-tone={outcome === 'failed' && counts.failed > 0 ? 'bad' : undefined}
        >
          <dt>{isImport && outcome === 'update' ? text.counts.existing : text.counts[outcome]}</dt>
          <dd>{formatNumber(counts[outcome])}</dd>
        </div>
      ))}
    </dl>
  )
}

const faultColumns: readonly Column<RowFault>[] = [
  { label: text.row, isNumber: true, show: ({ row }) => formatNumber(row) },
  { label: text.reason, show: ({ reason }) => reason },
  { label: text.samples, show: ({ values }) => <span class="quiet">{values.join(' · ')}</span> },
]

/** The rows that are not imported, with the reasons; as a file too, which can be corrected and imported. */
export function Faults({ faults, csv }: { faults: readonly RowFault[]; csv: CsvFile }) {
  if (faults.length === 0) return null
  const save = async () => {
    const { default: papaparse } = await import('papaparse')
    const data = faults.map(({ row, reason, values }) => [
      ...csv.columns.map((_, index) => values[index] ?? ''),
      String(row),
      reason,
    ])
    const file = papaparse.unparse(
      {
        fields: [...csv.columns, text.row, text.reason].map(guardCell),
        data: data.map((values) => values.map(guardCell)),
      },
      { delimiter: csv.format.separator },
    )
    download(`${csv.file.name.replace(/\.\w+$/, '')}-faults.csv`, 'text/csv', file)
  }
  return (
    <section class="stack" aria-label={text.faults}>
      <div class="spread">
        <h2>{text.faults}</h2>
        <Button onClick={() => void save()}>{text.download}</Button>
      </div>
      <Table
        caption={text.faults}
        rows={faults.slice(0, faultsMax)}
        columns={faultColumns}
        keyOf={({ row }) => row}
      />
      {faults.length > faultsMax && (
        <p class="quiet small">{text.faultsShown(faultsMax, faults.length)}</p>
      )}
    </section>
  )
}

const changeColumns: readonly Column<RowChange>[] = [
  { label: text.row, isNumber: true, show: ({ row }) => formatNumber(row) },
  {
    label: text.address,
    show: ({ email, id }) =>
      id === undefined ? (
        email
      ) : (
        <a href={`/contacts/${id}`} target="_blank" rel="noreferrer">
          {email}
        </a>
      ),
  },
  { label: text.change, show: (change) => <Change change={change} /> },
]

/** Contacts that exist and are changed, and rows that are merged with an earlier one. */
export function Changes({ progress: { changes, counts } }: { progress: Progress }) {
  if (changes.length === 0) return null
  const total = counts.update + counts.merged
  return (
    <section class="stack" aria-label={text.changes}>
      <h2>{text.changes}</h2>
      <Table
        caption={text.changes}
        rows={changes}
        columns={changeColumns}
        keyOf={({ row }) => row}
      />
      {total > changesMax && <p class="quiet small">{text.changesShown(changesMax, total)}</p>}
    </section>
  )
}

function Change({ change: { sameAs, fields } }: { change: RowChange }) {
  return (
    <ul>
      {sameAs !== undefined && <li>{text.merged(sameAs)}</li>}
      {Object.entries(fields).map(([name, change]) => (
        <li key={name}>
          <span class="quiet">{nameOf(name)}</span> <FieldChange change={change} />
        </li>
      ))}
    </ul>
  )
}

function nameOf(field: string): string {
  return (contactWords.fields as Readonly<Record<string, string>>)[field] ?? field
}

function FieldChange({ change }: { change: RowChange['fields'][string] }) {
  if ('added' in change)
    return (
      <>
        {change.added.length > 0 && <ins>{change.added.join(', ')}</ins>}{' '}
        {change.removed.length > 0 && <del>{change.removed.join(', ')}</del>}
      </>
    )
  return (
    <>
      <del>{asText(change.before)}</del> → <ins>{asText(change.after)}</ins>
    </>
  )
}

function asText(value: unknown): string {
  if (value === null || value === undefined || value === '') return text.noValue
  return typeof value === 'string' ? value : JSON.stringify(value)
}
