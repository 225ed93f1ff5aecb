import {
  type DeliveryEventType,
  deliveryEvents,
  deliveryEventTypes,
} from '../../src/core/delivery/events.ts'

/** What happened to a message after a server accepted it, as people read it. */
export const eventLabels = Object.fromEntries(
  deliveryEventTypes.map((each) => [each, deliveryEvents[each].label]),
) as Readonly<Record<DeliveryEventType, string>>
