import { broadcastWords } from '../../words/broadcasts.ts'
import type { Broadcast } from './broadcasts.tsx'

const outcomes = [
  ['accepted', 'good'],
  ['uncertain', 'warn'],
  ['refused', 'bad'],
  ['suppressed', 'neutral'],
] as const

/** How much of a broadcast is accepted, uncertain, refused and suppressed. */
export function BroadcastBar({ broadcast }: { broadcast: Broadcast }) {
  const { total, accepted, uncertain, refused, suppressed } = broadcast
  const label = broadcastWords.bar(accepted + uncertain + refused + suppressed, total)
  return (
    <div class="outcome-bar" role="img" aria-label={label} title={label}>
      {outcomes.map(([name, tone]) => (
        <i
          key={name}
          data-tone={tone}
          style={{ width: `${total === 0 ? 0 : (100 * broadcast[name]) / total}%` }}
        />
      ))}
    </div>
  )
}
