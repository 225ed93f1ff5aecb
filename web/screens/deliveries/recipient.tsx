import { words } from '../../words.ts'
import type { Delivery } from './use-deliveries.ts'

/** To whom, as a link to the delivery, from whom, and from which Mautic. */
export function Recipient({ delivery }: { delivery: Delivery }) {
  const { id, recipient, sender, mautic } = delivery
  return (
    <div class="address">
      <a href={`/deliveries/${id}`}>{recipient}</a>
      <p class="quiet small">
        {words.deliveries.fromSender(sender)}
        {mautic && ` · ${mautic.name}`}
      </p>
    </div>
  )
}
