import { Button, ButtonLink } from '../../../design/button.tsx'
import { Notice } from '../../../design/feedback.tsx'
import { importWords } from '../../../words/import.ts'
import { type ChosenFile, Steps } from '../import.tsx'
import { Changes, Counts, Faults } from './run-result.tsx'
import type { Mapping } from './targets.ts'
import { type Run, useRun } from './use-run.ts'

const text = importWords

interface RunImportProps {
  chosen: ChosenFile
  mapping: Mapping
  onBack: () => void
  onRestart: () => void
}

/** Checks the rows, shows what the import would do, and imports them. */
export function RunImport({ chosen, mapping, onBack, onRestart }: RunImportProps) {
  const run = useRun(chosen, mapping)
  const { csv, rowCount } = chosen
  const isImport = run.phase === 'import'
  const good = rowCount - run.progress.counts.failed
  return (
    <>
      <Steps current={isImport ? 3 : 2} />
      <p>{text.file(csv.file.name, rowCount)}</p>
      <section class="card" aria-label={text.progress}>
        <Bar run={run} total={rowCount} />
        <Message run={run} />
        <Counts counts={run.progress.counts} isImport={isImport} />
        <div class="row">
          {run.isRunning && <Button onClick={run.cancel}>{text.stop}</Button>}
          {!run.isRunning && !run.isComplete && (
            <Button kind="primary" onClick={() => run.start(run.phase)}>
              {text.goOn}
            </Button>
          )}
          {!isImport && run.isComplete && good > 0 && (
            <Button kind="primary" onClick={() => run.start('import')}>
              {text.run(good)}
            </Button>
          )}
          {!isImport && !run.isRunning && <Button onClick={onBack}>{text.back}</Button>}
          {isImport && run.isComplete && (
            <>
              <ButtonLink href="/contacts">{text.contacts}</ButtonLink>
              <Button onClick={onRestart}>{text.more}</Button>
            </>
          )}
        </div>
      </section>
      <Faults faults={run.progress.faults} csv={csv} />
      {!isImport && <Changes progress={run.progress} />}
    </>
  )
}

function Bar({ run: { phase, progress }, total }: { run: Run; total: number }) {
  const label = phase === 'import' ? text.importing : text.checking
  return (
    <label class="field">
      <span>{label(progress.done, total)}</span>
      <progress class="progress" value={progress.done} max={Math.max(total, 1)} />
    </label>
  )
}

/** How it ended, or why it stopped. */
function Message({ run: { phase, progress, isRunning, isComplete, fault } }: { run: Run }) {
  const { done, counts } = progress
  if (isRunning) return null
  if (isComplete)
    return phase === 'import' ? (
      <Notice tone="good">{text.done(done - counts.failed)}</Notice>
    ) : null
  const state = phase === 'import' ? text.interrupted(done) : text.checkInterrupted(done)
  if (fault !== undefined)
    return (
      <Notice tone="bad">
        <p>{fault}</p>
        <p>{state}</p>
      </Notice>
    )
  return <Notice tone="warn">{phase === 'import' ? text.cancelled(done) : state}</Notice>
}
