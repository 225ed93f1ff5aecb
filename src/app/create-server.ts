import { readFileSync } from 'node:fs'
import { addAssignmentRoutes } from '../assignments/index.ts'
import { addContactRoutes } from '../contacts/index.ts'
import { addEmailRoutes } from '../emails/index.ts'
import {
  addHealthRoutes,
  addOpenApi,
  createCallers,
  createHttpServer,
  type HttpApp,
} from '../http/index.ts'
import { addTemplateRoutes, createRenderTemplate, openVersions } from '../templates/index.ts'
import { addTransportRoutes, createSendTest } from '../transports/index.ts'
import type { App, AppOptions } from './app-parts.ts'
import { dsnOptionsOf } from './open-rooms.ts'

/** The version of this Mailyard. */
export const version: string = readVersion()

/** The HTTP door of an app. It listens nowhere yet. */
export function createServer(app: App, { config, log, createSecret }: AppOptions): HttpApp {
  const { auth, emails, contacts, transports, templates, assignments, mailer } = app
  const callers = createCallers()
  const server = createHttpServer({
    log,
    createRequestId: createRequestIds(createSecret()),
    trustedProxies: config.trustedProxies,
  })
  const dsnOptions = dsnOptionsOf(config)
  const sendTest = createSendTest({ mailer, mailerFrom: config.mailerFrom, log })
  addOpenApi(server, { version, tags: [] })
  addHealthRoutes(server, () => app.storage.ping())
  auth.addGuard(server, callers)
  auth.addRoutes(server, callers)
  addEmailRoutes(server, { emails, callers })
  addContactRoutes(server, { contacts, callers })
  addTransportRoutes(server, { transports, sendTest, callers, dsnOptions })
  addTemplateRoutes(server, {
    ...app,
    callers,
    render: createRenderTemplate(app.twig, app.templateSources),
    versions: openVersions(app.storage, templates),
  })
  addAssignmentRoutes(server, { assignments, callers })
  app.sending.addRoutes(server, callers)
  return server
}

/** Short ids that no other process gives. */
function createRequestIds(seed: string): () => string {
  const prefix = seed.slice(0, 8)
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}

function readVersion(): string {
  const path = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
