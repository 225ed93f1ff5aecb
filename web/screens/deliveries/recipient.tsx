import type { Delivery } from '../../records/use-deliveries.ts'
import { deliveryWords } from '../../words/deliveries.ts'

/** To whom, as a link to the delivery, and from whom. */
export function Recipient({ delivery }: { delivery: Delivery }) {
  const { id, recipient, sender } = delivery
  return (
    <div class="address">
      <a href={`/deliveries/${id}`}>{recipient}</a>
      <p class="quiet small">{deliveryWords.fromSender(sender)}</p>
    </div>
  )
}
