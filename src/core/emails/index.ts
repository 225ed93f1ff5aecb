export { EmailReferences } from './dependents/email-references.ts'
export { createMeasureImpact } from './dependents/impact.ts'
export { addDependentRoutes } from './dependents/routes.ts'
export {
  createFindDependents,
  createFindIncludingEmails,
  TemplateGraph,
} from './dependents/template-graph.ts'
export { checkTemplatePermission } from './email-texts.ts'
export { createRenderWebview } from './links/render-webview.ts'
export { addLinkRoutes } from './links/routes.ts'
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
export { emailDraft, emailShape } from './schema.ts'
export { type Emails, installSampleEmail, openEmails } from './service.ts'
export { type EmailRow, type EmailTables, emailMigrations, namesTransport } from './table.ts'
