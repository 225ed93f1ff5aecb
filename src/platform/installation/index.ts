export {
  describeUnconfirmed,
  findUnconfirmed,
  Installation,
} from './installation.ts'
export { addInstallationRoutes } from './routes.ts'
export { unconfirmed } from './schema.ts'
export { installationMigrations } from './table.ts'
