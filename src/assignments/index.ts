export { assignmentMigrations } from './migrations.ts'
export { addAssignmentRoutes } from './routes.ts'
export { type Assignments, openAssignments } from './service.ts'
export { type AssignmentStore, openAssignmentStore } from './store.ts'
