export { brandAccess, defaultBrand, recordShared } from './brand-access.ts'
export { ownedBy, seenBy } from './brand-conditions.ts'
export {
  type Consequence,
  faultsPerItem,
  type ItemToPrepare,
  type ItemToRemove,
  type ItemToTest,
  type ItemToWrite,
  joinConsequences,
  type RecordUse,
  type Released,
  type ResourceAccess,
  type RestoredItem,
  type WriteTest,
  type WrittenItems,
} from './definition.ts'
export { DeletedRecords, findDeletedNames, findDeletedRows } from './deleted/deleted-records.ts'
export { Dependents } from './deleted/dependents.ts'
export { deletedRecordMigrations } from './deleted/table.ts'
export {
  describeParameters,
  type ListParameter,
  oneOf,
  parseListQuery,
} from './list-query/parse-list-query.ts'
export { openResource, type Resource } from './open-resource.ts'
export {
  addressField,
  brandField,
  type ColumnsOf,
  flagField,
  isPublishedField,
  jsonField,
  nameField,
  optionalJsonField,
  plainField,
  recordFields,
  referenceField,
  textField,
} from './record-fields.ts'
export type {
  Entry,
  EntryChange,
  EntryRemoval,
  RemovalContext,
  ResourceService,
  SaveContext,
  SeenRevisions,
} from './resource-service.ts'
export type { ListExtra, ResourceShape } from './resource-shape.ts'
export { batchAnswer, batchAnswerMembers } from './routes/batch-answer.ts'
export { readItems, runItems, validateItems } from './routes/batch-request.ts'
export { sendBatch } from './routes/batch-routes.ts'
export { addPagedRoute } from './routes/list-route.ts'
export { addResourceRoutes } from './routes/resource-routes.ts'
export { mauticStamps, namedStamps } from './stamps.ts'
