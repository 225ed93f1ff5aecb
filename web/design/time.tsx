import { words } from '../words/common.ts'
import { formatExactTime, formatTime } from '../words/format.ts'

/** A time, relative to now; the exact time on hover and for assistive technology. */
export function Time({ iso }: { iso: string | null }) {
  if (iso === null) return <span class="quiet">{words.none}</span>
  return (
    <time dateTime={iso} title={formatExactTime(iso)}>
      {formatTime(iso)}
    </time>
  )
}
