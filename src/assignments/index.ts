export { addAssignmentRoutes } from './routes.ts'
export { type Assignments, openAssignments } from './service.ts'
export {
  type AssignmentStore,
  countUses,
  describeUserAssignment,
  describeUses,
  openAssignmentStore,
} from './store.ts'
export { assignmentMigrations } from './table.ts'
