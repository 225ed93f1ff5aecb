import Type, { type Static } from 'typebox'
import {
  isPublishedFlag,
  nameText,
  nullable,
  optionalText,
  type ResourceShape,
  stampFields,
  stampSchema,
} from '../http/index.ts'

const templateLengthMax = 1_000_000

/** What the API takes. */
export const templateInput = Type.Object({
  name: nameText('The name of the template.'),
  template: Type.String({
    minLength: 1,
    maxLength: templateLengthMax,
    description: 'The Twig code; it is kept byte for byte.',
  }),
  description: optionalText('What it is for.'),
  isPublished: isPublishedFlag,
})
export type TemplateInput = Static<typeof templateInput>

/** What the API gives. */
export const templateItem = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  template: Type.String(),
  description: nullable<string>('string'),
  ...stampSchema,
})
export type TemplateItem = Static<typeof templateItem>

export const templateFields = {
  ...stampFields,
  name: { column: 'name', type: 'text' },
  description: { column: 'description', type: 'text' },
} as const

/** How templates look from outside. */
export const templateShape: ResourceShape = {
  path: '/api/twigTemplates',
  one: 'twigTemplate',
  many: 'twigTemplates',
  label: 'Twig template',
  area: 'twigtemplates',
  listLimit: undefined,
  fields: templateFields,
  item: templateItem,
  input: templateInput,
}
