export { encodeDisplayName, encodeHeaderText } from './encoded-words.ts'
export { TooLargeToRender } from './find-tokens.ts'
export {
  decodeValue,
  type MessageHead,
  readShownHeaders,
  type ShownHeader,
  storedSubject,
} from './message-head.ts'
export { composeNotification } from './notifications/compose-notification.ts'
export { statusOf } from './notifications/delivery-status.ts'
export type { FailedRecipient, NotifiedMessage } from './notifications/notification.ts'
export { readReturnedHeader } from './notifications/returned-header.ts'
export { encodeQuotedPrintable } from './quoted-printable.ts'
export {
  type RelayedMessage,
  readMessage,
  readRendered,
} from './read-message.ts'
export { renderTokens } from './render-tokens.ts'
export { StepRunner } from './steps.ts'
export {
  type ContactToken,
  createLintText,
  escapeHtml,
  isLinkToken,
  type LinkTokenName,
  linkTokenNames,
  parseTokens,
  type Segment,
  type TextKind,
  type Token,
} from './tokens.ts'
