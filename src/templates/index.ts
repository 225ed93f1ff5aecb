export { templateMigrations } from './migrations.ts'
export { addTemplateRoutes } from './routes.ts'
export { openTemplates, type Templates } from './service.ts'
export type { TemplateRow, TemplateTables } from './table.ts'
