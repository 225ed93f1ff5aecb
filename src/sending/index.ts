export { sendingMigrations } from './migrations.ts'
export { createLintText } from './rendering/lint-text.ts'
export { openSending, type Sending } from './sending.ts'
