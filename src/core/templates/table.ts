import { sql } from 'kysely'
import type { ColumnsOf } from '../../platform/resource/index.ts'
import {
  addBrand,
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'
import type { templateRecord } from './schema.ts'

export interface TemplateRow extends RecordRow, ColumnsOf<typeof templateRecord> {
  /** See `nameKey`. */
  name_key: string
  /** JSON: the names of the templates that it refers to, as written. */
  refers_to: string
}

/** One saved version of a template. */
export interface TemplateVersionRow {
  template_id: number
  /** The revision of the template. */
  version: number
  name: string
  description: string | null
  template: string
  saved_at: number
  saved_by: string
  note: string | null
}

export type TemplateTables = {
  /** The versions of deleted templates. */
  deleted_template_versions: TemplateVersionRow
  twig_template_versions: TemplateVersionRow
  twig_templates: RecordTable<TemplateRow>
}

export const templateMigrations: Migrations = {
  async '00.01.00_15_twig_templates'(db, database) {
    await createRecordTable(db, database, 'twig_templates')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('template', 'text', (column) => column.notNull())
      .addColumn('refers_to', 'text', (column) => column.notNull())
      .$call(addBrand)
      .execute()
    // Finds the oldest published template of a name without reading templates.
    await db.schema
      .createIndex('twig_templates_names')
      .on('twig_templates')
      .columns(['name_key', 'brand_id', 'is_published', 'id'])
      .execute()
    await database.createSearchIndex(db, 'twig_templates')
    await db.schema
      .createTable('twig_template_versions')
      .addColumn('template_id', 'bigint', (column) =>
        column.notNull().references('twig_templates.id').onDelete('cascade'),
      )
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('template', 'text', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('saved_by', 'text', (column) => column.notNull())
      .addColumn('note', 'text')
      .addPrimaryKeyConstraint('twig_template_versions_key', ['template_id', 'version'])
      .execute()
    // They are erased with the deleted template. The constraint is deferred: versions are moved before the template, and
    // moved back after it.
    await sql`create table deleted_template_versions (
      kind text not null default 'twig_templates',
      template_id bigint not null,
      version bigint not null,
      name text not null,
      description text,
      template text not null,
      saved_at bigint not null,
      saved_by text not null,
      note text,
      primary key (template_id, version),
      foreign key (kind, template_id) references deleted_records (kind, id) on delete cascade
        deferrable initially deferred)`.execute(db)
  },
}
