export { EmailReferences } from './dependents/email-references.ts'
export { createMeasureImpact } from './dependents/impact.ts'
export { addDependentRoutes } from './dependents/routes.ts'
export {
  createFindDependents,
  createFindIncludingEmails,
  TemplateGraph,
} from './dependents/template-graph.ts'
export {
  createIdentifyMessage,
  type IdentifyMessage,
  type MessageIdentity,
} from './identify/identify-message.ts'
export { createRenderWebview } from './links/render-webview.ts'
export { addLinkRoutes } from './links/routes.ts'
export { TooLargeToRender } from './message/find-tokens.ts'
export {
  decodeValue,
  type MessageHead,
  readShownHeaders,
  type ShownHeader,
  storedSubject,
} from './message/message-head.ts'
export { type RelayedMessage, readMessage, readRendered } from './message/read-message.ts'
export { renderTokens } from './message/render-tokens.ts'
export { FailureNotifications } from './notifications/failure-notifications.ts'
export type { FailedRecipient } from './notifications/notification.ts'
export {
  addUnsubscribeHeader,
  composeEmail,
  createIdentity,
  isEmpty,
  type Mailbox,
  type RenderedEmail,
  renderedEmpty,
} from './rendering/compose-email.ts'
export {
  type ContactData,
  contactMailbox,
  createReadContactData,
  openReadContact,
  strangerData,
} from './rendering/contact-data.ts'
export {
  findEmailFaults,
  refusalOf,
  warnOfEmail,
  warnOfTemplates,
} from './rendering/email-faults.ts'
export {
  type EmailRendererOptions,
  emailReferences,
  isLargeEmail,
  linksTo,
  readHeaders,
  renderEmail,
  renderNamedTransport,
  takeTurn,
} from './rendering/email-renderer.ts'
export { textOfHtml } from './rendering/html-text.ts'
export { linkValues, withSampleLinks } from './rendering/link-tokens.ts'
export { openLinks, previewLinks } from './rendering/links.ts'
export { dependsOnContact, findNamedTransport } from './rendering/named-transport.ts'
export { prepareTemplates } from './rendering/text-renderer.ts'
export { createLintText, escapeHtml } from './rendering/tokens.ts'
export { StepRunner } from './steps.ts'
