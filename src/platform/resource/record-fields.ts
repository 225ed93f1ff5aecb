import { type RawBuilder, sql } from 'kysely'
import Type, { type Static, type TInteger, type TObject, type TSchema } from 'typebox'
import { noBrand } from '../../kit/caller.ts'
import { searchTextOf } from '../../kit/normalize-for-search.ts'
import {
  isPublishedFlag,
  nameText,
  nullable,
  optionalEmailAddress,
  optionalText,
  recordIdOrNull,
} from '../http/index.ts'
import type { FieldType, RecordRow } from '../storage/index.ts'
import type { Stamps } from './stamps.ts'

/** A field as requests have it, as answers have it, or both. The module stores and presents it. */
interface ShownField {
  input?: TSchema
  item?: TSchema
}

/** A field whose column has its value, under its name: `perDay` is `per_day`, unless it names its `column`. */
export interface PlainField<Input extends TSchema, Item extends TSchema, Column = Static<Item>> {
  input: Input
  item: Item
  /** As lists compare it. */
  type: FieldType
  column?: string
  /** What lists compare, where it is not the column. */
  expression?: RawBuilder<unknown>
  /** Returns what is stored; `value` is undefined if a request leaves the field out. */
  toColumn(value: Static<Input> | undefined): Column
  toValue(column: Column): Static<Item>
}

/** Describes a field that is stored as it is sent, or as `fallback` if it is left out or null. */
export function plainField<Input extends TSchema, Item extends TSchema>(
  input: Input,
  item: Item,
  { type = 'text', fallback }: { type?: FieldType; fallback: Static<Item> },
): PlainField<Input, Item> {
  const toColumn = (value: Static<Input> | undefined) => (value ?? fallback) as Static<Item>
  return { input, item, type, toColumn, toValue: (column) => column }
}

/** A name, which is required. */
export const nameField = (description: string) =>
  plainField(nameText(description), Type.String(), { fallback: '' })

/** Text, or null for none. */
export const textField = (description: string, maxLength?: number) =>
  plainField(optionalText(description, maxLength), nullable(Type.String()), { fallback: null })

/** An email address; null, also where it is empty, for none. */
export const addressField = (description: string) => ({
  ...plainField(optionalEmailAddress(description), nullable(Type.String()), { fallback: null }),
  toColumn: (value: string | null | undefined) => value || null,
})

/** A Boolean. SQLite returns it as a number. */
export const flagField = <Input extends TSchema>(input: Input, fallback: boolean) => ({
  ...plainField(input, Type.Boolean(), { type: 'boolean', fallback }),
  toValue: (column: boolean) => Boolean(column),
})

/** Whether the record is published. */
export const isPublishedField = flagField(isPublishedFlag, true)

/** The id of another record, or null for none, in a column that has another name: `role_id`. */
export const referenceField = <Input extends TSchema, Column extends string>(
  column: Column,
  input: Input,
  description?: string,
) => ({
  ...plainField(input, nullable(Type.Integer(), description === undefined ? {} : { description }), {
    type: 'number',
    fallback: null,
  }),
  column,
})

const brandOfInput =
  'The brand that it belongs to. Null: none, all brands use it. Default: the brand of the caller.'

/** The brand that a record belongs to; an answer leaves it out where there is none. See `brandAccess`. */
export const brandField = {
  input: Type.Optional(recordIdOrNull(brandOfInput)),
  item: Type.Optional(Type.Integer({ description: 'The brand that it belongs to.' })),
  type: 'number' as const,
  column: 'brand_id' as const,
  expression: sql`nullif(brand_id, ${sql.lit(noBrand)})`,
  toColumn: (id: number | null | undefined) => id ?? noBrand,
  toValue: (id: number) => (id === noBrand ? undefined : id),
}

/** A value whose column has JSON. */
export const jsonField = <Input extends TSchema, Item extends TSchema>(
  input: Input,
  item: Item,
  fallback: Static<Item>,
): PlainField<Input, Item, string> => ({
  input,
  item,
  type: 'text',
  toColumn: (value) => JSON.stringify(value ?? fallback),
  toValue: (column) => JSON.parse(column) as Static<Item>,
})

/** The same, or null for none. */
export const optionalJsonField = <Input extends TSchema, Item extends TSchema>(
  input: Input,
  item: Item,
): PlainField<Input, Item, string | null> => ({
  input,
  item,
  type: 'text',
  toColumn: (value) => (value === undefined || value === null ? null : JSON.stringify(value)),
  toValue: (column) => (column === null ? null : JSON.parse(column)) as Static<Item>,
})

type Fields = Readonly<Record<string, ShownField | PlainField<TSchema, TSchema>>>

/** The names of the plain fields. */
type Plain<All> = {
  [Name in keyof All]: All[Name] extends { toColumn: unknown } ? Name : never
}[keyof All] &
  string

type Schemas<All, Side extends 'input' | 'item'> = {
  [Name in keyof All as All[Name] extends Record<Side, TSchema> ? Name : never]: All[Name] extends {
    [Key in Side]: infer Schema extends TSchema
  }
    ? Schema
    : never
}

/** The values of the plain fields. */
type Values<All, Side extends 'input' | 'item'> = Static<
  TObject<Schemas<Pick<All, Plain<All>>, Side>>
>

type Columns<All> = {
  [Name in Plain<All> as ColumnName<All[Name], Name>]: All[Name] extends {
    toValue(column: infer Column): unknown
  }
    ? Column
    : never
}

type ColumnName<Field, Name extends string> = Field extends { column: infer Column extends string }
  ? Column
  : SnakeCase<Name>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** The columns of the plain fields, for the type of a row. */
export type ColumnsOf<Record extends { toColumns: (input: never) => object }> = ReturnType<
  Record['toColumns']
>

/**
 * Describes the fields of a resource, in the order of its schemas. A plain field is described nowhere else, except by the
 * migration that adds its column.
 *
 * @param searched The plain fields that a search looks into.
 * @example
 * const note = recordFields(namedStamps, ['name'], { name: nameField('The name.'), lineCount: { item: Type.Integer() } })
 * Type.Object(note.input) // the schema of { name: 'To do' }
 * note.toColumns({ name: 'To do' }) // { name: 'To do', search_text: 'to do' }
 */
export function recordFields<All extends Fields, Stamped extends Stamps>(
  stamps: Stamped,
  searched: readonly Plain<All>[],
  fields: All,
) {
  const all = Object.entries(fields)
  const schemas = (side: 'input' | 'item') =>
    Object.fromEntries(
      all.flatMap(([name, { [side]: schema }]) => (schema === undefined ? [] : [[name, schema]])),
    )
  const plain = all.flatMap(([name, field]) =>
    'toColumn' in field ? [{ name, column: field.column ?? columnOf(name), field }] : [],
  )
  const searchedColumns = searched.flatMap(
    (name) => plain.find((field) => field.name === name)?.column ?? [],
  )
  /** Returns the plain fields of a row, as requests and answers have them. */
  const toValues = (row: Columns<All>): Values<All, 'item'> => {
    const values: Record<string, unknown> = {}
    for (const { name, column, field } of plain) {
      const value = field.toValue(Reflect.get(row, column))
      if (value !== undefined) values[name] = value
    }
    return values
  }
  return {
    /** The properties of the schema of a request. */
    input: schemas('input') as Schemas<All, 'input'>,
    /** The properties of the schema of an answer. */
    item: {
      id: Type.Integer(),
      ...(schemas('item') as Schemas<All, 'item'>),
      ...stamps.schema,
    } as {
      id: TInteger
    } & Schemas<All, 'item'> &
      Stamped['schema'],
    /** An answer, with these values. */
    example: <Example extends object>(id: number, values: Example) => ({
      id,
      ...values,
      ...('isPublished' in fields ? { isPublished: true } : {}),
      ...(stamps.example as Stamped['example']),
    }),
    /** Returns the columns of the plain fields, and the text of a search. */
    toColumns: (input: Values<All, 'input'>): Columns<All> & Pick<RecordRow, 'search_text'> => {
      const columns: Record<string, unknown> = {}
      for (const { name, column, field } of plain)
        columns[column] = field.toColumn(Reflect.get(input, name))
      const texts = searchedColumns.map((column) => columns[column] as string | null)
      return { ...(columns as Columns<All>), search_text: searchTextOf(...texts) }
    },
    toValues,
    /** Returns what an answer has of a row, in this order: its id, the plain fields, these others, and the stamps. */
    present: <Others extends object>(row: Columns<All> & RecordRow, others: Others) => ({
      id: row.id,
      ...toValues(row),
      ...others,
      ...(stamps.present(row) as ReturnType<Stamped['present']>),
    }),
    /** Returns what lists are filtered and ordered by: the id, `isPublished`, `brand`, the stamps, and these plain fields; all, if none is named. */
    listFields: <Name extends Plain<All> = Plain<All>>(...names: Name[]) => {
      const columnsOf = (isListed: (name: string) => boolean) =>
        Object.fromEntries(
          plain.flatMap(({ name, column, field: { type, expression } }) =>
            isListed(name) ? [[name, { column, type, ...(expression && { expression }) }]] : [],
          ),
        )
      const { id, ...fields } = stamps.fields as Stamped['fields']
      return {
        id,
        ...columnsOf((name) => name === 'isPublished' || name === 'brand'),
        ...fields,
        ...columnsOf((name) => names.length === 0 || names.includes(name as Name)),
      } as Stamped['fields'] & Record<Name, { column: string; type: FieldType }>
    },
  }
}

function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
