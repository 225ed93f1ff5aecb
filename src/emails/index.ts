export { installSampleEmail } from './install.ts'
export { emailMigrations } from './migrations.ts'
export { addEmailRoutes } from './routes.ts'
export type { EmailItem } from './schema.ts'
export { type Emails, openEmails } from './service.ts'
export type { EmailRow, EmailTables } from './table.ts'
export {
  checkTemplatePermission,
  type EmailTexts,
} from './template-permission.ts'
