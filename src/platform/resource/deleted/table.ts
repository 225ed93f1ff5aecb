import { addBrand, type Migrations } from '../../storage/index.ts'

/** A deleted record of any kind, until it is restored or erased. */
export interface DeletedRow {
  /** The table that it was deleted from. */
  kind: string
  id: number
  name: string
  search_text: string
  /** As in the record; `noBrand` also where records of this kind belong to no brand. */
  brand_id: number
  is_published: boolean
  created_by_id: number | null
  date_deleted: number
  deleted_by: string
  /** JSON: the row. Its encrypted columns stay encrypted. */
  record: string
  /** JSON: what the deletion released; `null` for nothing. */
  related: string
}

export type DeletedTables = { deleted_records: DeletedRow }

/** The table of deleted records. A migration that changes a record table has to change the records here as well. */
export const deletedRecordMigrations: Migrations = {
  async '00.01.00_02_deleted_records'(db) {
    await db.schema
      .createTable('deleted_records')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'bigint', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('search_text', 'text', (column) => column.notNull())
      .$call(addBrand)
      .addColumn('is_published', 'boolean', (column) => column.notNull())
      .addColumn('created_by_id', 'bigint')
      .addColumn('date_deleted', 'bigint', (column) => column.notNull())
      .addColumn('deleted_by', 'text', (column) => column.notNull())
      .addColumn('record', 'text', (column) => column.notNull())
      .addColumn('related', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('deleted_records_key', ['kind', 'id'])
      .execute()
    const ofKind = db.schema.createIndex('deleted_records_of_kind').on('deleted_records')
    await ofKind.columns(['kind', 'date_deleted', 'id']).execute()
    const byDate = db.schema.createIndex('deleted_records_by_date').on('deleted_records')
    await byDate.column('date_deleted').execute()
  },
}
