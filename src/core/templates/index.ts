export { refuseFaults, renderFailed } from './errors.ts'
export { createLintTemplate, type LintTemplate } from './lint-template.ts'
export { listSharedNames, type SharedName } from './name-remarks.ts'
export {
  type ReadContactData,
  readSource,
  readVariables,
  sourceBody,
  variableMembers,
} from './render-routes.ts'
export { createRenderTemplate } from './render-template.ts'
export { addTemplateRoutes } from './routes.ts'
export { openTemplates, type Templates } from './service.ts'
export type { TemplateRow, TemplateTables } from './table.ts'
export { templateMigrations } from './table.ts'
export type { FindIncludingEmails } from './template-in-use.ts'
export { findMeant, idName, keysOf, readIdName } from './template-names.ts'
export { type PendingTemplate, StoredTemplates, type TemplateSources } from './template-sources.ts'
export { createVersionPruner } from './version-pruner.ts'
export { Versions } from './versions.ts'
