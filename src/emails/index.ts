export {
  checkTemplatePermission,
  type EmailTexts,
} from './email-texts.ts'
export { type EmailItem, emailDraft, emailShape } from './schema.ts'
export { type Emails, installSampleEmail, openEmails } from './service.ts'
export type { EmailRow, EmailTables } from './table.ts'
export { emailMigrations, namesTransport } from './table.ts'
