import { join } from 'node:path'
import type { Core } from '../core/core.ts'
import type { Module } from '../core/module.ts'
import { addCoreRoutes } from '../core/routes.ts'
import { openConsole, tagGroups, tags } from '../edges/console/index.ts'
import type { Gateway } from '../edges/gateway/index.ts'
import { readVersion } from '../kit/read-version.ts'
import {
  addHealthRoutes,
  addOpenApi,
  Callers,
  createHttpServer,
  type DeclaredRoute,
  type HttpApp,
} from '../platform/http/index.ts'
import type { AppOptions } from './database.ts'

/** Where `npm run build:web` puts the console, for the sources and for the package. */
const consoleFolder = join(import.meta.dirname, '../../web/dist')

/** What the server shows. */
type ServedApp = Omit<Core, 'start' | 'idle' | 'stop'> & {
  gateway: Gateway
  modules: readonly Module[]
}

/** Creates the HTTP server of an app. It does not listen yet. `onRoute` is called for each route. */
export async function createServer(
  app: ServedApp,
  options: Pick<AppOptions, 'command' | 'createSecret'>,
  onRoute?: (route: DeclaredRoute) => void,
): Promise<HttpApp> {
  const { gateway, modules, auth, storage, answered } = app
  const { command } = options
  const callers = new Callers()
  const console = openConsole({ folder: consoleFolder })
  const server = createHttpServer({
    sendPage: console.sendPage,
    onRoute,
    callers,
    memory: app.memory,
    log: app.log,
    work: app.work,
    createRequestId: createRequestIds(options.createSecret()),
    trustedProxies: app.config.trustedProxies,
    onAnswered: (request, reply) => answered.tell(request, reply),
    reroute: gateway.reroute,
    paths: command?.paths,
  })
  // The guard applies to routes that are added later.
  auth.addGuard(
    server,
    callers,
    command === undefined ? gateway.findCaller : async () => command.caller,
  )
  addOpenApi(server, { version: readVersion(), tags, tagGroups })
  if (command === undefined) await console.addRoutes(server)
  addHealthRoutes(server, () => storage.ping())
  await auth.addRoutes(server, callers)
  addCoreRoutes(server, callers, app)
  for (const module of modules) module.addRoutes?.(server, callers)
  await gateway.addRoutes(server)
  return server
}

/** Returns a function that creates short ids, unique among all processes. */
function createRequestIds(seed: string): () => string {
  const prefix = seed.slice(0, 8)
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
