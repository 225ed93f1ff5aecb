import { Time } from '../design/time.tsx'
import type { Schema } from '../lib/api.ts'
import { limitWords } from '../words/limits.ts'

const text = limitWords.usage

export type Usage = NonNullable<Schema<'Limit'>['usage']>

/** What a short account shows. */
const longWindows: readonly string[] = ['hour', 'day', 'month']

/** What is used of each window, as bars; with `isShort`, of those from an hour on. */
export function UsageBars({ usage, isShort = false }: { usage: Usage; isShort?: boolean }) {
  const { connections } = usage
  const windows = isShort
    ? usage.windows.filter(({ window }) => longWindows.includes(window))
    : usage.windows
  const bars = [
    ...windows.map((each) => ({ ...each, name: text.windows[each.window] })),
    ...(connections === null || isShort
      ? []
      : [{ ...connections, name: text.connections, freeAt: null }]),
  ]
  return (
    <div class="usage-bars">
      {bars.map(({ name, used, max, freeAt }) => {
        const label = text.bar(name, used, max)
        const share = Math.min(100, (100 * used) / Math.max(1, max))
        const tone = share >= 100 ? 'bad' : share >= 80 ? 'warn' : 'good'
        return (
          <div key={name} class="usage">
            <span class="small">{label}</span>
            <div class="outcome-bar" aria-hidden="true">
              <i data-tone={tone} style={{ width: `${share}%` }} />
            </div>
            {freeAt !== null && (
              <span class="small quiet">
                {text.freeAt} <Time iso={freeAt} />
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
}
