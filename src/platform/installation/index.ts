export {
  describeUnconfirmed,
  findUnconfirmed,
  Installation,
  markRestored,
} from './installation.ts'
export { addInstallationRoutes } from './routes.ts'
export { unconfirmed } from './schema.ts'
export { installationMigrations } from './table.ts'
