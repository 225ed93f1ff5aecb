import type { ComponentChildren } from 'preact'
import type { Tone } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { formatDuration } from '../words/format.ts'
import { Badge } from './feedback.tsx'

/** What is shown of a stage of a test; without an outcome it is running, or was cancelled. */
export interface ShownStage {
  outcome?: 'ok' | 'failed' | 'skipped'
  durationMs?: number
  detail?: string
  hint?: string | null
}

const tones: Record<NonNullable<ShownStage['outcome']>, Tone> = {
  ok: 'good',
  failed: 'bad',
  skipped: 'neutral',
}

/** One stage of a test, in an `<ol class="stages">`. */
export function StageItem({
  name,
  stage: { outcome, durationMs, detail, hint },
  isRunning,
  note,
  tools,
}: {
  name: string
  stage: ShownStage
  isRunning: boolean
  /** Beside the outcome. */
  note?: ComponentChildren
  /** After the hint. */
  tools?: ComponentChildren
}) {
  return (
    <li data-outcome={outcome}>
      <div class="spread">
        <span class="row">
          <strong>{name}</strong>
          {outcome !== undefined && <Badge tone={tones[outcome]}>{words.stages[outcome]}</Badge>}
          {outcome === undefined && isRunning && (
            <span class="quiet small stage-runs">{words.stages.running}</span>
          )}
          {note}
        </span>
        {durationMs !== undefined && outcome !== 'skipped' && (
          <span class="quiet small number">{formatDuration(durationMs)}</span>
        )}
      </div>
      {detail && <p class="quiet small">{detail}</p>}
      {hint && <p class="small">{hint}</p>}
      {tools}
    </li>
  )
}
