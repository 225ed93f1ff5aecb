import type { ComponentChildren } from 'preact'
import { words } from '../words/common.ts'
import { formatExactTime, formatMoment, formatTime } from '../words/format.ts'

/** A time, relative to now; the exact time on hover and for assistive technology. */
export function Time({
  iso,
  past,
  none = <span class="quiet">{words.none}</span>,
  isMoment = false,
}: {
  iso: string | null | undefined
  /** What is shown without a time; a dash by default. */
  none?: ComponentChildren
  /** What is shown instead of a time that is over, after words such as "next attempt". */
  past?: string
  /** Whether it is shown as clocks show it: "tomorrow 01:00". */
  isMoment?: boolean
}) {
  if (!iso) return <>{none}</>
  const shown = isMoment ? formatMoment(iso) : formatTime(iso)
  const isPast = past !== undefined && Date.parse(iso) <= Date.now()
  return (
    <time dateTime={iso} title={formatExactTime(iso)}>
      {isPast ? past : shown}
    </time>
  )
}

/** When something began, or ends: "since 07:12", "until tomorrow 01:00". Nothing for null. */
export function Period({ since, until }: { since?: string | null; until?: string | null }) {
  const iso = since ?? until
  if (!iso) return null
  return (
    <span class="nowrap">
      {since ? words.since : words.until}{' '}
      <Time iso={iso} isMoment {...(!since && { past: words.now })} />
    </span>
  )
}
