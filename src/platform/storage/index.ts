export { brandsChannel, limitsChannel, routesChannel } from './channels.ts'
export type { ChangeStamp } from './database.ts'
export {
  checkDatabase,
  databaseFile,
  explainStartFailure,
  isBeingServed,
  lockServing,
  type ServerLock,
  wasLeftOpen,
} from './databases.ts'
export { excluded } from './excluded.ts'
export type { DatabaseFeatures } from './features.ts'
export {
  hasDataKeys,
  type Keyring,
  keyIdLength,
  openKeyring,
  type SealedBytes,
} from './keyring/keyring.ts'
export { SealedColumns } from './keyring/sealed-columns.ts'
export {
  commitSecretKey,
  createSecretKey,
  findSecretKey,
  findStagedSecretKey,
  isPrivateFile,
  secretKeyPath,
  stageSecretKey,
} from './keyring/secret-key-file.ts'
export { openSigningKey, resealSigningKeys } from './keyring/signing-keys.ts'
export { keyringMigrations } from './keyring/table.ts'
export type { ListReads } from './list-reads.ts'
export {
  inspectMigrations,
  type Migrated,
  type MigrationState,
  type Migrations,
  migrate,
} from './migrate.ts'
export { createPartitions, dropPartitions, ensurePartitions } from './partitions.ts'
export { dumpCommands } from './postgres/dump-commands.ts'
export type { Comparison, FieldType, Filter, ListQuery, Order } from './records/list-query.ts'
export { type ListTable, listRows, type RowList } from './records/list-rows.ts'
export { type ContinuedPage, cutPage, scanPage } from './records/pages.ts'
export { openRecordStore, type RecordStore } from './records/record-store.ts'
export {
  addBrand,
  createRecordTable,
  editStamp,
  indexBrands,
  newRecordStamp,
  type OwnColumns,
  type RecordRow,
  type RecordTable,
} from './records/record-table.ts'
export { backUpFile, removeFile, replaceFile, stageFile } from './sqlite/copy-file.ts'
export { createLookUp, type LookUp, openStorage, type Storage } from './storage.ts'
export { ConstraintError, changeQueue, isDiskFull, isUnstorable } from './storage-error.ts'
