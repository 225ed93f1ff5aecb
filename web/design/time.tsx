import { formatExactTime, formatTime } from '../lib/format.ts'
import { words } from '../words.ts'

/** A time, relative to now; the exact time on hover and for assistive technology. */
export function Time({ iso }: { iso: string | null }) {
  if (iso === null) return <span class="quiet">{words.none}</span>
  return (
    <time dateTime={iso} title={formatExactTime(iso)}>
      {formatTime(iso)}
    </time>
  )
}
