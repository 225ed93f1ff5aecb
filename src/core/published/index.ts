export {
  checkVisible,
  describeEventData,
  describeEventTypes,
  type EventType,
  eventTypeNames,
  eventTypes,
  findMissing,
  testType,
} from './event-types.ts'
export { type EventSink, type PublishedEvent, PublishedEvents } from './published-events.ts'
