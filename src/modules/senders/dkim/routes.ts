import Type from 'typebox'
import { type Callers, type HttpApp, idParameters, readId } from '../../../platform/http/index.ts'
import { addResourceRoutes } from '../../../platform/resource/index.ts'
import type { Dkim } from './dkim.ts'
import { dkimKeyItem, dkimKeyShape } from './schema.ts'

/** Adds `/api/dkimKeys`. */
export function addDkimRoutes(
  app: HttpApp,
  { dkim, callers }: { dkim: Dkim; callers: Callers },
): void {
  addResourceRoutes(app, dkimKeyShape, { service: dkim.records, callers })
  const schema = {
    operationId: 'checkDKIMKey',
    summary: 'Look up the record of a DKIM key now',
    description:
      'Looks up the record of the key, and answers the key as it is then. DNS servers keep an answer that a record is missing for some ' +
      'minutes. A DNS server that does not answer changes nothing.',
    tags: ['dkimKeys'],
    params: idParameters,
    response: { 200: Type.Object({ dkimKey: dkimKeyItem }) },
  }
  const config = { permission: 'multipleTransports:edit' as const }
  app.post('/api/dkimKeys/:id/check', { schema, config }, async (request) => {
    const caller = callers.of(request)
    const { id } = await dkim.records.getRow(readId(request.params.id), caller)
    await dkim.checker.check(id, caller)
    const { item } = await dkim.records.get(id, caller)
    return { dkimKey: item }
  })
}
