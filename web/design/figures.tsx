import type { Tone } from '../lib/toasts.ts'
import { formatNumber } from '../words/format.ts'

/** Numbers with their names. One that is zero has no tone. */
export function Figures({
  figures,
}: {
  figures: readonly { label: string; count: number; tone?: Tone | undefined }[]
}) {
  return (
    <dl class="figures">
      {figures.map(({ label, count, tone }) => (
        <div key={label} class="figure" data-tone={count === 0 ? undefined : tone}>
          <dt>{label}</dt>
          <dd>{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
