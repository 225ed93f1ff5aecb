import type { Tone } from '../lib/toasts.ts'
import { formatNumber } from '../words/format.ts'

/** A number with its name. */
export interface Figure {
  label: string
  count: number
  tone?: Tone | undefined
  /** Where what it counts is listed. */
  href?: string
  /** Beside the number, such as its share. */
  note?: string
}

/** Numbers with their names. One that is zero has no tone. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, count, tone, href, note }) => (
        <div key={label} class="figure" data-tone={count === 0 ? undefined : tone}>
          <dt>{label}</dt>
          <dd>
            {href !== undefined && count > 0 ? (
              <a href={href}>{formatNumber(count)}</a>
            ) : (
              formatNumber(count)
            )}
            {note !== undefined && <span class="quiet small"> {note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
