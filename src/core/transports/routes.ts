import type { Clock } from '../../kit/clock.ts'
import type { ParseDsnOptions } from '../../libraries/mailer/index.ts'
import type { Callers, HttpApp } from '../../platform/http/index.ts'
import { addResourceRoutes, type ListExtra } from '../../platform/resource/index.ts'
import { addDsnRoutes } from './dsn-routes.ts'
import { addGoogleRoutes } from './google/google-routes.ts'
import type { GoogleSignIn } from './google/google-sign-in.ts'
import type { LastTests } from './last-tests.ts'
import { transportShape, usageSchema } from './schema.ts'
import type { Transports } from './service.ts'
import type { TestTransport } from './test-message.ts'
import { addTestRoutes } from './test-routes.ts'

export interface TransportRouteParts {
  transports: Transports
  sendTest: TestTransport
  googleSignIn: GoogleSignIn
  lastTests: LastTests
  /** What depends on transports, in the order of the ids. */
  countUses: ListExtra['find']
  callers: Callers
  clock: Clock
  dsnOptions: ParseDsnOptions
  /** The DSN of the configured default transport; undefined for none. */
  defaultDsn: string | undefined
}

/** Adds `/api/multipleTransports`, its tests, the providers and DSNs, the sign-in with Google, and the log-ins that end. */
export function addTransportRoutes(app: HttpApp, parts: TransportRouteParts): void {
  const { transports, callers, lastTests, countUses } = parts
  addDsnRoutes(app, parts)
  addTestRoutes(app, parts)
  addGoogleRoutes(app, parts)
  const extras = { usage: { schema: usageSchema, find: countUses }, lastTest: lastTests.extra }
  addResourceRoutes(app, transportShape, { service: transports, callers, extras })
}
