import { useEffect, useRef, useState } from 'preact/hooks'
import { guardCell } from '../../../../src/kit/csv.ts'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Notice } from '../../../design/feedback.tsx'
import { Figures } from '../../../design/figures.tsx'
import { Card } from '../../../design/page.tsx'
import { type Column, Table } from '../../../design/table.tsx'
import { download } from '../../../lib/download.ts'
import { useUnsaved } from '../../../lib/use-unsaved.ts'
import { contactWords } from '../../../words/contacts.ts'
import { formatNumber } from '../../../words/format.ts'
import { importWords as text } from '../../../words/import.ts'
import type { CsvFile } from './read-file.ts'
import {
  changesMax,
  checkRows,
  createProgress,
  importRows,
  type Progress,
  type RowChange,
  type RowFault,
} from './rows.ts'
import type { Mapping } from './targets.ts'

type Phase = 'check' | 'import'

/** A check or an import of a file: how far it is, and whether it runs. */
interface Run {
  phase: Phase
  progress: Progress
  isRunning: boolean
  isComplete: boolean
  /** Why it stopped before its end; undefined while it runs, and where it was cancelled. */
  fault: string | undefined
  /** Begins the import, or continues what stopped. */
  start: (phase: Phase) => void
  cancel: () => void
}

/** Checks the rows of a file at once; imports them when asked. What stopped continues where it was. */
function useRun(csv: CsvFile, mapping: Mapping): Run {
  const [phase, setPhase] = useState<Phase>('check')
  const all = useRef({ check: createProgress(), import: createProgress() })
  const [state, setState] = useState<Pick<Run, 'isRunning' | 'isComplete' | 'fault'>>({
    isRunning: false,
    isComplete: false,
    fault: undefined,
  })
  const [, setDone] = useState(0)
  const controller = useRef<AbortController | undefined>(undefined)
  useUnsaved(state.isRunning && phase === 'import')
  const start = async (next: Phase) => {
    controller.current = new AbortController()
    const { signal } = controller.current
    const progress = all.current[next]
    const options = { csv, mapping, progress, signal, onProgress: () => setDone(progress.done) }
    setPhase(next)
    setState({ isRunning: true, isComplete: false, fault: undefined })
    try {
      if (next === 'check') await checkRows(options)
      else await importRows(options, all.current.check.created)
      setState({ isRunning: false, isComplete: !signal.aborted, fault: undefined })
    } catch (error) {
      setState({ isRunning: false, isComplete: false, fault: (error as Error).message })
    }
  }
  useEffect(() => {
    void start('check')
    return () => controller.current?.abort()
  }, [])
  return {
    phase,
    progress: all.current[phase],
    ...state,
    start: (next) => void start(next),
    cancel: () => controller.current?.abort(),
  }
}

/** Checks the rows, shows what the import would do, and imports them. */
export function RunImport({
  csv,
  mapping,
  onImport,
  onBack,
  onRestart,
}: {
  csv: CsvFile
  mapping: Mapping
  onImport: () => void
  onBack: () => void
  onRestart: () => void
}) {
  const run = useRun(csv, mapping)
  const { progress, isRunning, isComplete } = run
  const isImport = run.phase === 'import'
  const good = csv.rowCount - progress.counts.failed
  const label = (isImport ? text.importing : text.checking)(progress.done, csv.rowCount)
  return (
    <>
      <Card title={text.file(csv.file.name, csv.rowCount)}>
        <label class="field">
          <span>{label}</span>
          <progress class="progress" value={progress.done} max={Math.max(csv.rowCount, 1)} />
        </label>
        <Message run={run} />
        <Figures figures={figuresOf(progress.counts, isImport)} />
        <div class="row">
          {isRunning && <Button onClick={run.cancel}>{text.stop}</Button>}
          {!isRunning && !isComplete && (
            <Button kind="primary" onClick={() => run.start(run.phase)}>
              {text.goOn}
            </Button>
          )}
          {!isImport && isComplete && good > 0 && (
            <Button
              kind="primary"
              onClick={() => {
                onImport()
                run.start('import')
              }}
            >
              {text.run(good)}
            </Button>
          )}
          {!isImport && !isRunning && <Button onClick={onBack}>{text.back}</Button>}
          {isImport && isComplete && (
            <>
              <ButtonLink href="/contacts">{text.contacts}</ButtonLink>
              <Button onClick={onRestart}>{text.more}</Button>
            </>
          )}
        </div>
      </Card>
      <Faults faults={progress.faults} csv={csv} />
      {!isImport && <Changes progress={progress} />}
    </>
  )
}

/** How it ended, or why it stopped. */
function Message({ run: { phase, progress, isRunning, isComplete, fault } }: { run: Run }) {
  const { done, counts } = progress
  const isImport = phase === 'import'
  if (isRunning || (isComplete && !isImport)) return null
  if (isComplete) return <Notice tone="good">{text.done(done - counts.failed)}</Notice>
  const state = isImport ? text.interrupted(done) : text.checkInterrupted(done)
  if (fault === undefined)
    return <Notice tone="warn">{isImport ? text.cancelled(done) : state}</Notice>
  return (
    <Notice tone="bad">
      <p>{fault}</p>
      <p>{state}</p>
    </Notice>
  )
}

/** How many rows do what. */
function figuresOf(counts: Progress['counts'], isImport: boolean) {
  const { create, update, none, merged, failed } = text.counts
  return [
    { label: create, count: counts.create },
    { label: isImport ? text.counts.existing : update, count: counts.update },
    ...(isImport ? [] : [{ label: none, count: counts.none }]),
    { label: merged, count: counts.merged },
    { label: failed, count: counts.failed, tone: 'bad' as const },
  ]
}

const faultsMax = 100

const faultColumns: readonly Column<RowFault>[] = [
  { label: text.row, isNumber: true, show: ({ row }) => formatNumber(row) },
  { label: text.reason, isName: true, show: ({ reason }) => reason },
  {
    label: text.samples,
    priority: 2,
    show: ({ values }) => <span class="quiet">{values.join(' · ')}</span>,
  },
]

/** The rows that are not imported, with the reasons; as a file too, which can be corrected and imported. */
function Faults({ faults, csv }: { faults: readonly RowFault[]; csv: CsvFile }) {
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
    <Card title={text.faults} tools={<Button onClick={() => void save()}>{text.download}</Button>}>
      <Table
        caption={text.faults}
        rows={faults.toSorted((one, other) => one.row - other.row).slice(0, faultsMax)}
        columns={faultColumns}
        keyOf={({ row }) => row}
      />
      {faults.length > faultsMax && (
        <p class="quiet small">{text.faultsShown(faultsMax, faults.length)}</p>
      )}
    </Card>
  )
}

const changeColumns: readonly Column<RowChange>[] = [
  { label: text.row, isNumber: true, show: ({ row }) => formatNumber(row) },
  {
    label: text.address,
    isName: true,
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
function Changes({ progress: { changes, counts } }: { progress: Progress }) {
  if (changes.length === 0) return null
  const total = counts.update + counts.merged
  return (
    <Card title={text.changes}>
      <Table
        caption={text.changes}
        rows={changes}
        columns={changeColumns}
        keyOf={({ row }) => row}
      />
      {total > changesMax && <p class="quiet small">{text.changesShown(changesMax, total)}</p>}
    </Card>
  )
}

function Change({ change: { sameAs, fields } }: { change: RowChange }) {
  const names: Readonly<Record<string, string>> = contactWords.labels
  return (
    <ul>
      {sameAs !== undefined && <li>{text.merged(sameAs)}</li>}
      {Object.entries(fields).map(([name, change]) => (
        <li key={name}>
          <span class="quiet">{names[name] ?? name}</span> <FieldChange change={change} />
        </li>
      ))}
    </ul>
  )
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
