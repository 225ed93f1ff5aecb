import Type from 'typebox'
import { formatDate, formatOptionalDate } from '../kit/iso-date.ts'
import { nullable } from './schema-parts.ts'

/** The columns of a record that say who made and changed it, and when. */
interface StampColumns {
  is_published: boolean
  date_added: number
  date_modified: number | null
  created_by: string | null
  created_by_id: number | null
  modified_by: string | null
  modified_by_id: number | null
}

/** Who and when, as the contract has them: names. */
export const stampSchema = {
  isPublished: Type.Boolean(),
  dateAdded: Type.String({ description: 'ISO 8601 with offset.' }),
  dateModified: nullable<string>('string'),
  createdBy: nullable<string>('string'),
  modifiedBy: nullable<string>('string'),
}

/** The stamps of a record in an example. */
export const stampExample = {
  isPublished: true,
  dateAdded: '2026-01-31T15:54:35+00:00',
  dateModified: null,
  createdBy: 'admin',
  modifiedBy: null,
}

export function presentStamps(row: StampColumns) {
  return {
    isPublished: Boolean(row.is_published),
    dateAdded: formatDate(row.date_added),
    dateModified: formatOptionalDate(row.date_modified),
    createdBy: row.created_by,
    modifiedBy: row.modified_by,
  }
}

/** Who and when, as Mautic has them: ids, and names beside them. */
export const mauticStampSchema = {
  ...stampSchema,
  createdBy: nullable<number>('integer'),
  createdByUser: nullable<string>('string'),
  modifiedBy: nullable<number>('integer'),
  modifiedByUser: nullable<string>('string'),
}

/** The stamps of a record in an example, as Mautic has them. */
export const mauticStampExample = {
  ...stampExample,
  createdBy: 1,
  createdByUser: 'admin',
  modifiedBy: null,
  modifiedByUser: null,
}

export function presentMauticStamps(row: StampColumns) {
  return {
    ...presentStamps(row),
    createdBy: row.created_by_id,
    createdByUser: row.created_by,
    modifiedBy: row.modified_by_id,
    modifiedByUser: row.modified_by,
  }
}

/** What every list may be filtered and ordered by, and the columns behind it. */
export const stampFields = {
  id: { column: 'id', type: 'number' },
  isPublished: { column: 'is_published', type: 'boolean' },
  dateAdded: { column: 'date_added', type: 'date' },
  dateModified: { column: 'date_modified', type: 'date' },
  createdBy: { column: 'created_by', type: 'text' },
  modifiedBy: { column: 'modified_by', type: 'text' },
} as const
