/** Sends messages through the mail transport of a DSN. Every failure says what to do about it. */

/** @internal The requests of Mailyard itself: the types need those of Node and undici. */
export { type HttpResponse, retryAfterMs } from './connect/http-message.ts'
export { createResolveAllowed, type ResolveAllowed } from './connect/outbound.ts'
/** @internal */
export { OutboundClient } from './connect/outbound-client.ts'
export { OutboundError } from './connect/outbound-error.ts'
export type { Capture, CaptureResult, SentThrough } from './delivery/capture.ts'
export type {
  Attempt,
  DeliveryResult,
  RecipientResult,
  SendOutcome,
} from './delivery/delivery-result.ts'
export {
  type Fault,
  type FaultCode,
  type FaultScope,
  quoteReply,
  type ServerReply,
} from './delivery/fault.ts'
export type { RecipientGuard } from './delivery/recipient-guard.ts'
export { classOfReply, type ReplyClass, replyClasses } from './delivery/reply-class.ts'
export type { ConnectionPermit, SharedConnections } from './delivery/shared-connections.ts'
export type { OpenRate, RatePermit, SendRate } from './delivery/shared-rate.ts'
export { type Stage, stages } from './delivery/stage.ts'
export type { SendOptions, Transport, TransportLoad } from './delivery/transport.ts'
export type {
  DkimKey,
  DkimKeys,
  DkimPrivateKey,
  UnsignedCause,
  UnsignedMessage,
} from './dkim/dkim-keys.ts'
export type {
  ProviderDomains,
  ProviderSelector,
  ReturnPathRecord,
} from './domains/provider-domains.ts'
export { buildDsn, type DsnFields } from './dsn/build-dsn.ts'
export { type BuiltDsn, buildDsnForm, type DsnFormInput } from './dsn/build-dsn-form.ts'
export {
  describeProviders,
  type ProviderDescription,
  type VariantDescription,
} from './dsn/describe-providers.ts'
export { type DsnForm, type FieldValue, readDsnForm } from './dsn/dsn-form.ts'
export { type EndingLogin, listEndingLogins } from './dsn/ending-logins.ts'
export {
  accountsOf,
  type EventProvider,
  eventProvidersOf,
  findProviderWebhooks,
  possibleProvidersOf,
} from './dsn/event-providers.ts'
export { type DsnInspection, type InspectedTransport, inspectDsn } from './dsn/inspect-dsn.ts'
export { describeDsn, maskDsn, unmaskDsn } from './dsn/mask-dsn.ts'
export { type ParseDsnOptions, parseDsn } from './dsn/parse-dsn.ts'
export type { ParsedDsn } from './dsn/parsed-dsn.ts'
export { listSendingLeaves, type SendingLeaf } from './dsn/sending-leaves.ts'
export { meaningOfFeedback } from './events/event-fields.ts'
export {
  type EventType,
  eventTypes,
  type ProviderEvent,
  type ProviderWebhooks,
  type Verification,
  type VerifyOptions,
  WebhookError,
  type WebhookRequest,
} from './events/provider-webhooks.ts'
export { DsnError, type DsnErrorCode } from './grammar/dsn.ts'
export { createMailer, type Mailer, type OpenOptions } from './mailer.ts'
export type { MailerOptions, MailerTimeouts } from './mailer-options.ts'
export { asciiDomain } from './message/ascii-domain.ts'
export {
  type AttachmentFields,
  composeMessage,
  type MessageFields,
} from './message/compose-message.ts'
export { type RawHeader, readHeaders } from './message/headers.ts'
export { type Envelope, isMailAddress, type Message } from './message/message.ts'
export type { RefreshTokenStore } from './oauth/refresh-token-store.ts'
export type { OutboundRules } from './policy/outbound-policy.ts'
export type { StageEvent, StageReport, TestOptions, TestReport } from './probe/test-report.ts'
export type { AccountLimitsDescription } from './providers/provider.ts'
export type { FieldDescription, StepDescription } from './providers/provider-form.ts'
export { Secret, secretMask } from './secret.ts'
