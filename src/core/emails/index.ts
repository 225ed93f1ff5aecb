export { checkTemplatePermission, type EmailTexts } from './email-texts.ts'
export { type EmailItem, emailDraft, emailShape } from './schema.ts'
export { type Emails, installSampleEmail, openEmails } from './service.ts'
export { type EmailRow, type EmailTables, emailMigrations, namesTransport } from './table.ts'
