export {
  type EndingTransport,
  examineStoredDsns,
  readDsns,
  type StoredDsnReport,
} from './examine-stored-dsns.ts'
export type { GoogleEndpoints } from './google/google-consent.ts'
export { GoogleSignIn } from './google/google-sign-in.ts'
export { findLastTest, openLastTests } from './last-tests.ts'
export { compareLoginEnds, type EndingLoginItem, presentEndingLogins } from './login-end.ts'
export { type FindByName, openNameLookup, transportNameAmbiguous } from './name-lookup.ts'
export { RefreshTokens } from './refresh-tokens.ts'
export { addTransportRoutes } from './routes.ts'
export { type TransportItem, transportItem } from './schema.ts'
export { mayEdit, openTransports, type Transports } from './service.ts'
export {
  type TransportRow,
  type TransportTables,
  transportMigrations,
} from './table.ts'
export { type AlignmentQuestion, createTransportTest } from './test-message.ts'
export { findTransportBrands, findTransportNames } from './transport-ids.ts'
