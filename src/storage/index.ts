export { type DatabaseKind, databaseKind } from './databases.ts'
export { type Keyring, openKeyring, type Sealer } from './keyring/keyring.ts'
export {
  createSecretKey,
  findSecretKey,
  isPrivateFile,
  newSecretKey,
  replaceSecretKey,
  secretKeyPath,
} from './keyring/secret-key-file.ts'
export { keyringMigrations } from './keyring/table.ts'
export { type ListTable, listRows, type RowList } from './list.ts'
export { type Migrations, migrate } from './migrate.ts'
export {
  changeStamp,
  createRecordTable,
  createTableWithId,
  creationStamp,
  type RecordColumns,
} from './record.ts'
export { openStorage, type Storage } from './storage.ts'
export { ConstraintError, isUniqueViolation } from './storage-error.ts'
