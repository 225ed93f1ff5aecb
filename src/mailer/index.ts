/** Turns a DSN and a message into a delivery, or into an error that says what to do. */
export type { Clock } from './clock.ts'
export { createMailer } from './create-mailer.ts'
export type {
  Attempt,
  DeliveryResult,
  Outcome,
  RecipientResult,
} from './delivery/delivery-result.ts'
export type { Fault, FaultCode, FaultScope } from './delivery/fault.ts'
export type { Reply } from './delivery/reply.ts'
export { type Stage, stages } from './delivery/stage.ts'
export type { SendOptions, Transport, TransportLoad } from './delivery/transport.ts'
export { buildDsn, type DsnFields } from './dsn/build-dsn.ts'
export { type DsnInspection, type InspectedTransport, inspectDsn } from './dsn/inspect-dsn.ts'
export { describeDsn, maskDsn } from './dsn/mask-dsn.ts'
export { type ParseDsnOptions, parseDsn } from './dsn/parse-dsn.ts'
export type { ParsedDsn } from './dsn/parsed-dsn.ts'
export { unmaskDsn } from './dsn/unmask-dsn.ts'
export { DsnError, type DsnErrorCode } from './grammar/dsn-error.ts'
export type { Mailer, MailerOptions, MailerTimeouts } from './mailer.ts'
export {
  type AttachmentFields,
  composeMessage,
  type MessageFields,
} from './message/compose-message.ts'
export type { Envelope, Message, NotificationRequest } from './message/message.ts'
export type { OutboundRules } from './policy/outbound-policy.ts'
export type { StageReport, TestOptions, TestReport } from './probe/test-report.ts'
export { Secret, secretMask } from './secret.ts'
export type { Capture, CaptureResult, SentThrough } from './transports/capture.ts'
