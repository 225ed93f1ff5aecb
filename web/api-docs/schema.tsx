import type { ComponentChildren } from 'preact'
import { type ApiDocument, nameOf, type Parameter, type Schema } from './document.ts'
import { Markdown } from './markdown.tsx'
import { apiDocsWords as words } from './words.ts'

type Schemas = ApiDocument['components']['schemas']

/** The fields of a body or an answer. A schema that has a name is listed where it is the whole, and a link inside. */
export function Fields({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const objects = objectsOf(schema, schemas)
  if (objects.length === 0) return <Type schema={schema} />
  return objects.map(({ title, properties = {}, required = [] }) => (
    <ul class="field-list" key={title}>
      {Object.entries(properties).map(([name, field]) => (
        <Field key={name} name={name} schema={field} isRequired={required.includes(name)}>
          {objectsOf(field, {}).length > 0 && (
            <details>
              <summary>{words.fieldsOf(name)}</summary>
              <Fields schema={field} schemas={{}} />
            </details>
          )}
        </Field>
      ))}
    </ul>
  ))
}

/** The objects that a schema is, lists, or chooses from. */
function objectsOf(schema: Schema, schemas: Schemas): Schema[] {
  const { $ref, anyOf, items, properties } = schema
  if ($ref !== undefined) {
    const named = schemas[nameOf($ref)]
    return named === undefined ? [] : objectsOf(named, {})
  }
  if (anyOf !== undefined) return anyOf.flatMap((each) => objectsOf(each, schemas))
  if (items !== undefined) return objectsOf(items, schemas)
  return properties === undefined ? [] : [schema]
}

export function Parameters({ parameters }: { parameters: readonly Parameter[] }) {
  return (
    <ul class="field-list">
      {parameters.map((each) => (
        <Field
          key={each.name}
          name={each.name}
          schema={{ ...each.schema, description: each.description }}
          isRequired={each.required ?? false}
          kind={words.kinds[each.in]}
        />
      ))}
    </ul>
  )
}

interface FieldProps {
  name: string
  schema: Schema
  isRequired: boolean
  kind?: string
  children?: ComponentChildren
}

function Field({ name, schema, isRequired, kind, children }: FieldProps) {
  return (
    <li>
      <code class="field-name">{name}</code>{' '}
      <span class="quiet small">
        <Type schema={schema} />
        {[kind, ...rulesOf(schema)].filter(Boolean).map((each) => `, ${each}`)}
      </span>
      {isRequired && <span class="small required"> {words.required}</span>}
      {schema.description !== undefined && <Markdown text={schema.description} />}
      {children}
    </li>
  )
}

function Type({ schema }: { schema: Schema }): ComponentChildren {
  const { $ref, anyOf, items, type } = schema
  if ($ref !== undefined) return <a href={`/api/docs/schemas#${nameOf($ref)}`}>{nameOf($ref)}</a>
  if (anyOf !== undefined)
    return anyOf.map((each, index) => [
      index > 0 && ` ${words.or} `,
      <Type key={index} schema={each} />,
    ])
  if (items !== undefined) return [words.listOf, ' ', <Type key="items" schema={items} />]
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  return type === undefined ? words.anyValue : [type].flat().join(` ${words.or} `)
}

function rulesOf({ enum: values, minimum, maximum, maxLength, maxItems, ...schema }: Schema) {
  const isId = maximum === Number.MAX_SAFE_INTEGER
  return [
    values !== undefined && words.oneOf(values.map((each) => JSON.stringify(each)).join(', ')),
    minimum !== undefined && !isId && words.least(minimum),
    maximum !== undefined && !isId && words.most(maximum),
    maxLength !== undefined && words.characters(maxLength),
    maxItems !== undefined && words.items(maxItems),
    schema.default !== undefined && words.fallback(JSON.stringify(schema.default)),
  ]
}
