import Type, { type Static, type TObject, type TSchema } from 'typebox'
import {
  isPublishedFlag,
  nameText,
  nullable,
  optionalEmailAddress,
  optionalText,
} from '../http/index.ts'
import type { FieldType } from '../storage/index.ts'

/** A field as requests have it, as answers have it, or both. The module stores and presents it. */
interface ShownField {
  input?: TSchema
  item?: TSchema
}

/** A field whose column has its value, under its name: `perDay` is `per_day`. */
export interface PlainField<Input extends TSchema, Item extends TSchema, Column = Static<Item>> {
  input: Input
  item: Item
  /** As lists compare it. */
  type: FieldType
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
  [Name in Plain<All> as SnakeCase<Name>]: All[Name] extends {
    toValue(column: infer Column): unknown
  }
    ? Column
    : never
}

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
 * @example
 * const note = recordFields({ name: nameField('The name.'), lineCount: { item: Type.Integer() } })
 * Type.Object(note.input) // the schema of { name: 'To do' }
 * note.toColumns({ name: 'To do' }) // { name: 'To do' }
 */
export function recordFields<All extends Fields>(fields: All) {
  const all = Object.entries(fields)
  const schemas = (side: 'input' | 'item') =>
    Object.fromEntries(
      all.flatMap(([name, { [side]: schema }]) => (schema === undefined ? [] : [[name, schema]])),
    )
  const plain = all.flatMap(([name, field]) =>
    'toColumn' in field ? [{ name, column: columnOf(name), field }] : [],
  )
  return {
    /** The properties of the schema of a request. */
    input: schemas('input') as Schemas<All, 'input'>,
    /** The properties of the schema of an answer. */
    item: schemas('item') as Schemas<All, 'item'>,
    /** Returns the columns of the plain fields. */
    toColumns(input: Values<All, 'input'>): Columns<All> {
      const columns = plain.map(({ name, column, field }) => [
        column,
        field.toColumn(Reflect.get(input, name)),
      ])
      return Object.fromEntries(columns) as Columns<All>
    },
    /** Returns the plain fields of a row, as requests and answers have them. */
    toValues(row: Columns<All>): Values<All, 'item'> {
      const values = plain.map(({ name, column, field }) => [
        name,
        field.toValue(Reflect.get(row, column)),
      ])
      return Object.fromEntries(values) as Values<All, 'item'>
    },
    /** Returns what lists are filtered and ordered by: these plain fields; all, if none is named. */
    listFields<Name extends Plain<All> = Plain<All>>(...names: Name[]) {
      const isAll = names.length === 0
      const listed = plain.filter(({ name }) => isAll || names.includes(name as Name))
      return Object.fromEntries(
        listed.map(({ name, column, field: { type } }) => [name, { column, type }]),
      ) as Record<Name, { column: string; type: FieldType }>
    },
  }
}

function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
