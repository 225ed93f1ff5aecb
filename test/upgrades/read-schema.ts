import { sql } from 'kysely'
import type { Storage } from '../../src/platform/storage/index.ts'

/**
 * Describes every table, column, index, trigger and function of a database, a line each, in a form that does not depend on
 * the order in which columns were added.
 */
export async function readSchema(storage: Storage): Promise<string[]> {
  const query = storage.isShared ? postgresSchema : sqliteSchema
  const { rows } = await query.execute(storage.tables<unknown>())
  return rows.map(({ line }) => line.replaceAll(/\s+/g, ' ')).toSorted()
}

const sqliteSchema = sql<{ line: string }>`
  select 'column ' || t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' '
      || coalesce(c.dflt_value, '') || ' ' || c.pk || ' ' || t.wr || t.strict as line
    from pragma_table_list as t, pragma_table_xinfo(t.name) as c
    where t.schema = 'main' and t.type <> 'virtual'
  union all select 'reference ' || t.name || '.' || f."from" || ' ' || f."table" || ' ' || f.on_delete
    from pragma_table_list as t, pragma_foreign_key_list(t.name) as f where t.schema = 'main'
  union all select type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '')
    from sqlite_master where type <> 'table'`

// Partitions have the columns and indexes of their table.
const postgresSchema = sql<{ line: string }>`
  select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' '
      || a.attnotnull || a.attidentity::text || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
      || coalesce((select collname from pg_collation o where o.oid = a.attcollation and o.collname <> 'default'), '') as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  union all select 'index ' || pg_get_indexdef(i.indexrelid)
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition
  union all select 'constraint ' || c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition and k.contype <> 'n'
  union all select 'trigger ' || pg_get_triggerdef(t.oid)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and not c.relispartition
  union all select 'function ' || p.oid::regprocedure || ' ' || p.prosrc
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend e where e.objid = p.oid and e.deptype = 'e')`
