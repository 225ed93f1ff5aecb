import { addAssignmentRoutes } from '../assignments/index.ts'
import { addContactRoutes, openSegments } from '../contacts/index.ts'
import { addEmailRoutes } from '../emails/index.ts'
import {
  addHealthRoutes,
  addOpenApi,
  addStartPage,
  createCallers,
  createHttpServer,
  type DeclaredRoute,
  type HttpApp,
} from '../http/index.ts'
import { addInboxRoutes } from '../inbox/index.ts'
import { readVersion } from '../kit/read-version.ts'
import { addTemplateRoutes, createRenderTemplate, openVersions } from '../templates/index.ts'
import { addTransportRoutes, createSendTest } from '../transports/index.ts'
import type { App, AppOptions } from './app-parts.ts'
import { dsnOptionsOf } from './open-rooms.ts'

/** What the API's description says of each group of routes. */
const tags = [
  {
    name: 'multipleTransports',
    description: 'Mail transports, their tests, and their assignment to emails and users.',
  },
  { name: 'twigTemplates', description: 'Twig templates, their versions, and rendering.' },
  { name: 'emails', description: 'Emails, and sending them to contacts.' },
  { name: 'sendings', description: 'Broadcasts: one email to many contacts.' },
  { name: 'deliveries', description: 'Every attempt to deliver a message, and its outcome.' },
  { name: 'inbox', description: 'Messages that `inbox://local` captured: captured, not sent.' },
  { name: 'contacts', description: 'The people whom emails are sent to.' },
  { name: 'users', description: 'The people who log in.' },
  { name: 'roles', description: 'The permissions of users and clients.' },
  { name: 'oauthClients', description: 'Applications that use the API with OAuth 2.0.' },
  { name: 'oauth', description: 'The token endpoint and the consent page.' },
  { name: 'health', description: 'Health checks for monitoring.' },
]

/** The HTTP door of an app. It listens nowhere yet; `onRoute` is told of each of its routes. */
export async function createServer(
  app: App,
  { config, log, createSecret }: AppOptions,
  onRoute?: (route: DeclaredRoute) => void,
): Promise<HttpApp> {
  const { auth, emails, contacts, transports, templates, assignments, mailer } = app
  const callers = createCallers()
  const server = createHttpServer({
    log,
    createRequestId: createRequestIds(createSecret()),
    trustedProxies: config.trustedProxies,
    onRoute,
  })
  const dsnOptions = dsnOptionsOf(config)
  const sendTest = createSendTest({ mailer, mailerFrom: config.mailerFrom, log })
  // Before every route, since it guards the ones that are added after it.
  auth.addGuard(server, callers)
  addOpenApi(server, { version: readVersion(), tags })
  addStartPage(server, { version: readVersion() })
  addHealthRoutes(server, () => app.storage.ping())
  auth.addRoutes(server, callers)
  addEmailRoutes(server, { emails, callers })
  addContactRoutes(server, { contacts, segments: openSegments(app.storage), callers })
  addTransportRoutes(server, { transports, sendTest, callers, dsnOptions })
  addTemplateRoutes(server, {
    ...app,
    callers,
    render: createRenderTemplate(app.twig, app.templateSources),
    versions: openVersions(app.storage, templates),
  })
  addAssignmentRoutes(server, { assignments, callers })
  addInboxRoutes(server, app.inbox)
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
