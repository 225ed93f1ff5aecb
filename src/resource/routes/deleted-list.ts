import Type, { type TSchema } from 'typebox'
import { type Query, text } from '../../http/index.ts'
import type { ListQuery } from '../../storage/index.ts'
import { deletedFields } from '../deleted/deleted-records.ts'
import { parseListQuery } from '../list-query/parse-list-query.ts'
import type { ListShape } from '../resource-shape.ts'

/** The query parameter of a list that asks for the deleted records. */
export const deletedParameter = text(
  '`1`: lists the deleted entries that can be restored, with `dateDeleted` and `deletedBy`, the last deleted first.',
)

/** What the entries of a list of deleted records have besides. */
export const deletedMembers: Record<string, TSchema> = {
  dateDeleted: Type.Optional(
    Type.String({ format: 'date-time', description: 'With `deleted=1`: when it was deleted.' }),
  ),
  deletedBy: text('With `deleted=1`: who deleted it.'),
}

/** Reads the query of a list of deleted records, which has fewer fields. Throws an AppError (`invalid`) with every fault. */
export function parseDeletedQuery(
  query: Query,
  { parameters = {}, listLimit }: ListShape,
): ListQuery {
  const unavailable = { fault: 'is not available with deleted=1', toFilter: () => undefined }
  const names = [...Object.keys(parameters), 'with']
  return parseListQuery(query, {
    fields: deletedFields,
    parameters: Object.fromEntries(names.map((name) => [name, unavailable])),
    limit: listLimit,
  })
}
