import Type from 'typebox'
import { addResourceRoutes, type Callers, type HttpApp } from '../http/index.ts'
import type { Caller } from '../kit/caller.ts'
import { clientShape } from './clients/client-schema.ts'
import type { Clients } from './clients/clients.ts'
import { roleShape } from './roles/role-schema.ts'
import type { Roles } from './roles/roles.ts'
import { type UserItem, userExample, userItem, userShape } from './users/user-schema.ts'
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

/** Who am I? Not wrapped, as in Mautic. */
function addSelfRoute(app: HttpApp, parts: AuthRouteParts): void {
  const schema = {
    operationId: 'getSelf',
    summary: 'Get the calling user',
    description: 'A client that acts for itself has names and a role; it has no id and no email.',
    tags: ['users'],
    response: { 200: Type.Partial(userItem, { examples: [userExample] }) },
  }
  const config = { permission: 'authenticated' as const }
  app.get('/api/users/self', { schema, config }, async (request) => {
    const caller = parts.callers.of(request)
    if (caller.clientId !== undefined) return presentClientCaller(caller.clientId, caller, parts)
    return (await parts.users.get(caller.userId ?? 0, caller)).item
  })
}

/** As Mautic shows a client that acts for itself: like a user who is nowhere among the users. */
async function presentClientCaller(
  clientId: number,
  caller: Caller,
  { clients, roles }: AuthRouteParts,
): Promise<Partial<UserItem>> {
  const { name, role } = (await clients.get(clientId, caller)).item
  return {
    username: caller.name,
    firstName: name,
    lastName: `[${clientId}]`,
    role: role === null ? null : (await roles.get(role, caller)).item,
    isPublished: true,
  }
}
