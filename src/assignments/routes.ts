import Type from 'typebox'
import { type Callers, type HttpApp, idParameter, readId } from '../http/index.ts'
import type { Storage } from '../storage/index.ts'
import { createAssignMany } from './assign-many.ts'
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
  mautics: MauticDirectory
  callers: Callers
}

const tags = ['multipleTransports']

/** Adds `/api/multipleTransport/transportEmail/{emailId}` and `…/transportUser/{userId}`, their lists and batches. */
export function addAssignmentRoutes(app: HttpApp, parts: AssignmentRouteParts): void {
  const { storage, mautics, callers } = parts
  const lists = openAssignmentLists(storage)
  addManyAssignmentRoutes(app, { lists, assignMany: createAssignMany(storage, mautics), callers })
  addEmailRoutes(app, parts)
  addUserRoutes(app, parts)
}

function addEmailRoutes(app: HttpApp, { assignments, callers }: AssignmentRouteParts): void {
  const url = '/api/multipleTransport/transportEmail/:emailId'
  const params = Type.Object({ emailId: idParameter('Id of the email.') })
  const common = { tags, params, response: { 200: emailAssignmentAnswer } }
  const editing = { permission: ['multipleTransports:edit', 'email:view'] as const }
  const viewing = { permission: ['multipleTransports:view', 'email:view'] as const }
  app.get(
    url,
    {
      config: viewing,
      schema: {
        ...common,
        operationId: 'getEmailTransport',
        summary: 'Get the transport of an email',
      },
    },
    (request) => assignments.getForEmail(readId(request.params.emailId), callers.of(request)),
  )
  app.post(
    url,
    {
      config: editing,
      schema: {
        ...common,
        operationId: 'assignEmailTransport',
        summary: 'Assign a transport to an email',
        body: emailAssignmentInput,
      },
    },
    (request) =>
      assignments.assignToEmail(readId(request.params.emailId), request.body, callers.of(request)),
  )
  app.delete(
    url,
    {
      config: editing,
      schema: {
        ...common,
        operationId: 'unassignEmailTransport',
        summary: 'Unassign the transport of an email',
      },
    },
    (request) =>
      assignments.assignToEmail(
        readId(request.params.emailId),
        { transportId: null },
        callers.of(request),
      ),
  )
}

function addUserRoutes(app: HttpApp, { assignments, callers }: AssignmentRouteParts): void {
  const url = '/api/multipleTransport/transportUser/:userId'
  const params = Type.Object({ userId: idParameter('Id of the user.') })
  const common = { tags, params, response: { 200: userAssignmentAnswer } }
  const editing = { permission: ['multipleTransports:edit', 'user:view'] as const }
  const viewing = { permission: ['multipleTransports:view', 'user:view'] as const }
  app.get(
    url,
    {
      config: viewing,
      schema: {
        ...common,
        operationId: 'getUserTransport',
        summary: 'Get the transport of a user',
      },
    },
    (request) => assignments.getForUser(readId(request.params.userId), callers.of(request)),
  )
  app.post(
    url,
    {
      config: editing,
      schema: {
        ...common,
        operationId: 'assignUserTransport',
        summary: 'Assign a transport to a user',
        body: userAssignmentInput,
      },
    },
    (request) =>
      assignments.assignToUser(
        readId(request.params.userId),
        request.body.transportId,
        callers.of(request),
      ),
  )
  app.delete(
    url,
    {
      config: editing,
      schema: {
        ...common,
        operationId: 'unassignUserTransport',
        summary: 'Unassign the transport of a user',
      },
    },
    (request) => assignments.assignToUser(readId(request.params.userId), null, callers.of(request)),
  )
}
