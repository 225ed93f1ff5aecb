import Type from 'typebox'
import { addResourceRoutes, type Callers, type HttpApp } from '../http/index.ts'
import { clientShape } from './clients/client-schema.ts'
import type { Clients } from './clients/clients.ts'
import { roleShape } from './roles/role-schema.ts'
import type { Roles } from './roles/roles.ts'
import { userItem, userShape } from './users/user-schema.ts'
import type { Users } from './users/users.ts'

/** What the routes of users, roles and clients are made of. */
export interface AuthRouteParts {
  users: Users
  roles: Roles
  clients: Clients
  callers: Callers
}

/** Adds `/api/users`, `/api/users/self`, `/api/roles` and `/api/oauthClients`. */
export function addAuthRoutes(app: HttpApp, parts: AuthRouteParts): void {
  const { users, roles, clients, callers } = parts
  addSelfRoute(app, parts)
  addResourceRoutes(app, userShape, { service: users, callers })
  addResourceRoutes(app, roleShape, { service: roles, callers })
  addResourceRoutes(app, clientShape, { service: clients, callers })
}

/** Who am I? Not wrapped, as in Mautic; a client that acts for itself has a name and no id. */
function addSelfRoute(app: HttpApp, { users, callers }: AuthRouteParts): void {
  const schema = {
    summary: 'Get the calling user',
    tags: ['users'],
    response: { 200: Type.Partial(userItem) },
  }
  const config = { permission: 'authenticated' as const }
  app.get('/api/users/self', { schema, config }, async (request) => {
    const caller = callers.of(request)
    if (caller.userId !== undefined) return (await users.get(caller.userId, caller)).item
    return { isPublished: true, username: caller.name }
  })
}
