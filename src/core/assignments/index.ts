export {
  releaseEmail,
  releaseTransport,
  restoreEmail,
  restoreTransport,
} from './release-transport.ts'
export { addAssignmentRoutes } from './routes.ts'
export { Assignments } from './service.ts'
export {
  type AssignmentStore,
  type NamespaceAssignments,
  openAssignmentStore,
  removeMauticAssignments,
} from './store.ts'
export { assignmentMigrations } from './table.ts'
export type { AssignedKind } from './targets.ts'
export {
  countUses,
  describeUserAssignment,
  describeUses,
  readAssignedTransports,
  type TransportUses,
} from './uses.ts'
