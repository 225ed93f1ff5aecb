import { Time } from '../design/time.tsx'
import type { Schema } from '../lib/api.ts'
import { words } from '../words/common.ts'
import { limitWords } from '../words/limits.ts'

const text = limitWords.usage

export type Usage = NonNullable<Schema<'Limit'>['usage']>

/** What is used of each window, as bars, and when it is free again; with `isShort`, of the two longest at most. */
export function UsageBars({ usage, isShort = false }: { usage: Usage; isShort?: boolean }) {
  const { windows, connections } = usage
  const bars = windows.map((each) => ({ ...each, name: text.windows[each.window] }))
  const shown = isShort ? bars.slice(-2) : bars
  return (
    <div class="usage-bars">
      {shown.map((bar) => (
        <UsageBar key={bar.name} {...bar} />
      ))}
      {connections !== null && !isShort && <UsageBar {...connections} name={text.connections} />}
    </div>
  )
}

function UsageBar({
  name,
  used,
  max,
  freeAt = null,
}: {
  name: string
  used: number
  max: number
  freeAt?: string | null
}) {
  const share = Math.min(100, (100 * used) / Math.max(1, max))
  const tone = share >= 100 ? 'bad' : share >= 80 ? 'warn' : 'good'
  return (
    <div class="usage">
      <div class="spread small">
        <span>{text.bar(name, used, max)}</span>
        {freeAt !== null && (
          <span class="quiet">
            {text.freeAt} <Time iso={freeAt} isMoment past={words.now} />
          </span>
        )}
      </div>
      <div class="outcome-bar" aria-hidden="true">
        <i data-tone={tone} style={{ width: `${share}%` }} />
      </div>
    </div>
  )
}
