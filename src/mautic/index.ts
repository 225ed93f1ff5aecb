export type { Mautic } from './find-mautics.ts'
export { addMauticRoutes } from './routes.ts'
export { type Mautics, openMautics } from './service.ts'
export { type MauticRow, type MauticTables, mauticMigrations } from './table.ts'
