import { words } from '../../words.ts'
import type { Delivery } from './use-deliveries.ts'

/** To whom, as a link to the delivery, and from whom. */
export function Recipient({ delivery }: { delivery: Delivery }) {
  const { id, recipient, sender } = delivery
  return (
    <div class="address">
      <a href={`/deliveries/${id}`}>{recipient}</a>
      <p class="quiet small">{words.deliveries.fromSender(sender)}</p>
    </div>
  )
}
