export type { DatabaseKind } from './databases.ts'
export {
  hasDataKeys,
  type Keyring,
  keyIdLength,
  openKeyring,
} from './keyring/keyring.ts'
export {
  commitSecretKey,
  createSecretKey,
  findSecretKey,
  findStagedSecretKey,
  isPrivateFile,
  secretKeyPath,
  stageSecretKey,
} from './keyring/secret-key-file.ts'
export { keyringMigrations } from './keyring/table.ts'
export { createLookUp } from './look-up.ts'
export { inspectMigrations, type MigrationState, type Migrations, migrate } from './migrate.ts'
export { newRecordStamp } from './records/insert-records.ts'
export type {
  ItemChange,
  RuleContext,
  WriteRules,
} from './records/record-rules.ts'
export {
  createRecordTable,
  createTableWithId,
  type RecordRow,
  type RecordTable,
} from './records/record-table.ts'
export { openRecords, type Records } from './records/records.ts'
export { isBeingServed, lockServing, type ServerLock } from './server-lock.ts'
export { explainStartFailure } from './start-failure.ts'
export { runQuery, type Statements } from './statements.ts'
export { openStorage, type Storage } from './storage.ts'
export { ConstraintError, isUniqueViolation, isUnstorable } from './storage-error.ts'
