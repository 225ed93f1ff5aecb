export { type MauticRow, type MauticTables, mauticMigrations } from './table.ts'
