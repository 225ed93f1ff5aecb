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
