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
export {
  brandData,
  type EventSink,
  type PublishedEvent,
  PublishedEvents,
} from './published-events.ts'
