import Type from 'typebox'
import { type Callers, type HttpApp, idParameter, readId } from '../http/index.ts'
import type { MauticFinder } from '../mautic/index.ts'
import type { Storage } from '../storage/index.ts'
import { createAssignMany } from './assign-many.ts'
import {
  type AssignmentCallers,
  createAssignmentCallers,
  namespaceQuery,
} from './assignment-callers.ts'
import { openAssignmentLists } from './lists.ts'
import { addManyAssignmentRoutes } from './many-routes.ts'
import {
  emailAssignmentAnswer,
  emailAssignmentInput,
  userAssignmentAnswer,
  userAssignmentInput,
} from './schema.ts'
import type { Assignments } from './service.ts'
import type { MauticDirectory } from './targets.ts'

/** Dependencies of the assignment routes. */
export interface AssignmentRouteParts {
  assignments: Assignments
  storage: Storage
  mautics: MauticDirectory & MauticFinder
  callers: Callers
}

interface RouteParts {
  assignments: Assignments
  callers: AssignmentCallers
}

const tags = ['multipleTransports']

/** Adds `/api/multipleTransport/transportEmail/{emailId}` and `…/transportUser/{userId}`, their lists and batches. */
export function addAssignmentRoutes(app: HttpApp, parts: AssignmentRouteParts): void {
  const { assignments, storage, mautics } = parts
  const lists = openAssignmentLists(storage)
  const callers = createAssignmentCallers(parts.callers, mautics)
  addManyAssignmentRoutes(app, { lists, assignMany: createAssignMany(storage, mautics), callers })
  addEmailRoutes(app, { assignments, callers })
  addUserRoutes(app, { assignments, callers })
}

/** The texts of the routes. */
const operations = {
  getEmail: { operationId: 'getEmailTransport', summary: 'Get the transport of an email' },
  assignEmail: { operationId: 'assignEmailTransport', summary: 'Assign a transport to an email' },
  clearEmail: {
    operationId: 'unassignEmailTransport',
    summary: 'Unassign the transport of an email',
  },
  getUser: { operationId: 'getUserTransport', summary: 'Get the transport of a user' },
  assignUser: { operationId: 'assignUserTransport', summary: 'Assign a transport to a user' },
  clearUser: { operationId: 'unassignUserTransport', summary: 'Unassign the transport of a user' },
}

function addEmailRoutes(app: HttpApp, { assignments, callers }: RouteParts): void {
  const url = '/api/multipleTransport/transportEmail/:emailId'
  const common = {
    tags,
    params: Type.Object({ emailId: idParameter('Id of the email.') }),
    querystring: namespaceQuery,
    response: { 200: emailAssignmentAnswer },
  }
  const editing = { permission: ['multipleTransports:edit', 'email:view'] as const }
  const viewing = { permission: ['multipleTransports:view', 'email:view'] as const }
  const getting = { config: viewing, schema: { ...common, ...operations.getEmail } }
  app.get(url, getting, async (request) =>
    assignments.getForEmail(readId(request.params.emailId), await callers.of(request)),
  )
  const schema = { ...common, ...operations.assignEmail, body: emailAssignmentInput }
  app.post(url, { config: editing, schema }, async (request) => {
    const caller = await callers.of(request)
    return assignments.assignToEmail(readId(request.params.emailId), request.body, caller)
  })
  const clearing = { config: editing, schema: { ...common, ...operations.clearEmail } }
  app.delete(url, clearing, async (request) => {
    const caller = await callers.of(request)
    return assignments.assignToEmail(readId(request.params.emailId), { transportId: null }, caller)
  })
}

function addUserRoutes(app: HttpApp, { assignments, callers }: RouteParts): void {
  const url = '/api/multipleTransport/transportUser/:userId'
  const common = {
    tags,
    params: Type.Object({ userId: idParameter('Id of the user.') }),
    querystring: namespaceQuery,
    response: { 200: userAssignmentAnswer },
  }
  const editing = { permission: ['multipleTransports:edit', 'user:view'] as const }
  const viewing = { permission: ['multipleTransports:view', 'user:view'] as const }
  const getting = { config: viewing, schema: { ...common, ...operations.getUser } }
  app.get(url, getting, async (request) =>
    assignments.getForUser(readId(request.params.userId), await callers.of(request)),
  )
  const schema = { ...common, ...operations.assignUser, body: userAssignmentInput }
  app.post(url, { config: editing, schema }, async (request) => {
    const caller = await callers.of(request)
    const { transportId } = request.body
    return assignments.assignToUser(readId(request.params.userId), transportId, caller)
  })
  const clearing = { config: editing, schema: { ...common, ...operations.clearUser } }
  app.delete(url, clearing, async (request) =>
    assignments.assignToUser(readId(request.params.userId), null, await callers.of(request)),
  )
}
