import { broadcastCounters, outcomes } from '../../../src/delivery/outcomes.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import type { Broadcast } from './broadcasts.tsx'

/** How much of a broadcast has which outcome. */
export function BroadcastBar({ broadcast }: { broadcast: Broadcast }) {
  const { total } = broadcast
  const settled = broadcastCounters.reduce((sum, each) => sum + broadcast[each], 0)
  const label = broadcastWords.bar(settled, total)
  return (
    <div class="outcome-bar" role="img" aria-label={label} title={label}>
      {broadcastCounters.map((name) => (
        <i
          key={name}
          data-tone={outcomes[name].tone}
          style={{ width: `${total === 0 ? 0 : (100 * broadcast[name]) / total}%` }}
        />
      ))}
    </div>
  )
}
