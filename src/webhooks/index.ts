export { EventPublisher, type EventSink, type PublishedEvent } from './event-publisher.ts'
export { type EventType, eventTypeNames, eventTypes } from './event-types.ts'
export { webhookMigrations } from './table.ts'
