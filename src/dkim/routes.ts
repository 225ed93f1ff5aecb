import Type from 'typebox'
import { type Callers, type HttpApp, idParameters, readId } from '../http/index.ts'
import { addResourceRoutes } from '../resource/index.ts'
import type { Dkim } from './dkim.ts'
import { dkimKeyItem, dkimKeyShape, rotationInput } from './schema.ts'

/** What the routes of DKIM keys need. */
export interface DkimRouteParts {
  dkim: Dkim
  callers: Callers
}

const tags = ['dkimKeys']
const response = { 200: Type.Object({ dkimKey: dkimKeyItem }) }
const config = { permission: 'multipleTransports:edit' as const }

/** Adds `/api/dkimKeys`. */
export function addDkimRoutes(app: HttpApp, { dkim, callers }: DkimRouteParts): void {
  addResourceRoutes(app, dkimKeyShape, { service: dkim.records, callers })
  addCheckRoute(app, { dkim, callers })
  addRotationRoutes(app, { dkim, callers })
}

function addCheckRoute(app: HttpApp, { dkim, callers }: DkimRouteParts): void {
  const schema = {
    operationId: 'checkDKIMKey',
    summary: 'Look up the records of a DKIM key now',
    description:
      'Looks up the record of the key, that of its rotation and those that can be removed, and answers the key as it is then. DNS ' +
      'servers keep an answer that a record is missing for some minutes. A DNS server that does not answer changes no state.',
    tags,
    params: idParameters,
    response,
  }
  app.post('/api/dkimKeys/:id/check', { schema, config }, async (request) => {
    const caller = callers.of(request)
    const { id } = await dkim.records.getRow(readId(request.params.id), caller)
    await dkim.check(id, caller)
    const { item } = await dkim.records.get(id, caller)
    return { dkimKey: item }
  })
}

function addRotationRoutes(app: HttpApp, { dkim, callers }: DkimRouteParts): void {
  const rotate = {
    operationId: 'rotateDKIMKey',
    summary: 'Replace a DKIM key without a gap',
    description:
      'Creates the next key, whose record is in `next`. The current key signs until that record is found in DNS; then the next one ' +
      'takes its place, and the current private key is deleted. During a rotation, the same request answers the same `next`; one with ' +
      'another selector or algorithm replaces it.',
    tags,
    params: idParameters,
    body: Type.Optional(rotationInput),
    response,
  }
  app.post('/api/dkimKeys/:id/rotate', { schema: rotate, config }, async (request) => {
    const caller = callers.of(request)
    const { id } = await dkim.records.getRow(readId(request.params.id), caller)
    await dkim.rotate(id, request.body ?? {}, caller)
    const { item } = await dkim.records.get(id, caller)
    return { dkimKey: item }
  })
  const cancel = {
    operationId: 'cancelDKIMKeyRotation',
    summary: 'Cancel the rotation of a DKIM key',
    description:
      'Deletes the next key. The current one stays. Remove the record of the next one from DNS if it is there already.',
    tags,
    params: idParameters,
    response,
  }
  app.post('/api/dkimKeys/:id/cancelRotation', { schema: cancel, config }, async (request) => {
    const caller = callers.of(request)
    const { id } = await dkim.records.getRow(readId(request.params.id), caller)
    await dkim.cancelRotation(id, caller)
    const { item } = await dkim.records.get(id, caller)
    return { dkimKey: item }
  })
}
