import { useEffect, useRef, useState } from 'preact/hooks'
import { useUnsaved } from '../../../lib/use-unsaved.ts'
import type { ChosenFile } from '../import.tsx'
import { checkRows, createProgress, importRows, type Progress } from './run-rows.ts'
import type { Mapping } from './targets.ts'

type Phase = 'check' | 'import'

/** A check or an import of a file: how far it is, and whether it runs. */
export interface Run {
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
export function useRun({ csv }: ChosenFile, mapping: Mapping): Run {
  const [phase, setPhase] = useState<Phase>('check')
  const all = useRef({ check: createProgress(), import: createProgress() })
  const [{ isRunning, isComplete, fault }, setState] = useState<
    Pick<Run, 'isRunning' | 'isComplete' | 'fault'>
  >({ isRunning: false, isComplete: false, fault: undefined })
  const [, setDone] = useState(0)
  const controller = useRef<AbortController | undefined>(undefined)
  useUnsaved(isRunning && phase === 'import')
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
    isRunning,
    isComplete,
    fault,
    start: (next) => void start(next),
    cancel: () => controller.current?.abort(),
  }
}
