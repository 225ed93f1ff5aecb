export { sendingMigrations } from './migrations.ts'
export { openSending, type Sending } from './sending.ts'
