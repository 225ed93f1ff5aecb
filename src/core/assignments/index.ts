export { addAssignmentRoutes } from './routes.ts'
export { Assignments } from './service.ts'
export {
  type AssignmentStore,
  type NamespaceAssignments,
  openAssignmentStore,
} from './store.ts'
export { assignmentMigrations } from './table.ts'
export type { AssignedKind } from './targets.ts'
export {
  countUses,
  describeUses,
  readAssignedTransports,
  type TransportUses,
} from './uses.ts'
