import Type from 'typebox'
import { formatDate, formatOptionalDate } from '../../kit/iso-date.ts'
import { nullable } from '../http/index.ts'
import type { RecordRow } from '../storage/index.ts'

const named = {
  dateAdded: Type.String({ description: 'ISO 8601 with offset.' }),
  dateModified: nullable(Type.String()),
  createdBy: nullable(Type.String()),
  modifiedBy: nullable(Type.String()),
}

const namedExample = {
  dateAdded: '2026-01-31T15:54:35+00:00',
  dateModified: null,
  createdBy: 'admin',
  modifiedBy: null,
}

const namedFields = {
  id: { column: 'id', type: 'number' },
  dateAdded: { column: 'date_added', type: 'date' },
  dateModified: { column: 'date_modified', type: 'date' },
  createdBy: { column: 'created_by', type: 'text' },
  modifiedBy: { column: 'modified_by', type: 'text' },
} as const

const presentNamed = (row: RecordRow) => ({
  dateAdded: formatDate(row.date_added),
  dateModified: formatOptionalDate(row.date_modified),
  createdBy: row.created_by,
  modifiedBy: row.modified_by,
})

/** Creator, last editor and times of a record, as the contract has them: with names. */
export const namedStamps = {
  schema: named,
  example: namedExample,
  fields: namedFields,
  present: presentNamed,
}

/** The same as Mautic has them: with ids and names. */
export const mauticStamps = {
  schema: {
    ...named,
    createdBy: nullable(Type.Integer()),
    createdByUser: nullable(Type.String()),
    modifiedBy: nullable(Type.Integer()),
    modifiedByUser: nullable(Type.String()),
  },
  example: {
    ...namedExample,
    createdBy: 1,
    createdByUser: 'admin',
    modifiedBy: null,
    modifiedByUser: null,
  },
  fields: {
    ...namedFields,
    createdBy: { column: 'created_by_id', type: 'number' },
    createdByUser: namedFields.createdBy,
    modifiedBy: { column: 'modified_by_id', type: 'number' },
    modifiedByUser: namedFields.modifiedBy,
  } as const,
  present: (row: RecordRow) => ({
    ...presentNamed(row),
    createdBy: row.created_by_id,
    createdByUser: row.created_by,
    modifiedBy: row.modified_by_id,
    modifiedByUser: row.modified_by,
  }),
}

export type Stamps = typeof namedStamps | typeof mauticStamps
