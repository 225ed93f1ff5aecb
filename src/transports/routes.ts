import type { Callers, HttpApp } from '../http/index.ts'
import type { ParseDsnOptions } from '../mailer/index.ts'
import { addResourceRoutes, type ListExtra } from '../resource/index.ts'
import { addDsnRoutes } from './dsn-routes.ts'
import { addGoogleRoutes } from './google/google-routes.ts'
import type { GoogleSignIn } from './google/google-sign-in.ts'
import type { LastTests } from './last-tests.ts'
import { transportShape, usageSchema } from './schema.ts'
import type { Transports } from './service.ts'
import type { SendTest } from './test-message.ts'
import { addTestRoutes } from './test-routes.ts'

/** Dependencies of the transport routes. */
export interface TransportRouteParts {
  transports: Transports
  sendTest: SendTest
  googleSignIn: GoogleSignIn
  lastTests: LastTests
  /** How many emails and users transports are assigned to, in the order of the ids. */
  countUses: ListExtra['find']
  callers: Callers
  dsnOptions: ParseDsnOptions
}

/** Adds `/api/multipleTransports`, its tests, the providers and DSNs, and the sign-in with Google. */
export function addTransportRoutes(app: HttpApp, parts: TransportRouteParts): void {
  const { transports, callers, lastTests, countUses } = parts
  addDsnRoutes(app, parts)
  addTestRoutes(app, parts)
  addGoogleRoutes(app, parts)
  const extras = { usage: { schema: usageSchema, find: countUses }, lastTest: lastTests.extra }
  addResourceRoutes(app, transportShape, { service: transports, callers, extras })
}
